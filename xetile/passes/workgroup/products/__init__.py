"""What products take and what becomes of their results: sums, scales, exponentials, columns, transposes, and who works operands out."""

"""What is known of a module, asked by passes and never changed by them: uses, alignment, divergence, ranges, owners, block rules."""

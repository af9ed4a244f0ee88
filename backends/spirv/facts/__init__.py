"""What the writer asks of lane-level IR before it writes an op. Nothing here writes or changes anything."""

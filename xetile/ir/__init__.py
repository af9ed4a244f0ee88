"""The IR: ops, values, blocks and attributes by declaration; building, printing and verifying them. Knows nothing of tiles or GPUs."""

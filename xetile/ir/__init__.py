"""The IR: ops, values, blocks and attributes by declaration; built, printed and verified. Knows nothing of tiles or GPUs."""

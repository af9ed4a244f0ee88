"""Matrix and tensor kernels for Intel GPUs as Python functions on tiles."""

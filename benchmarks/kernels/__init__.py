"""Kernels that are measured: by `benchmarks.isa` in the machine code that they become, by the other benchmarks in time."""

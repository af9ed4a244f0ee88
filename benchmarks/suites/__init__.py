"""The cases of each benchmark that is a kernel at some sizes; `benchmarks.throughput` runs them."""

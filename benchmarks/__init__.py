"""Measurements: what Intel's GPU compiler makes of our kernels, and how long things take. `python -m xetile benchmarks` lists them."""

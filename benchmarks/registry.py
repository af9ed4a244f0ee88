"""Every benchmark by name. A module is imported when its benchmark runs, so that one's tools are not needed for another.

An entry's `place` is "module:function", from this package on; the function takes the arguments after the name, and gives the exit status.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Main = Callable[[Sequence[str]], int]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its name on the command line, what it measures in a line, and where it is."""

    name: str
    summary: str
    place: str

    def load(self) -> Main:
        """The function that runs it."""
        module, _, function = self.place.partition(":")
        main: Main = getattr(importlib.import_module(f".{module}", __package__), function)
        return main


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark("matmul", "matrix products: square, skinny, batched, split, transposed, with epilogues", "suites.table:matmul"),
    Benchmark("softmax", "softmax of rows", "suites.table:softmax"),
    Benchmark("layer_norm", "layer norm of rows", "suites.table:layer_norm"),
    Benchmark("reduction", "sums of rows", "suites.table:reduction"),
    Benchmark("transpose", "a matrix transposed in memory", "suites.table:transpose"),
    Benchmark("vector_add", "two arrays added into a third", "suites.table:vector_add"),
    Benchmark("attention", "attention, forward, with and without a causal mask", "suites.table:attention"),
    Benchmark("all", "all that a CPU is measured by, on one page with its bars", "cpu_page:main"),
    Benchmark("scaling", "what more cores give, and what more work costs", "scaling:main"),
    Benchmark("amx", "products by AMX: right, and beside PyTorch", "amx:main"),
    Benchmark("ops", "the functions of xetile.ops beside numpy's and PyTorch's", "library:main"),
    Benchmark("plain", "kernels as people write them beside numpy's and PyTorch's functions", "plain:main"),
    Benchmark("dask", "xetile.ops over dask.array, beside its numpy blocks", "dask_arrays:main"),
    Benchmark("compile", "time until a kernel runs: importing, compiling, starting warm", "startup:main"),
    Benchmark("launch", "what a call costs beyond the kernel", "launch:main"),
    Benchmark("endurance", "what a long process keeps, and how large a module may be", "endurance:main"),
    Benchmark("tuning", "autotuning a matmul, and again without timing", "tuning:main"),
    Benchmark("fallback", "the numpy fallback against numpy and Triton's interpreter", "fallback:main"),
    Benchmark("isa", "what Intel's GPU compiler makes of the kernels, counted (offline)", "isa:main"),
    Benchmark("odd", "what tiles of odd sizes cost beside the next powers of two (offline)", "odd:main"),
    Benchmark("simulator", "how fast simulated GPUs run machine code", "simulator:main"),
)
BY_NAME = {benchmark.name: benchmark for benchmark in BENCHMARKS}


def listing() -> str:
    """Names and summaries as text."""
    width = max(map(len, BY_NAME))
    return "\n".join(f"  {benchmark.name:<{width}}  {benchmark.summary}" for benchmark in BENCHMARKS)

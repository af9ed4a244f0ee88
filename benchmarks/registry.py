"""Every benchmark by name. A module is imported when its benchmark runs, so that one's tools are not needed for another.

An entry's `place` is "module:function"; the function takes the arguments after the name, and gives the exit status.
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
        main: Main = getattr(importlib.import_module(module), function)
        return main


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "matmul", "matrix products: square, skinny, batched, split, transposed, with epilogues", "benchmarks.suites.table:matmul"
    ),
    Benchmark("softmax", "softmax of rows", "benchmarks.suites.table:softmax"),
    Benchmark("layer_norm", "layer norm of rows", "benchmarks.suites.table:layer_norm"),
    Benchmark("reduction", "sums of rows", "benchmarks.suites.table:reduction"),
    Benchmark("transpose", "a matrix transposed in memory", "benchmarks.suites.table:transpose"),
    Benchmark("vector_add", "two arrays added into a third", "benchmarks.suites.table:vector_add"),
    Benchmark("attention", "attention, forward, with and without a causal mask", "benchmarks.suites.table:attention"),
    Benchmark("compile", "time until a kernel runs: importing, compiling, starting warm", "benchmarks.startup:main"),
    Benchmark("launch", "what a call costs beyond the kernel", "benchmarks.launch:main"),
    Benchmark("endurance", "what a long process keeps, and how large a module may be", "benchmarks.endurance:main"),
    Benchmark("tuning", "autotuning a matmul, and again without timing", "benchmarks.tuning:main"),
    Benchmark("fallback", "the numpy fallback against numpy and Triton's interpreter", "benchmarks.fallback:main"),
    Benchmark("isa", "what Intel's GPU compiler makes of the kernels, counted (offline)", "benchmarks.isa:main"),
)
BY_NAME = {benchmark.name: benchmark for benchmark in BENCHMARKS}


def listing() -> str:
    """Names and summaries as text."""
    width = max(map(len, BY_NAME))
    return "\n".join(f"  {benchmark.name:<{width}}  {benchmark.summary}" for benchmark in BENCHMARKS)

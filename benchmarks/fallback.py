"""How fast the numpy fallback is: against numpy itself, against Triton's interpreter, and over the size of the grid.

    python -m benchmarks fallback [--triton PYTHON] [--samples N] [--quick] [--out DIR]

All ratios are of medians of one run; ours and numpy's samples alternate. PYTHON is an interpreter with triton==3.9.0 and torch;
left out, this one, and no such rows where it has none. Writes fallback.json and fallback.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import fallback_kernels as kernels

RESULTS = Path(__file__).parent / "results"
TRITON = Path(__file__).with_name("fallback_triton.py")
TORCH_NAMES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}


@dataclass
class Row:
    """One comparison: seconds of ours and of the other, median and the 20th and 80th percentile; `ratio` in the bar's sense."""

    what: str
    against: str
    ours: tuple[float, float, float]
    other: tuple[float, float, float]
    ratio: float
    bar: str
    met: bool


def spread(seconds: list[float]) -> tuple[float, float, float]:
    """Median, 20th and 80th percentile."""
    p20, p80 = np.percentile(seconds, [20, 80])
    return statistics.median(seconds), float(p20), float(p80)


def alternate(functions: Iterable[Callable[[], Any]], samples: int) -> list[list[float]]:
    """Seconds of each function, sampled in turns so that all meet the same machine; one warm-up each."""
    functions = list(functions)
    for function in functions:
        function()
    seconds: list[list[float]] = [[] for _ in functions]
    for _ in range(samples):
        for function, record in zip(functions, seconds):
            start = time.perf_counter()
            function()
            record.append(time.perf_counter() - start)
    return seconds


def against_numpy(samples: int) -> Iterable[Row]:
    """numpy's own matmul, and plain numpy expressions."""
    rng = np.random.default_rng(0)
    for size in (512, 1024):
        a, b = rng.standard_normal((2, size, size)).astype(np.float32)
        ours, other = alternate((lambda a=a, b=b: kernels.matmul(a, b), lambda a=a, b=b: a @ b), samples)  # type: ignore[misc]
        yield _at_most(f"matmul f32 {size}", "numpy", ours, other, 5)
    x = rng.standard_normal((4096, 1024)).astype(np.float32)
    weight, bias = rng.standard_normal((2, 1024)).astype(np.float32)
    line = rng.standard_normal((2, 10_000_000)).astype(np.float32)
    cases: list[tuple[str, Callable[[], Any], Callable[[], Any], int]] = [
        ("softmax 4096x1024", lambda: kernels.softmax(x), lambda: kernels.numpy_softmax(x), 4),
        ("layer norm 4096x1024", lambda: kernels.layer_norm(x, weight, bias),
         lambda: kernels.numpy_layer_norm(x, weight, bias), 4),
        ("add 10^7", lambda: kernels.add(line[0], line[1]), lambda: line[0] + line[1], 3),
    ]  # fmt: skip
    for name, mine, plain, times in cases:
        assert np.allclose(mine(), plain(), atol=1e-4)
        ours, other = alternate((mine, plain), samples)
        yield _at_most(name, "numpy", ours, other, times)


def _at_most(what: str, against: str, ours: list[float], other: list[float], times: float) -> Row:
    ratio = statistics.median(ours) / statistics.median(other)
    return Row(what, against, spread(ours), spread(other), ratio, f"at most {times:g} times its time", ratio <= times)


def against_triton(python: str, samples: int, sizes: tuple[int, ...]) -> Iterable[Row]:
    """Triton's interpreter on the same tiles."""
    import ml_dtypes

    types = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
    for dtype, times in (("f32", 50), ("f16", 20), ("bf16", 20)):
        for size in sizes:
            a, b = np.random.default_rng(0).standard_normal((2, size, size)).astype(types[dtype])
            (ours,) = alternate((lambda a=a, b=b: kernels.matmul(a, b),), max(10, samples))  # type: ignore[misc]
            other = _triton_seconds(python, size, dtype, max(2, samples // 10))
            ratio = statistics.median(other) / statistics.median(ours)
            bar = f"at least {times} times as fast"
            yield Row(f"matmul {dtype} {size}", "Triton's interpreter", spread(ours), spread(other), ratio, bar, ratio >= times)


def _triton_seconds(python: str, size: int, dtype: str, samples: int) -> list[float]:
    command = [python, str(TRITON), str(size), TORCH_NAMES[dtype], str(samples)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line) for line in run.stdout.split()]


def over_grids(sizes: Iterable[int]) -> Iterable[dict[str, Any]]:
    """Seconds and peak memory (a process of its own each) of a square f32 matmul: the grid grows with the square, K alike."""
    for size in sizes:
        command = [sys.executable, "-m", "benchmarks.fallback", "--one", str(size)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        programs = (size // 64) ** 2
        steps = programs * (size // 32)
        yield {"size": size, "programs": programs, **found, "nanoseconds per tile product": found["seconds"] / steps * 1e9}


def one(size: int) -> None:
    """Print seconds and peak bytes of one matmul."""
    import resource

    a, b = np.ones((2, size, size), np.float32)
    kernels.matmul(a[:64, :64].copy(), b[:64, :64].copy())
    (seconds,) = alternate((lambda: kernels.matmul(a, b),), 2 if size > 2048 else 10)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": min(seconds), "peak MiB": kilobytes / 1024, "arrays MiB": 3 * size * size * 4 / 2**20}))


def table(rows: list[Row], grids: list[dict[str, Any]], machine: str) -> str:
    """The results as Markdown."""

    def time_of(s: tuple[float, float, float]) -> str:
        return f"{s[0] * 1e3:.2f} ({s[1] * 1e3:.2f} to {s[2] * 1e3:.2f})"

    lines = ["# The numpy fallback", "", machine, "", "Milliseconds: median (20th to 80th percentile).", ""]
    lines += _header("what", "ours", "against", "its time", "ratio", "bar", "met")
    for r in rows:
        met = "yes" if r.met else "NO"
        lines.append(f"| {r.what} | {time_of(r.ours)} | {r.against} | {time_of(r.other)} | {r.ratio:.2f} | {r.bar} | {met} |")
    lines += ["", "Square f32 matmul, 64x64x32 tiles, each size in a process of its own; seconds: the best of three.", ""]
    lines += _header("size", "programs", "seconds", "ns per tile product", "peak MiB", "of which arrays")
    for g in grids:
        lines.append(
            f"| {g['size']} | {g['programs']} | {g['seconds']:.3f} | {g['nanoseconds per tile product']:.0f} |"
            f" {g['peak MiB']:.0f} | {g['arrays MiB']:.0f} |"
        )
    return "\n".join(lines) + "\n"


def _header(*names: str) -> list[str]:
    return [f"| {' | '.join(names)} |", f"| {' | '.join('---' for _ in names)} |"]


def describe_machine() -> str:
    """What it ran on."""
    load = os.getloadavg()[0]
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.1f}; numpy {np.__version__}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triton", metavar="PYTHON", default="", help="an interpreter with triton and torch")
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--quick", action="store_true", help="smaller sizes only")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    os.environ["XETILE_DEVICE"] = "numpy"
    if options.one:
        one(options.one)
        return 0
    python = options.triton or (sys.executable if importlib.util.find_spec("triton") else "")
    rows = list(against_numpy(options.samples))
    if python:
        rows += against_triton(python, options.samples, (512,) if options.quick else (512, 1024))
    grids = list(over_grids((256, 512, 1024) if options.quick else (256, 512, 1024, 2048, 4096)))
    machine = describe_machine()
    text = table(rows, grids, machine)
    print(text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "fallback.md").write_text(text, encoding="utf-8")
    record = {"machine": machine, "rows": [asdict(r) for r in rows], "grids": grids}
    (options.out / "fallback.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if all(r.met for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

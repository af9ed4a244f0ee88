"""How fast the numpy fallback is: against numpy itself, against Triton's interpreter, and over the size of the grid.

    python -m xetile benchmarks fallback [--triton PYTHON] [--samples N] [--quick] [--results FOLDER] [--no-write]

Samples of ours and of the other's alternate, so a ratio of medians compares the same minutes of the same machine. PYTHON is an
interpreter with triton==3.9.0 and torch; left out, this one, and no such rows where it has none. Writes fallback.json and
fallback.md; the exit status is 1 where a bar is missed.

On a machine that does other work too, set OPENBLAS_NUM_THREADS=1: threads of BLAS that wait for each other measure the scheduler.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from . import fallback_kernels as kernels
from .environment import RESULTS, describe, write_json
from .tables import Table

TRITON = Path(__file__).with_name("fallback_triton.py")
TORCH_NAMES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
GRID_K = 1024
MEMORY_BAR_MIB = 4096
Run = Callable[[], Any]


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


@dataclass
class GridRow:
    """A matmul of M = N in a process of its own: seconds (median and best), and memory of the whole process at its peak."""

    size: int
    k: int
    programs: int
    seconds: float
    best: float
    peak_mib: float
    arrays_mib: float

    @property
    def per_product(self) -> float:
        """Microseconds for each product of two tiles."""
        return self.seconds / (self.programs * self.k // 32) * 1e6


def spread(seconds: list[float]) -> tuple[float, float, float]:
    """Median, 20th and 80th percentile."""
    p20, p80 = np.percentile(seconds, [20, 80])
    return statistics.median(seconds), float(p20), float(p80)


def timed(function: Run) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def alternate(
    ours: Callable[[], float], other: Callable[[], float], samples: int, each: int = 1
) -> tuple[list[float], list[float]]:
    """Seconds of both in turns, `each` of ours for one of the other's; a warm-up of both first."""
    ours(), other()
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(samples):
        mine += [ours() for _ in range(each)]
        theirs.append(other())
    return mine, theirs


def against_numpy(samples: int) -> Iterator[Row]:
    """numpy's own matmul, and plain numpy expressions."""
    for name, ours, plain, times in numpy_cases():
        assert np.allclose(ours(), plain(), atol=1e-3)
        mine, theirs = alternate(partial(timed, ours), partial(timed, plain), samples)
        ratio = statistics.median(mine) / statistics.median(theirs)
        yield Row(name, "numpy", spread(mine), spread(theirs), ratio, f"at most {times} times its time", ratio <= times)


def numpy_cases() -> Iterator[tuple[str, Run, Run, int]]:
    """Name, our kernel, the same in plain numpy, and how many times the time is allowed."""
    rng = np.random.default_rng(0)
    for size in (512, 1024):
        a, b = rng.standard_normal((2, size, size)).astype(np.float32)
        yield f"matmul f32 {size}", partial(kernels.matmul, a, b), partial(np.matmul, a, b), 5
    x = rng.standard_normal((4096, 1024)).astype(np.float32)
    rows = (x, *rng.standard_normal((2, 1024)).astype(np.float32))
    yield "softmax 4096x1024", partial(kernels.softmax, x), partial(kernels.numpy_softmax, x), 4
    yield "layer norm 4096x1024", partial(kernels.layer_norm, *rows), partial(kernels.numpy_layer_norm, *rows), 4
    line = rng.standard_normal((2, 10_000_000)).astype(np.float32)
    yield "add 10^7", partial(kernels.add, *line), partial(np.add, *line), 3


def against_triton(python: str, samples: int, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Triton's interpreter on the same tiles."""
    import ml_dtypes

    types = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
    for dtype, times in (("f32", 50), ("f16", 20), ("bf16", 20)):
        for size in sizes:
            a, b = np.random.default_rng(0).standard_normal((2, size, size)).astype(types[dtype])
            with triton(python, size, dtype) as other:
                ours = partial(timed, partial(kernels.matmul, a, b))
                mine, theirs = alternate(ours, other, max(3, samples // 5), 5)
            ratio = statistics.median(theirs) / statistics.median(mine)
            bar = f"at least {times} times as fast"
            yield Row(f"matmul {dtype} {size}", "Triton's interpreter", spread(mine), spread(theirs), ratio, bar, ratio >= times)


@contextmanager
def triton(python: str, size: int, dtype: str) -> Iterator[Callable[[], float]]:
    """Another process with Triton's interpreter: each call runs its matmul once and gives its seconds."""
    command = [python, str(TRITON), str(size), TORCH_NAMES[dtype]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        given, answers = process.stdin, process.stdout

        def once() -> float:
            print("once", file=given, flush=True)
            return float(answers.readline())

        yield once
        given.close()


def over_grids(sizes: Iterable[tuple[int, int]], rounds: int) -> list[GridRow]:
    """Square f32 matmuls, each in a process of its own; the sizes take turns, so that noise meets all alike."""
    found: dict[tuple[int, int], list[dict[str, float]]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for (size, k), runs in found.items():
            command = [sys.executable, "-m", str(__package__), "fallback", "--one", str(size), str(k)]
            runs.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return [
        GridRow(size, k, (size // 64) ** 2, statistics.median(r["seconds"] for r in runs), min(r["seconds"] for r in runs),
                max(r["peak MiB"] for r in runs), (2 * size * k + size * size) * 4 / 2**20)
        for (size, k), runs in found.items()
    ]  # fmt: skip


def one(size: int, k: int) -> None:
    """Print seconds and peak memory of one matmul in this process."""
    a, b = np.ones((size, k), np.float32), np.ones((k, size), np.float32)
    kernels.matmul(a[:64, :64].copy(), b[:64, :64].copy())
    seconds = [timed(lambda: kernels.matmul(a, b)) for _ in range(3)]
    print(json.dumps({"seconds": statistics.median(seconds), "peak MiB": peak_mib()}))


def peak_mib() -> float:
    """The most memory that this process has had; getrusage would count that of the process that started it too."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def comparisons(rows: list[Row]) -> Table:
    """The rows as a table."""

    def milliseconds(s: tuple[float, float, float]) -> str:
        return f"{s[0] * 1e3:.2f} ({s[1] * 1e3:.2f} to {s[2] * 1e3:.2f})"

    out = Table(("what", "ours, ms", "against", "its time, ms", "ratio", "bar", "met"))
    for r in rows:
        out.add(
            r.what, milliseconds(r.ours), r.against, milliseconds(r.other), round(r.ratio, 2), r.bar, "yes" if r.met else "NO"
        )
    return out


def grids(rows: list[GridRow]) -> Table:
    """The rows as a table."""
    out = Table(("M = N", "K", "programs", "seconds", "best", "us per tile product", "peak MiB", "of which arrays"))
    for r in rows:
        out.add(r.size, r.k, r.programs, f"{r.seconds:.4f}", f"{r.best:.4f}", f"{r.per_product:.2f}", round(r.peak_mib),
                round(r.arrays_mib))  # fmt: skip
    return out


def markdown(found: dict[str, Any], rows: list[Row], over: list[GridRow]) -> str:
    """All of it, with what was measured, when and where."""
    machine, versions = found["machine"], found["versions"]
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"# The numpy fallback\n\n{found['date']}, revision {found['revision']}: {machine['cpu']}, {machine['cores']} cores, "
        f"load {found['load']:.1f} before and {found['load_after']:.1f} after, threads of BLAS: {found['blas_threads']}; {named}.\n\n"
        "`python -m xetile benchmarks fallback`. Milliseconds: median (20th to 80th percentile), samples in turns.\n\n"
        f"{comparisons(rows).markdown()}\n"
        "Square f32 matmul with 64x64x32 tiles over the size of the grid, each run in a process of its own whose peak memory "
        "holds Python, numpy and the compiler too. The last row, 4096 cubed, must stay under 4 GiB.\n\n"
        f"{grids(over).markdown()}"
    )


def measure(options: argparse.Namespace) -> tuple[list[Row], list[GridRow]]:
    """All rows."""
    python = options.triton or (sys.executable if importlib.util.find_spec("triton") else "")
    rows = list(against_numpy(options.samples))
    if python:
        rows += against_triton(python, options.samples, (512,) if options.quick else (512, 1024))
    sizes = (256, 512, 1024) if options.quick else (256, 512, 1024, 2048, 4096)
    over = over_grids(
        [*((size, GRID_K) for size in sizes), *(() if options.quick else ((4096, 4096),))], 1 if options.quick else 3
    )
    return rows, over


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m xetile benchmarks fallback", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--triton", metavar="PYTHON", default="", help="an interpreter with triton and torch")
    parser.add_argument("--samples", type=int, default=30, help="samples of each (of Triton's interpreter a fifth)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes only")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for fallback.json and fallback.md")
    parser.add_argument("--no-write", action="store_true", help="only print")
    parser.add_argument("--one", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    os.environ["XETILE_DEVICE"] = "numpy"
    if options.one:
        one(*options.one)
        return 0
    load, threads = os.getloadavg()[0], os.environ.get("OPENBLAS_NUM_THREADS", "all cores")
    rows, over = measure(options)
    found = describe(benchmark="fallback", load=load, load_after=os.getloadavg()[0], blas_threads=threads,
                     rows=[asdict(r) for r in rows],
                     grids=[asdict(r) for r in over])  # fmt: skip
    comparisons(rows).show()
    grids(over).show()
    if not options.no_write:
        write_json(options.results / "fallback.json", found)
        (options.results / "fallback.md").write_text(markdown(found, rows, over), encoding="utf-8")
    return 0 if all(r.met for r in rows) and over[-1].peak_mib < MEMORY_BAR_MIB else 1


if __name__ == "__main__":
    sys.exit(main())

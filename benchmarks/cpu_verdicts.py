"""What a CPU's page says beside its table: bars of other kinds, and for missed ones what was tried and stands in the way."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .tables import Table

HOW = (
    "CPU ms: median of one run, CPU seconds; all run on one core (`--all-cores`: on all). of roof: the share of what arithmetic (f32 "
    "multiply-adds) and bandwidth allow, both measured in the same run; more than all where narrow types are multiplied several at a "
    "time. x NAME: how many times as fast; numba: loops that it compiles and spreads over cores, sums in any order; its wheels have "
    "no vector functions. A bar is above the roof where a peer has so much of the roof that nothing can be so many times as fast. "
    "Where the memory is the bound, arrays of 256 MiB take turns, of which caches hold little. On one array of 64 MiB, as this page "
    "had it, the sums of rows depended on the machine's caches: where PyTorch took 1.06 ms (0.4 x torch), the copies that the roof is "
    "measured by moved 64 GB/s in 64 MiB and 27 in 128. Threads that wait for one another spin, and take CPU seconds for nothing: on "
    "two cores that others used too, PyTorch's sums of rows took 8.0 ms so (2.9 x torch) and 3.6 where its threads slept, its exp of "
    "512x512 numbers 7.9 and 0.35, numpy's product of 512x512 24 ms and on one core 3.2."
)

REASONS = {
    "f32 square": "The bar was set on a CPU where numpy had less than half of the peak; on a Xeon it has 80 to 90%. Tried there, for "
    "2048x2048x2048: tiles of 256 to 512 rows, 256 to 1024 columns and 128 to 512 of the depth (119 to 126 GFLOP/s at best, numpy 148); "
    "with operands that are packed before the loop it is 146, so that packing them again for each tile is what is lost: 15 to 20 of 138 "
    "ms, since programs share nothing. Several rows at a time are packed no faster, and a loop in C is bound by the same third cache "
    "(17 to 20 GB/s). The inner loop by itself, operands in the first cache, has 99% of the roof there (179 GFLOP/s; tiles of 14x2, 8x3, "
    "6x4 and 24x1 vectors have no more), so that all of it goes to memory: packing, and sums that come and go. Since then strips of rows go "
    "through all panels, with tiles of up to 512 rows: 7% less CPU time on an EPYC, and on a Xeon 121 to 125 ms in two of three runs.",
    "batched": "Its products are those of f32 square 512x512x512.",
    "split-K": "Each of 8 parts is a product of 256x256x1024, which the sum of parts follows (0.3 of 9 ms).",
    "^T": "numpy's product of a transposed operand is its plain product, at four fifths of the roof; ours transposes blocks as it packs them, "
    "B's into panels at once: 117 to 183 ms in three runs, which the machine's other users disturb.",
    "skinny": "Memory is the bound. Tried: 256 to 2048 columns and 64 to 1024 of the depth at a time (1.9 to 2.4 ms; the longest rows are "
    "best), and reading the right operand where it is (2.2 ms at best).",
    "f16 square": "Its numbers become f32 as they are packed, and the product is that of f32: 182.8 ms beside 182.9 "
    "in a run before the kept one.",
    "sin": "1.9 to 3.1 times numpy in three runs.",
    "attention f32": "Its two products are those of f32 square.",
    "attention bf16": "Tried on a Xeon with AMX, 8x2048x128: 64 to 512 queries and keys at a time (within 10%; more than 64 keys double what "
    "is compiled), conversions and powers of two in fewer instructions (55 to 49 ms), keys packed by words, queries packed. "
    "What is left is AMX waiting for its operands from the second cache: 0.6 to 0.9 of 2.6 TFLOP/s.",
    "cold compile of attention": "0.52 to 0.84 s of CPU time in eight runs on a Xeon that other work kept busy, 0.52 in the quiet ones.",
    "exp f32": "Numpy has AVX-512 for it as well. 512x512 numbers take 54 to 61 us, of which copying them takes 32.",
    "vector_add": "It computes nothing, and numpy moves the same three arrays. Its stores go past the caches, so that no line is read only "
    "to be written: 5.5 ms of CPU time at best, which were 7.9 (best of four runs on a busy machine).",
    "reduction": "Each number is read once, one addition for 16 of them; numpy and PyTorch wait for the same memory.",
    "column_sums": "Each number is read once. Tried, in GB per CPU second beside 18.2 of numpy: 4 rows at a time 22.4, 8 rows 24.0 "
    "to 24.7, 16 rows 20.9; tiles of 16 to 128 rows within 4%.",
    "tanh": "Both are bound by instructions: twice numpy's speed is 48 us for 512x512 numbers, where copying them takes 32 and exp 53. Ours "
    "looks up seven numbers for each of 16 (vpermt2ps, 7 of 27 instructions; Zen 4 seems to take two cycles for each) and takes 75 us. Tried: "
    "the middle of an interval by its bits (no faster); a power of e and a quotient (99 us); quotients of polynomials, off by 5 units in the "
    "last place; polynomials of degree 4, off by 5 units.",
    "softmax": "The cores share the memory, most of whose bandwidth one core takes alone. Tried: stores past the caches.",
}
"""By what names begin with or hold: what was tried, and what stands in the way."""


def reason(name: str) -> str:
    """What is known of a missed bar; nothing for others."""
    return next((text for of, text in REASONS.items() if of in name), "")


@dataclass(frozen=True)
class Other:
    """A bar that is no line of the table; `where`: the page that it is from, with its date."""

    what: str
    value: str
    bar: str
    verdict: str
    where: str = ""


def _other(what: str, value: float, least: float, unit: str, where: str) -> Other:
    return Other(what, f"{value:.2f} {unit}", f"{least:g} {unit}", "met" if value >= least else "missed", where)


# Compiling without a cache, in processes of their own.

_STARTS = {"matmul": ("f32 square 512x512x512", 0.3), "attention": ("attention f32 D=64 8x1024x64", 0.6)}
_ROUNDS = 3
_START = """
import sys, time
import numpy as np, xetile as xt
from xetile.benchmarks.suites.cpu import lines
from xetile.benchmarks.cases import Prepared
case = next(line.case for line in lines() if line.case.name == sys.argv[1])
inputs = case.inputs(np.random.default_rng(0))
with xt.device("cpu"):
    xt.ops.sum(np.ones((4, 4), np.float32))  # starts the runtime and imports the compiler
    times = []
    for _ in range(2):
        start = time.process_time()
        Prepared(case.steps, inputs, [{} for _ in case.steps]).run()
        times.append(time.process_time() - start)
print(times[0] - times[1])
"""


def starts() -> Iterator[Other]:
    """Compiling for the CPU, the runtime's own compiler with it, in CPU seconds."""
    for name, (case, most) in _STARTS.items():
        seconds = statistics.median(_start(case) for _ in range(_ROUNDS))
        verdict = "met" if seconds <= most else "missed"
        yield Other(f"cold compile of {name}, CPU seconds", f"{seconds:.2f} s", f"at most {most:g} s", verdict, "this run")


def _start(case: str) -> float:

    settings = {**os.environ, "XETILE_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", _START, case], capture_output=True, text=True, check=True, env=settings)
    return float(done.stdout.split()[-1])


# What other runs have found.

_SCALE, _AMX_BAR = 1.8, 1.0


def kept(folder: Path) -> Iterator[Other]:
    """Bars whose measurements have runs and files of their own."""
    for name, rows in (("cpu-scaling", _scaling), ("cpu-amx", _amx)):
        path = folder / f"{name}.json"
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
            where = f"[{name}]({name}.md), {found['date'][:10]}, {found['machine']['cpu']}"
            yield from (_other(what, value, least, unit, where) for what, value, least, unit in rows(found))


def _scaling(found: dict[str, Any]) -> Iterator[tuple[str, float, float, str]]:
    for row in found["rows"]:
        yield f"{row['case']}: {found['cores']} cores against one", row["by CPU time"], _SCALE, "x"


def _amx(found: dict[str, Any]) -> Iterator[tuple[str, float, float, str]]:
    for row in found["rows"]:
        rates = row["GFLOP/s"]
        if row["size"] >= 2048 and "torch" in rates:
            best = max(rate for name, rate in rates.items() if name.startswith("amx"))
            yield f"AMX {row['dtype']} {row['size']}", best / rates["torch"], _AMX_BAR, "x torch"
    for row in found.get("attention", ()):
        if "torch" in (times := row["ms"]):
            yield f"AMX attention in bf16, {row['case']}", times["torch"] / times["amx, its defaults"], _AMX_BAR, "x torch"


def others_table(others: Sequence[Other]) -> str:
    """The other bars in Markdown; nothing where there are none."""
    if not others:
        return ""
    table = Table(("what", "value", "bar", "verdict", "from"))
    for other in others:
        table.add(other.what, other.value, other.bar, other.verdict, other.where)
    return f"## Other bars\n{table.markdown()}\n"

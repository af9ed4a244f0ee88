"""How fast simulated GPUs run: every kernel whose machine code is counted (`isa`), on small arrays, checked against numpy in doubles.

    python -m xetile benchmarks simulator [--only TEXT] [--target pvc,bmg,dg2] [--again]

Seconds are of the launch alone, of the process (other work on the machine does not count), and of the first one unless `--again`: it
makes each instruction's function. An instruction that a thread carries out counts once. Bytes are those that one
workgroup of the launch moves (`xetile.backends.simulator.profile.LaunchProfile`).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.errors import XetileError
from xetile.runtime import devices, loading

from . import choosing, gpu_compiler
from .cases import Array
from .environment import describe, write_json
from .isa_cases import CASES, Case
from .tables import Table

TARGETS = ("pvc", "bmg", "dg2")
M, N, K = 304, 272, 96
Z, QUERIES = 2, 200
ROWS, COLUMNS = 20, 1000
LEVELS = {"SLM": "shared local memory", "scratch": "scratch", "L1": "first cache", "L2": "second cache", "memory": "memory"}
"""Columns of the table, and the simulator's names of them."""
OF_A_ROUND = ("L2", "memory")
"""Those that are shown for a round of the hot loop too."""
Reference = Callable[..., Any]


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _normal(x: Any, weight: Any, bias: Any) -> Any:
    mean = x.mean(1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5) * weight + bias


def _attention(q: Any, k: Any, v: Any, *, causal: bool, scale: float) -> Any:
    scores = q @ k.transpose(0, 2, 1) * scale
    return _softmax(np.where(np.tri(scores.shape[1], dtype=bool), scores, -np.inf) if causal else scores) @ v


def _biased(a: Any, b: Any, bias: Any, *, activation: str) -> Any:
    x = a @ b + bias
    gelu = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return {"none": x, "relu": np.maximum(x, 0), "gelu": gelu}[activation]


def problem(case: Case) -> tuple[list[tuple[int, ...]], Reference]:
    """Shapes of a case's arrays, the output last, and what it computes, in doubles."""
    name, c = case.kernel.head.name, case.constants
    deep = 64 * 3 if case.types[0][:2] in ("i8", "u8") else K
    products: dict[str, tuple[list[tuple[int, ...]], Reference]] = {
        "matmul": ([(M, deep), (deep, N), (M, N)], np.matmul),
        "matmul_bias": ([(M, deep), (deep, N), (N,), (M, N)], lambda *x: _biased(*x, activation=c.get("ACTIVATION", "none"))),
        "matmul_residual": ([(M, deep), (deep, N), (M, N), (M, N)], lambda a, b, r: a @ b + r),
        "matmul_batched": ([(2, M, K), (2, K, N), (2, M, N)], np.matmul),
        "matmul_split_k": ([(M, 3 * K), (3 * K, N), (4, M, N)], np.matmul),
    }
    if name in products:
        return products[name]
    if name == "attention":
        shape = (Z, QUERIES, c["D"])
        return [shape] * 4, lambda q, k, v: _attention(q, k, v, causal=c["causal"], scale=c["scale"])
    others: dict[str, tuple[list[tuple[int, ...]], Reference]] = {
        "sum_slices": ([(4, 80, 160), (80, 160)], lambda p: p.sum(0)),
        "softmax": ([(ROWS, COLUMNS)] * 2, _softmax),
        "layer_norm": ([(ROWS, COLUMNS), (COLUMNS,), (COLUMNS,), (ROWS, COLUMNS)], _normal),
        "row_sum": ([(ROWS, COLUMNS), (ROWS, 1)], lambda x: x.sum(1, keepdims=True)),
        "transpose": ([(100, 200), (200, 100)], np.transpose),
        "vector_add": ([(70, 304)] * 3, np.add),
    }
    return others[name]


def arrays(case: Case, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """Small whole numbers for products, whose sums are exact; the output holds 9."""
    made, whole = [], case.kernel.head.name.startswith("matmul")
    for i, (text, shape) in enumerate(zip(case.types, shapes)):
        name = text.partition("[")[0]
        dtype = dtypes.dtype(name).numpy
        rng = np.random.default_rng(i)
        values = rng.integers(0 if name == "u8" else -4, 5, shape) if whole else rng.standard_normal(shape)
        array = values.astype(dtype)
        made.append(np.asfortranarray(array) if ";F" in text else array)
    made[-1][...] = 9
    return made


@dataclass(frozen=True)
class Row:
    """One kernel on one target; `error`: the largest difference over the largest magnitude; `moved`: bytes by level of memory;
    `each_round`: for a round of the hot loop.
    """

    case: str
    target: str
    threads: int = 0
    instructions: int = 0
    steps: int = 0
    seconds: float = 0.0
    error: float = 0.0
    failure: str = ""
    moved: Mapping[str, float] = field(default_factory=dict)
    each_round: Mapping[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Instructions of threads in a second."""
        return self.instructions / self.seconds if self.seconds else 0.0


def measure(case: Case, target: str, *, again: bool) -> Row:
    """Build, launch, compare."""
    shapes, reference = problem(case)
    given = arrays(case, shapes)
    device = devices.find_device(f"sim:{target}")
    try:
        binary = case.compile(target).binary
        loaded: Any = loading.build(binary, device, devices.backend_of(device))
        grid = case.kernel.head.grid_of(None, dict(zip(case.kernel.parameters, given)), _constants(case, target))
        seconds = 0.0
        for _ in range(1 + again):
            start = time.process_time()
            loaded.launch(grid, given)
            seconds = time.process_time() - start
        took, profile = loaded.last, loaded.profile(grid, given)
    except XetileError as error:
        return Row(case.name, target, failure=str(error).splitlines()[0])
    found: Any = given[-1].astype(np.float64)
    found = found.sum(0) if case.kernel.head.name == "matmul_split_k" else found
    wanted = np.asarray(reference(*(x.astype(np.float64) for x in given[:-1])))
    difference = float(np.abs(found - wanted).max() / np.abs(wanted).max())
    return Row(case.name, target, took.threads, took.instructions, took.steps, seconds, difference,
               moved=dict(profile.moved), each_round=dict(profile.each_round))  # fmt: skip


def _constants(case: Case, target: str) -> dict[str, Any]:
    found: dict[str, Any] = case.kernel.head.complete_constants(dict(case.constants), target)
    return found


def measure_all(only: str, targets: Sequence[str], *, again: bool) -> Iterator[Row]:
    """All cases that a name chooses."""
    for case in CASES:
        if only.lower() in case.name.lower():
            yield from (measure(case, target, again=again) for target in targets if target in case.targets)


def table(rows: Sequence[Row]) -> Table:
    """The rows, and all of them together."""
    out = Table(("kernel", "target", "threads", "instructions", "threads a step", "seconds", "million a second", "error",
                 *(f"{name} KiB" for name in LEVELS), *(f"{name} KiB a round" for name in OF_A_ROUND), "failure"))  # fmt: skip
    for row in rows:
        if row.failure:
            out.add(row.case, row.target, *[None] * (6 + len(LEVELS) + len(OF_A_ROUND)), row.failure[:80])
            continue
        moved = [f"{row.moved[level] / 1024:.1f}" if row.moved.get(level) else None for level in LEVELS.values()]
        moved += [f"{row.each_round[LEVELS[x]] / 1024:.1f}" if row.each_round.get(LEVELS[x]) else None for x in OF_A_ROUND]
        out.add(row.case, row.target, row.threads, row.instructions, f"{row.instructions / row.steps:.0f}", f"{row.seconds:.3f}",
                f"{row.rate / 1e6:.2f}", f"{row.error:.1e}", *moved, None)  # fmt: skip
    out.rule()
    instructions, seconds = sum(row.instructions for row in rows), sum(row.seconds for row in rows)
    rate = f"{instructions / seconds / 1e6:.2f}" if seconds else None
    out.add("all", None, None, instructions, None, f"{seconds:.3f}", rate, *[None] * (2 + len(LEVELS) + len(OF_A_ROUND)))
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m xetile benchmarks simulator", description=(__doc__ or "").partition("\n")[0])
    choosing.add_options(parser, "simulator", all_targets := ",".join(TARGETS))
    parser.add_argument("--again", action="store_true", help="time a second launch, when the functions are there")
    options = parser.parse_args(arguments)
    targets = choosing.targets_of(parser, options.target, (target for case in CASES for target in case.targets))
    rows = list(measure_all(options.only, targets, again=options.again))
    choosing.check_chosen(parser, options.only, rows, (case.name for case in CASES))
    shown = table(rows)
    shown.show()
    if (folder := choosing.folder_of(options, all_targets)) is not None:
        load = round(os.getloadavg()[1], 1)
        found = describe(benchmark="simulator", again=options.again, load=load, rows=[asdict(row) for row in rows])
        write_json(folder / "simulator.json", found)
        title = "# Speed of simulated GPUs\n\nSeconds of the process for one launch on small arrays"
        text = (f"{title}; {gpu_compiler.version()}, xetile {found['revision']}, {found['machine']['cpu']}, {found['date']}, "
                f"load {load} on {found['machine']['cores']} cores (seconds of the process grow with it).\n"
                "KiB: moved by the workgroup in the middle of the grid, counted: between registers and shared local memory (SLM), scratch and "
                "first cache (L1); cache lines that it needs of the second (L2), each once; its share of those that the launch needs from "
                "memory, each once.  A round: the lines that its hot loop's instructions touch, each once, over its rounds."
                f"\n\n{shown.markdown()}")  # fmt: skip
        (folder / "simulator.md").write_text(text, encoding="utf-8")
    return 1 if any(row.failure or not row.error < 1e-2 for row in rows) else 0

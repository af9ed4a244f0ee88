"""Autotuning, shown: a matmul over a dozen configurations and one that breaks, then the same again without any timing.

    python -m xetile benchmarks tuning [--device D] [--size N] [--json OUT.json]

Uses a cache of its own. Exit status 1 where the best configuration is slower than the default, or the second run measures.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import XetileError
from xetile.ops.kernels.matmul import matmul
from xetile.runtime import settings
from xetile.runtime.artifact import Binary

from .bars import Measured, chosen, finish, options
from .timing import Subject, Timing, compare

OP_VARIABLE = 59  # SPIR-V 3.52.8
DEFAULT = {"BM": 256, "BN": 256, "BK": 32}
# The same configuration measured twice differs by less than that, mostly.
NOISE = 1.05

CONFIGS = [xt.Config(**DEFAULT), *xt.autotune_space(BM=(32, 64, 128), BN=(32, 64, 128, 256), BK=(32,))]
BROKEN = xt.Config(BM=16, BN=16, BK=16)


def broken(made: str) -> str:
    """A binary (as JSON) whose SPIR-V takes Intel's CPU runtime down while it builds: two instructions give one result."""
    binary = Binary.from_json(made)
    words = list(struct.unpack(f"<{len(binary.spirv) // 4}I", binary.spirv))
    at = 5
    while words[at] & 0xFFFF != OP_VARIABLE:
        at += words[at] >> 16
    words[at + 2] = 1
    return replace(binary, spirv=struct.pack(f"<{len(words)}I", *words)).to_json()


class Breaking(ThreadPoolExecutor):
    """Compiles candidates, and breaks one of them."""

    def submit(self, function: Any, /, *payload: Any, **more: Any) -> Future[Any]:
        """What the tuner hands over: the kernel, types, constants, ..."""
        after = broken if payload[2]["BM"] == BROKEN.values["BM"] else str
        return super().submit(lambda: after(function(*payload, **more)))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = options("tuning", __doc__)
    parser.add_argument("--size", type=int, default=512, metavar="N", help="of square bf16 matrices (%(default)s)")
    given = parser.parse_args(arguments)
    try:
        device = chosen(given.device)
        if device.backend != "opencl":
            print(f"tuning: nothing is measured on {device.name}", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory(prefix="xetile-benchmark-") as folder, xt.device(device), \
             settings.override(cache_dir=Path(folder)):  # fmt: skip
            rows, outcomes = tune(given.size)
    except XetileError as error:
        print(f"tuning: {error}", file=sys.stderr)
        return 2
    return finish("tuning", f"Autotuning on {device.name}", device, rows, given.json, outcomes=outcomes)


def tune(size: int) -> tuple[list[Measured], list[str]]:
    """Tune, compare with the default, tune again; and what became of each configuration, as text."""
    import ml_dtypes

    a, b = np.random.default_rng(0).standard_normal((2, size, size), dtype=np.float32).astype(ml_dtypes.bfloat16)
    reference = np.matmul(a.astype(np.float64), b.astype(np.float64))
    configs = [*CONFIGS, BROKEN]
    with Breaking(1) as executor:
        tuner = xt.autotune(configs=configs, key=["A", "B"], reference=lambda: reference, executor=executor)(matmul)
        first = _seconds(lambda: tuner.best_config(a, b))
    best = tuner.best_config(a, b)
    print(f"{tuner.table()}\n\nthe best: {best}\n")
    ours, default = (matmul.bind(a, b, **values) for values in (best.values, DEFAULT))
    found = compare({"default": Subject([default]), "best": Subject([ours])})
    again = xt.autotune(configs=configs, key=["A", "B"])(matmul)
    second = _seconds(lambda: again.best_config(a, b))
    measured = sum(not outcome.known for outcome in again.outcomes)
    if measured or again.best_config(a, b) != best:
        raise XetileError(f"the second run measured {measured} configurations")
    bar = found["default"].median * 1e3 * NOISE
    statuses = sorted({outcome.status for outcome in tuner.outcomes})
    rows = [
        Measured(f"matmul bf16 {size}, default", found["default"].median * 1e3, "ms", found["default"], None, str(CONFIGS[0])),
        Measured(f"matmul bf16 {size}, tuned", found["best"].median * 1e3, "ms", found["best"], round(bar, 3), str(best)),
        Measured(f"tuning {len(configs)} configurations", first.median * 1e3, "ms", first, None, ", ".join(statuses)),
        Measured("the same again", second.median * 1e3, "ms", second, None, "nothing was measured"),
    ]
    return rows, tuner.table().splitlines()


def _seconds(run: Any) -> Timing:
    start = time.perf_counter()
    run()
    return Timing.of([time.perf_counter() - start])


if __name__ == "__main__":
    raise SystemExit(main())

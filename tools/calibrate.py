"""Run a fixed set of kernels on this machine's GPU, beside what the models say of them, and write it down to be sent back.

    python tools/calibrate.py [--device NAME] [--target NAME] [--out FILE] [--divide N]

Nobody has yet compared the project's estimates of time with a GPU. On a machine with one this takes a minute or two: times of each
kernel (the median of events), the roofline's seconds, and, with `ocloc` and `iga64` on PATH, those by machine code; device and driver.
Please attach the file to a report. On a device that is no GPU it runs too, for `--target`'s estimates; the ratios mean nothing then.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 (the project's own folder comes first)

import xetile as xt  # noqa: E402
from benchmarks.environment import describe, write_json  # noqa: E402
from benchmarks.tables import Table  # noqa: E402
from xetile.errors import XetileError  # noqa: E402
from xetile.ops.kernels import attention, matmul, rows  # noqa: E402
from xetile.runtime.devices import find_device  # noqa: E402
from xetile.signature import parse  # noqa: E402

WARM_UP, RUNS = 5, 30
Criterion = str


@dataclass(frozen=True)
class Case:
    """A kernel on arrays of given types, the last of which it writes."""

    name: str
    kernel: Any
    types: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    def divided(self, by: int) -> Case:
        """The same with all sizes so many times smaller, but not less than 64."""
        shrunk = []
        for text in self.types:
            dtype, _, sizes = text.rstrip("]").partition("[")
            shrunk.append(f"{dtype}[{','.join(str(max(min(int(size), 64), int(size) // by)) for size in sizes.split(','))}]")
        return Case(self.name, self.kernel, tuple(shrunk), self.constants)


def product(dtype: str, n: int, result: str = "f32", **constants: Any) -> Case:
    """C = A @ B of squares."""
    return Case(f"matmul {dtype} {n}", matmul.matmul, (f"{dtype}[{n},{n}]", f"{dtype}[{n},{n}]", f"{result}[{n},{n}]"), constants)


def of_rows(name: str, kernel: Any, n: int, inputs: int = 1, out: str | None = None) -> Case:
    """A kernel on f32 matrices."""
    square = f"f32[{n},{n}]"
    return Case(f"{name} {n}", kernel, (*[square] * inputs, out or square))


CASES = (
    product("f16", 512), product("f16", 2048), product("f16", 4096), product("bf16", 4096),
    product("i8", 4096, "i32", ACC=xt.i32, BK=64),
    Case("attention 16 x 2048 x 64", attention.attention, (*["f16[16,2048,64]"] * 3, "f32[16,2048,64]")),
    of_rows("softmax", rows.softmax, 4096), of_rows("row sums", rows.row_sum, 8192, out="f32[8192,1]"),
    of_rows("transpose", rows.transpose, 8192), of_rows("add", rows.vector_add, 8192, inputs=2),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Seconds of a case: measured, by the roofline, by machine code; `failure` where one of them could not be had."""

    name: str
    measured: float | None = None
    least: float | None = None
    roofline: float | None = None
    machine_code: float | None = None
    failure: str = ""


def measure(case: Case, device: str, divide: int = 1) -> list[float]:
    """Seconds of each run."""
    queue = xt.Queue(device, profiling=True)
    given = []
    for i, text in enumerate(case.divided(divide).types):
        kind: Any = parse(text)
        shape = tuple(int(n) for n in kind.shape)
        values = np.random.default_rng(i).integers(-3, 4, shape).astype(kind.dtype.numpy)
        given.append(queue.to_device(values))
    events = [case.kernel(*given, queue=queue, **case.constants) for _ in range(WARM_UP + RUNS)]
    return [float(xt.elapsed(event)) for event in events[WARM_UP:]]


def predict(case: Case, target: str, by: Criterion, divide: int = 1) -> float:
    """Seconds of a launch, estimated.  Raises XetileError."""
    (found,) = xt.rank(case.kernel, [xt.Config()], *case.divided(divide).types, target=target, by=by, **case.constants)
    if found.reason:
        raise XetileError(found.reason)
    return found.seconds


def rows_of(device: str, target: str, divide: int) -> Iterator[Row]:
    """One row after the other."""
    for case in CASES:
        seconds: dict[str, float] = {}
        failures = []
        for by in ("roofline", "machine code"):
            try:
                seconds[by.replace(" ", "_")] = predict(case, target, by, divide)
            except XetileError as error:
                failures.append(f"{by}: {error.message}")
        try:
            runs = measure(case, device, divide)
            seconds |= {"measured": statistics.median(runs), "least": min(runs)}
        except XetileError as error:
            failures.append(f"measuring: {error.message}")
        yield Row(case.name, **seconds, failure="; ".join(failures))


def shown(rows: Sequence[Row]) -> Table:
    """The rows as a table: microseconds, and how many times longer than estimated a run took."""
    table = Table(("kernel", "measured us", "least us", "roofline us", "ratio", "machine code us", "ratio", "failure"))
    for row in rows:
        cells: list[Any] = [row.measured, row.least, row.roofline, _ratio(row.measured, row.roofline), row.machine_code,
                            _ratio(row.measured, row.machine_code)]  # fmt: skip
        scaled = [None if cell is None else f"{cell * (1 if i in (3, 5) else 1e6):.4g}" for i, cell in enumerate(cells)]
        table.add(row.name, *scaled, row.failure or None)
    return table


def _ratio(measured: float | None, estimated: float | None) -> float | None:
    return measured / estimated if measured and estimated else None


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="gpu", help="as for `xt.device` (default: %(default)s)")
    parser.add_argument("--target", default="", help="whose estimates (default: the device's)")
    parser.add_argument("--out", type=Path, help="file to write (default: calibration-TARGET.json)")
    parser.add_argument("--divide", type=int, default=1, help="all sizes so many times smaller")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    device = find_device(options.device)
    target = options.target or device.target
    rows = list(rows_of(options.device, target, options.divide))
    found = describe(tool="calibrate", device=device.name, driver=device.driver_version, kind=device.kind, target=target,
                     divide=options.divide, rows=[asdict(row) for row in rows])  # fmt: skip
    out = options.out or Path(f"calibration-{target}.json")
    write_json(out, found)
    shown(rows).show()
    print(f"{device.name}, driver {device.driver_version}; written to {out}")
    if device.kind != "gpu":
        print("this device is no GPU: the ratios mean nothing")
    return 0 if all(row.measured is not None for row in rows) else 1


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except XetileError as error:
        print(f"calibrate: {error}", file=sys.stderr)
        raise SystemExit(2) from None

"""Measurements with a bar each: what the project asks of itself, and whether it is met."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from xetile.runtime.backend import DeviceInfo
from xetile.runtime.devices import current_device, find_device

from .environment import describe, write_results
from .tables import Table
from .timing import Timing


@dataclass(frozen=True)
class Measured:
    """One number: `value` in `unit` (us, ms, %), from `timing` (seconds); `bar` the most that is allowed, None for what is only told."""

    what: str
    value: float
    unit: str
    timing: Timing
    bar: float | None = None
    remark: str = ""

    @property
    def met(self) -> bool:
        """Whether the bar is kept; true where there is none."""
        return self.bar is None or self.value <= self.bar


def table(rows: Sequence[Measured]) -> Table:
    """Values and bars."""
    out = Table(("what", "value", "unit", "bar", "met", "median", "p20", "p80", "samples", "remark"))
    for row in rows:
        scale = 1e6 if row.unit == "us" else 1e3  # times beside a share are milliseconds
        met = None if row.bar is None else "yes" if row.met else "NO"
        spread = [f"{seconds * scale:.2f}" for seconds in (row.timing.median, row.timing.p20, row.timing.p80)]
        out.add(row.what, f"{row.value:.2f}", row.unit, row.bar, met, *spread, row.timing.samples, row.remark)
    return out


def document(name: str, rows: Sequence[Measured], **more: Any) -> dict[str, Any]:
    """All of it for JSON."""
    return describe(benchmark=name, load=os.getloadavg()[0], **more, rows=[{**asdict(row), "met": row.met} for row in rows])


def options(name: str, what: str | None) -> argparse.ArgumentParser:
    """What the command line of each of these benchmarks takes; `what`: its module's docstring."""
    parser = argparse.ArgumentParser(prog=f"python -m xetile benchmarks {name}", description=(what or "").partition("\n")[0])
    parser.add_argument("--device", metavar="D", help="gpu, cpu, or a number of `python -m xetile devices`")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    return parser


def chosen(device: str | None) -> DeviceInfo:
    """The device that the command line names, else the default.  Raises DeviceError."""
    return find_device(device) if device else current_device()


def finish(name: str, title: str, device: DeviceInfo, rows: Sequence[Measured], path: Path | None, **more: Any) -> int:
    """Print, and write where asked to; the exit status says whether all bars are met."""
    found = document(name, rows, device={"name": device.name, "driver": device.driver_version}, **more)
    table(rows).show()
    print(f"{device.name}; load {found['load']:.1f}; xetile {found['revision']}, {found['date']}")
    if path is not None:
        write_results(path, found, title, table(rows).markdown())
    return 0 if all(row.met for row in rows) else 1

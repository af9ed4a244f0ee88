"""Measurements with a bar each: what the project asks of itself, and whether it is met."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.environment import describe
from benchmarks.tables import Table
from benchmarks.timing import Timing


@dataclass(frozen=True)
class Measured:
    """One number: `value` in `unit`, from `timing` (seconds); `bar` the most that is allowed, None for what is only told."""

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
        scale = {"us": 1e6, "ms": 1e3}[row.unit]
        met = None if row.bar is None else "yes" if row.met else "NO"
        spread = [f"{seconds * scale:.2f}" for seconds in (row.timing.median, row.timing.p20, row.timing.p80)]
        out.add(row.what, f"{row.value:.2f}", row.unit, row.bar, met, *spread, row.timing.samples, row.remark)
    return out


def document(name: str, rows: Sequence[Measured], **more: Any) -> dict[str, Any]:
    """All of it for JSON."""
    return describe(benchmark=name, load=os.getloadavg()[0], **more, rows=[{**asdict(row), "met": row.met} for row in rows])

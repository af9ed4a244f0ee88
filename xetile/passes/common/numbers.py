"""Constants that passes make, and what loops make of theirs."""

from __future__ import annotations

from xetile.dialects import arith, scf
from xetile.dialects.types import INDEX
from xetile.ir.builder import Builder
from xetile.ir.core import Value


def index(build: Builder, value: int) -> Value:
    """A constant index."""
    return build(arith.Constant, value=value, result=INDEX)


def iterations(loop: scf.For) -> int | None:
    """How often a loop runs; None where that is not known."""
    lower, upper, step = (arith.constant_of(v) for v in (loop.lower, loop.upper, loop.step))
    if lower is None or upper is None:
        return None
    if lower >= upper:
        return 0
    return None if step is None else -(-(upper - lower) // step)

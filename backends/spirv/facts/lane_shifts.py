"""Selects between two shuffles that shift lanes: each lane takes what the lane `distance` further on holds, and the last lanes take what
the first ones hold of another value.
"""

from __future__ import annotations

from xetile.dialects import arith, gpu
from xetile.dialects.arith import constant_of
from xetile.ir.core import Op


class Shifts:
    """`found`: such selects with their distance; `skipped`: shuffles that nothing else needs."""

    def __init__(self, kernel: gpu.GpuFunc) -> None:
        self.found = {op: distance for op in kernel.find(arith.Select) if (distance := distance_of(op))}
        shuffles = {v.op for op in self.found for v in op.operands if isinstance(v.op, gpu.Shuffle)}
        self.skipped: set[Op] = {
            op for op in shuffles if all(isinstance(u, arith.Select) and u in self.found for v in op.results for u in v.users)
        }


def distance_of(op: Op | None) -> int:
    """By how many lanes a select of a `shuffle down` and a `shuffle up` shifts lanes; 0 for other ops."""
    if not isinstance(op, arith.Select):
        return 0
    ahead, other = op.true_value.op, op.false_value.op
    if not isinstance(ahead, gpu.Shuffle) or not isinstance(other, gpu.Shuffle) or not ahead.parent is other.parent is op.parent:
        return 0
    chosen = (ahead.results[1], ahead.results[0], other.results[0])
    if (ahead.mode, other.mode) != ("down", "up") or any(v is not w for v, w in zip(op.operands, chosen, strict=True)):
        return 0
    by, back, *widths = (constant_of(v) for v in (ahead.offset, other.offset, ahead.width, other.width))
    if not isinstance(by, int) or not isinstance(back, int) or widths != [by + back] * 2 or by <= 0 or back <= 0:
        return 0
    return by

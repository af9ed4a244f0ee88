"""Which indices are known to be small, by what launches see of arrays that block messages reach: coordinates made of them need no clamp.

An index of 64 bits takes ten instructions to clamp to the 32 bits of a message's coordinate, in each iteration where a loop counts it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from xetile.dialects import arith, gpu, scf
from xetile.dialects.arith import constant_of
from xetile.dialects.types import INDEX, MemRefType
from xetile.ir.core import Op, Value
from xetile.target import Target

Interval = tuple[int, int]


class Near:
    """Intervals of indices: sizes of arrays of block messages, counters that end there, and what is worked out of such numbers."""

    def __init__(self, kernel: gpu.GpuFunc, target: Target) -> None:
        self._found: dict[Value, Interval | None] = {}
        rules, unfit = target.block2d, kernel.attributes.get("scattered") or ()
        ranks = {
            spec.param: arg.type.rank for arg, spec in zip(kernel.body.args, kernel.args) if isinstance(arg.type, MemRefType)
        }
        for arg, spec in zip(kernel.body.args, kernel.args) if rules is not None else ():
            rank = ranks.get(spec.param, 0)
            if spec.kind == "dim" and spec.param not in unfit and rank >= RANK and spec.axis >= rank - RANK:
                self._found[arg] = (0, rules.max_extent)  # type: ignore[union-attr]

    def interval(self, value: Value) -> Interval | None:
        """The least and the largest that an index can be; None where nobody knows."""
        if value not in self._found:
            self._found[value] = None  # of what a loop carries around
            self._found[value] = self._of(value)
        return self._found[value]

    def _of(self, value: Value) -> Interval | None:
        op, number = value.op, constant_of(value)
        if isinstance(number, int):
            return number, number
        if op is None:
            return self._counter(value)
        if isinstance(op, (arith.IndexCast, arith.IndexCastUI)):
            return self.interval(op.operand) if op.operand.type is INDEX else None
        rule = _RULES.get(type(op))
        parts = [self.interval(v) for v in op.operands[-2:]] if rule is not None else [None]
        return None if rule is None or None in parts else rule(*parts)

    def _counter(self, value: Value) -> Interval | None:
        """Of a counter that goes up to where it ends, which it does not reach."""
        loop = value.owner.parent
        if not isinstance(loop, scf.For) or value is not loop.body.args[0]:
            return None
        lower, upper, step = (self.interval(v) for v in (loop.lower, loop.upper, loop.step))
        return (lower[0], max(lower[0], upper[1])) if lower and upper and step and step[0] > 0 else None


RANK = 2


def _times(a: Interval, b: Interval) -> Interval:
    products = [x * y for x, y in product(a, b)]
    return min(products), max(products)


def _shifted(a: Interval, b: Interval) -> Interval | None:
    return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else None


def _divided(a: Interval, b: Interval) -> Interval | None:
    return (0, a[1]) if a[0] >= 0 and b[0] > 0 else None


_RULES: dict[type[Op], Callable[[Interval, Interval], Interval | None]] = {
    arith.AddI: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    arith.SubI: lambda a, b: (a[0] - b[1], a[1] - b[0]),
    arith.MulI: _times,
    arith.ShRSI: _shifted,
    arith.ShRUI: lambda a, b: _shifted(a, b) if a[0] >= 0 else None,
    arith.DivUI: _divided,
    arith.RemUI: lambda a, b: (0, b[1] - 1) if b[0] > 0 else None,
    arith.AndI: lambda a, b: (0, b[1]) if b[0] >= 0 else None,
    arith.MinSI: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    arith.MaxSI: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    arith.Select: lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
}
"""By the last two operands."""

"""What is the same in every launch: comparisons of a subgroup's own piece of a buffer with the buffer's size, signs of sizes and counters."""

from __future__ import annotations

import numpy as np

from xetile.dialects import arith, vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX, ScalarType, element_of
from xetile.index_ranges import Interval
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.intervals import Intervals
from xetile.target import Target

PREDICATES = ("ult", "slt")
_WITHOUT_SIGN: dict[type[Op], type[Op]] = {
    arith.DivSI: arith.DivUI, arith.FloorDivSI: arith.DivUI, arith.CeilDivSI: arith.CeilDivUI, arith.RemSI: arith.RemUI,
}  # fmt: skip


def fold_comparisons(module: GpuModule, target: Target) -> GpuModule:
    """Replace `i < n` by true where the largest `i` is below the least `n`, by false where the least `i` is no less than the
    largest `n`, of vectors for all elements; divide scalars that are never negative as numbers without sign.

    Before and after: xegpu at lane level. Messages whose mask is true have no predicate, and no flag is held for it. A quotient that
    may be negative takes as many instructions again.
    """
    ops = [
        op
        for op in module.kernel.walk()
        if type(op) in _WITHOUT_SIGN or (isinstance(op, arith.CmpI) and op.predicate in PREDICATES)
    ]
    if not ops:
        return module
    found = Intervals(module.kernel, lanes=target.subgroup_size)
    rewrite = Rewriter()
    for op in ops:
        if isinstance(op, arith.CmpI):
            holds = _holds(op, found)
            if holds is not None:
                with rewrite.before(op):
                    rewrite.replace(op, rewrite(arith.Constant, value=holds, result=op.result.type))
        elif all(isinstance(v.type, ScalarType) and found.of(v)[0] >= 0 for v in op.operands):
            with rewrite.before(op):
                made = rewrite(_WITHOUT_SIGN[type(op)], *op.operands)
            found.facts[made] = found.of(op.results[0])
            rewrite.replace(op, made)
    return module


def _holds(op: arith.CmpI, found: Intervals) -> bool | None:
    """What a comparison is in every launch, of vectors for all elements; None where it is not always the same."""
    if found.of(op.result) == (1, 1):
        return True
    if isinstance(op.lhs.type, ScalarType):
        (low, _), (_, end) = found.of(op.lhs), found.of(op.rhs)
        return False if op.predicate == "slt" and low >= end else None
    one, other = _ends(op.lhs, found), _ends(op.rhs, found)
    if one is None or other is None or min(one[0], other[0]) < 0:
        return None
    return True if one[1] < other[0] else False if one[0] >= other[1] else None


def _ends(value: Value, found: Intervals) -> Interval | None:
    """The least and the largest element of a vector of places: what is a number of a lane, a constant, or the sum of some."""
    op = value.op
    if isinstance(op, (vector.Broadcast, vector.Extract)):
        return _ends(op.operands[0], found)
    if isinstance(value.type, ScalarType):
        return found.of(value)
    if isinstance(op, arith.Constant):
        elements = np.atleast_1d(op.value)
        return int(elements.min()), int(elements.max())
    parts = [_ends(v, found) for v in op.operands] if isinstance(op, arith.AddI) and element_of(value.type) is INDEX else [None]
    ends = [part for part in parts if part is not None]
    return (sum(low for low, _ in ends), sum(high for _, high in ends)) if len(ends) == len(parts) else None

"""What is the same in every launch: comparisons of a subgroup's own piece of a buffer with the buffer's size, signs of sizes and counters."""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.intervals import Intervals
from xetile.target import Target

PREDICATES = ("ult", "slt")
_WITHOUT_SIGN: dict[type[Op], type[Op]] = {
    arith.DivSI: arith.DivUI, arith.FloorDivSI: arith.DivUI, arith.CeilDivSI: arith.CeilDivUI, arith.RemSI: arith.RemUI,
}  # fmt: skip


def fold_comparisons(module: GpuModule, target: Target) -> GpuModule:
    """Replace `i < n` of scalars by true where the largest `i` is below the least `n`, by false where the least `i` is no less than the
    largest `n`; divide scalars that are never negative as numbers without sign.

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
    """What a comparison is in every launch; None where it is not always the same."""
    if found.of(op.result) == (1, 1):
        return True
    (low, _), (_, end) = found.of(op.lhs), found.of(op.rhs)
    is_scalar = isinstance(op.lhs.type, ScalarType)
    return False if is_scalar and op.predicate == "slt" and low >= end else None

"""Comparisons that hold in every launch: of a subgroup's own piece of a buffer with the buffer's size."""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.intervals import Intervals
from xetile.target import Target

PREDICATES = ("ult", "slt")


def fold_comparisons(module: GpuModule, target: Target) -> GpuModule:
    """Replace `i < n` by true where the largest `i` is below the least `n`, of scalars.

    Before and after: xegpu at lane level. Messages whose mask is true have no predicate, and no flag is held for it.
    """
    comparisons = [op for op in module.kernel.walk() if isinstance(op, arith.CmpI) and op.predicate in PREDICATES]
    if not comparisons:
        return module
    found = Intervals(module.kernel, lanes=target.subgroup_size)
    rewrite = Rewriter()
    for op in comparisons:
        if found.of(op.result) == (1, 1):
            with rewrite.before(op):
                rewrite.replace(op, rewrite(arith.Constant, value=True, result=op.result.type))
    return module

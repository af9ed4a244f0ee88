"""A number of a launch is cast to an index once, however often kernels use it as one: what is the same number is the same value.

What a kernel counts by `N` in a loop and by `N` behind it would be casts of two blocks, of which neither stands for the other: passes that
ask which sizes and pitches are the same (`equal_scalars`) would find them for one of the two.
"""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX
from xetile.ir.rewriter import Rewriter


def cast_once(module: GpuModule) -> bool:
    """Cast a scalar argument to an index in front of all else where it is cast more than once.

    Before and after: a traced module. Gives whether there was any.
    """
    rewrite, kernel, found = Rewriter(), module.kernel, False
    for arg, spec in kernel.specs.items():
        casts = [op for op in arg.users if isinstance(op, arith.IndexCast) and op.results[0].type is INDEX]
        if spec.kind != "scalar" or len(casts) < 2:
            continue
        found = True
        first = kernel.body.ops[0]
        if casts[0] is not first:
            rewrite.move_before(casts[0], first)
        for op in casts[1:]:
            rewrite.replace(op, casts[0].results[0])
    return found


__all__ = ["cast_once"]

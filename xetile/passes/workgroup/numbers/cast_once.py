"""A number of a launch is cast to an index once, however often kernels use it as one: what is the same number is the same value.

What a kernel counts by `N` in a loop and by `N` behind it would be casts of two blocks, of which neither stands for the other: passes that
ask which sizes and pitches are the same (`equal_scalars`) would find them for one of the two.
"""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX
from xetile.ir.rewriter import Rewriter


def cast_once(module: GpuModule) -> GpuModule:
    """Cast a scalar argument to an index in front of all else where it is cast more than once.

    Before and after: a traced module.
    """
    rewrite, kernel = Rewriter(), module.kernel
    for arg, spec in zip(kernel.body.args, kernel.args):
        casts = [op for op in arg.users if isinstance(op, arith.IndexCast) and op.results[0].type is INDEX]
        if spec.kind != "scalar" or len(casts) < 2:
            continue
        rewrite.move_before(casts[0], kernel.body.ops[0])
        for op in casts[1:]:
            rewrite.replace(op, casts[0].results[0])
    return module


__all__ = ["cast_once"]

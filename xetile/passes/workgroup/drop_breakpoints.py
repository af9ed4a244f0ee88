"""Breakpoints stop programs of the reference backend; hardware runs through. Nor does hardware print whole tiles."""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.errors import TileShapeError
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

OBSERVERS = (xetile.Breakpoint, xetile.Print)
"""Ops that only the reference backend executes."""


def drop_breakpoints(module: GpuModule, target: Target) -> GpuModule:
    """Remove every xetile.breakpoint.

    Before: workgroup-level xetile. After: the same without breakpoints, whose operands would keep values alive.

    Raises TileShapeError where the kernel prints a tile.
    """
    for op in module.walk():
        if isinstance(op, xetile.Print):
            sizes = next("x".join(map(str, v.type.shape)) for v in op.operands if isinstance(v.type, VectorType))
            raise TileShapeError(
                f"device_print: a tile of {sizes} elements; {target.name} prints single numbers only",
                hint='print one number of it, such as xt.sum(v), or run the kernel on numpy: with xt.device("numpy")',
                at=op.loc,
            )
    return drop_observers(module)


def drop_observers(module: GpuModule) -> GpuModule:
    """Remove what only the reference backend executes."""
    rewrite = Rewriter()
    for op in [op for op in module.walk() if isinstance(op, OBSERVERS)]:
        rewrite.erase(op)
    return module

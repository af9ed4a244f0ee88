"""Breakpoints stop programs of the reference backend; hardware runs through."""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.target import Target


def drop_breakpoints(module: GpuModule, target: Target) -> GpuModule:
    """Remove every xetile.breakpoint.

    Before: workgroup-level xetile. After: the same without breakpoints, whose operands would keep values alive.
    """
    for op in [op for op in module.walk() if isinstance(op, xetile.Breakpoint)]:
        if op.parent is not None:
            op.parent.ops.remove(op)
    return module

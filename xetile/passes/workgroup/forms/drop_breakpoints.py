"""Breakpoints, and marks for debug mode, are for the reference backend; hardware prints whole tiles number by number."""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.rewriter import Rewriter
from xetile.passes.workgroup.forms.printed_tiles import print_by_elements
from xetile.target import Target

OBSERVERS = (xetile.Breakpoint, xetile.Print)
"""Ops that only the reference backend executes."""


def drop_breakpoints(module: GpuModule, target: Target) -> GpuModule:
    """Remove every xetile.breakpoint, and what tiles say to debug mode.

    Before: workgroup-level xetile. After: the same without breakpoints, whose operands would keep values alive, with printf for prints
    of tiles, and with no mark by which one tile would differ from another.

    Raises TileShapeError where the kernel prints a large tile.
    """
    for op in module.find(xetile.Print):
        print_by_elements(op, module.kernel, target)
    return drop_observers(module, target)


def drop_observers(module: GpuModule, target: Target) -> GpuModule:
    """Remove what only the reference backend executes."""
    rewrite = Rewriter()
    for op in module.find(OBSERVERS):
        rewrite.erase(op)
    for made in module.find(xetile.InitTile):
        made.attributes.pop("indexed", None)
    for load in module.find(xetile.LoadTile):
        load.attributes.pop("unsaid", None)
    return module

"""The largest arrays that block messages reach: coordinates made of their sizes need no clamp.

An index of 64 bits takes ten instructions to clamp to the 32 bits of a message's coordinate, in each iteration where a loop counts it.
"""

from __future__ import annotations

from xetile.dialects import gpu
from xetile.dialects.types import MemRefType
from xetile.index_ranges import Interval
from xetile.ir.core import Value
from xetile.target import Target

RANK = 2
"""Axes that a block message has; launches bound the sizes along these alone."""


def limits(kernel: gpu.GpuFunc, target: Target) -> dict[Value, Interval]:
    """Intervals of the sizes that a launch refuses to exceed, since block messages could not reach all elements."""
    rules, unfit = target.block2d, kernel.scattered
    if rules is None:
        return {}
    arguments = kernel.specs.items()
    ranks = {spec.param: arg.type.rank for arg, spec in arguments if isinstance(arg.type, MemRefType)}

    def is_bounded(spec: gpu.KernelArg) -> bool:
        rank = ranks.get(spec.param, 0)
        return spec.kind == "dim" and spec.param not in unfit and rank >= RANK and spec.axis >= rank - RANK

    return {arg: (0, rules.max_extent) for arg, spec in arguments if is_bounded(spec)}

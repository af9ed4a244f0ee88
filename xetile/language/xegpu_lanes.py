"""What only lanes ask."""

from __future__ import annotations

from xetile import dtypes
from xetile.dialects import gpu
from xetile.errors import CompileError
from xetile.language.context import current
from xetile.language.values import Value
from xetile.language.xegpu_values import level_now


def lane_id() -> Value:
    """Which lane of its subgroup executes this, as index. Raises CompileError outside of lane-level kernels."""
    if level_now() != "lane":
        raise CompileError("lane_id is for lane-level kernels", hint='begin the kernel with xegpu.level("lane")')
    return Value(current().build(gpu.LaneId), dtypes.index)

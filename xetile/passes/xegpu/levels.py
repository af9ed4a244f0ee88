"""XeGPU modules: which they are, and at which of its three levels one stands (seed 000, summary)."""

from __future__ import annotations

from typing import Any

from xetile.dialects import gpu, xegpu
from xetile.dialects.types import VectorType
from xetile.ir.core import Op

LEVELS = ("workgroup", "subgroup", "lane")

_BETWEEN = {"layout": "workgroup", "blocked": "subgroup", "xegpu": "subgroup"}
"""Levels that the pipelines have beside these, and who executes an op there."""

# What XeTile kernels hold too: fences, named barriers.
_OWN = (
    xegpu.CreateNdTdesc,
    xegpu.CreateTdesc,
    xegpu.CreateMemDesc,
    xegpu.Load,
    xegpu.Store,
    xegpu.Prefetch,
    xegpu.Dpas,
    xegpu.ConvertLayout,
)


def is_xegpu(module: Op) -> bool:
    """Whether a module moves data by xegpu's own ops."""
    return any(isinstance(op, _OWN) for op in module.walk())


def level_of(module: Any) -> str:
    """Who executes an op: what the kernel's attribute `level` says, else what its layouts and values tell.

    sg_layout implies workgroup-level code (seed 002, LayoutAttr); fragments of blocks and lane ids lane-level code.
    """
    said = module.kernel.attributes.get("level")
    if said in LEVELS:
        return str(said)
    if said in _BETWEEN:
        return _BETWEEN[said]
    if any(layout.is_workgroup for op in module.walk() for layout in xegpu.layouts_of(op)):
        return "workgroup"
    return "lane" if any(map(_of_a_lane, module.walk())) else "subgroup"


def _of_a_lane(op: Any) -> bool:
    if isinstance(op, gpu.LaneId):
        return True
    if isinstance(op, (xegpu.Load, xegpu.Store)):
        return not isinstance(op.mask.type, VectorType)
    if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd)):
        desc = op.desc.type
        return bool(op.value.type.rank == 1 and op.value.type.count < desc.count * desc.array_length)
    return False

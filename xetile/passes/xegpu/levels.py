"""XeGPU modules: which they are, and at which of its three levels one stands (seed 000, summary)."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.levels import executed_by
from xetile.dialects.types import VectorType
from xetile.ir.core import Op

LEVELS = ("workgroup", "subgroup", "lane")
RAISING = "raise_xegpu"
"""The name of the pass that makes tiles of xegpu's blocks."""

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


def is_xegpu(module: GpuModule) -> bool:
    """Whether a module moves data by xegpu's own ops, or is a workgroup's or subgroup's code on vectors without any tile."""
    ops = list(module.walk())
    if any(isinstance(op, _OWN) for op in ops):
        return True
    tiles = any(op.opname.startswith("xetile.") for op in ops)
    return module.kernel.level in LEVELS[:2] and not tiles and any(map(_on_vectors, ops))


def _on_vectors(op: Op) -> bool:
    """Whether an op is of the vector dialect, or gives a vector that no tile holds."""
    return op.opname.startswith("vector.") or any(isinstance(v.type, VectorType) and v.type.rank != 2 for v in op.results)


def level_of(module: GpuModule) -> str:
    """Who executes an op: what the kernel's attribute `level` says, else what its layouts and values tell.

    Raises VerifyError where some ops are a lane's and others a subgroup's.
    """
    said = executed_by(module.kernel)
    if said is not None and module.kernel.attributes["level"] != "xetile":  # there other ops may be at any level
        return said
    return xegpu.derived_level(module)

"""Workgroup-level xegpu to subgroup level: what each subgroup does with its own pieces (seed 000, distribution rule)."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.xegpu import distributor as shared
from xetile.passes.xegpu import memory, values
from xetile.passes.xegpu.distributor import Distributor
from xetile.passes.xegpu.exchange import place_barriers
from xetile.target import Target

DISTRIBUTE = Table(shared.DISTRIBUTE, values.DISTRIBUTE, memory.DISTRIBUTE)


def distribute_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Split a workgroup's descriptors and vectors into the pieces of one subgroup, 1:N for round robin.

    Before: workgroup-level xegpu with layouts everywhere (see propagate_layouts). After: subgroup-level xegpu, layouts say what
    is left for instructions and lanes, the kernel's `level` is "subgroup"; values that change owners go through shared local
    memory, with the barriers that this needs.
    Raises LayoutError for ops that subgroups cannot share, ResourceError where shared local memory does not suffice.
    """
    distributor = Distributor(DISTRIBUTE, module, target)
    result = distributor.convert_function(module, {"level": "subgroup"})
    distributor.place_head(result, distributor.buffers.ops)
    assert isinstance(result, GpuModule)
    place_barriers(result.kernel, distributor.buffers.values)
    return result

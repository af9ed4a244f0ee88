"""Laid-out workgroup level to subgroup level: what each subgroup does with its own pieces (seed 000, distribution rule)."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.common.slm import place_barriers
from xetile.passes.distribute import descriptors, distributor, memory, reduce, values
from xetile.passes.distribute.distributor import Distributor
from xetile.target import Target

DISTRIBUTE = Table(*(part.DISTRIBUTE for part in (distributor, values, descriptors, memory, reduce)))


def distribute_to_subgroups(module: GpuModule, target: Target) -> GpuModule:
    """Split a workgroup's tiles, descriptors and values into the pieces of one subgroup, 1:N for round robin.

    Before: workgroup-level xetile, xegpu or both, with layouts (see infer_layouts, propagate_layouts). After: the same at subgroup level,
    layouts say what is left for instructions and lanes, the kernel's `level` is "subgroup"; values that change owners go through tiles
    in shared local memory, with the barriers that this needs.

    Raises LayoutError for ops that subgroups cannot share, ResourceError where the target's shared local memory does not suffice.
    """
    distributor = Distributor(DISTRIBUTE, module, target)
    result = distributor.convert_function(module, {"level": "subgroup"})
    distributor.finish(result)
    place_barriers(result.kernel, distributor.buffers.values)
    return result


__all__ = ["distribute_to_subgroups"]

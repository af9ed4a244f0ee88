"""Laid-out workgroup-level xetile to subgroup level: what each subgroup does with its own pieces."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.common.slm import place_barriers
from xetile.passes.distribute import memory, reduce, values
from xetile.passes.distribute.distributor import Distributor
from xetile.target import Target

DISTRIBUTE = Table(values.DISTRIBUTE, memory.DISTRIBUTE, reduce.DISTRIBUTE)


def distribute_to_subgroups(module: GpuModule, target: Target) -> GpuModule:
    """Split a workgroup's tiles and values into the pieces of one subgroup, 1:N for round robin.

    Before: workgroup-level xetile with layouts (see infer_layouts). After: subgroup-level xetile without layouts, the kernel's
    `level` is "subgroup"; values that change owners go through shared local memory, with the barriers that this needs.

    Raises ResourceError where the target's shared local memory does not suffice.
    """
    distributor = Distributor(DISTRIBUTE, module, target)
    result = distributor.convert_function(module, {"level": "subgroup"})
    distributor.finish(result)
    assert isinstance(result, GpuModule)
    place_barriers(result.kernel, distributor.buffers.values)
    return result


__all__ = ["distribute_to_subgroups"]

"""Workgroup-level xetile to laid-out xetile: every tile and value gets a map of its elements to subgroups.

Where the layouts come from, in this order:
1. the user's `wg_map` on tiles and ops; two that meet and disagree are an error, since only the user can say which is meant;
2. what follows from a layout by the RFC's rules (seed 001): from results to operands, and from operands to results;
3. choices by shape and target for what is left: products first, then reductions, then the largest tiles (`choose.py`).
Values of one elementwise expression, and values that a loop carries, have one layout. Cheap values (constants, coordinates,
broadcasts) are made in each layout that a use asks for, loads are loaded again; anything else goes through tile_conv_layout.
"""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.rows import LoadRows
from xetile.ir import analyses
from xetile.ir.core import Elementwise
from xetile.passes.workgroup.layouts.emit import EMIT, Emitter, vector_op
from xetile.passes.workgroup.layouts.needs import Needs
from xetile.passes.workgroup.layouts.order import order_accesses
from xetile.passes.workgroup.layouts.planned import layout_plan
from xetile.target import Target

EMIT(Elementwise, arith.Constant, vector.Broadcast)(vector_op)
EMIT(xetile.TileMma, xetile.TileReduce, xetile.TileBroadcast, xetile.TileTranspose, xetile.TileIota, xetile.TileScan)(vector_op)
EMIT(xetile.TileConvLayout, LoadRows, vector.Shuffle)(vector_op)


def infer_layouts(module: GpuModule, target: Target) -> GpuModule:
    """Give every tile and value a layout over subgroups.

    Before: workgroup-level xetile; some tiles and ops may have a `wg_map`, the kernel may have `num_subgroups`. After: every tile
    type and every op with a vector result has a `wg_map`, scf ops with vector results have `wg_maps` (None for other results),
    layouts agree at every use, prefetches have tiles of their own (one part of the subgroups those of each tile
    that is prefetched together with others), the kernel has `num_subgroups`, and barriers stand where
    subgroups that run by themselves would see each other's accesses to global memory out of order (`order.py`).

    Raises LayoutError, in the words of the user's maps, where maps do not fit their tile or contradict each other.
    """
    needs = Needs(analyses.get(layout_plan, module, target))
    result = Emitter(needs).convert_function(module, {"num_subgroups": needs.plan.num_subgroups})
    order_accesses(result.kernel)
    return result


__all__ = ["infer_layouts"]

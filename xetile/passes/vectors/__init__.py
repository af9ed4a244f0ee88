"""From tiles of a workgroup to loops over vectors: the way of CPUs, on which one work-item runs a whole workgroup.

numbers    index arithmetic that folds          storage    where values lie: registers of a nest, buffers, splats
places     tiles of memory, bounds, edges       nests      loop nests: elementwise chains, loads, stores, reductions together
in_place   operands that stay in their array    joint_products   products by AMX, which takes those of `units`
products   register tiles of matrix products    scattered  gathers, scatters, atomics, one by one
flow       loops and branches that carry tiles  transposes blocks transposed in registers
neighbours gathers and scatters by vectors      tails      what is beyond arrays, and needed: what of a value is not computed
scans      running sums and extremes            ops        the other ops
lower      the pass
"""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.target import Target


def lower_to_vectors(module: GpuModule, target: Target) -> GpuModule:
    """Write a kernel of tiles as loops over vectors, for one work-item that runs a whole workgroup.

    Before: workgroup-level xetile. After: scalars, vectors of one dimension, memory of one dimension; an index has 64 bits.
    Raises UncoveredError for what it does not know.
    """
    from xetile.passes.vectors.lower import lowered  # kernels for GPUs load none of these files

    return lowered(module, target)

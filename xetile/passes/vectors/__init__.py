"""From tiles of a workgroup to loops over vectors: the way of CPUs, on which one work-item runs a whole workgroup.

numbers    index arithmetic that folds          storage    where values lie: registers of a nest, buffers, splats
places     tiles of memory, bounds, edges       nests      loop nests: elementwise chains, loads, stores, reductions together
in_place   operands that stay in their array    joint_products   products by AMX
products   register tiles of matrix products    scattered  gathers, scatters, atomics, scans: element by element
flow       loops and branches that carry tiles  transposes blocks transposed in registers
ops        the other ops                        lower      the pass
"""

from __future__ import annotations

from xetile.passes.vectors.lower import lower_to_vectors

__all__ = ["lower_to_vectors"]

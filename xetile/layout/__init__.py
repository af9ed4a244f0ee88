"""The arithmetic of distribution: which subgroup and which lane holds which element of a tile.

One `Layout` serves XeTile's wg_map (seed 001), XeGPU's sg_map (seed 000) and xegpu.layout (seed 002); a `Slice` of it serves
values that lack some dimensions. The same numbers come in two forms: concrete, for one subgroup or lane (`pieces`,
`lane_elements`, `table`), and symbolic, per dimension (`sg_spread`, `lane_spread`: a `Spread`), which a pass turns into index
arithmetic. `derive_*` are the propagation rules from results to operands; `movement` says what a conversion costs; `MemLayout`
is the order of elements in shared local memory.
"""

from xetile.layout.attribute import Layout, Slice, parse
from xetile.layout.compare import Movement, movement, same_ownership, table
from xetile.layout.derive import derive_broadcast, derive_mma, derive_reduce, derive_shape_cast, derive_transpose
from xetile.layout.distribution import Distribution
from xetile.layout.memory import AddressTerm, BlockOrder, MemLayout, parse_block_order
from xetile.layout.spread import Spread

__all__ = [
    "AddressTerm",
    "BlockOrder",
    "Distribution",
    "Layout",
    "MemLayout",
    "Movement",
    "Slice",
    "Spread",
    "derive_broadcast",
    "derive_mma",
    "derive_reduce",
    "derive_shape_cast",
    "derive_transpose",
    "movement",
    "parse",
    "parse_block_order",
    "same_ownership",
    "table",
]

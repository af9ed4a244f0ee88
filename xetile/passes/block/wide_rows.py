"""Single rows of elements that messages bring only in wider rows, of which lanes get neighbours, or in blocks of many rows."""

from __future__ import annotations

from xetile.dialects import vector, xegpu
from xetile.dialects.types import I1, VectorType
from xetile.dialects.vector import LAYOUT
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.hints import Hints
from xetile.passes.block.matrices import Matrix, matrix
from xetile.target.blocks import Message, Placed


def load_wide_row(access: TileMessages, tile: Tile, layout: Layout, hints: Hints) -> Matrix | None:
    """A tile of one row, an element for each lane, by a message of one row of twice as many; None where there is none, or one that fits.

    What is behind the tile lies in lines of the cache that are read in any case. Each lane takes its element from the neighbours that
    another one gets, which is a single move: they lie side by side in a register. A block of more rows takes more registers, and the array
    has to end behind the row, or messages would bring rows that nobody needs: another number in each message's header.
    """
    blocks, lanes = access.target.block2d, access.target.subgroup_size
    if blocks is None or tile.scattered or tile.type.space or tile.limit or tile.transposed or tile.type.element is I1:
        return None
    message, size = Message(2 * lanes, 1), element_bytes(tile.type.element)
    if tile.type.shape != (1, lanes) or (layout.lane_layout, layout.lane_data) != ((1, lanes), (1, 1)):
        return None
    if blocks.is_legal("load", size, Message(lanes, 1)) or not blocks.is_legal("load", size, message):
        return None
    neighbours = Layout(lane_layout=(1, lanes), lane_data=(1, 2))
    desc, where = access.descriptor(tile, Placed(0, 0, message))
    kind = VectorType((1, message.width), tile.type.element)
    loaded = access.build(xegpu.LoadNd, desc, where, value=kind, layout_result_0=neighbours, **hints)
    row = access.build(vector.ExtractStridedSlice, loaded, offsets=(0, 0), sizes=(1, lanes), strides=(1, 1), **{LAYOUT: layout})
    return matrix(tile.type.shape, tile.type.shape, [row], layout)

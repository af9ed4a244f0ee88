"""Column-major first operands in shared memory at xegpu level: words of neighbours in a row come in by columns, rows go out.

The buffer is cut into strips as wide as a matrix instruction is deep; in a strip, row follows row. A lane stores its row of a strip
in one piece; a block message reads whole rows, distributed to the lanes as DPAS takes them.
"""

from __future__ import annotations

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import I16, I32, VectorType, shape_of
from xetile.ir.core import UNIT, Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.access import Tile, TileMessages, order_of
from xetile.passes.block.hints import Hints
from xetile.passes.block.matrices import Matrix, Piece, rows_of_words
from xetile.records import dataclass
from xetile.target.blocks import WORD_BYTES


@dataclass(frozen=True)
class Columns:
    """A tile in registers as columns of words, each of neighbours in a row."""

    pieces: tuple[Piece, ...]


def load_columns(access: TileMessages, tile: Tile, hints: Hints) -> Columns:
    """A column-major tile; its rows, which lie side by side in memory, go to lanes."""
    lanes, pack = access.target.subgroup_size, WORD_BYTES // element_bytes(tile.type.element)
    packed = Layout(lane_layout=(1, lanes), lane_data=(pack, 1))
    loaded = access.load(tile, packed, packed=pack > 1, hints=hints)  # its pieces stand where they lie in memory
    assert loaded is not None, "only tiles that block messages reach are staged"
    side = Layout(lane_layout=(1, lanes), lane_data=(1, pack))
    words = Layout(lane_layout=(1, lanes), lane_data=(1, 1))
    pieces = []
    for p in loaded.pieces:
        flat, (height, width) = p.value, shape_of(p.value.type)[:2]
        if pack > 1:
            wide = VectorType((height, width * pack), tile.type.element)
            flat = access.build(vector.ShapeCast, flat, result=wide, layout_result_0=side)
        value = access.build(vector.Bitcast, flat, result=VectorType((height, width), I32), layout_result_0=words)
        pieces.append(Piece(p.column, p.row, value))
    return Columns(tuple(pieces))


def store_columns(access: TileMessages, tile: Tile, source: Columns) -> None:
    """Into a half of the buffer."""
    desc, pack = _by_columns(access, tile)
    layout = Layout(lane_layout=(1, access.target.subgroup_size), lane_data=(1, 1))
    words = access.build(arith.DivUI, tile.x, access.constant(pack))
    for p in source.pieces:
        where = [access.add(words, p.column // pack), access.add(tile.y, p.row)]
        access.build.op(xegpu.StoreMatrix, p.value, desc, where, layout=layout)


def _by_columns(access: TileMessages, tile: Tile) -> tuple[Value, int]:
    """The buffer as a matrix of words whose columns are the buffer's rows; elements of a word."""
    (rows, columns), strip = shape_of(tile.base.type), order_of(tile).block[1]
    pack = WORD_BYTES // element_bytes(tile.type.element)
    attr = xegpu.MemLayoutAttr(stride=(1, columns // pack), block=(strip // pack, rows))
    return access.build(xegpu.CreateMemDesc, tile.base, result=xegpu.MemDescType((columns // pack, rows), I32, attr)), pack


def load_by_lanes(access: TileMessages, tile: Tile, layout: Layout) -> Matrix:
    """The transpose of a part of the buffer, rows packed as DPAS's `layout` says: each lane reads its row of a strip in one piece."""
    build, element, lanes, strip = access.build, tile.type.element, access.target.subgroup_size, order_of(tile).block[1]
    desc, pack = _by_columns(access, tile)
    plain = Layout(lane_layout=(1, lanes), lane_data=(1, 1))
    words, height = build(arith.DivUI, tile.y, access.constant(pack)), strip // pack
    pieces = []
    for row in range(0, tile.type.shape[0], strip):
        for column in range(0, tile.type.shape[1], lanes):
            where = [access.add(words, row // pack), access.add(tile.x, column)]
            value = build(xegpu.LoadMatrix, desc, where, layout_result_0=plain, value=VectorType((height, lanes), I32))
            pieces.append(Piece(row, column, rows_of_words(build, value, element, layout)))
    return Matrix(tile.type.shape, element, tuple(pieces), layout)


def load_rows(access: TileMessages, tile: Tile, layout: Layout) -> Matrix:
    """The tile in blocks of one strip, with lanes as DPAS's `layout` says."""
    element, strip = tile.type.element, order_of(tile).block[1]
    rows, columns = shape_of(tile.base.type)
    pair = layout.lane_data[1]  # 16 bits at least
    kind = element if pair == 1 else I16
    attr = xegpu.MemLayoutAttr(stride=(columns // pair, 1), block=(rows, strip // pair))
    desc = access.build(xegpu.CreateMemDesc, tile.base, result=xegpu.MemDescType((rows, columns // pair), kind, attr))
    height = max(h for h in (16, 8, 4, 2, 1) if tile.type.shape[0] % h == 0)
    halves = access.build(arith.DivUI, tile.x, access.constant(pair)) if pair > 1 else tile.x
    held = Layout(lane_layout=layout.lane_layout, lane_data=(1, 1))
    pieces = []
    for row in range(0, tile.type.shape[0], height):
        for column in range(0, tile.type.shape[1], strip):
            where = [access.add(tile.y, row), access.add(halves, column // pair)]
            value: Value = access.build(xegpu.LoadMatrix, desc, where, subgroup_block_io=UNIT, layout_result_0=held,
                                        value=VectorType((height, strip // pair), kind))  # fmt: skip
            if pair > 1:
                wide = VectorType((height, strip), element)
                value = access.build(vector.Bitcast, value, result=wide, layout_result_0=layout)
            pieces.append(Piece(row, column, value))
    return Matrix(tile.type.shape, element, tuple(pieces), layout)

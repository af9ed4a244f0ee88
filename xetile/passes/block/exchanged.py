"""Operands of products on their way between subgroups, at xegpu level: shared matrices in the order in which DPAS takes them.

The buffer is cut into strips as wide as a matrix instruction takes the operand: of the first one in rows, of the second in rows of
words, each with elements of one column. A block message then reads or writes whole rows of a strip.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.dialects import vector, xegpu
from xetile.dialects.types import I32, VectorType, shape_of
from xetile.ir.core import UNIT, Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.access import Tile, TileMessages, order_of
from xetile.passes.block.columns import Columns, store_columns
from xetile.passes.block.matrices import Matrix, Piece, pack_rows, reblock, rows_of_words
from xetile.passes.block.staged import divided, is_packed
from xetile.target.blocks import WORD_BYTES

HEIGHTS = (16, 8, 4, 2, 1)
"""Rows of one message."""


def load_words(access: TileMessages, tile: Tile, layout: Layout) -> Matrix:
    """A second operand, with rows packed as DPAS's `layout` says."""
    build, element, lanes = access.build, tile.type.element, access.target.subgroup_size
    desc, (y, x), pack = _words(access, tile)
    rows, columns = tile.type.shape
    most = rows if tile.limit is None else tile.limit[0]
    height = max(h for h in HEIGHTS if rows // pack % h == 0 and h * pack <= most)
    row = Layout(lane_layout=(1, lanes), lane_data=(1, 1))
    pieces = []
    for r in range(0, rows, height * pack):
        for k in range(0, columns, lanes):
            where = [access.add(y, r // pack), access.add(x, k)]
            words = build(xegpu.LoadMatrix, desc, where, subgroup_block_io=UNIT, layout_result_0=row,
                          value=VectorType((height, lanes), I32))  # fmt: skip
            pieces.append(Piece(r, k, rows_of_words(build, words, element, layout)))
    return Matrix(tile.type.shape, element, tuple(pieces), layout)


def store_blocks(access: TileMessages, tile: Tile, source: Matrix) -> None:
    """A subgroup's piece, whose rows lie over the lanes, or its transpose, whose columns do."""
    strip, (rows, columns) = order_of(tile).block[1], source.block
    if not tile.transposed and columns > strip and columns % strip == 0:
        source = reblock(access.build, source, (rows, strip))
    if tile.transposed:
        pack = WORD_BYTES // element_bytes(source.element)
        words = [Piece(p.column, p.row, _packed(access, p.value, pack)) for p in source.pieces]
        store_columns(access, replace(tile, y=tile.x, x=tile.y), Columns(tuple(words)))
    elif is_packed(tile):
        desc, (y, x), pack = _words(access, tile)
        for p in source.pieces:
            where = [access.add(y, p.row // pack), access.add(x, p.column)]
            _store(access, _packed(access, p.value, pack), desc, where)
    else:
        rows, columns = shape_of(tile.base.type)
        attr = xegpu.MemLayoutAttr(stride=(columns, 1), block=(rows, order_of(tile).block[1]))
        desc = access.build(xegpu.CreateMemDesc, tile.base, result=xegpu.MemDescType((rows, columns), source.element, attr))
        for p in source.pieces:
            _store(access, p.value, desc, [access.add(tile.y, p.row), access.add(tile.x, p.column)])


def _store(access: TileMessages, value: Value, desc: Any, where: list[Value]) -> None:
    """A block as wide as a strip is one piece of memory."""
    whole = shape_of(value.type)[1] == desc.type.memory_layout().block[1]
    access.build.op(xegpu.StoreMatrix, value, desc, where, subgroup_block_io=UNIT if whole else None)


def _words(access: TileMessages, tile: Tile) -> tuple[Any, list[Value], int]:
    """The buffer as a matrix of words with elements of one column each; where the tile starts in it; elements of a word."""
    (rows, columns), pack = shape_of(tile.base.type), order_of(tile).packed
    attr = xegpu.MemLayoutAttr(stride=(columns, 1), block=(rows // pack, order_of(tile).block[1]))
    desc = access.build(xegpu.CreateMemDesc, tile.base, result=xegpu.MemDescType((rows // pack, columns), I32, attr))
    return desc, [divided(access, tile.y, pack), tile.x], pack


def _packed(access: TileMessages, value: Value, pack: int) -> Value:
    """A block's rows as words, each of elements of one column."""
    build, lanes = access.build, access.target.subgroup_size
    held, side = Layout(lane_layout=(1, lanes), lane_data=(1, 1)), Layout(lane_layout=(1, lanes), lane_data=(1, pack))
    kind: Any = value.type
    rows, columns = kind.shape
    packed = pack_rows(build, value, pack, held) if pack > 1 else value
    flat = build(vector.ShapeCast, packed, result=kind.with_shape(rows // pack, columns * pack), layout_result_0=side)
    words: Value = build(vector.Bitcast, flat, result=VectorType((rows // pack, columns), I32), layout_result_0=held)
    return words

"""Long rows of one-dimensional memory as lines below each other: a block message brings up to 32 of them, of a row only one.

The array is whole lines, and the tile begins at one, so what lies outside of the array are whole lines too: messages pad and clip
these as they do elements of a row.
"""

from __future__ import annotations

from dataclasses import replace

from xetile.dialects import arith, vector
from xetile.dialects.types import VectorType
from xetile.ir.core import Value, type_of
from xetile.layout import Layout
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.hints import Hints
from xetile.passes.block.matrices import LAYOUT, Cut, Matrix, Piece


def load_lines(access: TileMessages, tile: Tile, layout: Layout, hints: Hints) -> Matrix | None:
    """A tile of one row by messages of several lines; None where lanes do not hold neighbours side by side."""
    if layout.lane_data != (1, 1) or layout.lane_layout != (1, access.target.subgroup_size) or tile.limit:
        return None
    loaded = access.load(_as_lines(access, tile), layout, packed=False, hints=hints)
    if loaded is None:
        return None
    pieces = [
        Piece(0, (piece.row + row) * tile.line + piece.column, _row(access, piece.value, row, layout))
        for piece in loaded.pieces
        for row in range(piece.shape[0])
    ]
    return Matrix(tile.type.shape, tile.type.element, tuple(sorted(pieces, key=lambda piece: piece.column)), layout)


def store_lines(access: TileMessages, tile: Tile, source: Matrix, cut: Cut, hints: Hints) -> bool:
    """A tile of one row by messages of several lines; False where there are none."""
    if not tile.line or tile.limit:
        return False

    def lines(row: int, column: int, shape: tuple[int, int]) -> Value:
        whole = access.zeros(shape, tile.type.element, source.layout)
        for down in range(shape[0]):
            part = cut(0, (row + down) * tile.line + column, (1, shape[1]))
            whole = access.build(vector.InsertStridedSlice, part, whole, offsets=(down, 0), strides=(1, 1), result=whole.type,
                                 **{LAYOUT: source.layout})  # fmt: skip
        return whole

    return access.store(_as_lines(access, tile), source, lines, hints)


def _as_lines(access: TileMessages, tile: Tile) -> Tile:
    """The same memory as lines below each other."""
    line, bits = access.constant(tile.line), access.constant(tile.line.bit_length() - 1)
    total = access.build(arith.DivUI, tile.shape[-1], line)
    below = access.build(arith.ShRSI, tile.x, bits)  # in front of the array it is negative
    shape = (tile.type.shape[1] // tile.line, tile.line)
    return replace(tile, type=replace(tile.type, shape=shape, inner_blocks=()), shape=(total, line), strides=(line, access.constant(1)),
                   y=below, x=access.constant(0), line=0)  # fmt: skip


def _row(access: TileMessages, value: Value, row: int, layout: Layout) -> Value:
    shape = type_of(value, VectorType).shape
    if shape[0] == 1:
        return value
    return access.build(
        vector.ExtractStridedSlice, value, offsets=(row, 0), sizes=(1, shape[1]), strides=(1, 1), **{LAYOUT: layout}
    )


__all__ = ["load_lines", "store_lines"]

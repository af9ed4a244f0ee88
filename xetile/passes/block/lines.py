"""Long rows of memory as lines below each other: a block message brings up to 32 of them, of a row only one.

The tile begins at a line, so what lies outside of the array are whole lines too: messages pad and clip these as they do elements of a
row. The line that an array ends inside of is left to a second message: of the array as a single row, whose place is so many rows above the
tile's first line that this row is the line's. All other rows of that message lie outside.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.dialects import arith, vector
from xetile.dialects.types import I8, I16, I32, I64, VectorType
from xetile.dialects.vector import LAYOUT
from xetile.ir.core import Value, type_of
from xetile.layout import Layout
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.hints import Hints
from xetile.passes.block.matrices import Cut, Matrix, Piece
from xetile.records import dataclass

_WORDS = {8: I8, 16: I16, 32: I32, 64: I64}


def load_lines(access: TileMessages, tile: Tile, layout: Layout, hints: Hints) -> Matrix | None:
    """A tile of one row by messages of several lines; None where lanes do not hold neighbours side by side."""
    if layout.lane_data != (1, 1) or layout.lane_layout != (1, access.target.subgroup_size) or tile.limit:
        return None
    loaded = access.load(_as_lines(access, tile), layout, packed=False, hints=hints)
    if loaded is None:
        return None
    if tile.ends_inside:
        last = access.load(_last_line(access, tile), layout, packed=False, hints=hints)
        assert last is not None, "it is as large as the others"
        values = [_either(access, one.value, other.value, layout) for one, other in zip(loaded.pieces, last.pieces)]
        loaded = replace(loaded, pieces=tuple(replace(piece, value=value) for piece, value in zip(loaded.pieces, values)))
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

    stored = access.store(_as_lines(access, tile), source, lines, hints)
    return stored and (not tile.ends_inside or access.store(_last_line(access, tile), source, lines, hints))


def _as_lines(access: TileMessages, tile: Tile) -> Tile:
    """The same memory as lines below each other."""
    line, row = access.constant(tile.line), _Row.of(access, tile)
    whole = access.build(arith.DivUI, tile.shape[-1], line)
    return row.tile((), (whole, line), (line, access.constant(1)), _below(access, tile), access.constant(0))


def _last_line(access: TileMessages, tile: Tile) -> Tile:
    """The line in which the array ends, in the tile's row of it; zeros in the others."""
    line, one, row = access.constant(tile.line), access.constant(1), _Row.of(access, tile)
    whole = access.build(arith.DivUI, tile.shape[-1], line)
    up = access.build(arith.SubI, _below(access, tile), whole)
    # The row begins a line further ahead: no row is shorter than a line, and none of an array so long as rows may be.
    ahead = access.add(whole, -1)
    end = access.build(arith.AddI, access.build(arith.RemUI, tile.shape[-1], line), line)
    return row.tile((ahead,), (whole, one, end), (line, access.add(line, line), one), up, line)


def _below(access: TileMessages, tile: Tile) -> Value:
    """The line that a tile begins at; in front of the array it is negative."""
    below: Value = access.build(arith.ShRSI, tile.x, access.constant(tile.line.bit_length() - 1))
    return below


@dataclass(frozen=True)
class _Row:
    """The row of memory that a tile lies in. `position`, `shape`, `strides`: of what is in front of it; `inside`: whether there is such a
    row, None where the memory is one.
    """

    access: TileMessages
    whole: Tile
    position: tuple[Value, ...] = ()
    shape: tuple[Value, ...] = ()
    strides: tuple[Value, ...] = ()
    inside: Value | None = None

    @classmethod
    def of(cls, access: TileMessages, tile: Tile) -> _Row:
        """The row of a tile."""
        if tile.base.type.rank == 1:  # type: ignore[attr-defined]
            return cls(access, tile)
        inside = access.build(arith.CmpI, tile.y, tile.shape[-2], predicate="ult")
        row = access.build(arith.Select, inside, tile.y, access.constant(0))
        return cls(access, tile, (*tile.leading, row), tile.shape[:-1], tile.strides[:-1], inside)

    def tile(self, leading: tuple[Value, ...], shape: tuple[Value, ...], strides: tuple[Value, ...], y: Value, x: Value) -> Tile:
        """A tile of as many lines in that row, seen as memory of other sizes; behind their end where there is no such row."""
        if self.inside is not None:
            y = self.access.build(arith.Select, self.inside, y, shape[-2])
        return replace(
            self.whole, type=_lines_type(self.whole), leading=(*self.position, *leading), shape=(*self.shape, *shape),
            strides=(*self.strides, *strides), y=y, x=x, scattered=False, line=0,
        )  # fmt: skip


def _lines_type(tile: Tile) -> Any:
    return replace(tile.type, shape=(tile.type.shape[1] // tile.line, tile.line), inner_blocks=())


def _either(access: TileMessages, one: Value, other: Value, layout: Layout) -> Value:
    """Elements of two values, where one of each two is all zeros."""
    kind = type_of(one, VectorType)
    words = kind.with_element(_WORDS[kind.element.bits])
    bits = [v if words == kind else access.build(vector.Bitcast, v, result=words, **{LAYOUT: layout}) for v in (one, other)]
    either = access.build(arith.OrI, *bits, **{LAYOUT: layout})
    return either if words == kind else access.build(vector.Bitcast, either, result=kind, **{LAYOUT: layout})


def _row(access: TileMessages, value: Value, row: int, layout: Layout) -> Value:
    shape = type_of(value, VectorType).shape
    if shape[0] == 1:
        return value
    return access.build(
        vector.ExtractStridedSlice, value, offsets=(row, 0), sizes=(1, shape[1]), strides=(1, 1), **{LAYOUT: layout}
    )


__all__ = ["load_lines", "store_lines"]

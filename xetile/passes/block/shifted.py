"""Tiles that begin inside of a 32-bit word of memory, by block messages that begin at the word: what a lane is to have lies a few columns
further on, in another lane.

Messages load a block more than the tile has; the elements in front of the tile move out of it (SPV_INTEL_2d_block_io: x is a multiple of
whole words). Outside of the array there are zeros, in front of it as well as behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import gcd

from xetile.dialects import arith, vector
from xetile.dialects.types import I1, VectorType, shape_of
from xetile.dialects.vector import LAYOUT
from xetile.ir.core import Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.masks import bytes_of, masks_of
from xetile.passes.block.matrices import Matrix, Piece, reblock
from xetile.records import dataclass
from xetile.target.blocks import WORD_BYTES

Bring = Callable[[Tile], Matrix | None]
"""Loads a tile that begins at a word by block messages; None where none fit."""


def load_shifted(access: TileMessages, tile: Tile, rest: int | None, layout: Layout, bring: Bring) -> Matrix | None:
    """A tile whose place is `rest` elements behind a word, or any number where that is not known; None where no message fits.

    `bring` gives it as lanes hold it by `layout`; rows are not packed where the tile is column-major.
    """
    if tile.type.element is I1:
        loaded = load_shifted(access, bytes_of(access.build, tile), rest, layout, bring)
        return None if loaded is None else masks_of(access.build, loaded)
    size = element_bytes(tile.type.element)
    axis = 0 if tile.transposed else 1
    wide = from_word(access, tile, rest, _beside(layout) if axis else _words_beside(access) * WORD_BYTES // size)
    source = bring(wide)
    if source is None or (axis and not _is_even(source)):
        return None
    if axis == 0:
        height = gcd(tile.type.shape[0], *(piece.shape[0] for piece in source.pieces))
        if height * size < WORD_BYTES:
            return None
        source = reblock(access.build, source, (height, source.block[1]))
    shift = _Shift(access, axis)
    if rest is not None:
        return shift.by(source, rest, tile.type.shape)
    place = tile.y if tile.transposed else tile.x
    bits = range((WORD_BYTES // size).bit_length() - 1)
    for bit in bits:
        shape = tile.type.shape if bit == bits[-1] else wide.type.shape
        source = shift.where(_has_bit(access, place, bit), source, 1 << bit, shape)
    return source


def from_word(access: TileMessages, tile: Tile, rest: int | None, more: int = 0) -> Tile:
    """The tile from the word that it begins in, with so many elements more along memory's rows."""
    words = WORD_BYTES // element_bytes(tile.type.element)
    place = tile.y if tile.transposed else tile.x
    start = access.add(place, -rest) if rest is not None else access.build(arith.AndI, place, access.constant(-words))
    rows, columns = tile.type.shape
    shape = (rows + more, columns) if tile.transposed else (rows, columns + more)
    moved = replace(tile, type=replace(tile.type, shape=shape, inner_blocks=None), line=0)
    if not tile.transposed:
        return replace(moved, x=start)
    word = access.build(arith.ShRSI, start, access.constant(words.bit_length() - 1))
    return replace(moved, y=start, word=word)


def _beside(layout: Layout) -> int:
    """Columns that all lanes hold one part each of."""
    return layout.lane_layout[1] * layout.lane_data[1]


def _words_beside(access: TileMessages) -> int:
    """Words of a transposing message's row."""
    assert access.target.block2d is not None
    return min(access.target.block2d.widths("transpose", WORD_BYTES), default=0)


def _is_even(source: Matrix) -> bool:
    """Whether pieces are as wide as the lanes have columns, and stand side by side in rows."""
    columns: dict[int, list[tuple[int, int]]] = {}
    for piece in source.pieces:
        columns.setdefault(piece.column, []).append((piece.row, piece.shape[0]))
    rows = list(columns.values())
    return all(piece.shape[1] == _beside(source.layout) for piece in source.pieces) and rows.count(rows[0]) == len(rows)


def _has_bit(access: TileMessages, place: Value, bit: int) -> Value:
    one: Value = access.build(arith.AndI, place, access.constant(1 << bit))
    return access.build(arith.CmpI, one, access.constant(0), predicate="ne")


@dataclass(frozen=True)
class _Shift:
    """Moves of a matrix along an axis."""

    access: TileMessages
    axis: int

    def by(self, source: Matrix, count: int, shape: tuple[int, int]) -> Matrix:
        """What lies `count` elements further on, of a shape."""
        return self._made(source, shape, lambda piece, after: self._pair(piece, after, count, source.layout))

    def where(self, condition: Value, source: Matrix, count: int, shape: tuple[int, int]) -> Matrix:
        """The same where a condition holds, else the matrix as it is."""

        def chosen(piece: Piece, after: Piece | None) -> Value:
            moved = self._pair(piece, after, count, source.layout)
            return self.access.build(arith.Select, condition, moved, piece.value, **{LAYOUT: source.layout})

        return self._made(source, shape, chosen)

    def _made(self, source: Matrix, shape: tuple[int, int], make: Callable[[Piece, Piece | None], Value]) -> Matrix:
        pieces = tuple(replace(piece, value=make(piece, after)) for piece, after in self._pairs(source, shape))
        return replace(source, shape=shape, pieces=pieces)

    def _pairs(self, source: Matrix, shape: tuple[int, int]) -> Iterator[tuple[Piece, Piece | None]]:
        """The pieces of a shape, each with the one that follows."""
        places = {(p.row, p.column): p for p in source.pieces}
        for piece in source.pieces:
            if piece.row < shape[0] and piece.column < shape[1]:
                at = [piece.row, piece.column]
                at[self.axis] += piece.shape[self.axis]
                yield piece, places.get((at[0], at[1]))

    def _pair(self, piece: Piece, after: Piece | None, count: int, layout: Layout) -> Value:
        """The part of two pieces, one behind the other, that begins `count` elements behind the first one's begin."""
        build, axis = self.access.build, self.axis
        shape: list[int] = list(shape_of(piece.value.type))
        shape[axis] *= 2
        kind = VectorType(tuple(shape), piece.value.type.element)  # type: ignore[attr-defined]
        whole: Value = build(arith.Constant, value=0, result=kind, **{LAYOUT: layout})
        for number, part in enumerate((piece, after or piece)):  # of what lies behind the last piece nothing is taken
            offsets = self._along(len(shape), number * shape[axis] // 2)
            whole = build(vector.InsertStridedSlice, part.value, whole, offsets=offsets, strides=(1,) * len(shape), result=kind,
                          **{LAYOUT: layout})  # fmt: skip
        return build(vector.ExtractStridedSlice, whole, offsets=self._along(len(shape), count), sizes=shape_of(piece.value.type),
                     strides=(1,) * len(shape), **{LAYOUT: layout})  # fmt: skip

    def _along(self, rank: int, count: int) -> tuple[int, ...]:
        return tuple(count if dim == self.axis else 0 for dim in range(rank))

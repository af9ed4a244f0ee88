"""What a blocked value becomes at xegpu level: pieces, each one vector, that tile a matrix; and blocks cut out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import gcd, prod

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import ScalarType, VectorType, element_of, shape_of
from xetile.errors import VerifyError
from xetile.ir.builder import Builder
from xetile.ir.core import Value, type_of
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes, power_of_two_divisor
from xetile.records import dataclass
from xetile.target.blocks import WORD_BYTES

Cut = Callable[[int, int, tuple[int, int]], Value]
"""Gives the part of a matrix that begins at a row and a column, of a shape."""


@dataclass(frozen=True)
class Piece:
    """A part of a matrix, at a row and column. A packed piece is 3-D: rows in groups of the last dimension (VNNI)."""

    row: int
    column: int
    value: Value

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        dims: tuple[int, ...] = self.value.type.shape  # type: ignore[attr-defined]
        return dims if len(dims) == 2 else (dims[0] * dims[2], dims[1])

    @property
    def packing(self) -> int:
        """Rows that share a 32-bit word; 1 for a plain piece."""
        dims: tuple[int, ...] = shape_of(self.value.type)
        return dims[2] if len(dims) == 3 else 1


@dataclass(frozen=True)
class Matrix:
    """A subgroup's value: pieces over `shape`, all held by lanes in the same way.

    Pieces are in row-major order of their places, whatever order they were made in, and each element lies in exactly one: matrices
    with pieces of one shape have them at the same positions, which is how control flow joins them. Raises VerifyError otherwise.
    """

    shape: tuple[int, int]
    element: ScalarType
    pieces: tuple[Piece, ...]
    layout: Layout

    def __post_init__(self) -> None:
        check_cover(self.shape, tuple((p.row, p.column, *p.shape) for p in self.pieces))
        object.__setattr__(self, "pieces", tuple(sorted(self.pieces, key=lambda p: (p.row, p.column))))

    def carried(self) -> Sequence[Value]:
        """All pieces change from iteration to iteration."""
        return [p.value for p in self.pieces]

    def with_carried(self, values: Sequence[Value]) -> Matrix:
        """The same pieces with other values."""
        return replace(self, pieces=tuple([Piece(p.row, p.column, v) for p, v in zip(self.pieces, values, strict=True)]))

    @property
    def block(self) -> tuple[int, int]:
        """The shape of the pieces."""
        return self.pieces[0].shape

    def grid(self) -> dict[tuple[int, int], Value]:
        """Pieces by their block coordinates."""
        height, width = self.block
        return {(p.row // height, p.column // width): p.value for p in self.pieces}


def _is_grid(shape: tuple[int, int], places: tuple[tuple[int, int, int, int], ...]) -> bool:
    """Whether parts are blocks of one size side by side, as most are: known from their places alone."""
    rows, columns = block = places[0][2:]
    if any(place[2:] != block for place in places) or shape[0] % rows or shape[1] % columns:
        return False
    return sorted(place[:2] for place in places) == list(block_origins(shape, block))


@lru_cache(maxsize=4096)
def check_cover(shape: tuple[int, int], places: tuple[tuple[int, int, int, int], ...]) -> None:
    """Raise VerifyError unless parts, each (row, column, rows, columns), cover a value of `shape` and no element twice."""
    height, width = shape
    if places and _is_grid(shape, places):
        return
    seen = [0] * height  # of each row the columns, a bit for each: a number for a row costs less than one for an element
    beyond = 0
    for row, column, rows, columns in places:
        part = ((1 << columns) - 1) << column
        for i in range(row, min(row + rows, height)):
            if seen[i] & part:
                raise VerifyError(f"{rows}x{columns} elements at {row}, {column} of a {height}x{width} value are there twice")
            seen[i] |= part
        beyond += max(0, row + rows - height) * columns
    whole = (1 << width) - 1
    if beyond or any(line != whole for line in seen):
        count = sum(line.bit_count() for line in seen) + beyond
        raise VerifyError(f"{len(places)} parts with {count} elements do not cover a {height}x{width} value")


def matrix(shape: tuple[int, int], block: tuple[int, int], values: Sequence[Value], layout: Layout) -> Matrix:
    """A matrix of blocks in row-major order."""
    places = block_origins(shape, block)
    pieces = tuple(Piece(r, c, v) for (r, c), v in zip(places, values, strict=True))
    return Matrix(shape, element_of(values[0].type), pieces, layout)


def block_origins(shape: tuple[int, int], block: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Origins of the blocks of a matrix, row-major."""
    return ((r, c) for r in range(0, shape[0], block[0]) for c in range(0, shape[1], block[1]))


def reblock(build: Builder, source: Matrix, block: tuple[int, int]) -> Matrix:
    """The matrix in pieces of another shape: slices of the old ones, or several of them put together."""
    if all(p.shape == block for p in source.pieces):
        return source
    narrower = replace(source, layout=fitting_layout(block, source.layout))
    values = [cut(build, narrower, r, c, block) for r, c in block_origins(source.shape, block)]
    return matrix(source.shape, block, values, narrower.layout)


def conform(build: Builder, source: Matrix, template: Matrix) -> Matrix:
    """The matrix in pieces of another one's places and shapes, so that control flow can join the two."""
    if [_place(p) for p in source.pieces] == [_place(p) for p in template.pieces]:
        return source
    layout = source.layout
    for piece in template.pieces:
        layout = fitting_layout(piece.shape, layout)
    narrower = replace(source, layout=layout)
    parts = [replace(p, value=cut(build, narrower, p.row, p.column, p.shape)) for p in template.pieces]
    return replace(narrower, pieces=tuple(parts))


def first_part(build: Builder, source: Matrix, ends: Sequence[int]) -> Matrix:
    """The first rows and columns of a matrix, so many of each (-1: all)."""
    rows, columns = (size if end < 0 else min(size, end) for size, end in zip(source.shape, ends))
    parts = [
        (p.row, p.column, (min(p.shape[0], rows - p.row), min(p.shape[1], columns - p.column)))
        for p in source.pieces
        if p.row < rows and p.column < columns
    ]
    pieces = tuple(Piece(row, column, cut(build, source, row, column, shape)) for row, column, shape in parts)
    return replace(source, shape=(rows, columns), pieces=pieces)


def _place(piece: Piece) -> tuple[int, int, tuple[int, int]]:
    return piece.row, piece.column, piece.shape


def fitting_layout(block: tuple[int, int], layout: Layout) -> Layout:
    """The layout itself where its lanes distribute a block evenly; else rows over as many lanes as a row has elements."""
    if all(n % (lanes * data) == 0 for n, lanes, data in zip(block, layout.lane_layout, layout.lane_data)):
        return layout
    lanes = prod(layout.lane_layout)
    width = gcd(block[1], lanes)
    return Layout(lane_layout=(lanes // width, width), lane_data=(1, 1))


def fitting_blocks(block: tuple[int, int], layout: Layout) -> Iterator[tuple[tuple[int, int], tuple[int, int], Layout]]:
    """(place, size, layout) of the parts of a block that lanes share evenly: the block itself, or parts of as many rows and columns
    as divide the lanes.
    """
    layout = fitting_layout(block, layout)
    if xegpu.not_distributable(block, layout):
        width = layout.lane_layout[1]
        size = power_of_two_divisor(block[0], layout.lane_layout[0]), width
        yield from ((at, size, layout) for at in block_origins(block, size))
    else:
        yield (0, 0), block, layout


def inside(build: Builder, pieces: Sequence[Piece], shape: tuple[int, int], layout: Layout) -> Iterator[Piece]:
    """What lies inside of a matrix of the plain pieces that cover it; the last ones may reach beyond it."""
    for piece in pieces:
        rows, columns = (min(size, end - start) for size, end, start in zip(piece.shape, shape, (piece.row, piece.column)))
        if rows > 0 and columns > 0:
            yield (
                piece
                if (rows, columns) == piece.shape
                else replace(piece, value=_slice(build, piece, 0, 0, (rows, columns), layout))
            )


def cut(build: Builder, source: Matrix, row: int, column: int, block: tuple[int, int]) -> Value:
    """One block of a matrix."""
    height, width = block
    if block != source.block and (same := _splat(source)) is not None:
        constant: Value = build(
            arith.Constant, value=same, result=VectorType(block, source.element), layout_result_0=source.layout
        )
        return constant
    for piece in source.pieces:
        down, across = row - piece.row, column - piece.column
        if down < 0 or across < 0:
            continue
        rows, columns = piece.shape
        if down + height <= rows and across + width <= columns:
            return _slice(build, piece, down, across, block, source.layout)
    return _assemble(build, source, row, column, block)


def _splat(source: Matrix) -> int | float | bool | None:
    """The element of a constant matrix whose elements are all the same, else None."""
    first = arith.constant_of(source.pieces[0].value)
    if first is None or isinstance(first, tuple):
        return None
    others = (arith.constant_of(p.value) for p in source.pieces)
    return first if all(type(v) is type(first) and v == first for v in others) else None


def _slice(build: Builder, piece: Piece, row: int, column: int, block: tuple[int, int], layout: Layout) -> Value:
    if piece.shape == block:
        return piece.value
    packing = piece.packing
    offsets, sizes = (row // packing, column), (block[0] // packing, block[1])
    if packing > 1:
        offsets, sizes = (*offsets, 0), (*sizes, packing)  # type: ignore[assignment]
    part: Value = build(vector.ExtractStridedSlice, piece.value, offsets=offsets, sizes=sizes,
                        strides=(1,) * len(offsets), layout_result_0=layout)  # fmt: skip
    return part


def _assemble(build: Builder, source: Matrix, row: int, column: int, block: tuple[int, int]) -> Value:
    whole: Value | None = None
    for piece in source.pieces:
        top, left = max(row, piece.row), max(column, piece.column)
        bottom = min(row + block[0], piece.row + piece.shape[0])
        right = min(column + block[1], piece.column + piece.shape[1])
        if top >= bottom or left >= right:
            continue
        if piece.packing > 1:
            piece = replace(piece, value=unpack_rows(build, piece.value, source.layout))
        if whole is None:
            whole = build(arith.Constant, value=0, result=VectorType(block, source.element), layout_result_0=source.layout)
        for (down, across), size, layout in fitting_blocks((bottom - top, right - left), source.layout):
            part = _slice(build, piece, top + down - piece.row, left + across - piece.column, size, layout)
            whole = build(vector.InsertStridedSlice, part, whole, offsets=(top + down - row, left + across - column), strides=(1, 1),
                          result=whole.type, layout_result_0=source.layout)  # fmt: skip
    assert whole is not None
    return whole


def pack_rows(build: Builder, value: Value, packing: int, layout: Layout) -> Value:
    """A plain block with `packing` rows in each 32-bit word: (K, N) to (K/p, N, p), as dpas takes its second operand."""
    type = type_of(value, VectorType)
    rows, columns = type.shape
    split = build(vector.ShapeCast, value, result=type.with_shape(rows // packing, packing, columns), layout_result_0=layout)
    packed: Value = build(vector.Transpose, split, permutation=(0, 2, 1), layout_result_0=layout)
    return packed


def rows_of_words(build: Builder, words: Value, element: ScalarType, layout: Layout) -> Value:
    """Words, each of elements of one column, as `pack_rows` leaves these."""
    height, lanes = shape_of(words.type)
    pack = WORD_BYTES // element_bytes(element)
    wide, side = VectorType((height, lanes * pack), element), Layout(lane_layout=(1, lanes), lane_data=(1, pack))
    value = build(vector.Bitcast, words, result=wide, layout_result_0=side)
    packed: Value = build(vector.ShapeCast, value, result=wide.with_shape(height, lanes, pack), layout_result_0=layout)
    return packed


def unpack_rows(build: Builder, value: Value, layout: Layout) -> Value:
    """The inverse of `pack_rows`: (K/p, N, p) to (K, N)."""
    type = type_of(value, VectorType)
    rows, columns, packing = type.shape
    split = build(vector.Transpose, value, permutation=(0, 2, 1), layout_result_0=layout)
    plain: Value = build(vector.ShapeCast, split, result=type.with_shape(rows * packing, columns), layout_result_0=layout)
    return plain

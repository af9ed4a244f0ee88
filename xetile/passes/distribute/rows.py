"""Values of any rank in shared local memory: as the rows of a matrix, one after the other.

A piece lies there as so many matrices: its last dimensions, as far as they are whole, follow each other row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import gcd, prod
from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import VectorType, element_of, shape_of
from xetile.ir.core import Op, Value
from xetile.passes.analysis.owners import Share
from xetile.passes.distribute.distributor import Distributor, Pieces
from xetile.passes.distribute.exchange import from_memory, once_where_diverged, places, reshaped, stored_element, to_memory
from xetile.records import dataclass

Shape = tuple[int, ...]
Parts = Sequence[Share]


def exchange_rows(op: Op, c: Distributor, values: Pieces, source: Parts, target: Parts, shape: Shape = ()) -> Pieces:
    """As `exchange`; `shape`: of the result, where it is another one of as many elements."""
    element = element_of(values[0].type)
    before = tuple(share.extent for share in source)
    buffer = c.buffers.get((prod(before[:-1]), before[-1]), stored_element(element, c), op)
    with once_where_diverged(op, c, source):
        for value, where in zip(values, places(c, source), strict=True):
            store_rows(c, buffer, before, to_memory(c, value), where)
    kind = VectorType(tuple(share.size for share in target), element)
    return tuple(load_rows(c, buffer, shape or before, kind, where) for where in places(c, target))


def store_rows(c: Distributor, buffer: Value, extents: Shape, value: Value, where: Sequence[Value]) -> None:
    """Store a piece of a value of `extents` that starts at `where`."""
    view, source, permutation = _best_view(c, value, extents)
    if permutation:
        source = c.build(vector.Transpose, source, permutation=permutation)
    whole = reshaped(c, source, view.shape)
    for at, place in _places(c, view, where):
        matrix = c.build(vector.Extract, whole, position=at) if at else whole
        c.build.op(xetile.StoreTile, matrix, _tile(c, buffer, view, place))


def load_rows(c: Distributor, buffer: Value, extents: Shape, kind: VectorType, where: Sequence[Value]) -> Value:
    """The piece of a value of `extents` that starts at `where`."""
    view = View(kind.shape, extents, len(extents) - 1)
    made: Value | None = None
    for at, place in _places(c, view, where):
        matrix = from_memory(c, c.build(xetile.LoadTile, _tile(c, buffer, view, place)), kind.element)
        if not at:
            return reshaped(c, matrix, kind.shape)
        if made is None:
            made = c.build(arith.Constant, value=0, result=kind.with_shape(*view.shape))
        made = c.build(vector.Insert, matrix, made, position=at)
    assert made is not None
    return reshaped(c, made, kind.shape)


@dataclass(frozen=True)
class View:
    """A piece of `sizes` in a value of `extents` as matrices: dimensions from `split` on are columns, those before it rows."""

    sizes: Shape
    extents: Shape
    split: int

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The dimensions that are a matrix's rows: the last one before the columns, and those whose inner ones a piece has whole."""
        return self._whole(0, self.split)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The dimensions that are its columns."""
        return self._whole(self.split, len(self.sizes))

    def _whole(self, first: int, end: int) -> tuple[int, ...]:
        dim = end - 1
        while dim > first and self.sizes[dim] == self.extents[dim]:
            dim -= 1
        return tuple(range(max(dim, first), end))

    @property
    def apart(self) -> tuple[int, ...]:
        """The dimensions that tell matrices apart."""
        return tuple(d for d in range(len(self.sizes)) if d not in (*self.rows, *self.columns))

    @property
    def matrix(self) -> tuple[int, int]:
        """Rows and columns of each matrix."""
        return prod(self.sizes[d] for d in self.rows), prod(self.sizes[d] for d in self.columns)

    @property
    def order(self) -> tuple[int, ...]:
        """All dimensions, those that tell matrices apart first."""
        return *self.apart, *self.rows, *self.columns

    @property
    def shape(self) -> Shape:
        """Of the piece as matrices, one after the other."""
        return *(self.sizes[d] for d in self.apart), *self.matrix

    def stride(self, dim: int) -> int:
        """Rows, or columns, from an element to the next one of a dimension."""
        return prod(self.extents[dim + 1 : self.split if dim < self.split else None])


def _best_view(c: Distributor, value: Value, extents: Shape) -> tuple[View, Value, tuple[int, ...]]:
    """How a piece is stored: a value, how it is permuted first (() for not at all), and the matrices that it then is.

    A piece that is split along an inner dimension is as many matrices as it has outer elements, where its rows are those of the last
    dimension; it may be few where rows are longer. Then its dimensions are moved, which is free for a piece whose dimensions a
    transpose has just moved.
    """
    sizes, rank = shape_of(value.type), len(shape_of(value.type))
    same = tuple(range(rank))
    source, moved = value, same
    if isinstance(value.op, vector.Transpose):
        source, moved = value.op.source, tuple(value.op.permutation)
    lanes = c.target.subgroup_size
    found: list[tuple[int, View, Value, tuple[int, ...]]] = []
    for split in range(rank - 1, 0, -1):
        view = View(sizes, extents, split)
        permutation = tuple(moved[d] for d in view.order)
        kept = (value, ()) if view.order == same else (source, permutation if permutation != same else ())
        cost = _moves(shape_of(source.type), permutation, view.matrix) + MESSAGE * prod(view.shape[:-2]) * _messages(
            view.matrix, lanes
        )
        found.append((cost, view, *kept))
    if not found:  # one row
        return View(sizes, extents, 0), value, ()
    _, view, stored, order = min(found, key=lambda one: one[0])
    return view, stored, order


MESSAGE = 8
"""Instructions of a message of lanes with its addresses, about."""


def _messages(matrix: tuple[int, int], lanes: int) -> int:
    """Of one matrix, whose rows or columns lie across lanes."""
    rows, columns = matrix
    return min(rows * -(-columns // lanes), columns * -(-rows // lanes))


def _moves(shape: Shape, permutation: tuple[int, ...], matrix: tuple[int, int]) -> int:
    """Parts of registers that are cut out and put together where a value's dimensions move and its rows become those of matrices."""
    rank, moves = len(shape), 0
    if permutation[-1] != rank - 1 and permutation[-1] != rank - 2:  # the new last dimension is first brought beside the old one
        moves += 2 * prod(shape[:-1])
    after = tuple(shape[d] for d in permutation)
    if permutation[-1] == rank - 1:
        moves += 0 if permutation[-2] == rank - 2 else 2 * prod(shape[:-1])
    elif permutation[-2] != rank - 1:
        moves += 2 * prod(after[:-1])
    if after[-2:] != matrix:
        run = gcd(after[-1], matrix[1]) * (gcd(after[-2], matrix[0]) if after[-1] == matrix[1] else 1)
        moves += 2 * prod(shape) // run
    return moves


def _places(c: Distributor, view: View, where: Sequence[Value]) -> Iterator[tuple[Shape, tuple[Value, Value]]]:
    """The number of each matrix in a piece, and the row and column at which it lies."""
    firsts = []
    for dims in (range(view.split), range(view.split, len(where))):
        first: Value | None = None
        for d in dims:
            start, stride = where[d], view.stride(d)
            if arith.constant_of(start) != 0:
                step = start if stride == 1 else c.build(arith.MulI, start, c.constant(stride))
                first = step if first is None else c.build(arith.AddI, first, step)
        firsts.append(c.constant(0) if first is None else first)
    for at in product(*(range(view.sizes[d]) for d in view.apart)):
        below, across = (
            sum(i * view.stride(d) for i, d in zip(at, view.apart) if (d < view.split) == is_row) for is_row in (True, False)
        )
        yield at, (_beyond(c, firsts[0], below), _beyond(c, firsts[1], across))


def _beyond(c: Distributor, start: Value, by: int) -> Value:
    return c.build(arith.AddI, start, c.constant(by)) if by else start


def _tile(c: Distributor, buffer: Value, view: View, where: tuple[Value, Value]) -> Value:
    """A matrix of a buffer that is seen as rows of the extents from the split on."""
    memory: Any = buffer.type
    rows, columns = prod(view.extents[: view.split]), prod(view.extents[view.split :])
    kind = xetile.TileType(view.matrix, memory.element, None, space=memory.space)
    sizes, strides = [c.constant(rows), c.constant(columns)], [c.constant(columns), c.constant(1)]
    made: Value = c.build(xetile.InitTile, buffer, list(where), sizes, strides, result=kind)
    return made


__all__ = ["exchange_rows", "load_rows", "store_rows"]

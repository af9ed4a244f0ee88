"""Values of any rank in shared local memory: as the rows of a matrix, one after the other.

A piece lies there as so many matrices: its last dimensions, as far as they are whole, follow each other row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import VectorType, element_of, shape_of
from xetile.ir.core import Op, Value
from xetile.passes.analysis.owners import Share
from xetile.passes.distribute.distributor import Distributor, Pieces
from xetile.passes.distribute.exchange import from_memory, once_where_diverged, places, reshaped, stored_element, to_memory

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
    sizes = shape_of(value.type)
    merged = _merged(sizes, extents)
    whole = reshaped(c, value, merged)
    for at, row in _rows(c, merged, extents, where):
        matrix = c.build(vector.Extract, whole, position=at) if at else whole
        c.build.op(xetile.StoreTile, matrix, _tile(c, buffer, extents, (row, where[-1]), merged[-2:]))


def load_rows(c: Distributor, buffer: Value, extents: Shape, kind: VectorType, where: Sequence[Value]) -> Value:
    """The piece of a value of `extents` that starts at `where`."""
    merged = _merged(kind.shape, extents)
    made: Value | None = None
    for at, row in _rows(c, merged, extents, where):
        matrix = from_memory(c, c.build(xetile.LoadTile, _tile(c, buffer, extents, (row, where[-1]), merged[-2:])), kind.element)
        if not at:
            return reshaped(c, matrix, kind.shape)
        if made is None:
            made = c.build(arith.Constant, value=0, result=kind.with_shape(*merged))
        made = c.build(vector.Insert, matrix, made, position=at)
    assert made is not None
    return reshaped(c, made, kind.shape)


def _merged(sizes: Shape, extents: Shape) -> Shape:
    """A piece's shape with those dimensions as rows of one matrix whose inner ones it has whole."""
    if len(sizes) == 1:
        return 1, *sizes
    rows, dim = sizes[-2], len(sizes) - 2
    while dim and sizes[dim] == extents[dim]:
        dim -= 1
        rows *= sizes[dim]
    return *sizes[:dim], rows, sizes[-1]


def _rows(c: Distributor, merged: Shape, extents: Shape, where: Sequence[Value]) -> Iterator[tuple[Shape, Value]]:
    """The place of each matrix in a piece, and the row at which it lies."""
    apart = [prod(extents[d + 1 : -1]) for d in range(len(extents) - 1)]
    first: Value = c.constant(0)
    for start, stride in zip(where[:-1], apart):
        if arith.constant_of(start) != 0:
            first = c.build(arith.AddI, first, start if stride == 1 else c.build(arith.MulI, start, c.constant(stride)))
    for at in product(*map(range, merged[:-2])):
        below = sum(i * stride for i, stride in zip(at, apart))
        yield at, c.build(arith.AddI, first, c.constant(below)) if below else first


def _tile(c: Distributor, buffer: Value, extents: Shape, where: Sequence[Value], size: Shape) -> Value:
    """A matrix of a buffer that is seen as rows of the last extent."""
    memory: Any = buffer.type
    rows, columns = prod(extents[:-1]), extents[-1]
    kind = xetile.TileType((size[0], size[1]), memory.element, None, space=memory.space)
    sizes, strides = [c.constant(rows), c.constant(columns)], [c.constant(columns), c.constant(1)]
    made: Value = c.build(xetile.InitTile, buffer, list(where), sizes, strides, result=kind)
    return made


__all__ = ["exchange_rows", "load_rows", "store_rows"]

"""Moving values between subgroups through shared local memory (seed 001: tile_conv_layout, tile_transpose).

Every subgroup stores its pieces to a buffer as large as the whole value and loads the pieces that it needs; the barriers between
are placed when the kernel is complete (`xetile.passes.common.slm`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from xetile.dialects import arith, scf, xetile
from xetile.dialects.types import I1, I8, I32, I64, INDEX, ScalarType, VectorType, element_of, shape_of
from xetile.ir.core import Block, Op, Value, type_of
from xetile.passes.analysis.owners import Share, is_shared
from xetile.passes.distribute.distributor import Distributor, Pieces, rounds

Shape = tuple[int, int]
Parts = Sequence[Share]


def exchange(op: Op, c: Distributor, values: Pieces, source: Parts, target: Parts, *, transposed: bool = False) -> Pieces:
    """The pieces `values`, distributed as `source`, of one value as pieces distributed as `target`; of its transpose on demand."""
    element = element_of(values[0].type)
    shape = (source[0].extent, source[1].extent)
    buffer = c.buffers.get(shape, stored_element(element, c), op)
    store_all(op, c, buffer, values, source)
    return load_pieces(c, buffer, target, element, transposed=transposed)


@contextmanager
def once(c: Distributor, parts: Parts) -> Iterator[None]:
    """Where subgroups share pieces only one of them acts: the others may already see what it has written."""
    if not is_shared(tuple(parts), c.subgroups):
        yield
        return
    then, otherwise = Block(), Block()
    with c.build.at(then):
        yield
        c.build(scf.Yield)
    c.build.op(scf.If, c.is_owner(parts), regions=[then, otherwise], values=[])


def store_all(op: Op, c: Distributor, buffer: Value, values: Pieces, parts: Parts) -> None:
    """Store what `op` exchanges. Subgroups that share a piece store the same, unless they have diverged."""
    with once(c, parts) if c.numbers.differ(op.operands[:1]) else nullcontext():
        store_pieces(c, buffer, values, parts)


def store_pieces(c: Distributor, buffer: Value, values: Pieces, parts: Parts) -> None:
    """Store each piece at its place in a buffer."""
    for in_rounds, value in zip(rounds(parts), values):
        plain = to_memory(c, value)
        rows, columns = shape_of(plain.type)
        zero = c.constant(0)
        where = [c.place(zero, share, in_round) for share, in_round in zip(parts, in_rounds)]
        c.build.op(xetile.StoreTile, plain, buffer_tile(c, buffer, where, (rows, columns)))


def load_pieces(c: Distributor, buffer: Value, parts: Parts, element: ScalarType, *, transposed: bool = False) -> Pieces:
    """Load the pieces of this subgroup from a buffer."""
    size = (parts[0].size, parts[1].size)
    loaded = []
    for in_rounds in rounds(parts):
        zero = c.constant(0)
        where = [c.place(zero, share, in_round) for share, in_round in zip(parts, in_rounds)]
        value = c.build(xetile.LoadTile, buffer_tile(c, buffer, where, size, transposed=transposed))
        loaded.append(from_memory(c, value, element))
    return tuple(loaded)


def buffer_tile(c: Distributor, buffer: Value, where: Sequence[Value], size: Shape, *, transposed: bool = False) -> Value:
    """A tile of a buffer, or of the buffer's transpose: rows and columns swapped, column-major (seed 001, tile_transpose)."""
    memory: Any = buffer.type
    rows, columns = memory.shape
    shape, strides, order = [c.constant(rows), c.constant(columns)], [c.constant(columns), c.constant(1)], (1, 0)
    if transposed:
        shape, strides, order = shape[::-1], strides[::-1], (0, 1)
    tile = xetile.TileType(size, memory.element, None, order, space=memory.space)
    made: Value = c.build(xetile.InitTile, buffer, list(where), shape, strides, result=tile)
    return made


def spread_from_owner(op: Any, c: Distributor, act: Callable[[], Pieces]) -> Pieces:
    """Let the first subgroup of those that share pieces act, and give all of them what came out."""
    parts = c.shares(op.results[0])
    element = op.results[0].type.element
    buffer = c.buffers.get(op.results[0].type.shape, stored_element(element, c), op)
    then, otherwise = Block(), Block()
    with c.build.at(then):
        store_pieces(c, buffer, act(), parts)
        c.build(scf.Yield)
    c.build.op(scf.If, c.is_owner(parts), regions=[then, otherwise], values=[])
    return load_pieces(c, buffer, parts, element)


# Elements that have no size of their own in memory.


def stored_element(element: ScalarType, c: Distributor) -> ScalarType:
    """The element type with which a value lies in shared local memory."""
    if element is I1:
        return I8
    if element is INDEX:
        return I64 if c.index_bits > 32 else I32
    return element


def to_memory(c: Distributor, value: Value) -> Value:
    """A piece as it is stored."""
    vector = type_of(value, VectorType)
    stored = stored_element(vector.element, c)
    if stored is vector.element:
        return value
    cast = arith.ExtUI if vector.element is I1 else arith.IndexCast
    result: Value = c.build(cast, value, result=vector.with_element(stored))
    return result


def from_memory(c: Distributor, value: Value, element: ScalarType) -> Value:
    """A piece as it was before it was stored."""
    vector = type_of(value, VectorType)
    if vector.element is element:
        return value
    cast = arith.TruncI if element is I1 else arith.IndexCast
    result: Value = c.build(cast, value, result=VectorType(vector.shape, element))
    return result

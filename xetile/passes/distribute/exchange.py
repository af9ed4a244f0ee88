"""Moving values between subgroups through shared local memory (seed 001: tile_conv_layout, tile_transpose).

Every subgroup stores its pieces to a buffer as large as the whole value and loads the pieces that it needs, slab by slab where the value is
larger than the memory; the barriers between are placed when the kernel is complete (`xetile.passes.common.slm`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.types import I1, I8, I32, I64, INDEX, ScalarType, VectorType, element_of, shape_of
from xetile.ir.core import Block, Op, Value, type_of
from xetile.layout import BlockOrder
from xetile.passes.analysis.block_sizes import element_bytes, mma_layout
from xetile.passes.analysis.owners import ALONE, Share, is_shared
from xetile.passes.analysis.products import mma_uses
from xetile.passes.common.slabs import Slabs, choose_slabs
from xetile.passes.distribute.distributor import Distributor, Pieces, rounds
from xetile.target.blocks import WORD_BYTES

Shape = tuple[int, int]
Parts = Sequence[Share]


def exchange(op: Op, c: Distributor, values: Pieces, source: Parts, target: Parts, *, transposed: bool = False) -> Pieces:
    """The pieces `values`, distributed as `source`, of one value as pieces distributed as `target`; of its transpose on demand."""
    if len(source) == 1:
        rows = tuple(reshaped(c, v, (1, *shape_of(v.type))) for v in values)
        return tuple(reshaped(c, v, shape_of(v.type)[1:]) for v in exchange(op, c, rows, (ALONE, *source), (ALONE, *target)))
    element = element_of(values[0].type)
    shape = (source[0].extent, source[1].extent)
    stored = stored_element(element, c)
    held = target[::-1] if transposed else target
    order, later = order_for_products(op, c, source, target, transposed=transposed)
    whole = shape if later else (target[0].extent, target[1].extent)
    if order is not None and c.buffers.fits(whole, stored, order):
        buffer = c.buffers.get(whole, stored, op, order)
        store_all(op, c, buffer, values, source, transposed=transposed and not later)
        return load_pieces(c, buffer, target, element, transposed=later)
    slabs = choose_slabs(lambda size: c.buffers.fits(size, stored), shape, c.target.subgroup_size, source, held)
    if slabs.count == 1:
        buffer = c.buffers.get(shape, stored, op)
        store_all(op, c, buffer, values, source)
        return load_pieces(c, buffer, target, element, transposed=transposed)
    return _by_slabs(op, c, values, source, held, slabs, transposed=transposed)


def reshaped(c: Distributor, value: Value, shape: tuple[int, ...]) -> Value:
    """A piece in another shape."""
    kind = type_of(value, VectorType)
    return value if kind.shape == shape else c.build(vector.ShapeCast, value, result=kind.with_shape(*shape))


def order_for_products(
    op: Op, c: Distributor, source: Parts, target: Parts, *, transposed: bool
) -> tuple[BlockOrder | None, bool]:
    """The order of a buffer from which few messages read what products take as one operand, None where others must; and whether
    a transpose is read, and not written.

    The subgroups' pieces are whole blocks for the lanes, side by side: before, so that a block is one message too (of a transpose a
    lane's column is), and afterwards, so that it is one of DPAS. Of a transpose that is the second operand each lane reads a row.
    """
    roles = mma_uses(op.results[0])
    if len(roles) != 1 or None in roles:
        return None, False
    ((role, types),) = roles  # type: ignore[misc]
    mma, lanes = c.target.find_mma(*types), c.target.subgroup_size
    size = element_bytes(element_of(op.results[0].type))
    if mma is None or size >= WORD_BYTES:
        return None, False
    pack, layout = WORD_BYTES // size, mma_layout(role, types, c.target)
    if layout.lane_layout == (lanes, 1):
        return _order_by_lanes((lanes, lanes * pack), role, source, target, transposed=transposed)
    if c.target.block2d is None or layout.lane_layout != (1, lanes):
        return None, False
    rows, columns = (1, mma.k) if role == "a" else (mma.k, mma.n)
    if source[0].size % pack or source[1].size % lanes or target[0].size % rows or target[1].size % columns:
        return None, False
    if transposed and role == "b":
        return BlockOrder((source[0].extent, mma.k)), True
    return BlockOrder((target[0].extent, columns), 1 if role == "a" else pack), False


def _order_by_lanes(block: Shape, role: str, source: Parts, target: Parts, *, transposed: bool) -> tuple[BlockOrder | None, bool]:
    """The same for products that are worked out as their transposes: a lane stores its row of a block, and reads one, or a column."""
    held = target[::-1] if transposed else target
    if transposed != (role == "b") or any(share.size % n for parts in (source, held) for share, n in zip(parts, block)):
        return None, False
    return BlockOrder(block), transposed


def _by_slabs(op: Op, c: Distributor, values: Pieces, source: Parts, held: Parts, slabs: Slabs, *, transposed: bool) -> Pieces:
    """The same slab by slab; `held`: how the target is distributed, along the source's dimensions."""
    element = element_of(values[0].type)
    shape, stored = slabs.shape((source[0].extent, source[1].extent)), stored_element(element, c)
    size = (held[0].size, held[1].size)
    kind = VectorType(_transposed(size, transposed), element)
    made: list[Value] = [c.build(arith.Constant, value=0, result=kind) for _ in rounds(held)]
    for number in range(slabs.count):
        buffer = c.buffers.get(shape, stored, op)
        with once_where_diverged(op, c, source):
            for value, where in zip(values, places(c, slabs.shares(source)), strict=True):
                _store_runs(c, buffer, to_memory(c, value), where, slabs, number)
        for i, where in enumerate(places(c, slabs.shares(held))):
            for place, there in slabs.cuts(size, number):
                tile = buffer_tile(
                    c, buffer, _transposed(_moved(c, where, slabs.dim, there), transposed), _transposed(slabs.run(size), transposed),
                    transposed=transposed,
                )  # fmt: skip
                run = from_memory(c, c.build(xetile.LoadTile, tile), element)
                at = _transposed((place if slabs.dim == 0 else 0, place if slabs.dim == 1 else 0), transposed)
                made[i] = c.build(vector.InsertStridedSlice, run, made[i], offsets=at, strides=(1, 1), result=kind)
    return tuple(made) if not transposed else _in_rounds(made, held)


def _in_rounds(made: Sequence[Value], held: Parts) -> Pieces:
    """Pieces of a transposed value in the order of its own rounds."""
    found = dict(zip(rounds(held), made))
    return tuple(found[across, down] for down, across in rounds(held[::-1]))


def _transposed(pair: Any, transposed: bool) -> Any:
    """Rows and columns, swapped for a transposed value."""
    first, second = pair
    return (second, first) if transposed else (first, second)


def places(c: Distributor, parts: Parts) -> list[list[Value]]:
    """Where each of this subgroup's pieces starts."""
    zero = c.constant(0)
    return [[c.place(zero, share, in_round) for share, in_round in zip(parts, in_rounds)] for in_rounds in rounds(parts)]


def _moved(c: Distributor, where: Sequence[Value], dim: int, by: int) -> list[Value]:
    return [c.build(arith.AddI, v, c.constant(by)) if d == dim and by else v for d, v in enumerate(where)]


def _store_runs(c: Distributor, buffer: Value, value: Value, where: Sequence[Value], slabs: Slabs, number: int) -> None:
    """A piece's part of one slab."""
    shape = shape_of(value.type)
    size: Any = slabs.run(shape)
    for place, there in slabs.cuts(shape, number):
        at = (place if slabs.dim == 0 else 0, place if slabs.dim == 1 else 0)
        run = c.build(vector.ExtractStridedSlice, value, offsets=at, sizes=size, strides=(1, 1))
        c.build.op(xetile.StoreTile, run, buffer_tile(c, buffer, _moved(c, where, slabs.dim, there), size))


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


def once_where_diverged(op: Op, c: Distributor, parts: Parts) -> AbstractContextManager[None]:
    """Around what stores what `op` exchanges: subgroups that share a piece store the same, unless they have diverged."""
    return once(c, parts) if c.numbers.differ(op.operands[:1]) else nullcontext()


def store_all(op: Op, c: Distributor, buffer: Value, values: Pieces, parts: Parts, *, transposed: bool = False) -> None:
    """Store what `op` exchanges."""
    with once_where_diverged(op, c, parts):
        store_pieces(c, buffer, values, parts, transposed=transposed)


def store_pieces(c: Distributor, buffer: Value, values: Pieces, parts: Parts, *, transposed: bool = False) -> None:
    """Store each piece at its place in a buffer, or in the transpose of one."""
    for where, value in zip(places(c, parts), values):
        plain = to_memory(c, value)
        rows, columns = shape_of(plain.type)
        c.build.op(xetile.StoreTile, plain, buffer_tile(c, buffer, where, (rows, columns), transposed=transposed))


def load_pieces(c: Distributor, buffer: Value, parts: Parts, element: ScalarType, *, transposed: bool = False) -> Pieces:
    """Load the pieces of this subgroup from a buffer."""
    size = (parts[0].size, parts[1].size)
    loaded = []
    for where in places(c, parts):
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

"""Values that change owners: through a matrix in shared local memory (seed 000, convert_layout).

A value that is larger than the memory goes through it slab by slab: each slab has the same part of every piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import I1, I8, I64, INDEX, ScalarType, VectorType, element_of
from xetile.errors import LayoutError
from xetile.ir.core import Op, Value, type_of
from xetile.passes.analysis.owners import Share, rounds_of
from xetile.passes.common.barriers import Access, Barriers
from xetile.passes.common.slabs import Shape, Slabs, choose_slabs
from xetile.passes.xegpu.distributor import Distributor, Pieces


def exchange(op: Op, c: Distributor, values: Pieces, source: Sequence[Share], target: Sequence[Share]) -> Pieces:
    """Pieces distributed as `source` become pieces distributed as `target`; barriers are placed when the kernel is complete."""
    if len(source) > 2:
        raise LayoutError(
            f"{op.opname}: values with more than two dimensions do not move between subgroups",
            hint="cast them to two dimensions first (vector.shape_cast), or give producer and consumer one layout",
            at=op.loc,
        )
    element: ScalarType = element_of(values[0].type)
    stored = stored_element(element)
    whole = tuple(s.extent for s in source)
    slabs = choose_slabs(lambda shape: _fits(c, shape, stored), whole, c.target.subgroup_size, source, target)
    kind = VectorType(tuple(s.size for s in target), element)
    made: list[Value | None] = [None] * len(rounds_of(tuple(target)))
    for number in range(slabs.count):
        matrix = buffer(op, c, slabs.shape(whole), stored)
        _store_slab(c, matrix, values, source, slabs, number)
        for i, where in enumerate(_places(c, target, slabs)):
            made[i] = _load_slab(c, matrix, where, kind, made[i], slabs, number)
    return tuple(v for v in made if v is not None)


def _fits(c: Distributor, shape: Shape, element: ScalarType) -> bool:
    return c.buffers.fits(_memory_shape(shape, element), I8)


def _memory_shape(shape: Shape, element: ScalarType) -> Shape:
    return (prod(shape) * element.bits // 8,)


def buffer(op: Op, c: Distributor, shape: Shape, element: ScalarType) -> Value:
    """A matrix for one exchange. Raises ResourceError where the target's shared local memory is used up."""
    memory = c.buffers.get(_memory_shape(shape, element), I8, op)
    return c.build(xegpu.CreateMemDesc, memory, result=xegpu.MemDescType(_rows(shape), element))


def _rows(shape: Shape) -> Shape:
    """A row counts as a matrix of one row: xegpu's matrices have two dimensions."""
    return shape if len(shape) == 2 else (1, *shape)


def _places(c: Distributor, parts: Sequence[Share], slabs: Slabs) -> list[list[Value]]:
    """Where in a slab each of this subgroup's pieces starts."""
    zero, scaled = c.constant(0), slabs.shares(parts)
    return [[c.place(zero, share, in_round) for share, in_round in zip(scaled, in_rounds)] for in_rounds in rounds_of(scaled)]


def _moved(c: Distributor, where: list[Value], dim: int, by: int) -> list[Value]:
    at = [c.build(arith.AddI, v, c.constant(by)) if d == dim and by else v for d, v in enumerate(where)]
    return at if len(at) == 2 else [c.constant(0), *at]


def _store_slab(c: Distributor, matrix: Value, values: Pieces, parts: Sequence[Share], slabs: Slabs, number: int) -> None:
    for value, where in zip(values, _places(c, parts, slabs), strict=True):
        kind = type_of(value, VectorType)
        plain = to_memory(c, value)
        if slabs.count == 1:
            c.build.op(xegpu.StoreMatrix, _as_matrix(c, plain), matrix, _moved(c, where, 0, 0))
            continue
        for place, there in slabs.cuts(kind.shape, number):
            offsets = tuple(place if d == slabs.dim else 0 for d in range(kind.rank))
            part = c.build(
                vector.ExtractStridedSlice, plain, offsets=offsets, sizes=slabs.run(kind.shape), strides=(1,) * kind.rank
            )
            c.build.op(xegpu.StoreMatrix, _as_matrix(c, part), matrix, _moved(c, where, slabs.dim, there))


def _load_slab(c: Distributor, matrix: Value, where: list[Value], kind: VectorType, made: Value | None, slabs: Slabs,
               number: int) -> Value:  # fmt: skip
    """A piece with what one slab has of it."""
    if slabs.count == 1:
        return load_block(c, matrix, _moved(c, where, 0, 0), kind)
    whole: Value = made if made is not None else c.build(arith.Constant, value=0, result=kind)
    run = VectorType(slabs.run(kind.shape), kind.element)
    for place, there in slabs.cuts(kind.shape, number):
        part = load_block(c, matrix, _moved(c, where, slabs.dim, there), run)
        offsets = tuple(place if d == slabs.dim else 0 for d in range(kind.rank))
        whole = c.build(vector.InsertStridedSlice, part, whole, offsets=offsets, strides=(1,) * kind.rank, result=kind)
    return whole


def load_block(c: Distributor, matrix: Value, where: Sequence[Value], kind: VectorType) -> Value:
    """A block of a matrix as a value of `kind`."""
    loaded: Value = c.build(xegpu.LoadMatrix, matrix, where, value=VectorType(_rows(kind.shape), stored_element(kind.element)))
    if kind.rank == 1:
        loaded = c.build(vector.ShapeCast, loaded, result=VectorType(kind.shape, stored_element(kind.element)))
    return from_memory(c, loaded, kind.element)


def _as_matrix(c: Distributor, value: Value) -> Value:
    kind = type_of(value, VectorType)
    return value if kind.rank == 2 else c.build(vector.ShapeCast, value, result=kind.with_shape(1, *kind.shape))


# Elements that have no size of their own in memory.


def stored_element(element: ScalarType) -> ScalarType:
    """The element type with which a value lies in shared local memory."""
    return {I1: I8, INDEX: I64}.get(element, element)


def to_memory(c: Distributor, value: Value) -> Value:
    """A piece as it is stored."""
    kind = type_of(value, VectorType)
    stored = stored_element(kind.element)
    if stored is kind.element:
        return value
    cast = arith.ExtUI if kind.element is I1 else arith.IndexCast
    return c.build(cast, value, result=kind.with_element(stored))


def from_memory(c: Distributor, value: Value, element: ScalarType) -> Value:
    """A piece as it was before it was stored."""
    kind = type_of(value, VectorType)
    if kind.element is element:
        return value
    cast = arith.TruncI if element is I1 else arith.IndexCast
    return c.build(cast, value, result=kind.with_element(element))


def place_barriers(kernel: GpuFunc, buffers: set[Value]) -> None:
    """The barriers that accesses to exchange buffers need: a load waits for stores, a store for loads.

    Raises LayoutError where only some subgroups would reach a barrier.
    """
    if not buffers:
        return
    of = {op.result: op.source for op in kernel.walk() if isinstance(op, xegpu.CreateMemDesc) and op.source in buffers}

    def accesses(op: Op) -> list[Access]:
        if isinstance(op, (xegpu.StoreMatrix, xegpu.LoadMatrix)) and op.desc in of:
            return [Access(of[op.desc], "write" if isinstance(op, xegpu.StoreMatrix) else "read")]
        return []

    # What one exchange stores lies in different places, so two stores need no order.
    barriers = Barriers(kernel, accesses, lambda one, other: one.base is other.base and one.kind != other.kind, strict=True)
    barriers.block(kernel.body)

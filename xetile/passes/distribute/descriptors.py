"""Descriptors and messages: each subgroup has one for each of its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, xegpu
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir.core import Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.passes.analysis.owners import AnyLayout, Share, is_shared, num_pieces, of_lanes, rounds_of, same_owners, shares
from xetile.passes.common.converter import Lowered
from xetile.passes.distribute.distributor import Distributor, PendingDesc, Pieces

DISTRIBUTE = Table()


def piece_desc(desc: xegpu.TensorDescType, layout: AnyLayout) -> xegpu.TensorDescType:
    """The type of one subgroup's piece of a descriptor."""
    if desc.array_length > 1:
        raise LayoutError(f"{desc}: array_length has no meaning for a workgroup", hint="blocks side by side are one wider block")
    return replace(desc, shape=tuple(s.size for s in shares(layout, desc.shape)), layout=layout.drop_sg())


def places(c: Distributor, offsets: Sequence[Value], parts: Sequence[Share]) -> list[list[Value]]:
    """Offsets of each piece: the last ones move with the subgroup."""
    leading = len(offsets) - len(parts)
    head, last = list(offsets[:leading]), offsets[leading:]
    return [[*head, *(c.place(*where) for where in zip(last, parts, in_rounds))] for in_rounds in rounds_of(tuple(parts))]


@DISTRIBUTE(xegpu.CreateNdTdesc)
def _create_nd(op: xegpu.CreateNdTdesc, c: Distributor) -> Lowered:
    layout = op.result.type.layout
    offsets = [c.one(v) for v in op.offsets]
    if c.is_placed(op.result) and not offsets:  # others of its alias class have some
        offsets = [c.constant(0) for _ in op.shape or op.source.type.shape]
    if layout is None:
        return PendingDesc(op, tuple(offsets))
    return _created(op, offsets, layout, c)


def _created(op: xegpu.CreateNdTdesc, offsets: Sequence[Value], layout: AnyLayout, c: Distributor) -> Pieces:
    kind = piece_desc(op.result.type, layout)
    parts = shares(layout, op.result.type.shape)
    rest = [c.one(v) for v in op.shape], [c.one(v) for v in op.strides]

    def make(where: Sequence[Value]) -> Value:
        with c.build.located(op.loc):
            return c.build(xegpu.CreateNdTdesc, c.one(op.source), where, *rest, result=kind)

    if not offsets:  # accesses have them
        return (make(()),) * num_pieces(parts)
    return tuple(make(where) for where in places(c, offsets, parts))


@DISTRIBUTE(xegpu.UpdateNdOffset)
def _update_nd(op: xegpu.UpdateNdOffset, c: Distributor) -> Lowered:
    lowered, deltas = c[op.desc], [c.one(v) for v in op.offsets]
    if not isinstance(lowered, PendingDesc):
        return tuple(c.build(xegpu.UpdateNdOffset, desc, deltas) for desc in lowered)
    moved = [c.build(arith.AddI, *pair) for pair in zip(lowered.offsets[-len(deltas) :], deltas)]
    return lowered.with_carried((*lowered.offsets[: -len(deltas)], *moved))


def _accesses(op: Any, layout: AnyLayout, c: Distributor) -> list[tuple[Value, list[Value]]]:
    """(descriptor, offsets) for each piece; offsets of an access add to those that its descriptor has."""
    lowered, offsets = c[op.desc], [c.one(v) for v in op.offsets]
    parts = shares(layout, op.desc.type.shape)
    if isinstance(lowered, PendingDesc):
        lowered = _created(lowered.op, lowered.offsets, layout, c)
    else:
        _check_same_pieces(op, layout, c)
    wheres = [offsets] * len(lowered) if c.is_placed(op.desc) else places(c, offsets or _zeros(op, c), parts)
    return list(zip(lowered, wheres, strict=True))


def _check_same_pieces(op: Any, layout: AnyLayout, c: Distributor) -> None:
    """A descriptor that has its place is where its own layout says; one that has none serves all layouts of pieces of its size."""
    desc = op.desc.type
    if same_owners(layout, desc.layout, desc.shape):
        return
    mine, its = ([(s.size, s.rounds) for s in shares(each, desc.shape)] for each in (layout, desc.layout))
    if c.is_placed(op.desc) or mine != its:
        raise LayoutError(
            f"{op.opname}: {layout} distributes the block in another way than its descriptor, {desc}",
            hint="give both one layout, or convert the value (xegpu.convert_layout)",
            at=op.loc,
        )


def _zeros(op: xegpu.LoadNd | xegpu.StoreNd | xegpu.PrefetchNd, c: Distributor) -> list[Value]:
    return [c.constant(0) for _ in range(op.desc.type.rank)]


@DISTRIBUTE(xegpu.LoadNd)
def _load_nd(op: xegpu.LoadNd, c: Distributor) -> Pieces:
    layout = c.layout(op.value)
    if op.transpose_bit_width is not None:
        raise LayoutError("xegpu.load_nd: transpose_bit_width is for subgroup-level code", at=op.loc)
    in_memory = layout
    if op.transpose is not None:
        in_memory = layout.transpose([op.transpose.index(d) for d in range(len(op.transpose))])  # type: ignore[union-attr]
    kind = c.piece_type(op.value)
    loaded = [c.make(op, [desc, *where], kind) for desc, where in _accesses(op, in_memory, c)]
    return tuple(_reordered(op, loaded, c))


def _reordered(op: xegpu.LoadNd, loaded: list[Value], c: Distributor) -> list[Value]:
    """Pieces in the order of the value's rounds; those of a transposed load come in the memory's."""
    if op.transpose is None:
        return loaded
    rounds = c.rounds(op.value)
    in_memory = {}
    for in_rounds in rounds:
        source = tuple(in_rounds[op.transpose.index(d)] for d in range(len(in_rounds)))
        in_memory[source] = in_rounds
    by_value = {in_memory[source]: value for source, value in zip(sorted(in_memory), loaded)}
    return [by_value[in_rounds] for in_rounds in rounds]


@DISTRIBUTE(xegpu.StoreNd)
def _store_nd(op: xegpu.StoreNd, c: Distributor) -> None:
    for value, (desc, where) in zip(c.pieces(op.value), _accesses(op, c.layout(op.value), c), strict=True):
        c.make(op, [value, desc, *where])


@DISTRIBUTE(xegpu.PrefetchNd)
def _prefetch_nd(op: xegpu.PrefetchNd, c: Distributor) -> None:
    layout = op.layout or op.desc.type.layout
    if layout is None:
        raise LayoutError("xegpu.prefetch_nd has no layout", hint="give it a layout", at=op.loc)
    for desc, where in _accesses(op, layout, c):
        c.make(op, [desc, *where])


# Scattered memory: offsets, masks and values are distributed alike.


@DISTRIBUTE(xegpu.CreateTdesc)
def _create_tdesc(op: xegpu.CreateTdesc, c: Distributor) -> Pieces:
    desc = op.result.type
    layout = desc.layout
    if layout is None:
        offsets = c.layout(op.offsets)
        if desc.chunk_size > 1:
            raise LayoutError(f"{op.opname}: {desc} needs a layout at workgroup level", at=op.loc)
        layout = offsets
    kind = piece_desc(desc, layout)
    _check_chunks(op, kind, desc)
    return tuple(c.build(xegpu.CreateTdesc, c.one(op.source), piece, result=kind) for piece in c.pieces(op.offsets))


def _check_chunks(op: Op, piece: Any, whole: Any) -> None:
    if whole.chunk_size > 1 and piece.shape[-1] != whole.shape[-1]:
        raise LayoutError(f"{op.opname}: a chunk of {whole.shape[-1]} elements is split over subgroups", at=op.loc)


@DISTRIBUTE(xegpu.UpdateOffset, xegpu.Store, xegpu.Prefetch)
def _by_piece(op: Op, c: Distributor) -> Pieces:
    return c.by_piece(op)


@DISTRIBUTE(xegpu.Load)
def _load(op: xegpu.Load, c: Distributor) -> Pieces:
    if not isinstance(op.value.type, VectorType):
        return super(Distributor, c).clone(op)  # type: ignore[return-value]  # one value in one piece
    _check_pieces(op, c.layout(op.value), op.value, c)
    return c.by_piece(op)


def _check_pieces(op: Any, layout: AnyLayout, value: Value, c: Distributor) -> None:
    """A chunk is not cut: offsets have a piece for each piece of the value."""
    rank = op.mask.type.rank if isinstance(op.mask.type, VectorType) else 0
    whole = type_of(value, VectorType)
    if whole.rank == rank + 1 and shares(layout, whole.shape)[-1].size != whole.shape[-1]:
        raise LayoutError(f"{op.opname}: a chunk of {whole.shape[-1]} elements is split over subgroups", at=op.loc)
    if whole.rank == rank and shares(of_lanes(layout, rank), whole.shape) != c.shares(op.mask):
        raise LayoutError(f"{op.opname}: the mask has another layout than the value", at=op.loc)


@DISTRIBUTE(xegpu.AtomicRmw)
def _atomic(op: xegpu.AtomicRmw, c: Distributor) -> Pieces:
    if is_shared(c.shares(op.result), c.subgroups):
        raise LayoutError(
            f"{op.opname}: with {c.layout(op.result)} several subgroups would each update the same elements",
            hint="give each element one subgroup",
            at=op.loc,
        )
    return c.by_piece(op)


# Shared local memory.


@DISTRIBUTE(xegpu.LoadMatrix)
def _load_matrix(op: xegpu.LoadMatrix, c: Distributor) -> Lowered:
    if not isinstance(op.value.type, VectorType):
        return super(Distributor, c).clone(op)
    kind, desc = c.piece_type(op.value), c.one(op.desc)
    wheres = places(c, [c.one(v) for v in op.offsets], c.shares(op.value))
    return tuple(c.make(op, [desc, *where], kind) for where in wheres)


@DISTRIBUTE(xegpu.StoreMatrix)
def _store_matrix(op: xegpu.StoreMatrix, c: Distributor) -> None:
    desc = c.one(op.desc)
    if not isinstance(op.data.type, VectorType):
        c.make(op, [c.one(op.data), desc, *(c.one(v) for v in op.offsets)])
        return
    wheres = places(c, [c.one(v) for v in op.offsets], c.shares(op.data))
    for value, where in zip(c.pieces(op.data), wheres, strict=True):
        c.make(op, [value, desc, *where])

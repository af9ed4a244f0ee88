"""Gathers, scatters and atomics at xegpu level: one scattered message for each element that a lane holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xetile.dialects import arith, vector, xegpu, xetile
from xetile.dialects.types import I1, VectorType
from xetile.ir.core import Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.block.access import Tile, TileMessages, unit_shape
from xetile.passes.block.blocking import Blocking
from xetile.passes.block.lowering import Lowering, plain_layout
from xetile.passes.block.matrices import Matrix, cut, matrix
from xetile.records import dataclass

BLOCK = Table()
LOWER = Table()

Origin = tuple[int, int]


@LOWER(xetile.LoadGather)
def _load_gather(op: xetile.LoadGather, c: Lowering) -> Matrix:
    base, offsets = c[op.tile]
    layout = plain_layout(op.value.type, c)
    masks = c.matrix(op.mask).grid()
    places = offsets.grid()

    def emit(at: Origin, block: VectorType) -> Value:
        loaded = []
        for where, mask in _units(c.access, (places[at], masks[at]), block, layout):
            kind = VectorType(where.type.shape, block.element) if isinstance(where.type, VectorType) else block.element
            value = c.build(xegpu.Load, base, where, mask, value=kind)
            loaded.append(c.access.padded(value, mask, op.padding))
        return c.access.join(loaded, block.shape, layout, block.element)  # type: ignore[arg-type]

    return c.each(op.value.type, layout, emit)


@LOWER(xetile.StoreScatter)
def _store_scatter(op: xetile.StoreScatter, c: Lowering) -> None:
    base, offsets = c[op.tile]
    source, masks = c.matrix(op.value), c.matrix(op.mask).grid()
    values = source.grid()
    for at, places in offsets.grid().items():
        block = values[at].type
        for value, where, mask in _units(c.access, (values[at], places, masks[at]), block, source.layout):
            c.build(xegpu.Store, value, base, where, mask)


@BLOCK(xegpu.Prefetch)
def _block_prefetch(op: xegpu.Prefetch, c: Blocking) -> None:
    offsets = c.want(op.offsets, c.plain.block(op.offsets.type.shape))
    c.build.op(xegpu.Prefetch, c.one(op.source), offsets, **op.attributes)


@LOWER(xegpu.Prefetch)
def _prefetch(op: xegpu.Prefetch, c: Lowering) -> None:
    """Lanes beyond those that have an offset ask for the base's first element again."""
    offsets = c.matrix(op.offsets)
    for where in offsets.grid().values():
        for (places,) in _units(c.access, (where,), where.type, offsets.layout):
            c.build.op(xegpu.Prefetch, c.one(op.source), places, **op.attributes)


def _units(access: TileMessages, blocks: tuple[Value, ...], block: Any, layout: Layout) -> Iterator[tuple[Any, ...]]:
    """For each unit that the lanes access at once, its part of each of the blocks."""
    for down, across in access.origins(block.shape, layout):
        yield tuple(access.part(b, down, across, block.shape, layout) for b in blocks)


@dataclass(frozen=True)
class _Place:
    """Where one unit of a tile lies: offsets from a flat base, and which elements count."""

    base: Value
    offsets: Value
    mask: Value


@LOWER(xetile.AtomicRmwTile)
def _atomic(op: xetile.AtomicRmwTile, c: Lowering) -> Matrix:
    source = c.matrix(op.value)
    layout, block = source.layout, source.block
    masks = c.matrix(op.mask).grid() if op.mask is not None else None
    place = _places(op, c, layout, block)
    values = []
    for piece in source.pieces:
        olds = []
        for down, across in c.access.origins(block, layout):
            at = place(piece.row, piece.column, down, across)
            mask = at.mask
            if masks is not None:
                allowed = masks[piece.row // block[0], piece.column // block[1]]
                mask = c.build(arith.AndI, mask, c.access.part(allowed, down, across, block, layout))
            part = c.access.part(piece.value, down, across, block, layout)
            olds.append(_once(op.kind, at, part, mask, unit_shape(block, layout), c))
        values.append(c.access.join(olds, block, layout, source.element))
    return matrix(source.shape, block, values, layout)


def _places(op: Any, c: Lowering, layout: Layout, block: Origin) -> Callable[[int, int, int, int], _Place]:
    """How to find a unit: by the tile's position, or by the scattered tile's own offsets."""
    lowered = c[op.tile]
    if not isinstance(lowered, Tile):
        base, offsets = lowered

        def scattered(row: int, column: int, down: int, across: int) -> _Place:
            where = c.access.part(cut(c.build, offsets, row, column, block), down, across, block, layout)
            return _Place(base, where, _true(where, c))

        return scattered
    flat = c.access.flat(lowered)

    def regular(row: int, column: int, down: int, across: int) -> _Place:
        origin = (c.access.add(lowered.y, row), c.access.add(lowered.x, column))
        return _Place(flat, *c.access.address(lowered, origin, down, across, layout, block))

    return regular


def _true(like: Value, c: Lowering) -> Value:
    kind = VectorType(like.type.shape, I1) if isinstance(like.type, VectorType) else I1
    return c.build(arith.Constant, value=True, result=kind)


def _once(kind: str, place: _Place, value: Value, mask: Value, unit: Origin, c: Lowering) -> Value:
    """One atomic message. Where lanes share elements only the first lane that has one takes part; the others get its old value."""
    lanes = c.target.subgroup_size
    element: Any = value.type.element if isinstance(value.type, VectorType) else value.type
    shared = not isinstance(value.type, VectorType)
    used = unit[0] * unit[1]
    where, part, allowed = place.offsets, value, mask
    if shared:
        where, part, allowed = (c.access.splat(v) for v in (where, part, allowed))
    allowed = c.access.first_lanes(allowed, used)
    encoding = xegpu.ScatterAttr("slm" if place.base.type.space else "global")  # type: ignore[attr-defined]
    desc = c.build(xegpu.CreateTdesc, place.base, where, result=xegpu.TensorDescType((lanes,), element, encoding))
    old = c.build(xegpu.AtomicRmw, desc, allowed, part, kind=kind)
    return c.build(vector.Extract, old, position=(0,)) if shared else old

"""Prefetches of one of several tiles: which one depends on the subgroup, and the message does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.types import MemRefType
from xetile.ir.core import Value, type_of
from xetile.passes.block.access import Hints, Tile, TileMessages


def prefetch_one(access: TileMessages, tiles: Sequence[Tile], which: Value, hints: Hints) -> None:
    """The tile of that number to the caches. Messages are the same for all, descriptors and places are selected."""
    plans = [access.plan(tile, "prefetch", None) for tile in tiles]
    if None in plans or len(set(plans)) > 1:
        # No message reaches one of them: all subgroups bring the others, rather than a block of an array that takes none.
        for tile in tiles:
            access.prefetch(tile, hints)
        return
    build = access.build
    for placed in plans[0] or ():
        made = [access.descriptor(_as(access, tile, tiles[0]), placed) for tile in tiles]
        desc, where = made[-1]
        for number, (other, place) in reversed(list(enumerate(made[:-1]))):
            here = build(arith.CmpI, which, access.constant(number), predicate="eq")
            desc = build(arith.Select, here, other, desc)
            where = [build(arith.Select, here, *pair) for pair in zip(place, where)]
        build(xegpu.PrefetchNd, desc, where, **hints)


def _as(access: TileMessages, tile: Tile, other: Tile) -> Tile:
    """A tile over elements of another's type, of the same size: what moves as blocks are bytes."""
    element, kind = other.type.element, type_of(tile.base, MemRefType)
    if tile.type.element is element:
        return tile
    base = access.build(gpu.ElementCast, tile.base, result=MemRefType(kind.shape, element, kind.strides, kind.space))
    return replace(tile, type=replace(tile.type, element=element), base=base)

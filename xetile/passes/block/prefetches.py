"""Prefetches at xegpu level, also of one of several tiles: which one depends on the subgroup, and the message does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xetile.dialects import arith, gpu, xegpu, xetile
from xetile.dialects.types import MemRefType
from xetile.ir.core import Value, type_of
from xetile.ir.dispatch import Table
from xetile.passes.block.access import Tile, TileMessages
from xetile.passes.block.hints import Hints, hint
from xetile.passes.block.lowering import Lowering
from xetile.passes.block.shifted import from_word

LOWER = Table()

HINTS = {0: ("streaming", "uncached"), 1: ("streaming", "cached"), 2: ("uncached", "cached")}
"""Cache hints (level 1, level 3) by the locality of a prefetch: 2 keeps the tile in the shared cache, 0 not at all.

3, near, has none: both levels cached is what a prefetch does by itself (SPV_INTEL_2d_block_io's default on Intel's drivers).
"""


@LOWER(xetile.PrefetchTile)
def _prefetch(op: xetile.PrefetchTile, c: Lowering) -> None:
    c.access.prefetch(replace(_prefetched(op.tile, c), limit=op.attributes.get("inst_data")), _cached(op))


@LOWER(xetile.PrefetchTiles)
def _prefetch_tiles(op: xetile.PrefetchTiles, c: Lowering) -> None:
    assert op.which is not None, "a workgroup's tiles"
    prefetch_one(c.access, [_prefetched(v, c) for v in op.tiles], c.one(op.which), _cached(op))


def _prefetched(tile: Value, c: Lowering) -> Tile:
    """What brings a tile to the caches: from the word on that it begins in."""
    found: Tile = c[tile]
    if found.scattered or not c.blocks.begins_in_words(tile):
        return c.tile(tile)
    return from_word(c.access, found, c.blocks.behind_word(tile))


def _cached(op: xetile.PrefetchTile | xetile.PrefetchTiles) -> Hints:
    l1, l3 = HINTS.get(op.locality, (None, None))
    return {"l1_hint": hint(op.l1_hint or l1), "l3_hint": hint(op.l3_hint or l3)}


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

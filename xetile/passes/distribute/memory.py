"""Tiles of memory: each subgroup has a tile for each of its pieces."""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.ir.core import Op
from xetile.ir.dispatch import Table
from xetile.passes.analysis.owners import is_shared, shares
from xetile.passes.distribute.distributor import Distributor, Pieces, inner, rounds
from xetile.passes.distribute.exchange import once, spread_from_owner

DISTRIBUTE = Table()


def piece_tile(tile: xetile.TileType, size: tuple[int, int]) -> xetile.TileType:
    """The type of one subgroup's piece of a tile."""
    return xetile.TileType(size, tile.element, None, tile.order, tile.inner_blocks, tile.scatter, tile.space)


@DISTRIBUTE(xetile.InitTile)
def _init_tile(op: xetile.InitTile, c: Distributor) -> Pieces:
    parts = c.shares(op.result)
    type = piece_tile(op.result.type, (parts[0].size, parts[1].size))
    shape, strides = [c.one(v) for v in op.shape], [c.one(v) for v in op.strides]
    if type.scatter:
        return tuple(c.build(xetile.InitTile, c.one(op.base), [v], shape, strides, result=type) for v in c.pieces(op.offsets[0]))
    offsets = [c.one(v) for v in op.offsets]
    inner = min(2, len(offsets))  # an array of rank 1 is one row
    made = []
    for in_rounds in rounds(parts):
        last = [c.place(*where) for where in zip(offsets[-inner:], parts[-inner:], in_rounds[-inner:])]
        made.append(c.build(xetile.InitTile, c.one(op.base), [*offsets[:-inner], *last], shape, strides, result=type))
    return tuple(made)


@DISTRIBUTE(xetile.UpdateTileOffset, xetile.LoadTile, xetile.LoadGather, xetile.PrefetchTile)
def _by_piece(op: Op, c: Distributor) -> Pieces:
    return c.by_piece(op)


@DISTRIBUTE(LoadRows)
def _load_rows(op: LoadRows, c: Distributor) -> Pieces:
    """Pieces beside each other begin at other columns of the same rows."""
    parts, made = c.shares(op.value), []
    starts, masks = c.by_round(op.starts), {} if op.mask is None else c.by_round(op.mask)
    for row, column in rounds(parts):
        at = c.place(c.one(op.column), parts[1], column)
        sizes = [None if size is None else c.one(size) for size in (op.end, op.pitch, op.height)]
        made.append(c.make(op, [c.one(op.base), starts[row, 0], at, masks.get((row, 0)), *sizes], c.piece_type(op.value)))
    return tuple(made)


@DISTRIBUTE(StoreRows)
def _store_rows(op: StoreRows, c: Distributor) -> None:
    parts = shares(op.wg_map, op.value.type.shape)
    starts, masks = c.by_round(op.starts), {} if op.mask is None else c.by_round(op.mask)
    with once(c, parts):
        for (row, column), value in zip(rounds(parts), c.pieces(op.value)):
            at = c.place(c.one(op.column), parts[1], column)
            sizes = [None if size is None else c.one(size) for size in (op.end, op.pitch, op.height)]
            c.make(op, [value, c.one(op.base), starts[row, 0], at, masks.get((row, 0)), *sizes])


@DISTRIBUTE(xetile.PrefetchTiles)
def _prefetch_tiles(op: xetile.PrefetchTiles, c: Distributor) -> None:
    """Each subgroup has its piece of every tile, and brings that of the tile of its part."""
    for tiles in zip(*map(c.pieces, op.tiles), strict=True):
        c.build.op(xetile.PrefetchTiles, tiles, c.part_of(len(tiles)), **inner(op.attributes))


@DISTRIBUTE(xetile.StoreTile, xetile.StoreScatter)
def _store(op: xetile.StoreTile | xetile.StoreScatter, c: Distributor) -> None:
    parts = c.shares(op.tile)
    with once(c, parts):
        for in_rounds, *operands in zip(rounds(parts), *(c.pieces(v) for v in op.operands)):
            if op.attributes.get("valid") is not None:
                operands.append([c.place(c.constant(0), *where) for where in zip(parts, in_rounds)])
            c.build.op(type(op), *operands, **inner(op.attributes))


@DISTRIBUTE(xetile.AtomicRmwTile)
def _atomic(op: xetile.AtomicRmwTile, c: Distributor) -> Pieces:
    parts = c.shares(op.tile)
    if not is_shared(parts, c.subgroups):
        return c.by_piece(op)
    if not op.result.users:
        with once(c, parts):
            c.by_piece(op)
        return c.pieces(op.value)  # nobody asks
    return spread_from_owner(op, c, lambda: c.by_piece(op))

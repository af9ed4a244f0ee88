"""Prefetches for matrix loops that have none: the tiles of the steps to come are brought to the cache while this one is multiplied."""

from __future__ import annotations

from typing import Any

from xetile.dialects import scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.builder import create
from xetile.ir.core import Block, Op, Value
from xetile.passes.carry import carry, give, insert
from xetile.passes.uses import Uses, mma_types, mma_uses, uses_of
from xetile.target import Target


def insert_prefetches(module: GpuModule, target: Target) -> GpuModule:
    """Prefetch `target.prefetch_distance` steps ahead in each loop that loads moving tiles for a matrix product.

    Before and after: xetile at workgroup level without layouts; loops in which the user prefetches, or whose tiles move by amounts
    that change, stay as they are, and so do tiles that are staged in time. How subgroups share a prefetch is infer_layouts' choice.
    """
    if target.block2d is None or not target.prefetch_distance:
        return module
    kernel = module.kernel
    scattered = frozenset(kernel.attributes.get("scattered", ()))
    bases = {a for a, spec in zip(kernel.body.args, kernel.args) if spec.kind == "array" and spec.param not in scattered}
    uses = uses_of(module)
    for loop in [op for op in module.walk() if isinstance(op, scf.For)]:
        if any(isinstance(op, xetile.PrefetchTile) for op in loop.body.walk()):
            continue
        for position, tile in enumerate(list(loop.body.args[1:])):
            step = _step(loop, position, tile)
            needed = _feeds_mma(tile, uses) or (_staged(tile, uses) and _is_short(loop, target))
            if step is not None and needed and _base(loop.init[position]) in bases:
                _prefetch(loop, position, step, target.prefetch_distance)
    return module


def _step(loop: Any, position: int, tile: Value) -> xetile.UpdateTileOffset | None:
    """How the tile moves from one iteration to the next, where it moves by the same amount each time."""
    if not isinstance(tile.type, xetile.TileType) or tile.type.scatter or tile.type.space:
        return None
    moved = loop.body.terminator.operands[position].op
    if not isinstance(moved, xetile.UpdateTileOffset) or moved.tile is not tile:
        return None
    inside = set(loop.body.args) | {r for op in loop.body.ops for r in op.results if not _constant(op)}
    return moved if not any(v in inside for v in moved.offsets) else None


def _constant(op: Op) -> bool:
    return op.opname == "arith.constant"


def _base(tile: Value) -> Value | None:
    while tile.op is not None and not isinstance(tile.op, xetile.InitTile):
        if not isinstance(tile.op, xetile.UpdateTileOffset):
            return None
        tile = tile.op.tile
    return tile.op.base if tile.op is not None else None


def _feeds_mma(tile: Value, uses: Uses) -> bool:
    loads = [op for op, _ in uses.get(tile, ()) if isinstance(op, xetile.LoadTile)]
    return any(use is not None for op in loads for use in mma_uses(op.results[0], uses))


def _staged(tile: Value, uses: Uses) -> bool:
    """Whether a tile is on its way to shared memory, a step before it is needed."""
    return any(isinstance(op, xetile.LoadTile) and op.lane_map is not None for op, _ in uses.get(tile, ()))


def _is_short(loop: Any, target: Target) -> bool:
    """Whether the matrix unit is done with a step before a load has come from memory."""
    rates, clocks = dict(target.roofline.matrix_ops_per_clock), 0.0
    for op in loop.body.ops:
        if isinstance(op, xetile.TileMma):
            (m, k), n = op.a.type.shape, op.b.type.shape[1]
            clocks += 2 * m * n * k / rates.get(mma_types(op)[0], 1)
    return clocks < (target.roofline.memory_latency or 0)


def _prefetch(loop: Any, position: int, step: xetile.UpdateTileOffset, distance: int) -> None:
    """Prefetch the first tiles before the loop, and in it the tile that lies `distance` steps ahead."""
    block: Block = loop.parent
    ahead = loop.init[position]
    before: list[Op] = []
    offsets = [_copied(v, loop, before) for v in step.offsets]
    for _ in range(distance):
        before.append(create(xetile.PrefetchTile, ahead, loc=step.loc))
        before.append(create(xetile.UpdateTileOffset, ahead, offsets, loc=step.loc))
        ahead = before[-1].results[0]
    insert(block, block.ops.index(loop), before)
    inner = carry(loop, ahead, "ahead")
    prefetch = create(xetile.PrefetchTile, inner, loc=step.loc)
    move = create(xetile.UpdateTileOffset, inner, list(step.offsets), loc=step.loc)
    insert(loop.body, len(loop.body.ops) - 1, [prefetch, move])
    give(loop, move.results[0])


def _copied(value: Value, loop: Any, before: list[Op]) -> Value:
    """The value outside the loop: constants that stand inside are made again."""
    if value.op is None or value.op.parent is not loop.body:
        return value
    before.append(create(type(value.op), loc=value.op.loc, result=value.type, **value.op.attributes))
    return before[-1].results[0]

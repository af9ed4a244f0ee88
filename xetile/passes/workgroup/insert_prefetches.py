"""Prefetches for matrix loops that have none: the tiles of the steps to come are brought to the cache while this one is multiplied."""

from __future__ import annotations

from typing import Any

from xetile.dialects import scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import mma_types, mma_uses
from xetile.passes.analysis.recurrences import recurrence_of
from xetile.passes.common.carry import carry, give
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
    for loop in [op for op in module.walk() if isinstance(op, scf.For)]:
        if any(isinstance(op, xetile.PrefetchTile) for op in loop.body.walk()):
            continue
        for position, tile in enumerate(list(loop.body.args[1:])):
            if not isinstance(tile.type, xetile.TileType) or tile.type.scatter or tile.type.space:
                continue
            found = recurrence_of(loop, tile)
            needed = _feeds_mma(tile) or (_staged(tile) and _is_short(loop, target))
            if found is not None and needed and found.start.base in bases:
                _prefetch(loop, position, found.moved, target.prefetch_distance)
    return module


def _feeds_mma(tile: Value) -> bool:
    loads = [op for op in tile.users if isinstance(op, xetile.LoadTile)]
    return any(use is not None for op in loads for use in mma_uses(op.results[0]))


def _staged(tile: Value) -> bool:
    """Whether a tile is on its way to shared memory, a step before it is needed."""
    return any(isinstance(op, xetile.LoadTile) and op.lane_map is not None for op in tile.users)


def _is_short(loop: Any, target: Target) -> bool:
    """Whether DPAS is done with a step before a load has come from memory."""
    rates, clocks = dict(target.roofline.matrix_ops_per_clock), 0.0
    for op in loop.body.ops:
        if isinstance(op, xetile.TileMma):
            (m, k), n = op.a.type.shape, op.b.type.shape[1]
            clocks += 2 * m * n * k / rates.get(mma_types(op)[0], 1)
    return clocks < (target.roofline.memory_latency or 0)


def _prefetch(loop: Any, position: int, step: xetile.UpdateTileOffset, distance: int) -> None:
    """Prefetch the first tiles before the loop, and in it the tile that lies `distance` steps ahead."""
    build = Rewriter()
    ahead = loop.init[position]
    with build.before(loop), build.located(step.loc):
        offsets = [_copied(v, loop, build) for v in step.offsets]
        for _ in range(distance):
            build(xetile.PrefetchTile, ahead)
            ahead = build(xetile.UpdateTileOffset, ahead, offsets)
    inner = carry(loop, ahead, "ahead")
    with build.before(loop.body.terminator), build.located(step.loc):
        build(xetile.PrefetchTile, inner)
        give(loop, build(xetile.UpdateTileOffset, inner, list(step.offsets)))


def _copied(value: Value, loop: Any, build: Rewriter) -> Value:
    """The value outside the loop: constants that stand inside are made again."""
    if value.op is None or value.op.parent is not loop.body:
        return value
    return build.clone(value.op, ()).result

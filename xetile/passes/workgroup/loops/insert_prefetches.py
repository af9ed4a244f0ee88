"""Prefetches for matrix loops that have none: the tiles of the steps to come are brought to the cache while this one is multiplied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial

from xetile.dialects import scf, vector, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.ir.builder import Builder
from xetile.ir.core import Elementwise, Value
from xetile.ir.reach import reached
from xetile.passes.analysis.products import mma_types, mma_uses
from xetile.passes.analysis.recurrences import Recurrence, recurrence_of
from xetile.passes.workgroup.loops.ahead import Ahead, blocks_ahead, step_of
from xetile.passes.workgroup.loops.pipelining import Part, Schedule, Stream, software_pipeline
from xetile.target import Target

_PLACES = (xetile.TileTranspose, vector.Shuffle)
"""What leaves an operand's elements as they are, at other places."""


def insert_prefetches(module: GpuModule, target: Target) -> GpuModule:
    """Prefetch `target.prefetch_distance` steps ahead in each loop that loads moving tiles for a matrix product.

    Tiles of which operands are worked out come ahead where no operand comes as it is loaded: beside a prefetch of another one theirs costs
    what it saves (weights of i8 on pvc: 96 instructions for 32 DPAS, 91 without), without any a step waits for the last cache (f32 multiplied
    as bf16: 2,169 clocks for 32 DPAS, 1,246 with).

    Before and after: xetile at workgroup level without layouts, or workgroup-level xegpu with all of them; loops in which the user
    prefetches, or whose tiles move by amounts that change, stay as they are, and so do tiles that are staged in time. How subgroups
    share a prefetch is infer_layouts' choice; xegpu's prefetches say it.
    """
    if target.block2d is None or not target.prefetch_distance:
        return module
    kernel = module.kernel
    bases = {a for a, name in kernel.arrays.items() if name not in kernel.scattered}
    loops = module.find(scf.For)
    found = [(loop, list(_ahead(loop, bases, module, target))) for loop in loops]
    for loop, tiles in reversed(found):  # inner loops first: outer ones are copied with what is in them
        if tiles:
            # One message for several tiles stands first: its payload has a register of its own that no load waits for (GEMM on pvc: 58
            # instructions a step, 61 behind the loads). Of one tile alone it stands last, where shared memory is left for it (102, 105).
            order: tuple[Part, ...] = ("fetch", "use") if len(tiles) > 1 else ("use", "fetch")
            software_pipeline(loop, Schedule(tiles, order, target.prefetch_distance))
    return module


def _ahead(loop: scf.For, bases: set[Value], module: GpuModule, target: Target) -> Iterator[Stream]:
    """What comes ahead of a loop."""
    if any(op.fetches for op in loop.body.walk()):
        return
    moving = list(_moving(loop, bases, target, _feeds_mma)) or list(_moving(loop, bases, target, _is_worked_into_mma))
    for first, moved in moving:
        yield Ahead(partial(_same, first), step_of(moved, loop), moved.loc)
    if xegpu.in_range(loop) is None:  # those subgroups alone would share it
        yield from blocks_ahead(loop, bases, module.kernel.attributes.get("num_subgroups", 1), target)


def _same(value: Value, build: Builder) -> Value:
    return value


def _moving(
    loop: scf.For, bases: set[Value], target: Target, is_needed: Callable[[Value], bool]
) -> Iterator[tuple[Value, xetile.UpdateTileOffset]]:
    """The carried tiles to prefetch before the loop, and how they move; of those of the same memory, as it is and transposed, the first."""
    seen = set()
    for position, tile in enumerate(loop.body.args[1:]):
        if not isinstance(tile.type, xetile.TileType) or not tile.type.is_block:
            continue
        found = recurrence_of(loop, tile)
        needed = is_needed(tile) or (_staged(tile) and _is_short(loop, target))
        if found is not None and found.moved is not None and needed and found.start.base in bases:
            place = _place(tile.type, found)
            if place not in seen:
                seen.add(place)
                yield loop.init[position], found.moved


def _place(tile: xetile.TileType, found: Recurrence) -> tuple[Hashable, ...]:
    """What memory a tile is in all iterations: its array, what drops axes of it, where it begins, its size and how it moves."""
    rows_first = tile.order == (1, 0)

    def in_memory(pair: Sequence[Hashable]) -> tuple[Hashable, ...]:
        return tuple(pair if rows_first else pair[::-1])

    start = found.start
    *leading, y, x = map(_number, start.offsets)
    first = None if found.is_direct else found.first
    return (start.base, first, *leading, *in_memory((y, x)), *in_memory(tile.shape), *in_memory(found.step))


def _number(value: Value) -> Hashable:
    """The same for two values only where both are the same number."""
    known = constant_of(value)
    if known is not None or not isinstance(value.op, Elementwise):
        return value if known is None else known
    attributes = sorted((name, str(given)) for name, given in value.op.attributes.items())
    return (value.op.opname, *attributes, *map(_number, value.op.operands))


def _feeds_mma(tile: Value) -> bool:
    return any(use is not None for value in _loaded(tile) for use in mma_uses(value))


def _is_worked_into_mma(tile: Value) -> bool:
    """Whether operands are worked out of a tile element by element."""

    def made_of(value: Value) -> list[Value]:
        return [result for op in value.users if isinstance(op, (Elementwise, *_PLACES)) for result in op.results]

    return any(use is not None for value in reached(_loaded(tile), made_of) for use in mma_uses(value))


def _loaded(tile: Value) -> list[Value]:
    return [op.value for op in tile.users if isinstance(op, xetile.LoadTile)]


def _staged(tile: Value) -> bool:
    """Whether a tile is on its way to shared memory, a step before it is needed."""
    return any(isinstance(op, xetile.LoadTile) and op.lane_map is not None for op in tile.users)


def _is_short(loop: scf.For, target: Target) -> bool:
    """Whether DPAS is done with a step before a load has come from memory."""
    rates, clocks = dict(target.roofline.matrix_ops_per_clock), 0.0
    for op in loop.body.ops:
        if isinstance(op, xetile.TileMma):
            (m, k), n = op.a.type.shape, op.b.type.shape[1]
            clocks += 2 * m * n * k / rates.get(mma_types(op)[0], 1)
    return clocks < (target.roofline.memory_latency or 0)

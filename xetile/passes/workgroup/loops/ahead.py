"""What comes to the caches before a loop loads it: tiles and blocks of descriptors that move by the same amount in each iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from xetile.dialects import scf, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.errors import Location
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import mma_uses
from xetile.passes.analysis.recurrences import Step, growth_of, is_invariant
from xetile.passes.common.carry import in_first_iteration
from xetile.passes.common.numbers import index
from xetile.passes.workgroup.layouts.choose import choose_prefetch
from xetile.passes.workgroup.loops.pipelining import Iteration
from xetile.records import dataclass
from xetile.target import Target


@dataclass(frozen=True)
class Ahead:
    """The stream of a tile or block: where it begins, and how it moves. `layout`: how subgroups share the prefetch, where that is chosen."""

    begin: Callable[[Builder], Value]
    step: Step
    loc: Location | None
    layout: Layout | None = None
    value: None = None
    made: tuple[Value, ...] = ()

    def first(self, build: Builder, iteration: Iteration) -> Value:
        """Where the loop begins."""
        return self.begin(build)

    def own(self, build: Builder, iteration: Iteration) -> Value:
        """It is carried by itself."""
        raise NotImplementedError

    def following(self, build: Builder, iteration: Iteration, more: Value | None) -> Value:
        """It is carried by itself."""
        raise NotImplementedError

    def next(self, build: Builder, tile: Value) -> Value:
        """As the loop moves it; what lies beyond the last one is prefetched in vain."""
        with build.located(self.loc):
            kind = xetile.UpdateTileOffset if isinstance(tile.type, xetile.TileType) else xegpu.UpdateNdOffset
            return build(kind, tile, [index(build, by) if isinstance(by, int) else by for by in self.step])

    def fetch(self, build: Builder, tile: Value) -> None:
        """A prefetch of the whole."""
        with build.located(self.loc):
            if isinstance(tile.type, xetile.TileType):
                build.op(xetile.PrefetchTile, tile)
            else:
                build.op(xegpu.PrefetchNd, tile, (), layout=self.layout)

    def store(self, build: Builder, fetched: Value | None, phase: Value, at: Mapping[Value, Value]) -> None:
        """Caches keep it."""

    def read(self, build: Builder, phase: Value) -> Value:
        """Loads stay as they are."""
        raise NotImplementedError


def step_of(moved: xetile.UpdateTileOffset | xegpu.UpdateNdOffset, loop: scf.For) -> Step:
    """By how much a loop moves something: constants of its body as numbers, for the body is no place that others see."""
    return tuple(constant_of(v) if v.op is not None and v.op.parent is loop.body else v for v in moved.offsets)


def blocks_ahead(loop: scf.For, bases: set[Value], subgroups: int, target: Target) -> Iterator[Ahead]:
    """The streams of the blocks that a loop loads for matrix products, each block once: as its accesses have offsets, or as it moves them."""
    seen: set[object] = set()
    for op in loop.body.ops:
        if not isinstance(op, xegpu.LoadNd) or op.desc.type.rank != 2 or set(mma_uses(op.value)) <= {None}:
            continue
        carried = op.desc.owner is loop.body
        start = (loop.init[op.desc.index - 1] if carried else op.desc).op
        if not isinstance(start, xegpu.CreateNdTdesc) or start.source not in bases or not is_invariant(start.result, loop):
            continue
        step = _step(op, loop) if (op.desc, *op.offsets) not in seen else None
        seen.add((op.desc, *op.offsets))
        if step is not None:
            layout = choose_prefetch(op.desc.type.shape, element_bytes(op.desc.type.element), (1, 0), subgroups, target)
            yield Ahead(partial(_begin, op, start, loop), step, op.loc, layout)


def _begin(op: xegpu.LoadNd, start: xegpu.CreateNdTdesc, loop: scf.For, build: Builder) -> Value:
    """The block of the first iteration, distributed by nothing but the prefetch."""
    with build.located(op.loc):
        kind = replace(start.result.type, layout=None)
        made: Value = build(xegpu.CreateNdTdesc, start.source, start.offsets, start.shape, start.strides, result=kind)
        offsets = [in_first_iteration(v, loop, build) for v in op.offsets]
        return build(xegpu.UpdateNdOffset, made, offsets) if offsets else made


def _step(op: xegpu.LoadNd, loop: scf.For) -> Step | None:
    """By how much a block moves in each iteration, if at all; None where that is not known."""
    if op.desc.owner is not loop.body:
        growth = [growth_of(v, loop) for v in op.offsets]
        known = [n for n in growth if n is not None]
        return tuple(known) if any(known) and len(known) == len(growth) else None
    moved = loop.body.terminator.operands[op.desc.index - 1].op
    if op.offsets or not isinstance(moved, xegpu.UpdateNdOffset) or moved.desc is not op.desc:
        return None
    return step_of(moved, loop) if all(is_invariant(v, loop) for v in moved.offsets) else None

"""Blocks of XeGPU's descriptors that come to the caches before a loop loads them: as its accesses have offsets, or as it moves them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from xetile.dialects import arith, scf, xegpu
from xetile.dialects.arith import constant_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import mma_uses
from xetile.passes.analysis.recurrences import growth_of, is_invariant
from xetile.passes.common.numbers import index
from xetile.passes.workgroup.layouts.choose import choose_prefetch
from xetile.target import Target


@dataclass(frozen=True)
class _Block:
    """What both streams share: the load whose block comes ahead, where its descriptor is made, how subgroups share the prefetch."""

    loop: scf.For
    loaded: xegpu.LoadNd
    start: xegpu.CreateNdTdesc
    layout: Layout
    load: None = None

    def descriptor(self, build: Builder) -> Value:
        """The same memory, distributed by nothing but the prefetch."""
        start = self.start
        kind = replace(start.result.type, layout=None)
        return build(xegpu.CreateNdTdesc, start.source, start.offsets, start.shape, start.strides, result=kind)

    def store(self, build: Builder, fetched: Value | None, phase: Value) -> None:
        """Caches keep it."""

    def read(self, build: Builder, phase: Value) -> Value:
        """Loads stay as they are."""
        raise NotImplementedError


@dataclass(frozen=True)
class AheadOffsets(_Block):
    """A block whose offsets follow from the loop's counter; what is carried is the counter of an iteration to come."""

    def first(self, build: Builder) -> Value:
        """The first iteration's counter."""
        return self.loop.lower

    def next(self, build: Builder, tile: Value, more: Value | None = None) -> Value:
        """The next one's; a block beyond the last one is prefetched in vain."""
        return build(arith.AddI, tile, self.loop.step)

    def fetch(self, build: Builder, tile: Value) -> None:
        """A prefetch where the load would be in that iteration."""
        with build.located(self.loaded.loc):
            became = {self.loop.body.args[0]: tile}
            offsets = [self._then(v, became, build) for v in self.loaded.offsets]
            build.op(xegpu.PrefetchNd, self.descriptor(build), offsets, layout=self.layout)

    def _then(self, value: Value, became: dict[Value, Value], build: Builder) -> Value:
        """A number of the loop in another iteration."""
        if value in became or value.op is None or value.op.parent is not self.loop.body:
            return became.get(value, value)
        for operand in value.op.operands:
            self._then(operand, became, build)
        build.copy(value.op, became)
        return became[value]


@dataclass(frozen=True)
class AheadMoved(_Block):
    """A block that the loop carries, and moves by the same amount in each iteration."""

    moved: xegpu.UpdateNdOffset | None = None

    def first(self, build: Builder) -> Value:
        """Where the loop begins."""
        return self.descriptor(build)

    def next(self, build: Builder, tile: Value, more: Value | None = None) -> Value:
        """As the loop moves it."""
        assert self.moved is not None
        offsets = [index(build, constant_of(v)) if v.op in self.loop.body.ops else v for v in self.moved.offsets]
        return build(xegpu.UpdateNdOffset, tile, offsets)

    def fetch(self, build: Builder, tile: Value) -> None:
        """A prefetch of the whole block."""
        with build.located(self.loaded.loc):
            build.op(xegpu.PrefetchNd, tile, (), layout=self.layout)


def blocks_ahead(loop: scf.For, bases: set[Value], subgroups: int, target: Target) -> Iterator[AheadOffsets | AheadMoved]:
    """The streams of the blocks that a loop loads for matrix products, each block once."""
    seen: set[object] = set()
    for op in loop.body.ops:
        if not isinstance(op, xegpu.LoadNd) or op.desc.type.rank != 2 or not _feeds_product(op):
            continue
        desc, carried = op.desc, op.desc.owner is loop.body
        start = (loop.init[desc.index - 1] if carried else desc).op
        if not isinstance(start, xegpu.CreateNdTdesc) or start.source not in bases or not is_invariant(start.result, loop):
            continue
        if (desc, *op.offsets) in seen:
            continue
        seen.add((desc, *op.offsets))
        layout = choose_prefetch(desc.type.shape, element_bytes(desc.type.element), (1, 0), subgroups, target)
        if carried:
            moved = loop.body.terminator.operands[desc.index - 1].op
            if _moves_on(moved, desc, loop) and not op.offsets:
                yield AheadMoved(loop, op, start, layout, moved=moved)  # type: ignore[arg-type]
        elif _grow(op, loop):
            yield AheadOffsets(loop, op, start, layout)


def _feeds_product(op: xegpu.LoadNd) -> bool:
    return any(use is not None for use in mma_uses(op.value))


def _moves_on(moved: object, desc: Value, loop: scf.For) -> bool:
    return isinstance(moved, xegpu.UpdateNdOffset) and moved.desc is desc and all(is_invariant(v, loop) for v in moved.offsets)


def _grow(op: xegpu.LoadNd, loop: scf.For) -> bool:
    """Whether a block moves by what is known, and all that it moves with is the counter."""
    growth = [growth_of(v, loop) for v in op.offsets]
    return None not in growth and any(growth) and all(_of_counter(v, loop) for v in op.offsets)


def _of_counter(value: Value, loop: scf.For) -> bool:
    if value.owner is loop.body:
        return value.index == 0
    if value.op is None or value.op.parent is not loop.body:
        return is_invariant(value, loop)
    return value.op.pure and not value.op.regions and all(_of_counter(v, loop) for v in value.op.operands)

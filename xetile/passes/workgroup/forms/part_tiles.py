"""Tiles of several arrays that control flow brings together: numbers that say which of them is meant, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, gpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir import analyses
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.common.choices import one_of
from xetile.passes.common.converter import Converter, Lowered
from xetile.records import dataclass
from xetile.target import Target

PART = Table()


def part_tiles(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Choose between accesses in the place of tiles.

    Before and after: xetile at workgroup level. After: where loops or branches joined tiles of several arrays (`source, result = result,
    source`), they carry a number and offsets; each access makes its tile, in a branch by that number, so every message still names its
    array. Joins stay, and are refused, of arrays whose sizes are known in the loop or branch only. Modules without joins stay as they are.
    """
    joined = _joined(module)
    return _Parting(module, joined).convert_function(module) if joined else module


def _joined(module: GpuModule) -> dict[Value, list[xetile.InitTile]]:
    """For each class of tiles of several arrays one that makes a tile of each, and of each other sizes and strides."""
    made = module.find(xetile.InitTile)
    if len({op.base for op in made}) < 2:
        return {}
    classes = analyses.get(AliasClasses, module)
    found: dict[Value, list[xetile.InitTile]] = {}
    for op in made:
        known = found.setdefault(classes.root(op.result), [])
        if not any(_memory(one) == _memory(op) for one in known):
            known.append(op)
    return {
        root: makers
        for root, makers in found.items()
        if len({op.base for op in makers}) > 1 and all(_anywhere(v, module) for op in makers for v in _memory(op))
    }


def _memory(op: xetile.InitTile) -> tuple[Value, ...]:
    return (op.base, *op.shape, *op.strides)


def _anywhere(value: Value, module: GpuModule) -> bool:
    """Whether a value can be had at the head of the kernel."""
    op = value.op
    if op is None:
        return value in module.kernel.body.args
    return isinstance(op, gpu.Alloca) or (op.pure and not op.regions and all(_anywhere(v, module) for v in op.operands))


@dataclass(frozen=True)
class Place:
    """A tile at `offsets` of one of some arrays: as many offsets as the one of most dimensions has, the innermost last."""

    which: Value
    offsets: tuple[Value, ...]
    makers: tuple[xetile.InitTile, ...]
    kind: xetile.TileType

    def carried(self) -> Sequence[Value]:
        """The number and the offsets."""
        return (self.which, *self.offsets)

    def with_carried(self, values: Sequence[Value]) -> Place:
        """Others in their places."""
        return replace(self, which=values[0], offsets=tuple(values[1:]))

    def tile(self, number: int, c: _Parting) -> Value:
        """The tile, of the array of a number."""
        maker = self.makers[number]
        offsets = self.offsets[len(self.offsets) - len(maker.offsets) :]
        sizes, strides = ([c.there[v] for v in values] for values in (maker.shape, maker.strides))
        return c.build(xetile.InitTile, c.there[maker.base], offsets, sizes, strides, result=self.kind)


class _Parting(Converter):
    def __init__(self, module: GpuModule, joined: dict[Value, list[xetile.InitTile]]) -> None:
        super().__init__(PART)
        self.joined = joined
        self.classes = analyses.get(AliasClasses, module)
        self.there: dict[Value, Value] = {}

    def begin(self, func: Op) -> None:
        """Arrays, and their sizes and strides, are there from the beginning."""
        for value in (v for makers in self.joined.values() for op in makers for v in _memory(op)):
            self._bring(value)

    def _bring(self, value: Value) -> Value:
        if value not in self.there:
            op = value.op
            self.there[value] = (
                self[value] if op is None else self.build.clone(op, list(map(self._bring, op.operands))).results[0]
            )
        return self.there[value]


@PART(gpu.Alloca)
def _alloca(op: gpu.Alloca, c: _Parting) -> Lowered:
    return c.there.get(op.result) or c.clone(op)


@PART(xetile.InitTile)
def _made(op: xetile.InitTile, c: _Parting) -> Lowered:
    makers = c.joined.get(c.classes.root(op.result), [])
    if not makers:
        return c.clone(op)
    which = next(number for number, one in enumerate(makers) if _memory(one) == _memory(op))
    missing = max(len(one.offsets) for one in makers) - len(op.offsets)
    offsets = (*(c.constant(0) for _ in range(missing)), *map(c.one, op.offsets))
    return Place(c.constant(which), offsets, tuple(makers), op.result.type)


@PART(xetile.UpdateTileOffset)
def _moved(op: xetile.UpdateTileOffset, c: _Parting) -> Lowered:
    place = c[op.tile]
    if not isinstance(place, Place):
        return c.clone(op)
    kept = max(0, len(place.offsets) - len(op.offsets))
    moves = op.offsets[len(op.offsets) - len(place.offsets) + kept :]
    sums = (c.build(arith.AddI, at, c.one(by)) for at, by in zip(place.offsets[kept:], moves, strict=True))
    return replace(place, offsets=(*place.offsets[:kept], *sums))


@PART(xetile.LoadTile, xetile.StoreTile, xetile.PrefetchTile, xetile.LoadGather, xetile.StoreScatter, xetile.AtomicRmwTile)
def _accessed(op: Any, c: _Parting) -> Lowered:
    place = c[op.tile]
    if not isinstance(place, Place):
        return c.clone(op)

    def access(number: int) -> Sequence[Value]:
        operands = [place.tile(number, c) if v is op.tile else c.one(v) for v in op.operands]
        return c.build.clone(op, operands).results

    values = one_of(c.build, place.which, len(place.makers), access, [v.type for v in op.results])
    return values[0] if len(values) == 1 else tuple(values)

"""Making the laid-out module: each value once for each layout in which it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from xetile.dialects import vector, xetile
from xetile.dialects.rows import StoreRows
from xetile.dialects.types import VectorType
from xetile.ir.core import Attributes, Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.owners import same_owners
from xetile.passes.common.converter import Converter, Lowered, carried_values
from xetile.passes.workgroup.layouts.needs import Needs
from xetile.passes.workgroup.layouts.rules import operand_layouts, shape_of

EMIT = Table()


class Versions:
    """What a tile or vector became: one value for each layout. All versions of a tile are carried; of a vector, one is."""

    __slots__ = ("layouts", "values")

    def __init__(self, layouts: Sequence[Layout], values: Sequence[Value]) -> None:
        self.layouts = layouts
        self.values = list(values)

    def get(self, layout: Layout) -> Value:
        """The version in a layout."""
        for have, value in zip(self.layouts, self.values):
            if same_owners(have, layout, shape_of(value)):
                return value
        raise KeyError(layout)

    def carried(self) -> Sequence[Value]:
        """The values that change from one iteration to the next."""
        return self.values

    def with_carried(self, values: Sequence[Value]) -> Versions:
        """The same layouts for other values."""
        return Versions(self.layouts, values)


class Emitter(Converter):
    """Copies ops with layouts; converts what is needed in a layout that it is not made in."""

    def __init__(self, needs: Needs) -> None:
        super().__init__(EMIT)
        self.needs = needs
        self.plan = needs.plan

    def vector(self, value: Value, layout: Layout) -> Value:
        """A vector in a layout."""
        versions: Versions = self[value]
        return versions.get(layout)

    def operand(self, value: Value, layout: Layout | None) -> Value:
        """An operand in a layout, or a scalar."""
        return self.vector(value, layout) if layout is not None else self.one(value)

    def converted(self, old: Value, made: Value, layout: Layout) -> Versions:
        """A vector made in one layout, converted to the others in which it is needed."""
        layouts, values = [layout], [made]
        for other in self.needs.of.get(old, ()):
            if not same_owners(layout, other, shape_of(old)):
                layouts.append(other)
                values.append(self.build(xetile.TileConvLayout, made, wg_map=other, input_map=layout))
        return Versions(layouts, values)

    def copy(self, op: Op, layout: Layout) -> Value:
        """A vector op whose result has `layout`."""
        operands = [self.operand(v, follows) for v, follows in zip(op.operands, self._operand_layouts(op, layout))]
        made = self.placed(op, operands, wg_map=layout)
        return made

    def placed(self, op: Op, operands: list[Value], **changes: Any) -> Value:
        """Append a copy of an op of one result."""
        made = self.build.clone(op, operands, attributes={**op.attributes, **changes}).result
        made.name = op.results[0].name
        return made

    def carry(self, op: Op, position: int, template: Lowered | None) -> list[Value]:
        """A vector goes in the layout of what carries it, a tile in all of its layouts."""
        lowered = self[op.operands[position]]
        if isinstance(op.operands[position].type, VectorType):
            return [lowered.get(self.plan.layout(self.needs.graph.carried_to[op, position]))]
        return carried_values(lowered)

    def arrive(self, old: Value, template: Lowered, values: Sequence[Value]) -> None:
        """A carried vector is converted on the other side to what else is needed."""
        if isinstance(old.type, VectorType):
            self[old] = self.converted(old, values[0], self.plan.layout(old))
        else:
            super().arrive(old, template, values)

    def kept(self, op: Op, passed: Sequence[Sequence[Value]]) -> Attributes:
        """With `wg_maps`: the layout of each result that is a vector, None for others."""
        maps: list[Layout | None] = []
        for old, values in zip(op.results, passed):
            maps += [self.plan.layout(old)] if isinstance(old.type, VectorType) else [None] * len(values)
        return {**super().kept(op, passed), "wg_maps": tuple(maps) if any(m is not None for m in maps) else None}

    def _operand_layouts(self, op: Op, layout: Layout) -> Sequence[Layout | None]:
        follows = self.needs.operands(op, layout)
        if isinstance(op, Elementwise):
            return follows
        return [f if isinstance(v.type, VectorType) else None for v, f in zip(op.operands, follows)]


@lru_cache(256)
def tile_type(tile: Any, layout: Layout) -> xetile.TileType:
    """A tile's type with a layout."""
    typed: xetile.TileType = replace(tile, wg_map=layout)
    return typed


def vector_op(op: Op, c: Emitter) -> Lowered:
    """A value op: cheap ones once for each layout; others once, and converted."""
    value = op.results[0]
    if not isinstance(value.type, VectorType):
        return c.clone(op)
    wanted = c.needs.of.get(value, [])
    if value in c.plan.graph.cheap:
        return Versions(wanted, [c.copy(op, layout) for layout in wanted])
    if not wanted:
        return Versions((), ())
    layout = c.needs.natural(op)
    if isinstance(op, xetile.TileReduce) and op.source not in c.plan.graph.cheap:
        source = c.needs.reduced_source(op)
        return c.converted(value, c.placed(op, [c.vector(source, c.plan.layout(source))], wg_map=layout), layout)
    if isinstance(op, xetile.TileConvLayout):
        (have,) = c.needs.operands(op, layout)
        if have is not None and same_owners(layout, have, shape_of(value)):
            return c.converted(value, c.vector(op.source, have), layout)
    return c.converted(value, c.copy(op, layout), layout)


@EMIT(xetile.InitTile, xetile.UpdateTileOffset)
def _tile(op: xetile.InitTile | xetile.UpdateTileOffset, c: Emitter) -> Any:
    layouts = c.needs.versions(op.results[0])
    made = []
    for layout in layouts:
        operands = [_tile_operand(v, layout, c) for v in op.operands]
        value = c.placed(op, operands)
        value.set_type(tile_type(op.results[0].type, layout))
        made.append(value)
    return Versions(layouts, made)


def _tile_operand(value: Value, layout: Layout, c: Emitter) -> Value:
    lowered = c[value]
    return lowered.get(layout) if isinstance(lowered, Versions) else c.one(value)


@EMIT(vector.Extract)
def _extract(op: vector.Extract, c: Emitter) -> Lowered:
    return c.placed(op, [c.vector(op.source, c.needs.everywhere(op.source))])


@EMIT(xetile.Breakpoint, xetile.Print)
def _observe(op: xetile.Breakpoint | xetile.Print, c: Emitter) -> None:
    values = [c.vector(v, c.needs.everywhere(v)) if isinstance(v.type, VectorType) else c.one(v) for v in op.operands]
    c.build.op(type(op), values, **op.attributes)


@EMIT(xetile.LoadTile)
def _load(op: xetile.LoadTile, c: Emitter) -> Lowered:
    wanted = c.needs.of.get(op.value, [])
    if c.needs.can_reload(op.value):
        return Versions(wanted, [c.placed(op, [c[op.tile].get(layout)]) for layout in wanted])
    if not wanted:
        return Versions((), ())
    layout = c.plan.layout(op.value)
    return c.converted(op.value, c.placed(op, [c[op.tile].get(layout)]), layout)


@EMIT(xetile.LoadGather, xetile.AtomicRmwTile)
def _access(op: xetile.LoadGather | xetile.AtomicRmwTile, c: Emitter) -> Lowered:
    layout = c.plan.layout(op.results[0])
    if isinstance(op, xetile.LoadGather) and not c.needs.of.get(op.value):
        return Versions((), ())
    return c.converted(op.results[0], c.placed(op, [c[v].get(layout) for v in op.operands]), layout)


@EMIT(xetile.StoreTile, xetile.StoreScatter)
def _store(op: xetile.StoreTile | xetile.StoreScatter, c: Emitter) -> None:
    layout = c.plan.layout(op)
    c.build.op(type(op), *(c[v].get(layout) for v in op.operands), **op.attributes)


@EMIT(StoreRows)
def _store_rows(op: StoreRows, c: Emitter) -> None:
    layout = c.plan.layout(op)
    operands = [c.operand(v, follows) for v, follows in zip(op.operands, operand_layouts(op, layout))]
    c.build.clone(op, operands, attributes={**op.attributes, "wg_map": layout})


@EMIT(xetile.PrefetchTile)
def _prefetch(op: xetile.PrefetchTile, c: Emitter) -> None:
    c.build.op(xetile.PrefetchTile, c[op.tile].get(c.needs.prefetched(op, op.tile)), **op.attributes)


@EMIT(xetile.PrefetchTiles)
def _prefetch_tiles(op: xetile.PrefetchTiles, c: Emitter) -> None:
    layouts = c.needs.shared_prefetch(op)
    if layouts is not None:
        c.build.op(xetile.PrefetchTiles, [c[v].get(layout) for v, layout in zip(op.tiles, layouts)], **op.attributes)
        return
    for tile in op.tiles:
        c.build.op(xetile.PrefetchTile, c[tile].get(c.needs.prefetched(op, tile)), **op.attributes)

"""In which layouts each value is needed: a walk from uses to definitions once the plan is made."""

from __future__ import annotations

from typing import Any

from xetile.dialects import xetile
from xetile.dialects.rows import StoreRows
from xetile.dialects.types import VectorType, element_of
from xetile.errors import LayoutError
from xetile.ir.core import Block, Op, Value, type_of
from xetile.layout import Layout
from xetile.passes.analysis.owners import same_owners
from xetile.passes.analysis.products import mma_types
from xetile.passes.workgroup.layouts.choose import choose_prefetch, choose_shared_prefetch
from xetile.passes.workgroup.layouts.graph import STORES, check_operands, complete
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.layouts.rules import operand_layouts, reduced, shape_of, words


class Needs:
    """`of[value]`: the layouts in which a vector is needed; `tiles[root]`: those of the versions of an alias class of tiles."""

    def __init__(self, plan: LayoutPlan) -> None:
        self.plan = plan
        self.graph = plan.graph
        self.of: dict[Value, list[Layout]] = {}
        self.tiles: dict[Value, list[Layout]] = {}
        # A scattered tile may be accessed before it is moved: its offsets are needed in layouts that the walk finds later.
        self._moves_vectors = any(
            isinstance(op, xetile.UpdateTileOffset) and op.tile.type.scatter for op in self.graph.kernel.walk()
        )
        known = -1
        while known != self._known():
            known = self._known()
            self._block(self.graph.kernel.body)
            if not self._moves_vectors:
                break

    def versions(self, tile: Value) -> list[Layout]:
        """The layouts in which a tile is accessed."""
        return self.tiles.get(self.graph.alias_classes.root(tile), [])

    def can_reload(self, value: Value) -> bool:
        """Whether a second load is better than moving a loaded value: always, unless the user mapped the tile."""
        return isinstance(value.op, xetile.LoadTile) and value.op.tile.type.wg_map is None

    def natural(self, op: Op) -> Layout:
        """The layout in which an op that follows its source gives its result."""
        if isinstance(op, xetile.TileReduce) and op.source not in self.graph.cheap:
            return reduced(op, (0, self.plan.layout(self.reduced_source(op))))
        return self.plan.layout(op.results[0])

    def reduced_source(self, op: xetile.TileReduce) -> Value:
        """What a reduction reads: it skips a change of layout made for it alone, since moving the result costs less."""
        source: Value = op.source
        while isinstance(source.op, xetile.TileConvLayout) and source.has_one_use:
            source = source.op.source
        return op.source if source in self.graph.cheap else source

    def prefetched(self, op: Op, value: Value) -> Layout:
        """The layout in which a tile is prefetched."""
        tile = type_of(value, xetile.TileType)
        if tile.wg_map is not None:
            return complete(tile.wg_map, tile.shape, op)
        size = max(1, element_of(tile).bits // 8)
        return choose_prefetch(tile.shape, size, tile.order, self.plan.num_subgroups, self.plan.target)

    def shared_prefetch(self, op: xetile.PrefetchTiles) -> tuple[Layout, ...] | None:
        """The layouts in which tiles are prefetched by one part of the subgroups each; None where each had better have all."""
        tiles = [type_of(v, xetile.TileType) for v in op.tiles]
        size = max(1, element_of(tiles[0]).bits // 8)
        wanted = tuple((tile.shape, tile.order) for tile in tiles)
        return choose_shared_prefetch(wanted, size, self.plan.num_subgroups, self.plan.target)

    def operands(self, op: Op, layout: Layout) -> tuple[Layout | None, ...]:
        """The layouts in which an op takes its operands to give its result in `layout`."""
        source: Any = op.operands[0] if op.operands else None
        if isinstance(op, xetile.TileConvLayout) and source not in self.graph.cheap:
            return (self.plan.layout(source),)
        if isinstance(op, xetile.TileConvLayout):
            return (layout,)
        if isinstance(op, xetile.TileTranspose) and source not in self.graph.cheap and not self.can_reload(source):
            return (self.plan.layout(source),)
        return operand_layouts(op, layout)

    # The walk.

    def _known(self) -> int:
        return sum(map(len, self.of.values())) + sum(map(len, self.tiles.values()))

    def _block(self, block: Block) -> None:
        for op in reversed(block.ops):
            if op.regions or op.terminator:
                self._structure(op)
            elif isinstance(op, StoreRows):
                self._operands(op, self.plan.layout(op))
            elif isinstance(op, STORES):
                self._access(op, self.plan.layout(op))
            elif isinstance(op, xetile.PrefetchTile):
                self._tile(op.tile, self.prefetched(op, op.tile))
            elif isinstance(op, xetile.PrefetchTiles):
                for tile, layout in zip(op.tiles, self.shared_prefetch(op) or [self.prefetched(op, v) for v in op.tiles]):
                    self._tile(tile, layout)
            elif op.results and isinstance(op.results[0].type, VectorType):
                self._value(op)
            elif op.results and isinstance(op.results[0].type, xetile.TileType):
                for layout in self.versions(op.results[0]) if op.results[0].type.scatter else ():
                    self._vectors(op, layout)
            else:
                self._element(op)

    def _element(self, op: Op) -> None:
        """A scalar from a vector: every subgroup needs all of it."""
        for value in op.operands:
            if isinstance(value.type, VectorType):
                self.need(value, self.everywhere(value))

    def everywhere(self, value: Value) -> Layout:
        """The layout in which every subgroup holds the whole value."""
        return Layout((self.plan.num_subgroups, 1), shape_of(value))

    def _structure(self, op: Op) -> None:
        """Carried values keep the layout of their class."""
        for block in op.regions:
            self._block(block)
        for position, value in enumerate(op.operands):
            if isinstance(value.type, VectorType):
                self.need(value, self.plan.layout(self.graph.carried_to[op, position]))

    def _access(self, op: Any, layout: Layout) -> None:
        self._tile(op.tile, layout)
        self._vectors(op, layout)

    def _value(self, op: Op) -> None:
        value = op.results[0]
        wanted = self.of.get(value, [])
        if isinstance(op, xetile.AtomicRmwTile):
            self._access(op, self.plan.layout(value))
        elif isinstance(op, xetile.LoadTile) and self.can_reload(value):
            for layout in wanted:
                self._tile(op.tile, layout)
        elif isinstance(op, (xetile.LoadTile, xetile.LoadGather)) and wanted:
            self._access(op, self.plan.layout(value))
        elif value in self.graph.cheap:
            for layout in wanted:
                self._operands(op, layout)
        elif wanted:
            check_operands(self.graph, op)
            if isinstance(op, xetile.TileMma):
                self._check_product(op)
            self._operands(op, self.plan.layout(value))

    def _operands(self, op: Op, layout: Layout) -> None:
        if isinstance(op, xetile.TileReduce) and op.source not in self.graph.cheap:
            source = self.reduced_source(op)
            self.need(source, self.plan.layout(source))
            return
        for value, follows in zip(op.operands, self.operands(op, layout)):
            if follows is not None:
                self.need(value, follows)

    def _vectors(self, op: Op, layout: Layout) -> None:
        for value in op.operands:
            if isinstance(value.type, VectorType):
                self.need(value, layout)

    def need(self, value: Value, layout: Layout) -> None:
        """Ask for a value in a layout."""
        wanted = self.of.setdefault(value, [])
        if not any(same_owners(layout, w, shape_of(value)) for w in wanted):
            wanted.append(layout)

    def _tile(self, tile: Value, layout: Layout) -> None:
        root = self.graph.alias_classes.root(tile)
        wanted = self.tiles.setdefault(root, [])
        if not any(same_owners(layout, w, shape_of(tile)) for w in wanted):
            wanted.append(layout)

    def _check_product(self, op: Op) -> None:
        mma = self.plan.target.find_mma(*mma_types(op))
        layout = self.plan.layout(op.result)
        if mma is None or layout.sg_data[1] % mma.n == 0:
            return
        raise LayoutError(
            f"tile_mma: with the map {words(layout)} a subgroup has {layout.sg_data[1]} columns; DPAS takes"
            f" {mma.lhs} in steps of {mma.n}",
            hint=f"use an sg_data[1] that is a multiple of {mma.n}",
            at=op.loc,
        )


__all__ = ["Needs"]

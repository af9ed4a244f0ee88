"""Workgroup-level xegpu: every value gets a layout (seed 000, "extending sg_map attributes"; seed 003; seed 002, LayoutAttr)."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import arith, vector, xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType, shape_of
from xetile.errors import LayoutError
from xetile.ir.core import Op, Value, Variable
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import variables_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.owners import AnyLayout, plain_shape, same_owners, shares
from xetile.passes.cleanup.dead_code import remove_dead_code
from xetile.passes.common.converter import Converter
from xetile.passes.workgroup.layouts.choose import choose_prefetch
from xetile.passes.xegpu.layouts import anchor, following, multiplies, settled, wanted
from xetile.passes.xegpu.part_blocks import part_blocks
from xetile.passes.xegpu.stated_layouts import check_stated, with_used
from xetile.target import Target


def propagate_layouts(module: GpuModule, target: Target) -> GpuModule:
    """Give every vector and tile of a workgroup a layout over subgroups.

    Before: workgroup-level xegpu, mixed with XeTile, with layouts on descriptors, tiles and some ops. After: each op whose results are
    vectors or tiles has `layout_result_N`, layouts agree at every use (convert_layout stands where they did not), the kernel has
    `num_subgroups`. Raises LayoutError where no layout reaches a value, or one does not fit it.
    """
    module = Converter(Table()).convert_function(module)  # the input stays as it is
    remove_dead_code(module.kernel)  # what nobody uses needs no layout
    part_blocks(module.kernel)
    state = _Propagation(module)
    state.spread()
    state.share_prefetches(target)
    state.follow_tiles()
    state.write()
    state.convert()
    count_subgroups(module)
    return module


HELD = (VectorType, xetile.TileType)
"""What subgroups hold pieces of."""


class _Propagation:
    """`of`: the layout of each vector and tile, as far as it is known."""

    def __init__(self, module: GpuModule) -> None:
        self.module = module
        self.rewrite = Rewriter()
        self.ops = list(module.kernel.walk())
        self.of: dict[Value, AnyLayout] = {}
        self.variables = [v for v in variables_of(module.kernel) if isinstance(v.holders[0].type, HELD)]
        self._given_to = {source: variable for variable in self.variables for source in variable.sources}
        self._held_by = {holder: variable for variable in self.variables for holder in variable.holders}
        for op in self.ops:
            check_stated(op)
            if op.results and isinstance(op.results[0].type, HELD) and not op.regions:
                given = anchor(op)
                if given is not None:
                    self.of.update(settled(op.results[0], given))
        for variable in self.variables:
            self._anchor_variable(variable)

    def _anchor_variable(self, variable: Variable) -> None:
        result = variable.holders[-1]
        given = result.op.attributes.get(f"layout_result_{result.index}") if result.op is not None else None
        if given is not None:
            self.of.update(dict.fromkeys(variable.holders, given))

    def spread(self) -> None:
        """Uses tell first (seed 000: from output to input), what is left follows from operands."""
        changed = True
        while changed:
            changed = False
            for op in reversed(self.ops):
                for position, layout in self.wants(op):
                    changed |= self._set(op.operands[position], layout)
            if not changed:
                changed = sum(self._follow(op) for op in self.ops) > 0

    def wants(self, op: Op) -> Iterator[tuple[int, AnyLayout]]:
        """The layouts in which an op takes its operands."""
        yield from with_used(op, dict(wanted(op, self.of))).items()
        if op.regions or op.terminator:
            for position in range(len(op.operands)):
                variable = self._given_to.get((op, position))
                if variable is not None and variable.holders[0] in self.of:
                    yield position, self.of[variable.holders[0]]

    def _set(self, value: Value, layout: AnyLayout) -> bool:
        if value in self.of or not isinstance(value.type, HELD):
            return False
        held = self._held_by.get(value)
        made = dict.fromkeys(held.holders, layout) if held is not None else settled(value, layout)
        self.of.update(made)
        return bool(made)

    def _follow(self, op: Op) -> bool:
        changed = False
        if op.results and not op.regions and op.results[0] not in self.of:
            layout = following(op, self.of)
            changed = layout is not None and self._set(op.results[0], layout)
        for position, value in enumerate(op.operands):
            variable = self._given_to.get((op, position))
            if variable is not None and value in self.of:
                changed |= self._set(variable.holders[0], self.of[value])
        return changed

    def share_prefetches(self, target: Target) -> None:
        """All subgroups share a prefetch that nothing else distributes."""
        subgroups = max((layout.num_subgroups for layout in self.of.values()), default=1)
        for op in self.ops:
            if isinstance(op, xetile.PrefetchTile) and op.tile not in self.of:
                tile = op.tile.type
                self._set(op.tile, choose_prefetch(tile.shape, element_bytes(tile.element), tile.order, subgroups, target))
                self.spread()

    def follow_tiles(self) -> None:
        """What comes from a tile is distributed as the tile, which other accesses may have settled; uses convert it."""
        for op in self.ops:
            if isinstance(op, (xetile.LoadTile, xetile.LoadGather, xetile.AtomicRmwTile)) and op.tile in self.of:
                self.of[op.results[0]] = self.of[op.tile]

    def write(self) -> None:
        """Say it on the ops. Raises LayoutError for values without layout, or with one that does not fit."""
        for op in self.ops:
            for number, result in enumerate(op.results):
                if not isinstance(result.type, HELD):
                    continue
                layout = self.of.get(result)
                if layout is None:
                    raise LayoutError(
                        f"{op.opname}: no layout over subgroups reaches this {result.type}",
                        hint="give a layout to its op (layout_result_0) or to the descriptor that it is stored to",
                        at=op.loc,
                    )
                try:
                    shares(layout, plain_shape(result))
                except LayoutError as error:
                    raise LayoutError(f"{op.opname}: {error.message}", hint=error.hint, at=op.loc) from None
                op.attributes[f"layout_result_{number}"] = layout

    def convert(self) -> None:
        """Insert convert_layout where a value is wanted in another layout than it has."""
        made: dict[tuple[Value, AnyLayout], Value] = {}
        for op in self.ops:
            for position, layout in list(self.wants(op)):
                value = op.operands[position]
                if not isinstance(value.type, VectorType) or self._accepts(op, position, layout):
                    continue
                key = (value, layout)
                if key not in made:
                    made[key] = self._converted(value, layout)
                self.rewrite.set_operand(op, position, made[key])
                self.of[made[key]] = layout

    def _accepts(self, op: Op, position: int, layout: AnyLayout) -> bool:
        value = op.operands[position]
        have, shape = self.of[value], plain_shape(value)
        if isinstance(op, xegpu.Dpas) and position < 2 and layout != op.attributes.get(("layout_a", "layout_b")[position]):
            return multiplies(op, position, have, self.of[op.result])
        if isinstance(op, vector.MultiReduction) and position == 0 and op.result in self.of:
            return same_owners(have.slice(op.dims), self.of[op.result], shape_of(op.result.type))
        return same_owners(have, layout, shape)

    def _converted(self, value: Value, layout: AnyLayout) -> Value:
        """The value in another layout, made where it is defined: constants again, others by convert_layout."""
        op = value.op
        with self.rewrite.after(value):
            if op is not None and is_cheap(op):
                return self.rewrite.clone(op, op.operands, attributes={**op.attributes, "layout_result_0": layout}).result
            made: Value = self.rewrite(
                xegpu.ConvertLayout, value, input_layout=self.of[value], target_layout=layout, layout_result_0=layout
            )
            return made


def is_cheap(op: Op) -> bool:
    """Whether subgroups rematerialize a value in any layout: all pieces are alike."""
    return isinstance(op, arith.Constant) or (isinstance(op, vector.Broadcast) and not isinstance(op.source.type, VectorType))


def count_subgroups(module: GpuModule) -> None:
    """The workgroup has as many subgroups as the largest layout outside of `sg_id_range` says.

    A layout of fewer is for each group of so many subgroups (upstream counts ids modulo the layout's): its pieces have several owners.
    Raises LayoutError for layouts of other counts, and within an `sg_id_range` for those that are not of all its subgroups.
    """
    kernel = module.kernel
    placed = [op for op in kernel.walk() if not is_cheap(op)]  # those stand at the head, wherever used
    stated = [
        (op, layout.num_subgroups, xegpu.in_range(op)) for op in placed for layout in xegpu.layouts_of(op) if layout.is_workgroup
    ]
    whole = kernel.attributes.setdefault("num_subgroups", max((have for _, have, ranged in stated if ranged is None), default=1))
    for op, have, ranged in stated:
        expected = ranged.end - ranged.start if ranged is not None else whole
        if have != expected and (ranged is not None or expected % have):
            where = f"sg_id_range {ranged} has" if ranged is not None else "the workgroup has"
            layout = next(found for found in xegpu.layouts_of(op) if found.is_workgroup and found.num_subgroups == have)
            raise LayoutError(
                f"{op.opname}: sg_layout {list(layout.root.sg_layout)} has {have} subgroups; {where} {expected}",
                hint=f"make the product of sg_layout {expected}" + ("" if ranged is not None else ", or a divisor of it"),
                at=op.loc,
            )

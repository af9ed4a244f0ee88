"""Workgroup-level xegpu: every value gets a layout (seed 000, "extending sg_map attributes"; seed 003; seed 002, LayoutAttr)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import arith, scf, vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir.builder import create
from xetile.ir.core import Block, Op, Value
from xetile.passes.converter import Converter, Table
from xetile.passes.owners import AnyLayout, same_owners, shares
from xetile.passes.slots import Slot, slots_of
from xetile.passes.xegpu.layouts import anchor, following, plain_shape, wanted
from xetile.target import Target


def propagate_layouts(module: GpuModule, target: Target) -> GpuModule:
    """Give every vector of a workgroup a layout over subgroups.

    Before: workgroup-level xegpu with layouts on descriptors and on some ops. After: each op with vector results has
    `layout_result_N`, layouts agree at every use (convert_layout stands where they did not), the kernel has `num_subgroups`.
    Raises LayoutError where no layout reaches a value, or one does not fit it.
    """
    module = Converter(Table()).convert_function(module)  # type: ignore[assignment]  # the input stays as it is
    state = _Propagation(module)
    state.spread()
    state.write()
    state.convert()
    count_subgroups(module)
    return module


class _Propagation:
    """`of`: the layout of each vector, as far as it is known."""

    def __init__(self, module: GpuModule) -> None:
        self.module = module
        self.ops = list(module.kernel.walk())
        self.of: dict[Value, AnyLayout] = {}
        self.slots = [s for s in slots_of(module.kernel) if isinstance(s.inside[0].type, VectorType)]
        self._slot_of = {source: slot for slot in self.slots for source in slot.sources}
        for op in self.ops:
            if op.results and isinstance(op.results[0].type, VectorType) and not op.regions:
                given = anchor(op)
                if given is not None:
                    self.of[op.results[0]] = given
        for slot in self.slots:
            self._anchor_slot(slot)

    def _anchor_slot(self, slot: Slot) -> None:
        result = slot.inside[-1]
        given = result.op.attributes.get(f"layout_result_{result.index}") if result.op is not None else None
        if given is not None:
            self.of.update(dict.fromkeys(slot.inside, given))

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
        yield from wanted(op, self.of)
        if op.regions or isinstance(op, (scf.Yield, scf.Condition)):
            for position in range(len(op.operands)):
                slot = self._slot_of.get((op, position))
                if slot is not None and slot.inside[0] in self.of:
                    yield position, self.of[slot.inside[0]]

    def _set(self, value: Value, layout: AnyLayout) -> bool:
        if value in self.of or not isinstance(value.type, VectorType):
            return False
        for slot in self.slots:
            if value in slot.inside:
                self.of.update(dict.fromkeys(slot.inside, layout))
                return True
        self.of[value] = layout
        return True

    def _follow(self, op: Op) -> bool:
        changed = False
        if len(op.results) == 1 and not op.regions and op.results[0] not in self.of:
            layout = following(op, self.of)
            changed = layout is not None and self._set(op.results[0], layout)
        for position, value in enumerate(op.operands):
            slot = self._slot_of.get((op, position))
            if slot is not None and value in self.of:
                changed |= self._set(slot.inside[0], self.of[value])
        return changed

    def write(self) -> None:
        """Say it on the ops. Raises LayoutError for values without layout, or with one that does not fit."""
        for op in self.ops:
            for number, result in enumerate(op.results):
                if not isinstance(result.type, VectorType):
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
                op.operands[position] = made[key]
                self.of[made[key]] = layout

    def _accepts(self, op: Op, position: int, layout: AnyLayout) -> bool:
        value = op.operands[position]
        have, shape = self.of[value], plain_shape(value)
        if isinstance(op, xegpu.Dpas) and position < 2 and op.attributes.get(("layout_a", "layout_b")[position]) is None:
            return _multiplies(op, position, have, self.of[op.result])
        if isinstance(op, vector.MultiReduction) and position == 0 and op.result in self.of:
            return same_owners(have.slice(op.dims), self.of[op.result], op.result.type.shape)
        return same_owners(have, layout, shape)

    def _converted(self, value: Value, layout: AnyLayout) -> Value:
        """The value in another layout, made where it is defined: constants anew, others by convert_layout."""
        op = value.op
        if op is not None and is_cheap(op):
            again = type(op)(
                list(op.operands), op.segments, {**op.attributes, "layout_result_0": layout}, [value.type], [], op.loc
            )
        else:
            loc = op.loc if op is not None else None
            again = create(
                xegpu.ConvertLayout, value, input_layout=self.of[value], target_layout=layout, layout_result_0=layout, loc=loc
            )
        _place_after(value, again)
        return again.results[0]


def is_cheap(op: Op) -> bool:
    """Whether subgroups make a value anew in any layout: all pieces are alike."""
    return isinstance(op, arith.Constant) or (isinstance(op, vector.Broadcast) and not isinstance(op.source.type, VectorType))


def _multiplies(op: Any, position: int, have: AnyLayout, result: AnyLayout) -> bool:
    """Whether an operand is dealt out for a product: along the result's dimension as the result, along k not at all.

    How k is cut into pieces is free (seed 003), as long as A and B do it alike, which distribution checks.
    """
    value = op.operands[position]
    mine, its = shares(have, plain_shape(value)), shares(result, op.result.type.shape)
    return mine[position] == its[position] and mine[1 - position].distinct == 1


def _place_after(value: Value, op: Op) -> None:
    owner = value.owner
    block: Any = owner if isinstance(owner, Block) else owner.parent
    place = 0 if isinstance(owner, Block) else block.ops.index(owner) + 1
    op.parent = block
    block.ops.insert(place, op)


def count_subgroups(module: GpuModule) -> None:
    """The workgroup has as many subgroups as the layouts outside of `sg_id_range` say."""
    kernel = module.kernel
    for op in kernel.walk():
        if is_cheap(op):
            continue  # stands at the head, wherever it is used
        ranged = in_range(op)
        for layout in xegpu.layouts_of(op):
            if not layout.is_workgroup:
                continue
            have = layout.num_subgroups
            expected = ranged.end - ranged.start if ranged is not None else kernel.attributes.setdefault("num_subgroups", have)
            if have != expected:
                where = f"sg_id_range {ranged} has" if ranged is not None else "the workgroup has"
                raise LayoutError(
                    f"{op.opname}: sg_layout {list(layout.root.sg_layout)} has {have} subgroups; {where} {expected}",
                    hint=f"make the product of sg_layout {expected}",
                    at=op.loc,
                )


def in_range(op: Op) -> Any:
    """The `sg_id_range` of the nearest branch around an op that has one (seed 002, RangeAttr); None outside of all."""
    block = op.parent
    while block is not None and block.parent is not None:
        found = block.parent.attributes.get("sg_id_range")
        if found is not None:
            return found
        block = block.parent.parent
    return None

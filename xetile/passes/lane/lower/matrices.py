"""Matrices of shared local memory in lanes: what a lane holds of a block, in as few runs of neighbouring words as there are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.affine import sum_of
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir.builder import Builder
from xetile.ir.core import UNIT, Value
from xetile.layout import MemLayout
from xetile.passes.common.numbers import index
from xetile.passes.lane.lower.fragments import AnyLayout, LaneFunction, fit, fragments
from xetile.passes.lane.lower.moves import gather_slots, lane_number
from xetile.records import dataclass
from xetile.target import Target


@dataclass(frozen=True)
class Run:
    """Elements of a fragment that follow each other in memory: their slots, and where the first lies, by lane."""

    slots: tuple[int, ...]
    start: LaneFunction


class LaneMatrix:
    """A matrix seen as one row, for accesses of lanes."""

    def __init__(self, build: Builder, desc: Any, target: Target, source: Value) -> None:
        self.build = build
        self.layout: MemLayout = desc.type.memory_layout()
        self.target = target
        self.element = desc.type.element
        kind = xegpu.MemDescType((1, self.layout.size), self.element)
        self.row = build(xegpu.CreateMemDesc, source, result=kind)

    def load(self, offsets: list[Value], shape: tuple[int, ...], layout: AnyLayout) -> Value:
        """The fragment of a block at `offsets`."""
        runs = self._runs(shape, layout)
        base, known = self._start(offsets)
        parts = [(run, self._load(self._where(base, run, known), run)) for run in runs]
        if len(parts) == 1 and parts[0][0].slots == tuple(range(len(parts[0][0].slots))):
            return parts[0][1]
        count = sum(len(run.slots) for run in runs)
        whole = self.build(arith.Constant, value=0, result=VectorType((count,), self.element))
        at = 0
        for run, part in parts:
            whole = self.build(vector.InsertStridedSlice, part, whole, offsets=(at,), strides=(1,), result=whole.type)
            at += len(run.slots)
        order = [slot for run in runs for slot in run.slots]
        return gather_slots(self.build, whole, [order.index(slot) for slot in range(count)])

    def load_rows(self, offsets: list[Value], shape: tuple[int, ...], layout: AnyLayout) -> Value:
        """The fragment of a block that lies in one piece, by one block message: elements are distributed to the lanes in turn.

        Raises LayoutError where the lanes hold it in another way.
        """
        where = self._rows(offsets, shape, layout)
        kind = VectorType((len(fragments(shape, layout)[0]),), self.element)
        return self.build(xegpu.LoadMatrix, self.row, where, value=kind, subgroup_block_io=UNIT)

    def store_rows(self, value: Value, offsets: list[Value], shape: tuple[int, ...], layout: AnyLayout) -> None:
        """The inverse of `load_rows`."""
        self.build.op(xegpu.StoreMatrix, value, self.row, self._rows(offsets, shape, layout), subgroup_block_io=UNIT)

    def _rows(self, offsets: list[Value], shape: tuple[int, ...], layout: AnyLayout) -> list[Value]:
        """Where a block starts that lies in one piece."""
        table, lanes = fragments(shape, layout), self.target.subgroup_size
        first = self.layout.address(table[0][0])
        distributed = [[first + slot * lanes + lane for slot in range(len(table[0]))] for lane in range(lanes)]
        if [[self.layout.address(element) for element in elements] for elements in table] != distributed:
            raise LayoutError(f"subgroup_block_io: no one message moves {shape} elements as {layout} holds them")
        base, known = self._start(offsets)
        total = base[0]
        for part in [*base[1:], index(self.build, first + known)]:
            total = self.build(arith.AddI, total, part)
        return [index(self.build, 0), total]

    def store(self, value: Value, offsets: list[Value], shape: tuple[int, ...], layout: AnyLayout) -> None:
        """The inverse of `load`."""
        base, known = self._start(offsets)
        alignment = max(1, self.element.bits // 8)
        for run in self._runs(shape, layout):
            part = gather_slots(self.build, value, list(run.slots))
            self.build.op(xegpu.StoreMatrix, part, self.row, self._where(base, run, known), alignment=alignment)

    def _load(self, where: list[Value], run: Run) -> Value:
        kind = VectorType((len(run.slots),), self.element)
        found: Value = self.build(xegpu.LoadMatrix, self.row, where, value=kind, alignment=max(1, self.element.bits // 8))
        return found

    def _where(self, base: Sequence[Value], run: Run, known: int) -> list[Value]:
        """The lane's place, what moves it, and a number behind: messages differ by constants, steps by what moves."""
        total = lane_number(self.build, LaneFunction(0, run.start.weights), self.target.subgroup_size)
        for part in base:
            total = self.build(arith.AddI, total, part)
        return [index(self.build, 0), self.build(arith.AddI, total, index(self.build, run.start.base + known))]

    def _start(self, offsets: list[Value]) -> tuple[list[Value], int]:
        """Where the block at `offsets` starts, as a sum: terms of whole blocks of the matrix add up, by themselves; and a number."""
        block = [1 if whole else n for n, whole in zip(self.layout.block or self.layout.shape, self._straight())]
        rest: list[Value] = []
        moving: list[Value] = []
        known = [0] * len(offsets)
        for d, offset in enumerate(offsets):
            others: list[Value] = []
            place = sum_of(offset)
            known[d] = place.constant - place.constant % block[d]
            for term in place.terms:
                if term.symbol is not term.value and term.coefficient % block[d] == 0:
                    scale = self.layout.address([term.coefficient if i == d else 0 for i in range(len(offsets))])
                    moving.append(self.build(arith.MulI, term.symbol, index(self.build, scale)))
                else:
                    others.append(term.value)
            rest.append(self._sum([*others, *([index(self.build, left)] if (left := place.constant - known[d]) else [])]))
        return [self._address(rest), *moving], self.layout.address(known)

    def _straight(self) -> list[bool]:
        """The dimensions along which steps are all alike: no blocks cut them."""
        blocks = self.layout.block or self.layout.shape
        return [block == extent for block, extent in zip(blocks, self.layout.shape)]

    def _sum(self, terms: list[Value]) -> Value:
        total = terms[0] if terms else index(self.build, 0)
        for term in terms[1:]:
            total = self.build(arith.AddI, total, term)
        return total

    def _address(self, offsets: list[Value]) -> Value:
        """Where the block starts: coordinates of whole blocks, or of parts that divide them, add up with those inside."""
        total: Value = index(self.build, 0)
        for term in self.layout.terms():
            value = offsets[term.dim]
            if term.divisor > 1:
                value = self.build(arith.DivUI, value, index(self.build, term.divisor))
            if term.modulus:
                value = self.build(arith.RemUI, value, index(self.build, term.modulus))
            if term.stride != 1:
                value = self.build(arith.MulI, value, index(self.build, term.stride))
            total = self.build(arith.AddI, total, value)
        return total

    def _runs(self, shape: tuple[int, ...], layout: AnyLayout) -> tuple[Run, ...]:
        return _runs(self.layout, shape, layout, max(1, self.target.run_bytes * 8 // self.element.bits))


@lru_cache(maxsize=256)
def _runs(memory: MemLayout, shape: tuple[int, ...], layout: AnyLayout, longest: int) -> tuple[Run, ...]:
    """What each lane holds of a block in runs of at most `longest` elements."""
    table = fragments(shape, layout)
    places = [fit([memory.address(elements[slot]) for elements in table]) for slot in range(len(table[0]))]
    found: list[Run] = []
    slots: list[int] = []
    for slot in sorted(range(len(places)), key=lambda s: places[s].base):
        follows = slots and places[slot] == LaneFunction(places[slots[-1]].base + 1, places[slots[-1]].weights)
        if slots and (not follows or len(slots) == longest):
            found.append(Run(tuple(slots), places[slots[0]]))
            slots = []
        slots.append(slot)
    return (*found, Run(tuple(slots), places[slots[0]]))

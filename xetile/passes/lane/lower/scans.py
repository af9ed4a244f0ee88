"""Running reductions over the elements of a subgroup: inside lanes one after the other, over lanes in log2 steps of shuffles."""

from __future__ import annotations

from math import prod

from xetile.dialects import arith, gpu, vector
from xetile.dialects.types import I1, I32, ScalarType, VectorType, element_of, shape_of
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value
from xetile.layout import Layout
from xetile.passes.common.numbers import index
from xetile.passes.common.reductions import combiner
from xetile.passes.lane.lower.fragments import fragments
from xetile.passes.lane.lower.moves import gather_slots
from xetile.records import dataclass

BYTE = 8
"""Its bits."""


@dataclass(frozen=True)
class LaneScan:
    """A scan along `dim` of a block of `shape` that lanes hold as `layout` says."""

    build: Builder
    kind: str
    shape: tuple[int, int]
    layout: Layout
    dim: int

    def run(self, source: Value) -> tuple[Value, Value]:
        """(scanned fragment, whole reductions, one for each line).

        Bytes that lanes shuffle are scanned as i32: GPUs shuffle and select words in fewer instructions, and Intel's compiler for CPUs ends
        the process ("Cannot emit physreg copy") on such scans where it knows some of the rows to be zeros. With their sign every reduction
        stays the same in its low 8 bits, unsigned extremes too, as the order of unsigned bytes is that of their words.
        """
        element = element_of(source.type)
        if self._lanes == 1 or element.is_float or element.bits != BYTE:
            return self._run(source)
        result, whole = self._run(self._cast(arith.ExtSI, source, I32))
        return self._cast(arith.TruncI, result, element), self._cast(arith.TruncI, whole, element)

    def _cast(self, cast: type[Op], value: Value, element: ScalarType) -> Value:
        return self.build(cast, value, result=VectorType(shape_of(value.type), element))

    def _run(self, source: Value) -> tuple[Value, Value]:
        lines = self._lines()
        carry: Value | None = None
        result = source
        for step in range(len(lines[0])):
            slots = [line[step] for line in lines]
            value = self._over_lanes(gather_slots(self.build, source, slots))
            if carry is not None:
                value = self._combine(carry, value)
            carry = self._last_lane(value)
            for position, slot in enumerate(slots):
                result = self._replace(result, value, position, slot)
        assert carry is not None
        return result, carry

    def _lines(self) -> list[list[int]]:
        """For each line that a lane has a part in, the slots of its elements in order."""
        mine = fragments(self.shape, self.layout)[0]
        kept = sorted({at[1 - self.dim] for at in mine})
        return [[slot for slot, at in enumerate(mine) if at[1 - self.dim] == k] for k in kept]

    @property
    def _lanes(self) -> int:
        """Lanes along the line."""
        return min(self.layout.lane_layout[self.dim], self.shape[self.dim])

    @property
    def _stride(self) -> int:
        return prod(self.layout.lane_layout[self.dim + 1 :])

    def _over_lanes(self, value: Value) -> Value:
        distance = 1
        while distance < self._lanes:
            below = self._shuffle(value, "up", self._i32(distance * self._stride))
            reaches = self.build(arith.CmpI, self._place(), index(self.build, distance), predicate="uge")
            value = self.build(arith.Select, self._mask(reaches, value), self._combine(below, value), value)
            distance *= 2
        return value

    def _place(self) -> Value:
        """The lane's number along the line."""
        lane: Value = self.build(gpu.LaneId)
        if self._stride > 1:
            lane = self.build(arith.DivUI, lane, index(self.build, self._stride))
        return self.build(arith.RemUI, lane, index(self.build, self._lanes))

    def _last_lane(self, value: Value) -> Value:
        if self._lanes == 1:
            return value
        lane = self.build(arith.IndexCast, self.build(gpu.LaneId), result=I32)
        last = self.build(arith.OrI, lane, self._i32((self._lanes - 1) * self._stride))
        return self._shuffle(value, "idx", last)

    def _shuffle(self, value: Value, mode: str, offset: Value) -> Value:
        return self.build(gpu.Shuffle, value, offset, self._i32(prod(self.layout.lane_layout)), mode=mode)[0]  # type: ignore

    def _mask(self, condition: Value, value: Value) -> Value:
        shape = shape_of(value.type)
        return self.build(vector.Broadcast, condition, result=VectorType(shape, I1))

    def _combine(self, one: Value, other: Value) -> Value:
        combine: type[Op] = combiner(self.kind, element_of(one.type).is_float)
        return self.build(combine, one, other)

    def _replace(self, whole: Value, value: Value, position: int, slot: int) -> Value:
        element = self.build(vector.Extract, value, position=(position,))
        return self.build(vector.Insert, element, whole, position=(slot,))

    def _i32(self, value: int) -> Value:
        return self.build(arith.Constant, value=value, result=I32)

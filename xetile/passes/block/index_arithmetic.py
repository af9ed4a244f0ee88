"""Offsets and coordinates: numbers, index values, and vectors of index over the lanes."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.layout import Layout
from xetile.passes.common.numbers import index
from xetile.target import Target


class IndexArithmetic:
    """Emits index arithmetic for the lanes of a target."""

    def __init__(self, build: Builder, target: Target) -> None:
        self.build = build
        self.target = target

    def constant(self, value: int) -> Value:
        """An index."""
        return index(self.build, value)

    def add(self, position: Any, more: Any) -> Any:
        """A sum of numbers, index values and vectors of index."""
        if isinstance(more, int):
            return position if more == 0 else self.add(position, self.constant(more))
        if isinstance(position, int):
            return more if position == 0 else self.add(self.constant(position), more)
        if position.type != more.type:
            position, more = self.together(position, more)
        return self.build(arith.AddI, position, more)

    def like(self, value: Value, other: Value) -> Value:
        return self.splat(value) if isinstance(other.type, VectorType) and not isinstance(value.type, VectorType) else value

    def together(self, one: Value, other: Value) -> tuple[Value, Value]:
        return self.like(one, other), self.like(other, one)

    def splat(self, value: Value) -> Value:
        """A scalar in all lanes."""
        kind = VectorType((self.target.subgroup_size,), element_of(value.type))
        return self.build(vector.Broadcast, value, result=kind)

    def lane_runs(self, beside: int, run: int) -> tuple[Any, Any]:
        """Row and column where each lane's run starts, where so many lanes share a row."""
        lanes: Any = self.lanes()
        if beside == 1:
            return lanes, 0
        down: Any = 0
        if beside < self.target.subgroup_size:
            across = self.splat(self.constant(beside))
            down, lanes = self.build(arith.DivUI, lanes, across), self.build(arith.RemUI, lanes, across)
        return down, self.build(arith.MulI, lanes, self.splat(self.constant(run)))

    def lanes(self) -> Value:
        """Each lane's number."""
        return self.build(vector.Step, result=VectorType((self.target.subgroup_size,), INDEX))

    def zeros(self, shape: tuple[int, int], element: ScalarType, layout: Layout) -> Value:
        """A vector of zeros, held as a layout says."""
        return self.build(arith.Constant, value=0, result=VectorType(shape, element), layout_result_0=layout)

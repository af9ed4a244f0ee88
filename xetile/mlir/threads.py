"""Threads of a workgroup as MLIR numbers them: along x first, then y and z; a subgroup has so many that follow each other."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.dialects import arith, gpu
from xetile.dialects.types import INDEX
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import Value

_AXES = gpu.DIMENSIONS
NAMES = ("gpu.thread_id", "gpu.block_dim", "gpu.global_id", "gpu.num_subgroups", "gpu.subgroup_size")


class Threads:
    """Writes numbers and counts of threads.

    each: threads of a subgroup: its lanes, or 1 where a thread is a subgroup. sizes: threads of a workgroup, where the text says
    them; else all of it lies along x.
    """

    def __init__(self, build: Builder, lanes: int, each: int, sizes: tuple[int, ...] | None) -> None:
        self.build = build
        self.lanes = lanes
        self.each = each
        self.sizes = sizes
        self._waiting: list[tuple[Any, int]] = []

    def value(self, name: str, dimension: str) -> Value:
        """What the op of this name gives."""
        if dimension not in ("", *_AXES):
            raise MlirTextError(f"{name}: dimension {dimension} is none of {', '.join(_AXES)}")
        axis = _AXES.index(dimension) if dimension else 0
        made: Value = getattr(self, name.removeprefix("gpu."))(axis)
        return made

    def thread_id(self, axis: int) -> Value:
        """A thread's place along an axis."""
        if self.sizes is None or prod(self.sizes[1:]) == 1:
            return self._number() if axis == 0 else self._constant(0)
        place, before = self._number(), prod(self.sizes[:axis])
        if before > 1:
            place = self.build(arith.DivUI, place, self._constant(before))
        return self.build(arith.RemUI, place, self._constant(self.sizes[axis])) if axis < 2 else place

    def block_dim(self, axis: int) -> Value:
        """Threads along an axis."""
        if self.sizes is not None:
            return self._constant(self.sizes[axis])
        return self._later(self.each) if axis == 0 else self._constant(1)

    def global_id(self, axis: int) -> Value:
        """A thread's place along an axis of the grid."""
        block = self.build(gpu.BlockId, dimension=_AXES[axis])
        return self.build(arith.AddI, self.build(arith.MulI, block, self.block_dim(axis)), self.thread_id(axis))

    def num_subgroups(self, axis: int) -> Value:
        """Subgroups of the workgroup."""
        return self._later(1)

    def subgroup_size(self, axis: int) -> Value:
        """Lanes of a subgroup."""
        return self._constant(self.lanes)

    def settle(self, num_subgroups: int | None) -> None:
        """Fill in what was not known before all was read. Raises MlirTextError where nothing tells."""
        for value, factor in self._waiting:
            if num_subgroups is None:
                raise MlirTextError("nothing tells how many subgroups a workgroup has", hint="known_block_size = array<i32: 256, 1, 1>",
                                    at=value.op.loc)  # fmt: skip
            value.op.attributes["value"] = num_subgroups * factor

    def _number(self) -> Value:
        """A thread's number in the workgroup."""
        if self.each == 1:
            return self.build(gpu.SubgroupId)
        before = self.build(arith.MulI, self.build(gpu.SubgroupId), self._constant(self.each))
        return self.build(arith.AddI, before, self.build(gpu.LaneId))

    def _later(self, factor: int) -> Value:
        value = self._constant(factor)
        self._waiting.append((value, factor))
        return value

    def _constant(self, number: int) -> Value:
        made: Value = self.build(arith.Constant, value=number, result=INDEX)
        return made

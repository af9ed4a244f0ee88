"""Runs: neighbours in a row that a lane holds, which go by one message under one mask where there are no block messages.

Kernels that only load rows, compute on them, and store rows hold all values so. Everything that moves data in another way
(products, gathers, transpositions) is laid out element by element, and so is the whole kernel then; but where lanes hold
neighbours all the same, such as a product's rows, they are stored in runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xetile.block_rules import WORD_RULES
from xetile.dialects import arith, math, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value
from xetile.passes.alignment import Alignment
from xetile.passes.blocking import element_bytes
from xetile.passes.stage_operands import turned
from xetile.passes.uses import TileFamilies
from xetile.target import Target

_COMPUTES = (*arith.ELEMENTWISE, *math.ELEMENTWISE, arith.Constant, vector.Broadcast, xetile.TileIota, xetile.TileReduce,
             xetile.TileBroadcast)  # fmt: skip
_ACCESSES = (xetile.LoadTile, xetile.StoreTile, xetile.PrefetchTile)


def as_used(module: GpuModule, target: Target) -> Target:
    """The target as a kernel uses it: with transposed products where it is staged, without runs where values are not held so."""
    used = turned(module, target)
    return used if used.lane_run == 1 or module.kernel.attributes.get("lane_runs") else replace(used, lane_run=1)


def lane_runs_fit(module: GpuModule, target: Target) -> bool:
    """Whether lanes can hold runs of neighbours in a kernel at subgroup level."""
    if target.lane_run == 1:
        return False
    runs = RowRuns(module, target)

    def fits(op: Op) -> bool:
        if isinstance(op, _ACCESSES):
            plain = not {"lane_map", "inst_data", "inside"} & op.attributes.keys() and op.attributes.get("padding", 0) == 0
            return plain and (op.tile.type.shape[1] < target.lane_run or runs.reach(op.tile))
        touches = any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results))
        return not touches or isinstance(op, _COMPUTES) or bool(op.regions) or op.terminator

    return all(map(fits, module.kernel.walk()))


class RowRuns:
    """Which tiles of a module, blocked or not yet, consist of whole runs."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        kernel = module.kernel
        self.length = target.lane_run
        self._families = TileFamilies(module)
        self._alignment = Alignment(kernel)
        self._own: dict[Value, str] = {a: spec.param for a, spec in zip(kernel.body.args, kernel.args)}
        self._unfit = {*(kernel.attributes.get("scattered") or ()), *(kernel.attributes.get("ragged") or ())}
        self._made: dict[Value, list[Any]] = {}
        for op in kernel.walk():
            if isinstance(op, xetile.InitTile):
                self._made.setdefault(self._families.root(op.result), []).append(op)

    def reach(self, tile: Value) -> bool:
        """Whether a tile begins and ends at runs of its array, whose rows are whole runs that begin at whole words."""
        kind: Any = tile.type
        if self.length == 1 or kind.scatter or kind.order != (1, 0) or kind.shape[1] % self.length or 1 < kind.element.bits < 8:
            return False
        # Of a tile's offsets the last counts elements along its rows.
        aligned = self.length <= 1 << self._alignment.of(tile)[1]
        return aligned and all(map(self._memory, self._made[self._families.root(tile)]))

    def _memory(self, op: Any) -> bool:
        sizes, strides = [list(map(arith.constant_of, part)) for part in (op.shape, op.strides)]
        if strides[-1] != 1 or self._own.get(op.base) in self._unfit or (sizes[-1] is not None and sizes[-1] % self.length):
            return False
        size = element_bytes(op.result.type.element)
        words = (self._is_own(v, op.base) or (n is not None and n * size % WORD_RULES.base_alignment == 0)
                 for n, v in zip(strides[:-1], op.strides))  # fmt: skip
        return (sizes[-1] is not None or self._is_own(op.shape[-1], op.base)) and all(words)

    def _is_own(self, value: Value, base: Value) -> bool:
        """Whether a size or stride is the array's, which the launch has looked at."""
        return base in self._own and self._own.get(value) == self._own[base]

"""Whether lanes hold runs of neighbours: kernels that only load rows, compute on them, and store rows.

Where there are no block messages a lane's run goes by one message, under one mask. Everything that moves data in another way
(products, gathers, transpositions) is laid out element by element, and so is the whole kernel then.
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
from xetile.passes.stage_operands import turned
from xetile.passes.uses import TileFamilies
from xetile.target import Target

_COMPUTES = (*arith.ELEMENTWISE, *math.ELEMENTWISE, arith.Constant, vector.Broadcast, xetile.TileIota, xetile.TileReduce,
             xetile.TileBroadcast, xetile.TilePack, xetile.TileUnpack)  # fmt: skip
_ACCESSES = (xetile.LoadTile, xetile.StoreTile)


def as_used(module: GpuModule, target: Target) -> Target:
    """The target as a kernel uses it: with transposed products where it is staged, without runs where they do not fit."""
    used = turned(module, target)
    return used if used.lane_run == 1 or module.kernel.attributes.get("lane_runs") else replace(used, lane_run=1)


def lane_runs_fit(module: GpuModule, target: Target) -> bool:
    """Whether lanes hold runs of neighbours in a kernel at subgroup level."""
    return target.lane_run > 1 and _Runs(module, target.lane_run).everywhere()


class _Runs:
    def __init__(self, module: GpuModule, run: int) -> None:
        kernel = module.kernel
        self.run = run
        self.kernel = kernel
        self.families = TileFamilies(module)
        self.alignment = Alignment(kernel)
        self.own: dict[Value, str] = {a: spec.param for a, spec in zip(kernel.body.args, kernel.args)}
        self.unfit = {*(kernel.attributes.get("scattered") or ()), *(kernel.attributes.get("ragged") or ())}

    def everywhere(self) -> bool:
        """Whether all accesses go by runs, or move less than one."""
        return all(map(self._fits, self.kernel.walk()))

    def _fits(self, op: Op) -> bool:
        if isinstance(op, _ACCESSES):
            return self._access(op)
        if isinstance(op, xetile.InitTile):
            return bool(op.result.type.shape[1] < self.run) or self._memory(op)
        touches = any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results))
        return not touches or isinstance(op, _COMPUTES) or bool(op.regions) or op.terminator

    def _access(self, op: Any) -> bool:
        kind = op.tile.type
        if kind.shape[1] < self.run:
            return True
        plain = not {"lane_map", "inst_data", "inside"} & op.attributes.keys() and op.attributes.get("padding", 0) == 0
        whole = kind.shape[1] % self.run == 0 and kind.element.bits >= 8
        # Of a tile's offsets the last counts elements along its rows.
        return plain and whole and self.run <= 1 << self.alignment.of(op.tile)[1]

    def _memory(self, op: Any) -> bool:
        """Whether rows are whole runs that begin at whole words."""
        kind = op.result.type
        sizes, strides = [list(map(arith.constant_of, part)) for part in (op.shape, op.strides)]
        if kind.order != (1, 0) or kind.scatter or strides[-1] != 1 or self.own.get(op.base) in self.unfit:
            return False
        if sizes[-1] is not None and sizes[-1] % self.run:
            return False
        words = (self._own(v, op.base) or (n is not None and n * kind.element.bits // 8 % WORD_RULES.base_alignment == 0)
                 for n, v in zip(strides[:-1], op.strides))  # fmt: skip
        return (sizes[-1] is not None or self._own(op.shape[-1], op.base)) and all(words)

    def _own(self, value: Value, base: Value) -> bool:
        """Whether a size or stride is the array's, which the launch has looked at."""
        return base in self.own and self.own.get(value) == self.own[base]

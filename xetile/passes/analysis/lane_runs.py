"""Runs: neighbours in a row that a lane holds, which go by one message under one mask where there are no block messages.

Kernels that only load rows, compute on them, and store rows hold all values so. Everything that moves data in another way
(products, gathers, transpositions) is laid out element by element, and so is the whole kernel then, unless what it moves is too narrow
for runs; but where lanes hold neighbours all the same, such as a product's rows, they are stored in runs.
"""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import PlainBlocks, element_bytes
from xetile.passes.analysis.lengths import Lengths, least_of
from xetile.passes.analysis.numbers import Numbers
from xetile.target import Target
from xetile.target.block_rules import WORD_RULES

_COMPUTES = (Elementwise, arith.Constant, vector.Broadcast, xetile.TileIota, xetile.TileReduce,
             xetile.TileBroadcast)  # fmt: skip
_ACCESSES = (xetile.LoadTile, xetile.StoreTile, xetile.PrefetchTile)


def lane_runs_fit(module: GpuModule, target: Target) -> bool:
    """Whether lanes can hold runs of neighbours in a kernel at subgroup level."""
    if target.lane_run == 1:
        return False
    runs = analyses.get(RowRuns, module, target)

    def _in_runs(tile: Value) -> bool:
        kind = type_of(tile, xetile.TileType)
        return kind.shape[1] < target.lane_run or (kind.order == (1, 0) and runs.reach(tile))

    def fits(op: Op) -> bool:
        if isinstance(op, _ACCESSES):
            plain = (
                not {"lane_map", "inst_data", "inside", "whole_rows"} & op.attributes.keys()
                and op.attributes.get("padding", 0) == 0
            )
            return plain and _in_runs(op.tile)
        if isinstance(op, xetile.PrefetchTiles):
            return all(map(_in_runs, op.tiles))
        held = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, VectorType)]
        no_runs = all(kind.rank == 2 and kind.shape[1] % target.lane_run for kind in held)  # held as they are in any kernel
        return no_runs or isinstance(op, _COMPUTES) or bool(op.regions) or op.terminator

    return all(map(fits, module.kernel.walk()))


def plain_blocks(module: GpuModule, target: Target) -> PlainBlocks:
    """How lanes hold plain values of a kernel: in runs where its attribute `lane_runs` says so."""
    run = target.lane_run if module.kernel.lane_runs else 1
    return PlainBlocks(target.subgroup_size, target.block_rows, run)


class RowRuns:
    """Which tiles of a module, blocked or not yet, consist of whole runs."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        kernel = module.kernel
        self.length = target.lane_run
        self._classes = analyses.get(AliasClasses, module)
        self._numbers = analyses.get(Numbers, kernel)
        self._args = kernel.specs
        self._unfit = {*(kernel.scattered), *(kernel.ragged)}
        self._lengths = Lengths(kernel, self._unfit)
        self._made: dict[Value, list[xetile.InitTile]] = {}
        for op in kernel.find(xetile.InitTile):
            self._made.setdefault(self._classes.root(op.result), []).append(op)

    def reach(self, tile: Value) -> bool:
        """Whether a tile begins and ends at runs of its array, whose rows are whole runs that begin at whole words.

        Rows of memory: of a column-major tile these are its columns.
        """
        kind = type_of(tile, xetile.TileType)
        if self.length == 1 or kind.scatter or 1 < kind.element.bits < 8:
            return False
        along = -1 if kind.order == (1, 0) else -2
        if kind.shape[along] % self.length or self.length > 1 << self._numbers.zeros(tile)[along]:
            return False
        return all(self._memory(op, along) for op in self._made[self._classes.root(tile)])

    def _memory(self, op: xetile.InitTile, along: int) -> bool:
        if len(op.shape) < -along or arith.constant_of(op.strides[along]) != 1:
            return False
        if op.base in self._args and self._args[op.base].param in self._unfit:
            return False
        columns, size = arith.constant_of(op.shape[along]), element_bytes(op.result.type.element)
        ends = least_of(op.shape[along])
        own = any(self._is_own(v, op.base, "dim") for v in ends) and (
            len(ends) == 1 or self._lengths.is_row(op.shape[along], size)
        )
        whole = columns % self.length == 0 if columns is not None else own
        others = [v for i, v in enumerate(op.strides, -len(op.strides)) if i != along]
        return whole and all(self._is_own(v, op.base, "stride") or _is_words(v, size) for v in others)

    def _is_own(self, value: Value, base: Value, kind: str) -> bool:
        """Whether a value is a stride of the array or several, or its size along rows of memory: the launch has looked at these."""
        if kind == "stride" and isinstance(value.op, arith.MulI):
            return any(self._is_own(v, base, kind) for v in value.op.operands)
        array, spec = self._args.get(base), self._args.get(value)
        if array is None or spec is None or (spec.kind, spec.param) != (kind, array.param):
            return False
        return kind == "stride" or base.type.strides is None or base.type.strides[spec.axis] == 1  # type: ignore[attr-defined]


def _is_words(stride: Value, size: int) -> bool:
    known = arith.constant_of(stride)
    return known is not None and known * size % WORD_RULES.base_alignment == 0

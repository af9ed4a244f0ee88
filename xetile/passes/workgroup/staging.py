"""What passes share that stage operands of loops in shared local memory: a buffer of two halves, which take turns from step to step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xetile.dialects import arith, gpu, xetile
from xetile.dialects.types import INDEX, MemRefType
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import BlockOrder, Layout
from xetile.passes.common.converter import Converter
from xetile.passes.common.slm import SLM


class Staging(Converter):
    """Copies a kernel in which the operands of some `loops` are staged; the passes' operands have the `load` that is replaced."""

    def __init__(self, table: Table, loops: Mapping[Op, list[Any]]) -> None:
        super().__init__(table)
        self.loops = loops

    def constant(self, value: int) -> Value:
        """An index."""
        return self.build(arith.Constant, value=value, result=INDEX)

    def buffer(self, tile: xetile.TileType, order: BlockOrder) -> Value:
        """Room for two tiles, one below the other."""
        rows, columns = tile.shape
        return self.build(gpu.Alloca, result=MemRefType((2 * rows, columns), tile.element, None, SLM, order=order))

    def half(self, buffer: Value, tile: xetile.TileType, turn: Value, wg_map: Layout | None = None) -> Value:
        """The half of a buffer whose turn it is, 0 or 1, as a tile."""
        rows, columns = tile.shape
        kind = xetile.TileType(tile.shape, tile.element, wg_map, (1, 0), space=SLM)
        start = self.build(arith.MulI, turn, self.constant(rows))
        return self.build(
            xetile.InitTile, buffer, [start, self.constant(0)], [self.constant(2 * rows), self.constant(columns)],
            [self.constant(columns), self.constant(1)], result=kind,
        )  # fmt: skip

    def step(self, loop: Any, replaced: Iterable[Op]) -> None:
        """The ops of a step but for loads whose values are known already, and for the terminator."""
        loads = set(replaced)
        for op in loop.body.ops[:-1]:
            if op not in loads:
                self.op(op)

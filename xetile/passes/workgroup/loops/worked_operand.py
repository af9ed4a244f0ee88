"""The stream of an operand that a workgroup works out of what is loaded, a part of it in each subgroup, and shares.

What a subgroup has worked out lies in shared local memory as registers have it, in blocks of DPAS: block messages store and load whole
registers. Two halves of a buffer alternate, so that one barrier an iteration suffices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.types import MemRefType, element_of
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.ir.rewriter import Rewriter
from xetile.layout import BlockOrder, Layout
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM
from xetile.passes.workgroup.layouts.rules import shape_of
from xetile.passes.workgroup.loops.pipelining import PHASES, Iteration
from xetile.records import dataclass


@dataclass(frozen=True)
class WorkedOperand:
    """What products of a loop take in one role, and how subgroups share it.

    pack     rows that share a word of the buffer; share: the part that each subgroup works out.
    block    of DPAS; halves: of the buffer, one or two.
    loads    of which it is worked out.
    saved    instructions of a subgroup, but for a barrier.
    """

    value: Value
    loads: tuple[Value, ...]
    pack: int
    block: tuple[int, int]
    share: Layout
    saved: float = 0
    halves: int = PHASES
    buffer: Value | None = None

    @property
    def made(self) -> Sequence[Value]:
        """All is made in the iteration before."""
        return ()

    @property
    def memory(self) -> MemRefType:
        """The buffer's type: its halves, one below the other."""
        rows, columns = shape_of(self.value)
        order = BlockOrder((self.halves * rows, self.block[1]), self.pack)
        return MemRefType((self.halves * rows, columns), element_of(self.value.type), None, SLM, order=order)

    def alloca(self, loop: scf.For) -> Value:
        """A buffer before the loop."""
        build = Rewriter()
        with build.before(loop):
            return build(gpu.Alloca, result=self.memory)

    def first(self, build: Builder, iteration: Iteration) -> Iteration:
        """What the first iteration loads follows from the loop's arguments."""
        return iteration

    def own(self, build: Builder, iteration: Iteration) -> Iteration:
        """So does what this one loads."""
        return iteration

    def following(self, build: Builder, iteration: Iteration, more: Value | None) -> Iteration:
        """So does what the next one loads, or what lies beyond the last: tiles are padded."""
        return iteration

    def next(self, build: Builder, tile: Any) -> Any:
        """Nothing is carried by itself."""
        raise NotImplementedError

    def fetch(self, build: Builder, tile: Iteration) -> Iteration:
        """The loads."""
        for load in self.loads:
            tile.get(load, build)
        return tile

    def store(self, build: Builder, fetched: Iteration, phase: Value, at: Mapping[Value, Value]) -> None:
        """A share is worked out, and becomes part of a half."""
        build.op(xetile.StoreTile, fetched.get(self.value, build), self._half(build, phase, self.share))

    def read(self, build: Builder, phase: Value) -> Value:
        """All that products take, from a half; in blocks, for what the next instructions take would wait in registers."""
        blocks = self.block if self.pack > 1 else None
        return build(xetile.LoadTile, self._half(build, phase, None), padding=0, inst_data=blocks)

    def _half(self, build: Builder, phase: Value, share: Layout | None) -> Value:
        """The tile of a half of the buffer."""
        rows, columns = shape_of(self.value)
        places = (
            [build(arith.MulI, phase, index(build, rows if self.halves > 1 else 0)), index(build, 0)],
            [index(build, self.halves * rows), index(build, columns)],
            [index(build, columns), index(build, 1)],
        )
        kind = xetile.TileType((rows, columns), element_of(self.value.type), share, (1, 0), space=SLM)
        made: Value = build(xetile.InitTile, self.buffer, *places, result=kind)
        return made

"""What loops compute anew of the same numbers, and the addresses at which their lanes load and store: IGC keeps them through the loop.

LLVM moves what is the same in each iteration before the loop, in all kernels; the passes here leave that to it. It moves no exchange
between lanes, which is convergent, and nothing that is computed of one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from xetile.dialects import gpu, vector, xegpu
from xetile.estimate.spread import MOVES
from xetile.ir.core import Block, Elementwise, Op, Value

_MESSAGES = (xegpu.Load, xegpu.Store)
_MOVES = (*MOVES, vector.Bitcast, vector.Shuffle)
_MOVED = (Elementwise, gpu.LaneId, *_MOVES)

Place = tuple[Value, Value | None]
"""Memory, and what lanes add to where it begins."""


class Invariants:
    """For the ops of a kernel's loops the loop before which IGC moves them, the outermost that does not change what they compute."""

    any_order = True

    def __init__(self, kernel: gpu.GpuFunc | None) -> None:
        self.before: dict[Op, Op] = {}
        self.addresses: dict[Op, tuple[Op, Place]] = {}
        """For messages of lanes: the loop before which the address is made, and what tells it from others."""
        self.operands: dict[tuple[Op, int], Op] = {}
        """For operands of products the loop before which they are put together."""
        self._level: dict[Value, int] = {}  # in how many of the loops around it a value changes
        if kernel is not None:
            self._block(kernel.body, ())

    def _block(self, block: Block, loops: tuple[Op, ...]) -> None:
        for op in block.ops:
            if op.regions:
                for region in op.regions:
                    inside = (*loops, op) if op.repeats else loops
                    self._level.update((argument, len(inside)) for argument in region.args)
                    self._block(region, inside)
                self._level.update((result, len(loops)) for result in op.results)
            elif loops:
                self._op(op, loops)

    def _op(self, op: Op, loops: tuple[Op, ...]) -> None:
        level = len(loops)
        if op.constant_like or isinstance(op, _MOVED):
            level = self._changes(op.operands)
            if level < len(loops):
                self.before[op] = loops[level]
        elif isinstance(op, _MESSAGES):
            place = (op.source if isinstance(op, xegpu.Load) else op.dest, op.offsets)
            outer = self._changes(value for value in place if value is not None)
            if outer < len(loops):
                self.addresses[op] = loops[outer], place
        elif isinstance(op, xegpu.Dpas):
            for position in range(2):
                outer = self._changes(op.operands[position : position + 1])
                if outer < len(loops):
                    self.operands[op, position] = loops[outer]
        self._level.update((result, level) for result in op.results)

    def _changes(self, values: Iterable[Value]) -> int:
        return max(map(self._level.get, values, repeat(0)), default=0)

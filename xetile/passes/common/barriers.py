"""Placing barriers: between accesses of memory by different subgroups whose order matters, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xetile.dialects import gpu, xegpu
from xetile.dialects.gpu import GpuFunc
from xetile.errors import LayoutError
from xetile.ir import analyses
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.numbers import Numbers
from xetile.records import dataclass


@dataclass(frozen=True)
class Access:
    """An access of the memory `base`. `kind`: "read", "write" or another; `part` tells what is touched, for who asks."""

    base: Value
    kind: str
    part: Any = None


Accesses = Callable[[Op], Sequence[Access]]
Conflict = Callable[[Access, Access], bool]


class Barriers:
    """Walks a kernel in the order in which it runs; `open`: the accesses since the last barrier.

    accesses(op): what an op does; conflict(one, other): whether a barrier must stand between. Barriers of the user count. Loops
    are entered with what their own end leaves open.
    strict: raise LayoutError where only some subgroups would reach a barrier; else such code is left to the user, who wrote it
    for some subgroups. fence: order global memory too.
    """

    def __init__(self, kernel: GpuFunc, accesses: Accesses, conflict: Conflict, *, strict: bool, fence: bool = False) -> None:
        self.numbers = analyses.get(Numbers, kernel)
        self.open: set[Access] = set()
        self._accesses = accesses
        self._conflict = conflict
        self._strict = strict
        self._fence = fence
        self._arrived = False
        self._loops: list[Op] = []  # around what is walked through

    def block(self, block: Block) -> None:
        """Walk a block."""
        for op in list(block.ops):
            if isinstance(op, gpu.Barrier):
                self.open.clear()
            elif isinstance(op, (gpu.BarrierArrive, gpu.BarrierWait)):
                self._arrived = isinstance(op, gpu.BarrierArrive)
            elif not op.regions:
                self._access(op, self._accesses(op))
            elif not op.repeats and self.numbers.diverge([op]):
                self._divergent(op)
            elif not op.repeats:
                self._branches(op)
            else:
                self._loop(op)

    def _access(self, op: Op, accesses: Sequence[Access]) -> None:
        if any(self._conflict(one, other) for one in accesses for other in self.open):
            self._barrier_before(op)
        self.open.update(accesses)

    def _divergent(self, op: Op) -> None:
        """Some subgroups skip this branch: it must not hold a barrier, so the one that it needs stands before it."""
        accesses = [access for inside in op.walk() if not inside.regions for access in self._accesses(inside)]
        if self._strict and any(self._conflict(one, other) for one in accesses for other in accesses):
            raise _not_reached(op)
        self._access(op, accesses)

    def _branches(self, op: Op) -> None:
        entry, ends = set(self.open), []
        for block in op.regions:
            self.open = set(entry)
            self.block(block)
            ends.append(self.open)
        self.open = set().union(*ends)

    def _loop(self, op: Op) -> None:
        self._loops.append(op)
        ends = entry = set(self.open)
        # The first pass sees what comes before the loop; the second one also what the loop's own end leaves open, if that is more.
        for _ in range(2):
            for block in op.regions:
                self.block(block)
                ends = ends | self.open
            if self.open <= entry:
                break
        self._loops.pop()
        self.open = ends

    def _barrier_before(self, op: Op) -> None:
        if self.numbers.diverge(self._loops):
            if self._strict:
                raise _not_reached(op)
            return
        if self._arrived:
            raise LayoutError(
                "values move between subgroups after barrier_arrive and before barrier_wait, where no other barrier may stand",
                hint="move the reduction, transposition or layout change out of there",
                at=op.loc,
            )
        rewrite = Rewriter()
        with rewrite.before(op):
            if self._fence:
                rewrite(xegpu.Fence, memory_kind="global", fence_scope="workgroup")
            rewrite(gpu.Barrier)
        self.open.clear()


def _not_reached(op: Op) -> LayoutError:
    return LayoutError(
        "values move between subgroups in a branch or loop that not all subgroups take, since it depends on subgroup_id",
        hint="move the reduction, transposition or layout change out of it",
        at=op.loc,
    )

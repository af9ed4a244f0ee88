"""Which scalars differ between the subgroups of a workgroup, and in which branches and loops they therefore diverge."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xetile.dialects import arith, gpu
from xetile.dialects.gpu import GpuFunc
from xetile.ir.core import Op, Value
from xetile.ir.dataflow import Forward
from xetile.ir.interfaces import control_values

SUBGROUPS = 1 << 30
"""The fact of what may differ between subgroups. Smaller facts are of what lanes differ in, alike in each subgroup: after how many
lanes its numbers repeat, a power of two."""
LANES = 1 << 20
"""The fact of what differs between the lanes of a subgroup in a way that is not known."""


class Divergence(Forward[int]):
    """`values` that may differ between subgroups or lanes; `divergent(op)`: whether not all of them run an op's regions alike."""

    def __init__(self, kernel: GpuFunc) -> None:
        super().__init__(kernel)
        if kernel.has((gpu.SubgroupId, gpu.LaneId)):
            self.solve()

    @property
    def values(self) -> Collection[Value]:
        """Those that may differ."""
        return self.facts.keys()

    def divergent(self, op: Op) -> bool:
        """Whether a branch's condition, or how often a loop runs, differs."""
        return any(value in self.facts for value in control_values(op))

    def join(self, one: int, other: int) -> int:
        """What differs less often is covered by what differs more."""
        return max(one, other)

    def transfer(self, op: Op) -> Iterable[tuple[Value, int]]:
        """What is made of different numbers differs; a reduction over lanes gives all of them one number."""
        if isinstance(op, gpu.SubgroupId):
            return [(op.result, SUBGROUPS)]
        if isinstance(op, gpu.LaneId):
            return [(op.result, LANES)]
        fact = self._of(op.operands)
        if isinstance(op, arith.RemUI) and isinstance(op.operands[0].owner, gpu.LaneId):
            fact = _period(op)
        if isinstance(op, gpu.Shuffle) and fact:
            fact = max(fact, LANES)
        if isinstance(op, gpu.SubgroupReduce) and fact <= _reduced(op):
            return ()
        return [(result, fact) for result in op.results] if fact else ()

    def enter(self, op: Op) -> Iterable[tuple[Value, int]]:
        """Subgroups that diverge come out with values of their own."""
        yield from ((counter, fact) for counter, parts in op.counters() if (fact := self._of(parts)))
        if fact := self._of(control_values(op)):
            yield from ((holder, fact) for variable in op.flow() for holder in variable.holders)

    def _of(self, values: Iterable[Value]) -> int:
        return max((self.facts.get(value, 0) for value in values), default=0)


def _period(op: Op) -> int:
    """After how many lanes the remainder of a lane's number repeats."""
    count = arith.constant_of(op.operands[1])
    return count if isinstance(count, int) and count > 0 and count & (count - 1) == 0 else LANES


def _reduced(op: gpu.SubgroupReduce) -> int:
    """The most lanes after which numbers may repeat that a reduction makes one for all lanes."""
    if op.cluster_size is None:
        return LANES
    return op.cluster_size if op.cluster_stride is None else 0

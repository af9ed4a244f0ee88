"""Which scalars differ between the subgroups of a workgroup, and in which branches and loops they therefore diverge."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xetile.dialects import gpu
from xetile.dialects.gpu import GpuFunc
from xetile.ir.core import Op, Value
from xetile.ir.dataflow import Forward
from xetile.ir.interfaces import control_values

_ASKS_WHO = (gpu.SubgroupId, gpu.LaneId)


class Divergence(Forward[bool]):
    """`values` that may differ between subgroups; `divergent(op)`: whether not all subgroups run an op's regions alike."""

    def __init__(self, kernel: GpuFunc) -> None:
        super().__init__(kernel)
        if any(isinstance(op, _ASKS_WHO) for op in kernel.walk()):
            self.solve()

    @property
    def values(self) -> Collection[Value]:
        """Those that may differ."""
        return self.facts.keys()

    def divergent(self, op: Op) -> bool:
        """Whether a branch's condition, or how often a loop runs, differs between subgroups."""
        return any(value in self.facts for value in control_values(op))

    def join(self, one: bool, other: bool) -> bool:
        """There is one fact: that they differ."""
        return True

    def transfer(self, op: Op) -> Iterable[tuple[Value, bool]]:
        """What is made of different numbers differs."""
        if isinstance(op, _ASKS_WHO) or any(v in self.facts for v in op.operands):
            return [(result, True) for result in op.results]
        return ()

    def enter(self, op: Op) -> Iterable[tuple[Value, bool]]:
        """Subgroups that diverge come out with values of their own."""
        yield from ((counter, True) for counter, parts in op.counters() if any(v in self.facts for v in parts))
        if self.divergent(op):
            yield from ((holder, True) for variable in op.flow() for holder in variable.holders)

"""Which branches and loops of a kernel the lanes of one subgroup may take apart."""

from __future__ import annotations

from xetile.dialects import gpu, xegpu, xetile
from xetile.ir.core import Op, Value

_SAME = (gpu.SubgroupReduce, gpu.BlockId, gpu.GridDim, gpu.SubgroupId)
_OWN = (gpu.LaneId, xetile.ReduceLines, xegpu.LoadNd, xegpu.Dpas, xegpu.AtomicRmw)


class LaneBranches:
    """Asked op by op."""

    def __init__(self, kernel: Op) -> None:
        self._own: set[Value] = set()
        ops = list(kernel.walk())
        known = -1
        while known != len(self._own):
            known = len(self._own)
            for op in ops:
                self._visit(op)
        self._apart = {op for op in ops if op.regions and self._own.intersection(_deciding(op))}

    def apart(self, op: Op) -> bool:
        """Whether an op may be run by some lanes of a subgroup only."""
        around = op.parent.parent if op.parent is not None else None
        return around is not None and (around in self._apart or self.apart(around))

    def _visit(self, op: Op) -> None:
        """What is computed of numbers of the lanes' own is one of these, and what comes out of branches that these decide."""
        if op.regions:
            for variable in op.flow():
                if not self._own.isdisjoint(variable.given):
                    self._own.update(variable.holders)
            for counter, given in op.counters():
                if not self._own.isdisjoint(given):
                    self._own.add(counter)
            if not self._own.isdisjoint(_deciding(op)):
                self._own.update(op.results)
        elif isinstance(op, _OWN) or (not self._is_same(op) and not self._own.isdisjoint(op.operands)):
            self._own.update(op.results)

    def _is_same(self, op: Op) -> bool:
        return isinstance(op, _SAME) or (isinstance(op, gpu.Shuffle) and op.mode == "idx" and op.offset not in self._own)


def _deciding(op: Op) -> list[Value]:
    """What tells how often the blocks of an op run."""
    return [user.operands[at] for user, at in op.control()]

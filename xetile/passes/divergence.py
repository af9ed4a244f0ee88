"""Which scalars differ between the subgroups of a workgroup, and which branches and loops they therefore take apart."""

from __future__ import annotations

from typing import Any

from xetile.dialects import gpu, scf
from xetile.ir.core import Block, Op, Value

_ASKS_WHO = (gpu.SubgroupId, gpu.LaneId)


class Divergence:
    """`values` that may differ between subgroups; `divergent(op)`: whether not all subgroups run an op's regions alike."""

    def __init__(self, kernel: Any) -> None:
        self.values: set[Value] = set()
        # Carried values spread what they hold around loops: until nothing is added.
        known = -1
        while known != len(self.values) and any(isinstance(op, _ASKS_WHO) for op in kernel.walk()):
            known = len(self.values)
            self._block(kernel.body)

    def divergent(self, op: Any) -> bool:
        """Whether a branch's condition, or how often a loop runs, differs between subgroups."""
        if isinstance(op, scf.If):
            return op.condition in self.values
        if isinstance(op, scf.For):
            return any(v in self.values for v in op.operands[:3])
        return isinstance(op, scf.While) and op.before.terminator.operands[0] in self.values

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if op.regions:
                for inner in op.regions:
                    self._block(inner)
                self._carried(op)
            elif isinstance(op, _ASKS_WHO) or (op.results and any(v in self.values for v in op.operands)):
                self.values.update(op.results)

    def _carried(self, op: Any) -> None:
        groups: list[tuple[Value, ...]] = []
        if isinstance(op, scf.For):
            groups = list(zip(op.init, op.body.args[1:], op.body.terminator.operands, op.results))
            if op.lower in self.values or op.step in self.values:
                self.values.add(op.body.args[0])
        elif isinstance(op, scf.If) and op.results:
            groups = list(zip(op.results, op.then.terminator.operands, op.otherwise.terminator.operands))
        elif isinstance(op, scf.While):
            groups = list(zip(op.init, op.before.args, op.after.terminator.operands))
            groups += list(zip(op.results, op.after.args, op.before.terminator.operands[1:]))
        apart = self.divergent(op)
        for group in groups:
            if apart or any(v in self.values for v in group):
                self.values.update(group)


def enclosing(op: Op) -> list[Op]:
    """The branches and loops around an op, innermost first."""
    found = []
    block = op.parent
    while block is not None and block.parent is not None and block.parent.parent is not None:
        found.append(block.parent)
        block = block.parent.parent
    return found

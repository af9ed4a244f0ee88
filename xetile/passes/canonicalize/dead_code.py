"""Removing what has no effect: ops that nobody uses, results and carried values that nobody reads."""

from __future__ import annotations

from typing import Any

from xetile.dialects import gpu, memory, scf, xegpu, xetile
from xetile.ir.core import Block, Op, Value

_LOADS = (xetile.LoadTile, xetile.LoadGather, xegpu.LoadNd, xegpu.Load, xegpu.LoadMatrix, gpu.Alloca,
          memory.Load, memory.LoadVector, memory.Gather)  # fmt: skip


def remove_dead_code(kernel: Any) -> None:
    """Keep what the kernel's effects need; a loop or branch without effects and without used results goes as a whole."""
    live = _Liveness()
    live.roots(kernel.body)
    live.spread()
    _sweep(kernel.body, live)


def _removable(op: Op) -> bool:
    return op.pure or isinstance(op, _LOADS)


class _Liveness:
    """`values` that are read, `ops` that stay."""

    def __init__(self) -> None:
        self.values: set[Value] = set()
        self.ops: set[Op] = set()
        self._pending: list[Value] = []

    def roots(self, block: Block) -> bool:
        """Mark the ops with effects in a block; whether there are any."""
        found = False
        for op in block.ops:
            if op.regions:
                effects = [self.roots(inner) for inner in op.regions]  # all of them: roots() marks what it finds
                if any(effects):
                    self._keep(op)
                    found = True
            elif not op.terminator and not _removable(op):
                self._keep(op)
                found = True
        return found

    def spread(self) -> None:
        """Mark all that is needed for what is marked."""
        while self._pending:
            value = self._pending.pop()
            owner = value.owner
            if isinstance(owner, Block):
                self._argument(owner, value)
            elif owner.regions:
                self._keep(owner)
                self._result(owner, value)
            else:
                self._keep(owner)

    def _keep(self, op: Op) -> None:
        """An op stays; of one with regions only what its running needs."""
        if op in self.ops:
            return
        self.ops.add(op)
        if isinstance(op, scf.For):
            self._need(op.lower, op.upper, op.step)
        elif isinstance(op, scf.While):
            self._need(op.before.terminator.operands[0])
        elif isinstance(op, scf.If):
            self._need(op.condition)
        else:
            self._need(*op.operands)

    def _need(self, *values: Value) -> None:
        for value in values:
            if value not in self.values:
                self.values.add(value)
                self._pending.append(value)
                # Whatever is read inside a region keeps the op around it.
                self._around(value)

    def _around(self, value: Value) -> None:
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        if block is not None and block.parent is not None and block.parent.parent is not None:
            self._keep(block.parent)

    def _result(self, op: Any, value: Value) -> None:
        if isinstance(op, scf.For):
            self._need(op.body.args[value.index + 1])
        elif isinstance(op, scf.While):
            self._need(op.before.terminator.operands[value.index + 1])
        else:
            self._need(*(block.terminator.operands[value.index] for block in op.regions))

    def _argument(self, block: Block, value: Value) -> None:
        op: Any = block.parent
        if isinstance(op, scf.For) and value.index > 0:
            self._need(op.init[value.index - 1], block.terminator.operands[value.index - 1])
        elif isinstance(op, scf.While) and block is op.before:
            self._need(op.init[value.index], op.after.terminator.operands[value.index])
        elif isinstance(op, scf.While):
            self._need(op.before.terminator.operands[value.index + 1])


def _sweep(block: Block, live: _Liveness) -> None:
    kept = []
    for op in block.ops:
        if op.terminator:
            kept.append(op)
        elif op in live.ops:
            if op.regions:
                _SHRINK[type(op)](op, live.values)
                for inner in op.regions:
                    _sweep(inner, live)
            kept.append(op)
    block.ops = kept


def _shrink_for(op: Any, live: set[Value]) -> None:
    keep = [i for i, arg in enumerate(op.body.args[1:]) if arg in live or op.results[i] in live]
    if len(keep) == len(op.results):
        return
    op.operands[3:] = [op.operands[3 + i] for i in keep]
    op.segments = (1, 1, 1, len(keep))
    _pick_args(op.body, [0, *(i + 1 for i in keep)])
    _pick_operands(op.body.terminator, keep, 0)
    _pick_results(op, keep)


def _shrink_while(op: Any, live: set[Value]) -> None:
    passed = [i for i, arg in enumerate(op.after.args) if arg in live or op.results[i] in live]
    carried = [i for i, arg in enumerate(op.before.args) if arg in live]
    op.operands[:] = [op.operands[i] for i in carried]
    op.segments = (len(carried),)
    _pick_args(op.before, carried)
    _pick_operands(op.after.terminator, carried, 0)
    _pick_args(op.after, passed)
    _pick_operands(op.before.terminator, passed, 1)
    _pick_results(op, passed)


def _shrink_if(op: Any, live: set[Value]) -> None:
    keep = [i for i, result in enumerate(op.results) if result in live]
    if len(keep) == len(op.results):
        return
    for block in op.regions:
        _pick_operands(block.terminator, keep, 0)
    _pick_results(op, keep)


def _pick_args(block: Block, keep: list[int]) -> None:
    block.args = [block.args[i] for i in keep]
    for i, arg in enumerate(block.args):
        arg.index = i


def _pick_results(op: Op, keep: list[int]) -> None:
    op.results = [op.results[i] for i in keep]
    for i, result in enumerate(op.results):
        result.index = i
    if "wg_maps" in op.attributes:
        op.attributes["wg_maps"] = tuple(op.attributes["wg_maps"][i] for i in keep)


def _pick_operands(end: Op, keep: list[int], lead: int) -> None:
    """Keep some of the values that a terminator gives, after its `lead` fixed operands."""
    end.operands[lead:] = [end.operands[lead + i] for i in keep]
    assert end.segments is not None
    end.segments = (*end.segments[:-1], len(keep))


_SHRINK: dict[type[Op], Any] = {scf.For: _shrink_for, scf.While: _shrink_while, scf.If: _shrink_if}

"""Removing what has no effect: ops that nobody uses, results and carried values that nobody reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects.gpu import GpuFunc
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import control_values, only_reads
from xetile.ir.rewriter import Rewriter
from xetile.ir.variables import variables


def remove_dead_code(kernel: GpuFunc) -> None:
    """Keep what the kernel's effects need; a loop or branch without effects and without used results goes as a whole."""
    live = _Liveness(kernel)
    live.roots(kernel.body)
    live.spread()
    _sweep(kernel.body, live)


class _Liveness:
    """`values` that are read, `ops` that stay."""

    def __init__(self, kernel: Op) -> None:
        self._variables = variables(kernel).holding
        self.values: set[Value] = set()
        self.ops: set[Op] = set()
        self._pending: list[Value] = []
        self._read_in: set[object] = set()

    def roots(self, block: Block) -> bool:
        """Mark the ops with effects in a block; whether there are any."""
        found = False
        for op in block.ops:
            if op.regions:
                effects = [self.roots(inner) for inner in op.regions]  # all of them: roots() marks what it finds
                if any(effects):
                    self._keep(op)
                    found = True
            elif not (op.pure or op.terminator or op.allocates or only_reads(op)):
                self._keep(op)
                found = True
        return found

    def spread(self) -> None:
        """Mark all that is needed for what is marked."""
        pending, ops, variables = self._pending, self.ops, self._variables
        while pending:
            value = pending.pop()
            op = value.op
            if op is None:
                self._keep_around(value.owner)
            else:
                if op not in ops:
                    self._keep(op)
                if not op.regions:
                    continue
            if value in variables:
                self._need(variables[value].given)

    def _keep(self, op: Op) -> None:
        """An op stays; of one with regions only what its running needs."""
        if op in self.ops:
            return
        self.ops.add(op)
        if op.parent not in self._read_in:
            self._keep_around(op.parent)
        self._need(control_values(op) if op.regions else op.operands)

    def _need(self, values: Sequence[Value]) -> None:
        new = {*values} - self.values
        self.values |= new
        self._pending += new

    def _keep_around(self, block: Any) -> None:
        """Whatever is read inside a region keeps the op around it."""
        self._read_in.add(block)
        around = block.parent if isinstance(block, Block) else None
        if around is not None and around.parent is not None:
            self._keep(around)


def _sweep(block: Block, live: _Liveness) -> None:
    kept = []
    for op in block.ops:
        if op.terminator:
            kept.append(op)
        elif op in live.ops:
            if op.regions:
                _shrink(op, live.values)
                for inner in op.regions:
                    _sweep(inner, live)
            kept.append(op)
    if len(kept) != len(block.ops):
        Rewriter().set_block(block, kept)


def _shrink(op: Op, live: set[Value]) -> None:
    """Remove the variables of a loop or branch that nobody reads."""
    dead = [variable for variable in op.flow() if live.isdisjoint(variable.holders)]
    if not dead:
        return
    gone = {holder.index for variable in dead for holder in variable.holders if holder.op is op}
    if "wg_maps" in op.attributes:
        op.attributes["wg_maps"] = tuple(layout for i, layout in enumerate(op.attributes["wg_maps"]) if i not in gone)
    Rewriter().remove_variables(dead)

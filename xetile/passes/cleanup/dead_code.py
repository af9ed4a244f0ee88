"""Removing what has no effect: ops that nobody uses, results and carried values that nobody reads."""

from __future__ import annotations

from xetile.dialects.gpu import GpuFunc
from xetile.ir.core import Block, Op, Value, Variable, regions_of
from xetile.ir.interfaces import control_values
from xetile.ir.rewriter import Rewriter


def remove_dead_code(kernel: GpuFunc) -> None:
    """Keep what the kernel's effects need; a loop or branch without effects and without used results goes as a whole."""
    live = _Liveness()
    live.block(kernel.body)
    _sweep(kernel.body, live)


class _Liveness:
    """From uses to definitions, which stand before them: `values` that are read, `ops` that stay, `dead` variables of those with regions.

    `open`: of blocks that were gone through, what further uses may let stay, or let stay with more in it.
    """

    def __init__(self) -> None:
        self.values: set[Value] = set()
        self.ops: set[Op] = set()
        self.dead: dict[Op, list[Variable]] = {}
        self.open: dict[Block, list[Op]] = {}

    def block(self, block: Block) -> bool:
        """Whether anything in a block stays that did not before, as far as is known of what is read behind it."""
        values, ops, found, left = self.values, self.ops, False, list[Op]()
        for op in self.open[block] if block in self.open else reversed(block.ops):
            if op.regions:
                left.append(op)
                if not self._structured(op):
                    continue
            elif op.acts or not values.isdisjoint(op.results):
                values.update(op.operands)
            else:
                left.append(op)
                continue
            ops.add(op)
            found = True
        self.open[block] = left
        return found

    def _structured(self, op: Op) -> bool:
        """Whether a loop or branch stays: its regions are gone through again while that makes it pass on more, which they compute."""
        values, dead = self.values, self.dead[op] if op in self.dead else list(op.flow())
        stays, known = not values.isdisjoint(op.results), -1
        while True:
            if stays:
                values.update(control_values(op))
            variables, dead = dead, []
            for variable in variables:
                if values.isdisjoint(variable.holders):
                    dead.append(variable)
                else:
                    values.update(variable.given)
            if len(values) == known:
                self.dead[op] = dead
                return stays
            for block in reversed(op.regions):
                stays |= self.block(block)
            known = len(values)


def _sweep(block: Block, live: _Liveness) -> None:
    ops = live.ops
    kept = [op for op in block.ops if op in ops or op.terminator]
    for op in filter(regions_of, kept):
        if live.dead[op]:
            _shrink(op, live.dead[op])
        for inner in op.regions:
            _sweep(inner, live)
    if len(kept) != len(block.ops):
        Rewriter().set_block(block, kept)


def _shrink(op: Op, dead: list[Variable]) -> None:
    """Remove the variables of a loop or branch that nobody reads."""
    gone = {holder.index for variable in dead for holder in variable.holders if holder.op is op}
    if "wg_maps" in op.attributes:
        op.attributes["wg_maps"] = tuple(layout for i, layout in enumerate(op.attributes["wg_maps"]) if i not in gone)
    Rewriter().remove_variables(dead)

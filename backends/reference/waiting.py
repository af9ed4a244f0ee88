"""Loops in which a program waits for another: they read memory until it is what another program makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile.dialects import scf
from xetile.ir.core import Op, Value
from xetile.ir.reach import reached

from .machine import Machine, WaitsError
from .memory import Region
from .values import force

IDLE, MOST = 1024, 1 << 15
"""Iterations in which no memory changes, and any at all, before programs that take each step together are taken to wait."""
OWN = 16
"""The same for a program that takes turns with others."""


def waits_of(func: Op) -> frozenset[Op]:
    """While loops whose condition depends on what they read from memory."""
    return frozenset(op for op in func.walk() if isinstance(op, scf.While) and _depends_on_memory(op))


def _depends_on_memory(loop: Any) -> bool:
    inside = {result for op in loop.walk() if op is not loop for result in op.results}

    def made_of(value: Value) -> Sequence[Value]:
        if value.op is None:
            return _given(loop, value)
        return [v for inner in value.op.walk() for v in inner.operands] if value in inside else ()

    made = reached([loop.before.terminator.operands[0]], made_of)
    return any(v.op is not None and v.op.reads and v in inside for v in made)


def _given(loop: Any, arg: Value) -> list[Value]:
    """Where an argument of a block comes from, one iteration before or in this one."""
    block: Any = arg.owner
    if block is loop.before:
        return [loop.after.terminator.operands[arg.index]]
    if block is loop.after:
        return [loop.before.terminator.operands[1 + arg.index]]
    owner = block.parent
    return [v for inner in owner.walk() for v in inner.operands] if owner is not None and owner in set(loop.walk()) else []


class Look:
    """One run of such a loop, which counts how often nothing was new."""

    def __init__(self, machine: Machine, op: Op) -> None:
        self.machine, self.op = machine, op
        self.changes = machine.changes.count
        self.idle = self.turns = 0

    def again(self, before: Sequence[Any], after: Sequence[Any]) -> None:
        """An iteration has ended, and another follows; `before`, `after`: what it was given, and what it gives.

        Raises WaitsError where others must go on first and cannot, for all take each step together.
        """
        changes = self.machine.changes
        self.turns += 1
        self.idle = self.idle + 1 if changes.count == self.changes else 0
        stuck = self.idle > 0 and all(map(_same, before, after))
        self.changes = changes.count
        task = self.machine.task
        if task is None:
            if stuck or self.idle >= IDLE or self.turns >= MOST:
                raise WaitsError
        elif stuck or self.turns % OWN == 0:
            task.let_others(self.op, stuck)
            self.changes = changes.count


def _same(one: Any, other: Any) -> bool:
    one, other = force(one), force(other)
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool((one == other).all())
    if isinstance(one, Region) and isinstance(other, Region) and one.memory is other.memory:
        return all(bool((a.offset == b.offset).all()) for a, b in zip(one.dims, other.dims))
    return False

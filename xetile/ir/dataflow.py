"""Facts about values, from definitions to uses, through loops and branches, until nothing changes: a sparse solver.

An analysis says what facts there are (a lattice with `join`), and what an op makes of its operands' facts (`transfer`, monotone).
The solver begins without facts, goes through the ops in order, and comes back to those whose operands' facts have changed. Facts of
carried values are optimistic: what a loop's end gives counts only once it is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from xetile.ir.core import Op, Value
from xetile.ir.variables import variables

Fact = TypeVar("Fact")


class Forward(Generic[Fact]):
    """`facts`: what is known of each value. Give it facts of the kernel's arguments, then `solve`."""

    def __init__(self, root: Op) -> None:
        self.facts: dict[Value, Fact] = {}
        self._root = root
        self._variables = variables(root)
        self._given, self._controls = self._variables.given, self._variables.controlled
        self._only: set[Op] | None = None
        self._through: Mapping[Op, Sequence[int]] | None = None
        self._queue: deque[Op] = deque()
        self._queued: set[Op] = set()

    def join(self, one: Fact, other: Fact) -> Fact:
        """What holds of a value that is the one or the other."""
        raise NotImplementedError

    def transfer(self, op: Op) -> Iterable[tuple[Value, Fact]]:
        """Facts of the results of an op without regions."""
        raise NotImplementedError

    def enter(self, op: Op) -> Iterable[tuple[Value, Fact]]:
        """Facts that a loop or branch gives to values in it besides what it passes on, such as its counter."""
        return ()

    def passes_on(self, op: Op, value: Value) -> bool:
        """Whether what is known of an operand counts where an op passes it on."""
        return True

    def solve(self, only: Collection[Op] | None = None, through: Mapping[Op, Sequence[int]] | None = None) -> None:
        """Find all facts; or those of some ops, which come in order and are all that these depend on.

        through: the operands of loops, branches and their terminators that count then, by their positions.
        """
        if only is not None and through == {}:
            self._in_order(only)
            return
        queue, queued = self._queue, self._queued
        queue.extend(self._root.walk() if only is None else only)
        queued.update(queue)
        self._only, self._through = (None if only is None else set(only)), through
        while queue:
            op = queue.popleft()
            queued.discard(op)
            for value, fact in self.enter(op) if op.regions else self.transfer(op):
                self._learn(value, fact)
            if op.regions or op.terminator:
                self._pass_on(op)

    def _in_order(self, ops: Iterable[Op]) -> None:
        """Facts of ops none of which passes anything on: there is nothing to come back to."""
        facts = self.facts
        for op in ops:
            for value, fact in self.enter(op) if op.regions else self.transfer(op):
                facts[value] = self.join(facts[value], fact) if value in facts else fact

    def _pass_on(self, op: Op) -> None:
        facts, operands = self.facts, op.operands
        for position in range(len(operands)) if self._through is None else self._through.get(op, ()):
            value = operands[position]
            variable = self._given.get((op, position)) if value in facts else None
            if variable is not None and self.passes_on(op, value):
                for holder in variable.holders:
                    self._learn(holder, facts[value])

    def _learn(self, value: Value, fact: Fact) -> None:
        known = self.facts.get(value)
        new = fact if known is None else self.join(known, fact)
        if new == known:
            return
        self.facts[value] = new
        queued, controls, only, users = self._queued, self._controls, self._only, value.users
        if queued.issuperset(users) and (not controls or controls.keys().isdisjoint(users)):
            return  # as nearly all in the first walk
        for op in users:
            if only is not None and op not in only:
                continue
            if op not in queued:
                self._push(op)
            if op in controls:
                for position, controlled in controls[op]:
                    if op.operands[position] is value and controlled not in queued:
                        self._push(controlled)

    def _push(self, op: Op) -> None:
        self._queued.add(op)
        self._queue.append(op)

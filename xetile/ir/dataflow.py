"""Facts about values, from definitions to uses, through loops and branches, until nothing changes: a sparse solver.

An analysis says what facts there are (a lattice with `join`), and what an op makes of its operands' facts (`transfer`, monotone).
The solver begins without facts, goes through the ops in order, and comes back to those whose operands' facts have changed. Facts of
carried values are optimistic: what a loop's end gives counts only once it is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from xetile.ir.core import Block, Op, Value
from xetile.ir.variables import variables

Fact = TypeVar("Fact")


class Slice(NamedTuple):
    """What some facts depend on: values, the ops that give them, in order, and which operands of control flow pass them on."""

    values: Sequence[Value]
    ops: Sequence[Op]
    through: Mapping[Op, Sequence[int]]


class Forward(Generic[Fact]):
    """`facts`: what is known of each value. Give it facts of the kernel's arguments, then `solve`, or `ask` about values: most kernels
    consist of values that nobody asks about.
    """

    def __init__(self, root: Op) -> None:
        self.facts: dict[Value, Fact] = {}
        self._root = root
        self._variables = variables(root)
        self._given, self._controls = self._variables.given, self._variables.controlled
        self._only: set[Op] | None = None
        self._through: Mapping[Op, Sequence[int]] | None = None
        self._queue: deque[Op] = deque()
        self._queued: set[Op] = set()
        self._asked = {arg for body in root.regions for arg in body.args}
        self._solved = False

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

    def depends(self, op: Op) -> Iterable[Value]:
        """The values whose facts say what `transfer` or `enter` gives."""
        return (part for _, parts in op.counters() for part in parts) if op.regions else op.operands

    def decides(self, op: Op) -> Iterable[Value]:
        """The values whose facts say what `enter` gives to what a loop or branch passes on."""
        return ()

    def ask(self, value: Value) -> None:
        """Find the fact of a value, as far as that is not known yet."""
        if not self._solved and value not in self._asked:
            _, ops, through = self._behind(value)
            self.solve(ops, through)

    def settle(self, values: Iterable[Value]) -> None:
        """Find the facts of some values, the last that will be asked about: from now on the ops that they follow from may change."""
        for value in values:
            self.ask(value)
        self._solved = True

    @cached_property
    def _places(self) -> dict[Op, int]:
        return {op: place for place, op in enumerate(self._root.walk())}

    def _behind(self, value: Value) -> Slice:
        """What was not asked about yet of that which the fact of a value depends on; it counts as asked about from now on."""
        ahead, new, ops = [value], list[Value](), set[Op]()
        through: dict[Op, list[int]] = {}
        asked, holding = self._asked, self._variables.holding
        while ahead:
            value = ahead.pop()
            if value in asked:
                continue
            asked.add(value)
            new.append(value)
            maker = value.op or (value.owner.parent if isinstance(value.owner, Block) else None)  # of a counter, the loop
            if value not in holding:
                if maker is not None:
                    ops.add(maker)
                    ahead += self.depends(maker)
                continue
            variable = holding[value]
            ahead += variable.given
            for op, position in variable.sources:
                ops.add(op)
                through.setdefault(op, []).append(position)
            if maker is not None and (needs := tuple(self.decides(maker))):
                ops.add(maker)
                ahead += needs
        return Slice(new, sorted(ops, key=self._places.__getitem__) if len(ops) > 1 else list(ops), through)

    def solve(self, only: Collection[Op] | None = None, through: Mapping[Op, Sequence[int]] | None = None) -> None:
        """Find all facts; or those of some ops, which come in order and are all that these depend on.

        through: the operands of loops, branches and their terminators that count then, by their positions.
        """
        if only is not None and through == {}:
            self._in_order(only)
            return
        self._solved = only is None
        queue, queued = self._queue, self._queued
        queue.extend(self._root.walk() if only is None else only)
        queued.update(queue)
        self._only, self._through = (None if only is None else set(only)), through
        while queue:
            op = queue.popleft()
            queued.discard(op)
            regions = op.regions
            for value, fact in self.enter(op) if regions else self.transfer(op):
                if through is None or value in self._asked:  # of a counter that nobody asked about the bounds are not known
                    self._learn(value, fact)
            if regions or op.terminator:
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
        if known is not None:
            if known == fact:
                return
            fact = self.join(known, fact)
            if known == fact:
                return
        self.facts[value] = fact
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

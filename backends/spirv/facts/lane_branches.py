"""In which branches and loops the lanes of a subgroup may diverge, and which of the values that lanes exchange may differ between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from xetile.dialects import arith, gpu, xegpu, xetile
from xetile.dialects.types import element_of
from xetile.ir.core import Elementwise, Op, Value, regions_of
from xetile.ir.dataflow import Forward
from xetile.ir.interfaces import control_values, op_around, op_of_block
from xetile.ir.reach import reached

from .uses import moves

_OWN = (gpu.LaneId, xetile.ReduceLines, xegpu.LoadNd, xegpu.LoadMatrix, xegpu.Dpas, xegpu.AtomicRmw)
WORD = 32
_NONE: tuple[list[Op], list[Op]] = ([], [])
_DIVISIONS = (arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI)


class LaneBranches(Forward[bool]):
    """`diverges(op)`, `decision(op)`, `own(value)`. The fact of a value: it may differ between lanes.

    `branching`: ops of two floats for which the compiler writes functions that branch by lanes.
    """

    def __init__(self, kernel: Op, branching: tuple[type[Op], ...] = ()) -> None:
        super().__init__(kernel)
        self._kernel = kernel
        self._branching = branching
        self._parts: dict[Value, frozenset[Value]] = {}
        self._related: dict[frozenset[Value], tuple[list[Op], list[Op]]] = {}
        self._apart: dict[Op, bool] = {}
        self._together: set[Op] = set()  # ops of whose results nothing is taken that some lanes alone may run
        decided = {op: control_values(op) for op in filter(regions_of, kernel.walk())}
        for value in chain.from_iterable(decided.values()):
            self.ask(value)
        divergent = (op for op, values in decided.items() if self._any_own(values))
        self._divergent = {op: number for number, op in enumerate(divergent, 1)}

    def diverges(self, op: Op) -> bool:
        """Whether an op may be run by some lanes of a subgroup only."""
        if not self._divergent:
            return False
        around = op_around(op)
        return around is not None and (around in self._divergent or self.diverges(around))

    def only_apart(self, op: Op) -> bool:
        """Whether all lanes run an op, and only what some of them run alone takes its results, or what is computed of them."""
        return bool(self._divergent) and not self.diverges(op) and self._taken_apart(op)

    def _taken_apart(self, op: Op) -> bool:
        if op not in self._apart:
            users = list(_users(op))
            self._apart[op] = bool(users) and all(
                self.diverges(user) or (user.pure and self._taken_apart(user)) for user in users
            )
        return self._apart[op]

    def may_part(self, op: Op) -> bool:
        """Whether some lanes alone may run what takes an op's results, or what is computed of them, be it as compilers write it."""
        if op in self._together:
            return False
        made = set[Op]()
        for each in reached([op], lambda op: (user for user in _users(op) if user.pure and user not in self._together)):
            if any(map(self._may_run_apart, _users(each))):
                return True
            made.add(each)
        self._together |= made
        return False

    def meets_others(self, op: Op) -> bool:
        """Whether a function that branches by lanes takes what an op gives all lanes alike, or what is computed of that alone, beside numbers
        of the lanes' own.
        """
        alike = reached([op], lambda op: (user for user in _users(op) if user.pure and not self._gives_own(user)))
        return bool(self._branching) and any(
            isinstance(user, self._branching) and arith.APPROXIMATE not in user.attributes and self._gives_own(user)
            for each in alike
            for user in _users(each)
        )

    def _gives_own(self, op: Op) -> bool:
        return any(map(self.own, op.results))

    def _may_run_apart(self, op: Op) -> bool:
        """LLVM makes a branch of a choice where the same condition decides one before it, and IGC's functions for these ops have such."""
        if self.diverges(op):
            return True
        if isinstance(op, arith.RemF) or (isinstance(op, _DIVISIONS) and element_of(op.result.type).bits > WORD):
            return self.own(op.result)
        if isinstance(op, xegpu.AtomicRmw):
            return self.own(op.mask)
        stores, choices = self._alike(self._own_parts(condition)) if (condition := _condition(op)) else _NONE
        if isinstance(op, xegpu.Store):
            return any(self._follows(choice, op) for choice in choices)
        return any(self._follows(op, store) for store in stores)

    @cached_property
    def _by_condition(self) -> dict[frozenset[Value], tuple[list[Op], list[Op]]]:
        """Stores, and choices and loads, by what their own conditions are computed of: a store is a branch, when it is written, and has two
        ways where LLVM lets it choose what is chosen behind it.
        """
        found: dict[frozenset[Value], tuple[list[Op], list[Op]]] = {}
        for op in chain[Op](*(self._kernel.find(kind) for kind in (xegpu.Store, arith.Select, xegpu.Load))):
            if (condition := _condition(op)) and (parts := self._own_parts(condition)):
                found.setdefault(parts, ([], []))[not isinstance(op, xegpu.Store)].append(op)
        return found

    def _alike(self, parts: frozenset[Value]) -> tuple[list[Op], list[Op]]:
        """Stores, and choices and loads, whose conditions are computed of the same, or of more or less of it: of `lane < 8` and `lane < 8 and
        row < 8` the one decides a part of the other.
        """
        found = self._related.get(parts)
        if found is None:
            near = [each for others, each in self._by_condition.items() if parts and (parts <= others or others <= parts)]
            found = self._related[parts] = ([op for ops, _ in near for op in ops], [op for _, ops in near for op in ops])
        return found

    def _follows(self, op: Op, store: Op) -> bool:
        """Whether an op comes behind a store where nothing but branches lies between, also in another iteration."""
        block = store.parent
        inside = op_of_block(op, block) if block is not None else None
        if inside is None or block is None:
            return False
        return self._places[store] < self._places[inside] or (block.parent is not None and block.parent.repeats)

    def _own_parts(self, condition: Value) -> frozenset[Value]:
        """What a condition that lanes may have of their own is computed of, but for constants; nothing of others. Of the same things LLVM
        finds the same conditions in other words, such as `lane < 3` in `lane + 16 < 19`.
        """
        if condition not in self._parts:
            made = reached([condition] if self.own(condition) else (), _parts_of)
            self._parts[condition] = frozenset(v for v in made if not _is_computed(v.op))
        return self._parts[condition]

    def own(self, value: Value) -> bool:
        """Whether a value that one lane gives to others may differ between lanes."""
        self.ask(value)
        return value in self.facts

    def decision(self, op: Op) -> int:
        """The number, from 1, of a branch or loop in which lanes may diverge; 0 for others."""
        return self._divergent.get(op, 0)

    def join(self, one: bool, other: bool) -> bool:
        """What differs between lanes on one way differs behind both."""
        return one or other

    def transfer(self, op: Op) -> Iterable[tuple[Value, bool]]:
        """What is computed of values that differ between lanes does, too."""
        own = isinstance(op, _OWN) or (not self._is_same(op) and self._any_own(op.operands))
        return [(result, True) for result in op.results] if own else ()

    def decides(self, op: Op) -> Iterable[Value]:
        """What comes out of branches and loops depends on what decides about these."""
        return control_values(op)

    def enter(self, op: Op) -> Iterable[tuple[Value, bool]]:
        """And what comes out of branches and loops that these decide."""
        yield from ((counter, True) for counter, parts in op.counters() if self._any_own(parts))
        if self._any_own(control_values(op)):
            yield from ((result, True) for result in op.results)

    def _any_own(self, values: Iterable[Value]) -> bool:
        return any(value in self.facts for value in values)

    def _is_same(self, op: Op) -> bool:
        """Whether all lanes get the same result, whatever each of them gives."""
        if isinstance(op, gpu.SubgroupReduce):
            return op.cluster_size is None
        return isinstance(op, gpu.Shuffle) and op.mode == "idx" and op.offset not in self.facts


def _condition(op: Op) -> Value | None:
    """What decides where a choice, load or store is carried out, or which way."""
    return op.condition if isinstance(op, arith.Select) else op.mask if isinstance(op, (xegpu.Load, xegpu.Store)) else None


def _users(op: Op) -> Iterator[Op]:
    return (user for result in op.results for user in result.users)


def _parts_of(value: Value) -> Sequence[Value]:
    """What a value is computed of, or placed from, but for constants; nothing of what is neither."""
    op = value.op
    return [v for v in op.operands if not isinstance(v.op, arith.Constant)] if op is not None and _is_computed(op) else ()


def _is_computed(op: Op | None) -> bool:
    return isinstance(op, Elementwise) or moves(op)

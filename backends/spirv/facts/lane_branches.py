"""In which branches and loops the lanes of a subgroup may diverge, and which of the values that lanes exchange may differ between them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from xetile.dialects import gpu, xegpu, xetile
from xetile.ir.core import Op, Value, regions_of
from xetile.ir.dataflow import Forward
from xetile.ir.interfaces import control_values

_OWN = (gpu.LaneId, xetile.ReduceLines, xegpu.LoadNd, xegpu.LoadMatrix, xegpu.Dpas, xegpu.AtomicRmw)


class LaneBranches(Forward[bool]):
    """`diverges(op)`, `decision(op)`, `own(value)`. The fact of a value: it may differ between lanes."""

    def __init__(self, kernel: Op) -> None:
        super().__init__(kernel)
        self._apart: dict[Op, bool] = {}
        decided = {op: control_values(op) for op in filter(regions_of, kernel.walk())}
        for value in chain.from_iterable(decided.values()):
            self.ask(value)
        divergent = (op for op, values in decided.items() if self._any_own(values))
        self._divergent = {op: number for number, op in enumerate(divergent, 1)}

    def diverges(self, op: Op) -> bool:
        """Whether an op may be run by some lanes of a subgroup only."""
        if not self._divergent:
            return False
        around = op.parent.parent if op.parent is not None else None
        return around is not None and (around in self._divergent or self.diverges(around))

    def only_apart(self, op: Op) -> bool:
        """Whether all lanes run an op, and only what some of them run alone takes its results, or what is computed of them."""
        return bool(self._divergent) and not self.diverges(op) and self._taken_apart(op)

    def _taken_apart(self, op: Op) -> bool:
        if op not in self._apart:
            users = [user for result in op.results for user in result.users]
            self._apart[op] = bool(users) and all(
                self.diverges(user) or (user.pure and self._taken_apart(user)) for user in users
            )
        return self._apart[op]

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

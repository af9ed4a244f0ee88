"""The order in which IGC (2.40.14) puts a block of messages and products that it finds too full: from the first op on, each time what asks for
least.

`CodeScheduling.cpp` of IGC. A product stands as soon as it can; then messages that bring the last operand of one; of ops that ask for as
much, those on the longest way to the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from xetile.dialects import arith, xegpu
from xetile.estimate.storage import Atom, Storage
from xetile.ir.core import Block, Op, Value

PRODUCT, MESSAGE, ELEMENT_MESSAGE, OTHER = 6000, 50, 500, 10
"""How long IGC expects to wait for what an op makes, where registers are scarce (`CodeSchedulingOptionsDef.h`)."""
LARGE, WINDOW = 200, 64
"""Where the least that any op asks for is so many bytes, ops that ask for so many more are as good."""


def greedily(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block in that order."""
    if len(block.ops) < 3:
        return block.ops
    before, _ = storage.dependences(block)
    kept = {*outer, *storage.carried.get(block, ())}
    return list(_Schedule(block.ops, storage, before, kept).run(storage.atoms(block.args)))


class _Schedule:
    def __init__(self, ops: Sequence[Op], storage: Storage, before: Sequence[set[int]], kept: set[Atom]) -> None:
        self.ops, self.kept = ops, kept
        self.needs = [tuple(dict.fromkeys(storage.needs[op])) for op in ops]
        self.makes = [storage.makes[op] for op in ops]
        self.left = Counter(atom for atoms in self.needs for atom in atoms)
        self.missing = list(map(len, before))
        self.after: list[list[int]] = [[] for _ in ops]
        for i, found in enumerate(before):
            for j in found:
                self.after[j].append(i)
        self.way = [0] * len(ops)
        for i in reversed(range(len(ops))):
            self.way[i] = max([_wait(ops[i]) + self.way[j] for j in self.after[i]], default=0)
        self.loads = {i: self._products(i) for i, op in enumerate(ops) if isinstance(op, xegpu.LoadNd)}
        """Of each message the products that take it, the first of them first."""
        made_by = {value: i for i, op in enumerate(ops) for value in op.results}
        self.operands = {i: self._made(op.operands, made_by) for i, op in enumerate(ops) if isinstance(op, xegpu.Dpas)}
        self.lacking = {product: len(found) for product, found in self.operands.items()}
        self.taken_by: dict[int, list[int]] = {}
        for product, found in self.operands.items():
            for i in found:
                self.taken_by.setdefault(i, []).append(product)
        self.live: set[Atom] = set()
        self.ready: list[int] = []
        self.free: list[int] = []  # what only places elements stands at once

    def run(self, given: Iterable[Atom]) -> Iterator[Op]:
        """The ops in their new order; `given`: what lives before the first."""
        self.live.update(atom for atom in given if self.left[atom])
        self._push(i for i, count in enumerate(self.missing) if not count)
        while self.ready or self.free:
            take = self.free.pop(0) if self.free else self._next()
            yield self.ops[take]
            self._place(take)

    def _next(self) -> int:
        found = [i for i in self.ready if i in self.operands] or self._unlocking() or self.ready
        if len(found) > 1:
            asked = {i: self._asked(i) for i in found}
            least = min(asked.values())
            found = [i for i in found if asked[i] <= least + (WINDOW if least >= LARGE else 0)]
        first = min([self._first(i) for i in found if i in self.loads], default=inf)
        found = [i for i in found if i not in self.loads or self._first(i) == first]
        longest = max([self.way[i] for i in found])
        take = min([i for i in found if self.way[i] == longest])
        self.ready.remove(take)
        return take

    def _unlocking(self) -> list[int]:
        """Messages that bring the last operand of a product, of the earliest such products; rather of such that add to what is there."""
        found = {i: last for i in self.ready if i in self.loads for last in self._last_operand(i)}
        adding = [i for i, product in found.items() if _adds(self.ops[product])]
        first = min([self._first(i) for i in adding or found], default=inf)
        return [i for i in adding or found if self._first(i) == first]

    def _last_operand(self, i: int) -> list[int]:
        return next(([product] for product in self.loads[i] if self.lacking[product] == 1), [])

    def _first(self, i: int) -> float:
        return self.loads[i][0] if self.loads[i] else inf

    def _asked(self, i: int) -> float:
        makes = self.makes[i]
        made = sum([atom.bytes for atom in makes if atom not in self.live])
        return made - sum([atom.bytes for atom in self.needs[i] if self._ends(atom) and atom in self.live and atom not in makes])

    def _ends(self, atom: Atom) -> bool:
        return self.left[atom] == 1 and atom not in self.kept

    def _place(self, take: int) -> None:
        for product in self.taken_by.get(take, ()):
            self.lacking[product] -= 1
        for atom in self.needs[take]:
            if self._ends(atom):
                self.live.discard(atom)
            self.left[atom] -= 1
        self.live.update(atom for atom in self.makes[take] if self.left[atom])
        for i in self.after[take]:
            self.missing[i] -= 1
        self._push(dict.fromkeys(i for i in self.after[take] if not self.missing[i]))

    def _push(self, found: Iterable[int]) -> None:
        for i in found:
            (self.free if self._only_places(i) else self.ready).append(i)

    def _only_places(self, i: int) -> bool:
        op = self.ops[i]
        return op.pure and not (op.regions or op.terminator) and set(self.makes[i]).issubset(self.needs[i])

    def _products(self, i: int) -> list[int]:
        """The products that take what an op makes, or parts of it."""
        found, seen, ahead = list[int](), {i, len(self.ops) - 1}, [i]
        while ahead:
            for j in self.after[ahead.pop()]:
                if j in seen:
                    continue
                seen.add(j)
                if isinstance(self.ops[j], xegpu.Dpas):
                    found.append(j)
                elif self._only_places(j):
                    ahead.append(j)
        return sorted(found)

    def _made(self, values: Iterable[Value], made_by: dict[Value, int]) -> set[int]:
        """The ops that make some values, or what they are parts of."""
        found, ahead = set[int](), [*values]
        while ahead:
            i = made_by.get(ahead.pop())
            if i is None:
                continue
            if self._only_places(i):
                ahead += self.ops[i].operands
            else:
                found.add(i)
        return found


def _adds(product: Op) -> bool:
    """Whether a product is added to what is there."""
    return len(product.operands) > 2 and not isinstance(product.operands[2].op, arith.Constant)


def _wait(op: Op) -> int:
    if isinstance(op, xegpu.Dpas):
        return PRODUCT
    if isinstance(op, xegpu.LoadNd):
        return MESSAGE
    return ELEMENT_MESSAGE if isinstance(op, xegpu.Load) else OTHER


__all__ = ["greedily"]

"""What orders of a block's ops are balanced by: how much the making of each needs, and what frees more registers than it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from xetile.dialects import xegpu
from xetile.estimate.parts import Atom
from xetile.estimate.storage import Storage
from xetile.ir.core import Op


def making(ops: Sequence[Op], storage: Storage, before: Sequence[set[int]]) -> list[float]:
    """Bytes that each op and all that it is made of need, if nothing is made for others (Sethi and Ullman, 1970)."""
    sizes: list[float] = []
    found: list[float] = []
    for op, operands in zip(ops[:-1], before):
        held = most = 0.0
        for need, size in sorted([(found[i], sizes[i]) for i in operands], reverse=True):
            most = max(most, held + need)
            held += size
        sizes.append(sum([atom.bytes for atom in dict.fromkeys(storage.atoms(op.results))]))
        found.append(max(most, held + sizes[-1]))
    return [*found, 0.0]


def relieved(
    ops: Sequence[Op], storage: Storage, before: Sequence[set[int]], order: Sequence[Op], outer: Collection[Atom],
    products: bool = False,
) -> list[Op]:  # fmt: skip
    """An order with ops that end more than they begin as soon as they can stand; `products`: these also where they end as much.

    Of two sums of the same terms one does not wait for the other, which would keep the terms.
    """
    return list(_Relief(ops, storage, before, outer, products).run(order))


class _Relief:
    def __init__(
        self, ops: Sequence[Op], storage: Storage, before: Sequence[set[int]], outer: Collection[Atom], products: bool
    ) -> None:
        self.ops, self.storage, self.outer, self.products = ops, storage, outer, products
        self.missing = list(map(len, before))
        self.after: list[list[int]] = [[] for _ in ops]
        for i, found in enumerate(before[:-1]):
            for other in found:
                self.after[other].append(i)
        self.takers: dict[Atom, list[int]] = {}
        for i, op in enumerate(ops):
            for atom in storage.needs[op]:
                self.takers.setdefault(atom, []).append(i)
        self.left = Counter({atom: len(found) for atom, found in self.takers.items()})
        self.placed: set[int] = set()

    def run(self, order: Sequence[Op]) -> Iterator[Op]:
        """The ops in their new order."""
        number = {op: i for i, op in enumerate(self.ops)}
        for op in order:
            ahead = [number[op]]
            while ahead:
                take = ahead.pop()
                if take not in self.placed:
                    yield self.ops[take]
                    ahead += self._place(take)

    def _place(self, take: int) -> list[int]:
        """Note that an op stands; those that are to stand next."""
        self.placed.add(take)
        needs = self.storage.needs[self.ops[take]]
        found = dict.fromkeys(self.after[take])
        for atom in needs:
            self.left[atom] -= 1
            if self.left[atom] == 1:
                found.update(dict.fromkeys(self.takers[atom]))
        for i in self.after[take]:
            self.missing[i] -= 1
        return [i for i in found if i not in self.placed and not self.missing[i] and self._relieves(i)]

    def _relieves(self, i: int) -> bool:
        op = self.ops[i]
        if not op.pure or op.regions or op.terminator:
            return False
        ended = sum([atom.bytes for atom in self.storage.needs[op] if self.left[atom] == 1 and atom not in self.outer])
        made = sum([atom.bytes for atom in self.storage.makes[op]])
        return ended > made or (self.products and ended == made and isinstance(op, xegpu.Dpas))

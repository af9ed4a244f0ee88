"""What ops that wait for their place in an order ask of the registers, and which of them is taken next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count, filterfalse, repeat
from operator import add, gt, itemgetter
from typing import Any

from xetile.estimate.storage import Atom, Storage
from xetile.ir.core import Block

WINDOW = 32  # candidates that are looked at for the next op, most recent first
FEW = 500  # ops of a block up to which it takes longer to keep what each asks for up to date than to add it up where it is looked at


class Asking:
    """What each op of a block asks for more than it frees, if it comes next, from the last to the first.

    In long blocks that is kept up to date as ops are placed: many wait there, and are looked at again and again.
    """

    def __init__(self, block: Block, storage: Storage, live: set[Atom]) -> None:
        """`live`: behind the last op, which stands."""
        self._needs = list(map(storage.needs.__getitem__, block.ops))
        self._makes = list(map(storage.makes.__getitem__, block.ops))
        live.difference_update(self._makes[-1])
        live.update(self._needs[-1])
        self._live = live
        self._ops: dict[Atom, list[int]] = {}
        self._bytes: list[float] = []
        if len(block.ops) > FEW:
            self._ops = self._takers(storage.known(block))
            self._bytes = [*self._each(range(len(block.ops)))]

    def _takers(self, known: dict[Any, Any]) -> dict[Atom, list[int]]:
        """The ops that need or make an atom; twice, where an op does both. They are the same for all orders that are tried."""
        found: dict[Atom, list[int]] = known.get(Asking, {})
        if not found:
            known[Asking] = found = defaultdict(list)
            for i, atoms in enumerate(map(add, self._needs, self._makes)):
                for atom in atoms:
                    found[atom].append(i)
        return found

    def _each(self, ops: Iterable[int]) -> Iterator[float]:
        live, needs, makes = self._live, self._needs, self._makes
        for op in ops:
            asked = 0.0
            for atom in needs[op]:
                if atom not in live:
                    asked += atom.bytes
            for atom in makes[op]:
                if atom in live:
                    asked -= atom.bytes
            yield asked

    def place(self, op: int) -> None:
        """Note that an op stands: what it needs lives before it, and what it makes does not."""
        live, needs, makes = self._live, self._needs[op], self._makes[op]
        if not self._bytes:
            live.difference_update(makes)
            live.update(needs)
            return
        ended = live.intersection(makes).difference(needs)
        begun = [*filterfalse(live.__contains__, needs)]
        live -= ended
        live.update(begun)
        self._change(ended, 1)
        self._change(begun, -1)

    def _change(self, atoms: Iterable[Atom], sign: int) -> None:
        asked, ops = self._bytes, self._ops
        for atom in atoms:
            by = sign * atom.bytes
            for op in ops[atom]:
                asked[op] += by

    def of(self, ops: Sequence[int]) -> Sequence[float]:
        """What some ops ask for, up to the first that frees more."""
        if self._bytes:
            kept: Sequence[float] = itemgetter(*ops)(self._bytes)
            return kept
        found = []
        for asked in self._each(ops):
            found.append(asked)
            if asked < 0:
                break
        return found


def next_of(ready: list[int], asked: Asking, least: bool) -> int:
    """The op that is taken, out of the list: of the last ones the most recent that frees more than it asks for, else the oldest that frees
    as much, else the most recent, or that which asks for least.
    """
    if len(ready) == 1:
        return ready.pop()
    found = asked.of(ready[: -WINDOW - 1 : -1])
    lowest, place = min(found), 0
    if lowest < 0:
        place = next(compress(count(), map(gt, repeat(0), found)))
    elif not lowest:
        place = len(found) - 1 - found[::-1].index(0)
    elif least:
        place = found.index(lowest)
    return ready.pop(-1 - place)


__all__ = ["Asking", "next_of"]

"""What lives behind each op of a block, for any order of its ops: sums over the atoms that ops take and make, which are numbered once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from xetile.estimate.storage import Atom, Storage
from xetile.ir.core import Block, Op

Numbers = np.ndarray[Any, np.dtype[np.int64]]
_ENTERS = -1


class Timeline:
    """The atoms of a block: which op takes and makes each, by places in the order in which the ops stand."""

    def __init__(self, block: Block, storage: Storage) -> None:
        number: dict[Atom, int] = {}
        taken = [(place, number.setdefault(a, len(number))) for place, op in enumerate(block.ops) for a in storage.needs[op]]
        made = [(place, number.setdefault(a, len(number))) for place, op in enumerate(block.ops) for a in storage.makes[op]]
        self._place = {op: place for place, op in enumerate(block.ops)}
        self._number = number
        self.atoms = list(number)
        self._bytes = np.array([a.bytes for a in self.atoms])
        self._takers, self._taken = np.array(taken, np.int64).reshape(-1, 2).T
        self._makers, self._made = np.array(made, np.int64).reshape(-1, 2).T

    def of(self, ops: Sequence[Op], outer: Iterable[Atom], first: Iterable[Atom]) -> Lives:
        """The same in an order. `outer` lives around the block, and does not count; `first` enters it."""
        count, number = len(ops), self._number
        behind = np.empty(count, np.int64)
        behind[[self._place[op] for op in ops]] = np.arange(count)
        last = np.full(len(number), _ENTERS - 1)
        np.maximum.at(last, self._taken, behind[self._takers])
        last[[number[a] for a in number.keys() & outer]] = _ENTERS - 1
        born = np.full(len(number), count)
        np.minimum.at(born, self._made, behind[self._makers])
        born[[number[a] for a in first if a in number]] = _ENTERS
        lives = np.flatnonzero(born < last)
        change = np.zeros(count + 2)
        np.add.at(change, born[lives] + 1, self._bytes[lives])
        np.subtract.at(change, last[lives] + 1, self._bytes[lives])
        return Lives(self.atoms, number, born, last, np.cumsum(change))


class Lives:
    """From behind which op on (-1: from before the first) to which op each atom lives, and the bytes that live before each op."""

    def __init__(self, atoms: list[Atom], number: dict[Atom, int], born: Numbers, last: Numbers, before: Any) -> None:
        self._atoms, self._number, self._born, self._last, self.before = atoms, number, born, last, before

    def behind(self, place: int) -> list[Atom]:
        """What lives behind the op at a place, the oldest first."""
        born = self._born
        found = np.flatnonzero((born <= place) & (place < self._last))
        return [self._atoms[i] for i in found[np.argsort(born[found], kind="stable")]]

    def ends_at(self, atom: Atom, place: int) -> bool:
        """Whether an atom that lives before an op is taken by it last."""
        i = self._number[atom]
        return bool(self._born[i] < place == self._last[i])

"""Races in shared local memory: two threads of a workgroup use the same bytes, one of them to write, with no barrier between."""

from __future__ import annotations

import numpy as np

from .errors import RaceError
from .isa import Array, Instruction

NOBODY, SEVERAL = -1, -2


class Races:
    """What was last done with each byte of each workgroup's memory: by which thread, in which phase, by which instruction.

    A phase lies between two barriers: accesses of different phases are in order.
    """

    def __init__(self, slm: Array, group: Array, passed: Array) -> None:
        """The memory of each workgroup, the workgroup of each thread, and how often a thread went on behind a barrier."""
        self._slm, self._group, self._passed = slm, group, passed
        shape = slm.shape
        self._instructions: list[Instruction] = []
        self._atomic: list[bool] = []
        self._owner = {store: np.full(shape, NOBODY, np.int32) for store in (False, True)}
        self._phase = {store: np.zeros(shape, np.int32) for store in (False, True)}
        self._by = {store: np.zeros(shape, np.int32) for store in (False, True)}

    def note(self, inst: Instruction, threads: Array, addresses: Array, where: Array | None, values: Array | int, *,
             atomic: bool) -> None:  # fmt: skip
        """A store of `values` by each thread to its row of `addresses`, or a load of elements of that size.  Raises RaceError.

        Stores of what is there already, or of the same by several threads, are no race: copies of a value may be kept by all. Nor
        are atomics beside each other: each finds what another left.
        """
        store = not isinstance(values, int)
        unit = values if isinstance(values, int) else values.dtype.itemsize
        thread = np.broadcast_to(threads[:, None], addresses.shape)
        chosen = np.ones(addresses.shape, bool) if where is None else where
        thread, at = np.repeat(thread[chosen], unit), (addresses[chosen][:, None] + np.arange(unit)).reshape(-1)
        group, phase = self._group[thread], self._passed[thread]
        new = None if isinstance(values, int) else np.ascontiguousarray(values[chosen]).view(np.uint8).reshape(-1)
        changes = None if new is None else new != self._slm[group, at]
        for other in (True, False) if store else (True,):
            owner = self._owner[other][group, at]
            clash = (owner != NOBODY) & (owner != thread) & (self._phase[other][group, at] == phase)
            if changes is not None:
                clash &= changes
            if atomic:
                clash &= ~self._by_atomics(other, group, at)
            if clash.any():
                i = int(np.nonzero(clash)[0][0])
                self._report(inst, int(thread[i]), int(at[i]), other, int(owner[i]), int(self._by[other][group[i], at[i]]))
        known = self._known(inst, atomic)
        if new is not None:
            self._stored(inst, thread, group, at, phase, known, new)
        elif not atomic:  # whose store says that it was there
            self._loaded(thread, group, at, phase, known)

    def _by_atomics(self, stored: bool, group: Array, at: Array) -> Array:
        """Whether an atomic was the last that stored to bytes, or loaded them."""
        return np.array([*self._atomic, False])[self._by[stored][group, at]]

    def _known(self, inst: Instruction, atomic: bool) -> int:
        found = next((i for i, one in enumerate(self._instructions) if one is inst), None)
        if found is None:
            self._instructions.append(inst)
            self._atomic.append(atomic)
        return len(self._instructions) - 1 if found is None else found

    def _loaded(self, thread: Array, group: Array, at: Array, phase: Array, known: int) -> None:
        owner = self._owner[False]
        old = owner[group, at]
        shared = (self._phase[False][group, at] == phase) & (old != NOBODY) & (old != thread)
        owner[group, at] = np.where(shared, SEVERAL, thread)
        several = owner[group, at] != thread
        owner[group[several], at[several]] = SEVERAL
        self._phase[False][group, at] = phase
        self._by[False][group, at] = known

    def _stored(self, inst: Instruction, thread: Array, group: Array, at: Array, phase: Array, known: int, new: Array) -> None:
        if self._atomic[known]:
            self._stored_by_atomics(thread, group, at, phase, known)
            return
        self._owner[True][group, at] = thread
        self._phase[True][group, at] = phase
        self._by[True][group, at] = known
        # What the last of several writers of this instruction left: others must have written the same.
        left = np.zeros(self._slm.shape, np.uint8)
        left[group, at] = new
        differs = (left[group, at] != new) & (self._owner[True][group, at] != thread)
        if differs.any():
            i = int(np.nonzero(differs)[0][0])
            self._report(inst, int(thread[i]), int(at[i]), True, int(self._owner[True][group[i], at[i]]), known)

    def _stored_by_atomics(self, thread: Array, group: Array, at: Array, phase: Array, known: int) -> None:
        """What others store or load beside them is a race for several; what their own thread stored before remains."""
        owner = self._owner[True]
        old, now = owner[group, at], (self._phase[True][group, at] == phase) & (owner[group, at] != NOBODY)
        own = now & (old == thread) & ~self._by_atomics(True, group, at)
        owner[group, at] = np.where(now & (old != thread), SEVERAL, thread)
        self._phase[True][group, at] = phase
        self._by[True][group, at] = np.where(own, self._by[True][group, at], known)

    def _report(self, inst: Instruction, thread: int, at: int, wrote: bool, owner: int, by: int) -> None:
        group = int(self._group[thread])
        first = int(np.nonzero(self._group == group)[0][0])
        who = "several subgroups" if owner == SEVERAL else f"subgroup {owner - first}"
        raise RaceError(
            f"byte {at} of shared local memory: subgroup {thread - first} uses it, and {who} "
            f"{'wrote' if wrote else 'read'} it with no barrier between",
            self._instructions[by] if by < len(self._instructions) else inst,
        )

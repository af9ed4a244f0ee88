"""Races in shared local memory: two threads of a workgroup use the same bytes, one of them to write, with no barrier between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .errors import RaceError
from .isa import Array, Instruction

if TYPE_CHECKING:
    from .memory import World

NOBODY, SEVERAL = -1, -2


class Races:
    """What was last done with each byte of each workgroup's memory: by which thread, in which phase, by which instruction.

    A phase lies between two barriers: accesses of different phases are in order.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        shape = world.slm.shape
        self._instructions: list[Instruction] = []
        self._owner = {store: np.full(shape, NOBODY, np.int32) for store in (False, True)}
        self._phase = {store: np.zeros(shape, np.int32) for store in (False, True)}
        self._by = {store: np.zeros(shape, np.int32) for store in (False, True)}

    def note(self, inst: Instruction, threads: Array, addresses: Array, where: Array | None, unit: int, store: bool) -> None:
        """An access of each thread to its row of `addresses`.  Raises RaceError."""
        count = addresses.shape[1]
        thread = np.repeat(threads, count).reshape(addresses.shape)
        if where is not None:
            thread, addresses = thread[where], addresses[where]
        thread = np.repeat(thread.reshape(-1), unit)
        at = (addresses.reshape(-1, 1) + np.arange(unit)).reshape(-1)
        group, phase = self.world.group[thread], self.world.awaited[thread]
        for other in (True, False) if store else (True,):
            owner = self._owner[other][group, at]
            clash = (owner != NOBODY) & (owner != thread) & (self._phase[other][group, at] == phase)
            if clash.any():
                i = int(np.nonzero(clash)[0][0])
                self._report(inst, int(thread[i]), int(at[i]), other, int(owner[i]), int(self._by[other][group[i], at[i]]))
        self._note(inst, thread, group, at, phase, store)

    def _note(self, inst: Instruction, thread: Array, group: Array, at: Array, phase: Array, store: bool) -> None:
        known = next((i for i, one in enumerate(self._instructions) if one is inst), None)
        if known is None:
            known = len(self._instructions)
            self._instructions.append(inst)
        if not store:
            old = self._owner[False][group, at]
            shared = (self._phase[False][group, at] == phase) & (old != NOBODY) & (old != thread)
            thread = np.where(shared, SEVERAL, thread)
        self._owner[store][group, at] = thread
        self._phase[store][group, at] = phase
        self._by[store][group, at] = known
        stored = self._owner[store][group, at]
        if store and (stored != thread).any():
            i = int(np.nonzero(stored != thread)[0][0])
            self._report(inst, int(thread[i]), int(at[i]), True, int(stored[i]), known)
        if not store:
            self._owner[False][group[stored != thread], at[stored != thread]] = SEVERAL

    def _report(self, inst: Instruction, thread: int, at: int, wrote: bool, owner: int, by: int) -> None:
        group = int(self.world.group[thread])
        first = int(np.nonzero(self.world.group == group)[0][0])
        who = "several subgroups" if owner == SEVERAL else f"subgroup {owner - first}"
        raise RaceError(
            f"byte {at} of shared local memory: subgroup {thread - first} uses it, and {who} "
            f"{'wrote' if wrote else 'read'} it with no barrier between",
            self._instructions[by] if by < len(self._instructions) else inst,
        )

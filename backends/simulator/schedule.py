"""Runs threads to their ends: groups of threads at the same instruction, which part at branches and join where they meet again.

Of several groups the one farthest back goes first, so that they meet.  Where threads of a workgroup can see each other's work they
are distributed again behind barriers, at random: some run to the next barrier before the others start, so that work which only
happened to be done in time is missed.  Behind a barrier that is done the first time, then by chance, less often.  It is left out
where no thread changes what others may see before the next barrier: no order can be told from another there, and together threads
take half the time.

A loop that looks at memory by atomics waits for what others do: after each round all others are let go first, and those whose barrier
is complete by then go on.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter

import numpy as np

from .errors import DeadlockError, SimulationError
from .flow import END, branch, settle
from .isa import Array, Instruction
from .memory import Memory
from .program import START, Program, Sharing
from .state import Step, Threads

LONG_LOOP = 256
"""Rounds after which a loop without atomics gives way to other threads."""
IN_VAIN = 512
"""Rounds of each group in loops with atomics, after which memory that is the same as before means that nobody will change it."""

RARELY = 8
"""Of so many times behind one barrier threads are distributed again once: the nth time with a chance of one in n squared, or in this."""


def _noted(memory: Memory, steps: Iterable[tuple[int, Step]]) -> Iterator[tuple[int, Step]]:
    """The steps, each with its position known to memory, which notes cache lines by it."""
    for place, step in steps:
        memory.place = place
        yield place, step


class Execution:
    """One run of a batch of workgroups.

    executed  instructions of threads; issued: steps of the simulator.  mixed: distribute threads at random, by what they share:
              shared local memory and atomics, or arrays too.  left_out: that was not done where threads only store to arrays.
    trace     positions that the thread `watch` went through; active: its channels, as bits, from which of these on.
    """

    def __init__(self, program: Program, threads: Threads, random: np.random.Generator, *, mixed: Sharing, seconds: float,
                 watch: int | None = None) -> None:  # fmt: skip
        self.program, self.world, self.random, self.mixed = program, threads.world, random, mixed
        self.ready, self.parked = [threads], list[Threads]()
        self.executed = self.issued = 0
        self.watch, self.trace, self.active = watch, list[int](), dict[int, int]()
        self._visits: Counter[int] = Counter()
        self._end = perf_counter() + seconds
        self._vain, self._memory = 0, 0
        self.left_out = False
        if self._due(START):
            self.ready = self._apart(self.ready)

    def run(self) -> None:
        """To the end of all threads.  Raises SimulationError."""
        with np.errstate(all="ignore"):
            while self.ready or self.parked:
                if not self.ready:
                    self._wake()
                self._advance(self._next())

    def _next(self) -> Threads:
        """The group that goes on, all others at its place with it."""
        if len(self.ready) == 1:
            return self.ready.pop()
        best = min((g.rank, g.pc) for g in self.ready)
        same = [g for g in self.ready if (g.rank, g.pc) == best and not g.pending]
        if len(same) < 2:
            first = next(g for g in self.ready if (g.rank, g.pc) == best)
            self.ready.remove(first)
            return first
        self.ready = [g for g in self.ready if g not in same]
        return Threads.join(same)

    def _advance(self, group: Threads) -> None:
        """Run a group until its threads part, wait or end, or until it may meet others."""
        program = self.program
        while True:
            at = group.pc
            self._block(group, at)
            inst = program.code.instructions[group.pc] if group.pc < len(program.code.instructions) else None
            if inst is None:
                raise SimulationError("the code ends without an end of its threads")
            if program.is_flow[group.pc]:
                before = group.pc
                parts = self._flow(group, inst)
                tired = [part for part in parts if part.pc <= before and self._tires(part, before)]
                if len(parts) != 1 or tired:
                    self.ready += parts
                    self._give_way(tired, before)
                    return
                group = parts[0]
            if self.ready:
                self.ready.append(group)
                return

    def _block(self, group: Threads, at: int) -> None:
        """The straight code from a position on; leaves the group's counter behind it."""
        steps, end = self.program.block(at)
        self.executed += group.count * (end - at)
        self.issued += end - at
        self._note(group, at, end)
        place, memory = at, self.world.memory
        try:
            for place, step in steps if memory.touched is None else _noted(memory, steps):  # noqa: B007 (the error below needs it)
                step(group)
        except SimulationError as error:
            error.inst = self.program.code.instructions[place]
            raise
        group.doubles.clear()
        group.pc = end

    def _note(self, group: Threads, at: int, end: int) -> None:
        """What the watched thread goes through, and with which channels."""
        if self.watch is None or self.watch not in group.number:
            return
        which = int(np.flatnonzero(group.number == self.watch)[0])
        self.active[len(self.trace)] = int.from_bytes(np.packbits(group.active[which], bitorder="little").tobytes(), "little")
        self.trace += range(at, end)

    def _flow(self, group: Threads, inst: Instruction) -> list[Threads]:
        at = group.pc
        self.executed += group.count
        self.issued += 1
        self._note(group, at, at + 1)
        try:
            if inst.ends_thread:
                self.program.step(at)(group)
                return settle(group, np.full(group.count, END))
            if inst.opcode == "sync":
                return self._barrier(group, at)
            if perf_counter() > self._end:
                raise SimulationError("the kernel runs for longer than the simulator's limit")
            return settle(group, branch(group, inst, at, self.program.code.labels))
        except SimulationError as error:
            error.inst = inst
            raise

    def _barrier(self, group: Threads, at: int) -> list[Threads]:
        """Those whose barrier is complete go on, the others are parked."""
        passes = self.world.passes(group.number)
        self.world.go_on(group.number[passes])
        if passes.all():
            group.pc = at + 1
            return self._behind(group, at)
        if not passes.any():
            self.parked.append(group)
            return []
        waiting = group.take(np.nonzero(~passes)[0])
        self.parked.append(waiting)
        going = group.take(np.nonzero(passes)[0])
        going.pc = at + 1
        return [going]

    def _behind(self, group: Threads, at: int) -> list[Threads]:
        """A group that passes the barrier, the others of its workgroups beside it."""
        going, due = [group], self._due(at)
        if self.parked:
            others, self.ready = self.ready, []
            self._release()
            going, self.ready = [group, *self.ready], others
        for one in going:
            one.rank = 0
        return self._apart(going) if due else going

    def _wake(self) -> None:
        """All others wait or are done: who may pass the barrier now?  Raises DeadlockError."""
        due = sum(self._due(at) for at in {group.pc for group in self.parked}) > 0
        self._release()
        if not self.ready:
            raise self._deadlock()
        for group in self.ready:
            group.rank = 0
        if due:
            self.ready = self._apart(self.ready)

    def _release(self) -> None:
        """Those whose barrier is complete are ready again."""
        parked, self.parked = self.parked, []
        for group in parked:
            passes = self.world.passes(group.number)
            self.world.go_on(group.number[passes])
            for which, rest in ((passes, False), (~passes, True)):
                if which.any():
                    part = group if which.all() else group.take(np.nonzero(which)[0])
                    part.pc += not rest
                    (self.parked if rest else self.ready).append(part)

    def _due(self, at: int) -> bool:
        """Whether threads are distributed again behind a barrier this time."""
        if self.mixed is Sharing.NOTHING or (changes := self.program.changes_behind(at)) is Sharing.NOTHING:
            return False
        if changes is Sharing.ARRAYS and self.mixed is not Sharing.ARRAYS:
            self.left_out = True
            return False
        self._visits[at] += 1
        return bool(self.random.random() * min(self._visits[at] ** 2, RARELY) < 1)

    def _deadlock(self) -> DeadlockError:
        count = sum(g.count for g in self.parked)
        error = DeadlockError(f"{count} threads wait at a barrier that the others of their workgroups never reach")
        error.inst = self.program.code.instructions[self.parked[0].pc]
        return error

    def _apart(self, groups: Sequence[Threads]) -> list[Threads]:
        """The groups, with half of their threads, chosen at random, behind the others."""
        found: list[Threads] = []
        for group in groups:
            late: Array = self.random.random(group.count) < 0.5
            for which, rank in ((~late, 0), (late, 1)):
                if which.any():
                    part = group if which.all() else group.take(np.nonzero(which)[0])
                    part.rank = rank
                    found.append(part)
        return found

    def _tires(self, group: Threads, at: int) -> bool:
        """Whether a group that jumps back has gone round for so long that others should go on first."""
        group.rounds += 1
        return group.rounds > (0 if self.program.waits_in_loop(group.pc, at) else LONG_LOOP)

    def _give_way(self, groups: Sequence[Threads], at: int) -> None:
        """All others go on before groups that jump back, those too whose barrier is complete.  Raises DeadlockError."""
        for group in groups:
            group.rank, group.rounds = group.rank + 1, 0
            self._vain += self.program.waits_in_loop(group.pc, at)
        if groups and self.parked:
            self._release()
        if groups and self._vain > IN_VAIN * len(self.ready):
            self._see_change()

    def _see_change(self) -> None:
        """Raises DeadlockError where nothing has changed in memory since the last time."""
        found = self.world.memory.checksum(zlib.crc32(self.world.slm.data))
        if found == self._memory:
            error = DeadlockError(f"{sum(g.count for g in self.ready)} threads wait in loops for what no other thread does")
            error.inst = self.program.code.instructions[self.ready[0].pc]
            raise error
        self._memory, self._vain = found, 0

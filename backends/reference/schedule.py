"""Subgroups that go their own ways and meet at named barriers.

All subgroups of a kernel normally take each step together. Where they wait for each other at named barriers, they cannot: a
consumer may stand before its producer in the text. Then each subgroup of a program is a task of its own; tasks take turns, and
change places only where one must wait, so that a run is the same every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from xetile.errors import LaunchError
from xetile.ir.core import Block, Op

from .checks import DivergentBarrierError
from .machine import Machine
from .values import Array

WORKGROUP = -1
"""Number of the barrier that all subgroups share."""


class _Ended(BaseException):
    """Another task has failed: leave."""


@dataclass
class _Barrier:
    """How many have arrived since it last opened, how often it has opened, and what those who arrived know."""

    arrived: int = 0
    opened: int = 0
    gathering: Array | None = None
    told: list[Array | None] = field(default_factory=list)


class Task:
    """One subgroup of one program."""

    def __init__(self, schedule: Schedule, machine: Machine, subgroup: int) -> None:
        self.schedule = schedule
        self.subgroup = subgroup
        self.machine = replace(machine, env={}, subgroup=subgroup, schedule=self)
        self.turn = threading.Semaphore(0)
        self.blocked: Callable[[], bool] | None = None
        self.place: Op | None = None
        self.finished = False
        self.error: BaseException | None = None
        self.waits: dict[int, int] = {}

    def arrive(self, number: int, participants: int) -> None:
        """Signal a barrier; it opens when as many as it has participants have arrived."""
        barrier = self.schedule.barrier(number)
        if self.machine.monitor is not None:
            told = self.machine.monitor.clocks.tell(self.subgroup)
            barrier.gathering = told if barrier.gathering is None else np.maximum(barrier.gathering, told)
        barrier.arrived += 1
        if barrier.arrived >= participants:
            barrier.told.append(barrier.gathering)
            barrier.arrived, barrier.opened, barrier.gathering = 0, barrier.opened + 1, None

    def wait(self, number: int) -> None:
        """One's n-th wait ends when the barrier has opened n times."""
        barrier = self.schedule.barrier(number)
        turn = self.waits[number] = self.waits.get(number, 0) + 1
        if barrier.opened < turn:
            self.blocked, self.place = lambda: barrier.opened < turn, self.machine.op
            self._pass_on()
        told = barrier.told[turn - 1]
        if self.machine.monitor is not None and told is not None:
            self.machine.monitor.clocks.learn(self.subgroup, told)

    def _pass_on(self) -> None:
        self.schedule.turn.release()
        self.turn.acquire()
        if self.schedule.ended:
            raise _Ended
        self.blocked = None

    def work(self, block: Block, values: Sequence[Any]) -> None:
        """Run to the end, in a thread that waits for its turn first."""
        self.turn.acquire()
        try:
            if not self.schedule.ended:
                self.machine.run(block, values)
        except _Ended:
            pass
        except BaseException as error:
            self.error = error
        self.finished = True
        self.schedule.turn.release()


class Schedule:
    """The tasks of one program, and whose turn it is."""

    def __init__(self, machine: Machine) -> None:
        self.turn = threading.Semaphore(0)
        self.ended = False
        self.tasks = [Task(self, machine, i) for i in range(machine.num_subgroups)]
        self._barriers: dict[int, _Barrier] = {}

    def barrier(self, number: int) -> _Barrier:
        """The barrier of that number."""
        return self._barriers.setdefault(number, _Barrier())

    def run(self, block: Block, values: Sequence[Any]) -> None:
        """Let all subgroups run a block to its end.

        Raises what a task raises; DivergentBarrierError where all that are left wait for a barrier that will never open.
        """
        threads = [threading.Thread(target=copy_context().run, args=(t.work, block, values), daemon=True) for t in self.tasks]
        for thread in threads:
            thread.start()
        try:
            while waiting := [t for t in self.tasks if not t.finished]:
                ready = [t for t in waiting if t.blocked is None or not t.blocked()]
                if not ready:
                    raise self._stuck(waiting)
                for task in ready:
                    task.turn.release()
                    self.turn.acquire()
                    if task.error is not None:
                        raise task.error
        finally:
            self.ended = True
            for task in self.tasks:
                task.turn.release()
            for thread in threads:
                thread.join()

    def _stuck(self, waiting: list[Task]) -> LaunchError:
        places: dict[str, list[int]] = {}
        for task in waiting:
            places.setdefault(str(task.place.loc if task.place is not None else "?"), []).append(task.subgroup)
        who = "; ".join(f"subgroups {', '.join(map(str, who))} at {place}" for place, who in places.items())
        place = waiting[0].place
        return DivergentBarrierError(
            f"subgroups wait at barriers that will never open: {who}",
            hint="each wait needs as many arrivals as the barrier has participants",
            at=place.loc if place is not None else None,
        )

"""Programs and subgroups that diverge: tasks that take turns.

All programs of a launch, and all subgroups of a program, normally take each step together. They cannot where one waits for another:
subgroups at named barriers, where a consumer may stand before its producer in the text; programs in a loop that reads memory until
another has written it. Then each is a task of its own. Tasks change places only where one must wait, so that a run is the same every
time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import field, replace
from typing import Any

import numpy as np

from xetile.errors import LaunchError
from xetile.ir.core import Block, Op
from xetile.records import dataclass

from .checks import DivergentBarrierError
from .machine import Machine
from .values import Array, X, Y, Z

WORKGROUP = -1
"""Number of the barrier that all subgroups share."""


class DeadlockError(LaunchError):
    """Programs wait for what no program will do."""


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
    """One program, or one subgroup of it. `machine` runs one program; `barriers` are that program's."""

    def __init__(self, machine: Machine, barriers: dict[int, _Barrier], subgroup: int | None) -> None:
        self.subgroup = subgroup
        self.barriers = barriers
        self.machine = replace(machine, env={}, subgroup=subgroup, task=self, schedule=None if subgroup is None else self)
        self.blocked: Callable[[], bool] | None = None
        self.seen: int | None = None
        self.stuck = False
        self.place: Op | None = None
        self.finished = False
        self.error: BaseException | None = None
        self.waits: dict[int, int] = {}
        self._mine, self._others = threading.Semaphore(0), threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        self._ended = False

    # What the task itself calls.

    def arrive(self, number: int, participants: int) -> None:
        """Signal a barrier; it opens when as many as it has participants have arrived."""
        barrier = self._barrier(number)
        if self.machine.monitor is not None:
            assert self.subgroup is not None
            told = self.machine.monitor.clocks.tell(self.subgroup)
            barrier.gathering = told if barrier.gathering is None else np.maximum(barrier.gathering, told)
        barrier.arrived += 1
        if barrier.arrived >= participants:
            barrier.told.append(barrier.gathering)
            barrier.arrived, barrier.opened, barrier.gathering = 0, barrier.opened + 1, None

    def wait(self, number: int) -> None:
        """One's n-th wait ends when the barrier has opened n times."""
        barrier = self._barrier(number)
        turn = self.waits[number] = self.waits.get(number, 0) + 1
        if barrier.opened < turn:
            self.blocked = lambda: barrier.opened < turn
            self._pass_on()
        told = barrier.told[turn - 1]
        if self.machine.monitor is not None and told is not None:
            assert self.subgroup is not None
            self.machine.monitor.clocks.learn(self.subgroup, told)

    def let_others(self, place: Op, stuck: bool) -> None:
        """Somebody else's turn. `stuck`: this task does the same for ever unless memory changes."""
        self.seen, self.stuck = self.machine.changes.count, stuck
        self._pass_on(place)
        self.seen, self.stuck = None, False

    def _barrier(self, number: int) -> _Barrier:
        return self.barriers.setdefault(number, _Barrier())

    def _pass_on(self, place: Op | None = None) -> None:
        self.place = place or self.machine.op
        self._others.release()
        self._mine.acquire()
        if self._ended:
            raise _Ended
        self.blocked = None

    # What the schedule calls.

    @property
    def ready(self) -> bool:
        """Whether it can go on: a barrier has opened, or memory is not what it was."""
        if self.blocked is not None:
            return not self.blocked()
        return self.seen != self.machine.changes.count

    def go_on(self, block: Block, values: Sequence[Any]) -> None:
        """Let it run until it passes on, or ends. Raises what it raises."""
        if self._thread is None:
            work = copy_context().run
            self._thread = threading.Thread(target=work, args=(self._work, block, values), daemon=True)
            self._thread.start()
        else:
            self._mine.release()
        self._others.acquire()
        if self.error is not None:
            raise self.error

    def end(self) -> None:
        """Leave, wherever it stands."""
        self._ended = True
        self._mine.release()
        if self._thread is not None:
            self._thread.join()

    def _work(self, block: Block, values: Sequence[Any]) -> None:
        try:
            with np.errstate(all="ignore"):
                self.machine.run(block, values)
        except _Ended:
            pass
        except BaseException as error:
            self.error = error
        self.finished = True
        self._others.release()

    def __str__(self) -> str:
        z, y, x = (self.machine.start[axis] for axis in (Z, Y, X))
        program = f"program (x={x}, y={y}, z={z})"
        return program if self.subgroup is None else f"{program}, subgroup {self.subgroup}"


def tasks_of(machine: Machine, *, by_subgroup: bool, backward: bool) -> Iterator[Task]:
    """The tasks of one program; `backward`: the last subgroup is the first one."""
    barriers: dict[int, _Barrier] = {}
    subgroups = range(machine.num_subgroups)[:: -1 if backward else 1]
    for subgroup in subgroups if by_subgroup else (None,):
        yield Task(machine, barriers, subgroup)


def run_in_turns(tasks: Iterable[Task], block: Block, values: Sequence[Any]) -> None:
    """Let all tasks run a block to its end, each as far as it comes before the next one begins.

    Raises what a task raises; DivergentBarrierError and DeadlockError where all that are left wait forever.
    """
    fresh, held = iter(tasks), list[Task]()
    try:
        while True:
            task = next((t for t in held if t.ready), None) or next(fresh, None) or next((t for t in held if _may_try(t)), None)
            if task is None:
                break
            if task in held:
                held.remove(task)
            held.append(task)
            task.go_on(block, values)
            if task.finished:
                held.remove(task)
        if held:
            raise _stuck(held)
    finally:
        for task in held:
            task.end()


def _may_try(task: Task) -> bool:
    """Whether a task that waits for memory to change may come out by itself, since it counts how often it looked."""
    return task.blocked is None and not task.stuck


def _stuck(waiting: list[Task]) -> LaunchError:
    at_barriers = all(task.blocked is not None for task in waiting)
    places: dict[str, list[Task]] = {}
    for task in waiting:
        places.setdefault(str(task.place.loc if task.place is not None else "?"), []).append(task)
    place = waiting[0].place
    at = place.loc if place is not None else None
    if at_barriers:
        who = "; ".join(f"subgroups {', '.join(str(t.subgroup) for t in who)} at {place}" for place, who in places.items())
        return DivergentBarrierError(
            f"subgroups wait at barriers that will never open: {who}",
            hint="each wait needs as many arrivals as the barrier has participants",
            at=at,
        )
    who = "; ".join(f"{', '.join(map(str, some[:3]))}{' and others' if some[3:] else ''} at {at}" for at, some in places.items())
    return DeadlockError(
        f"programs wait forever: memory no longer changes, and these read it in a loop until it does: {who}",
        hint="who waits must be told by another: xt.atomic_rmw_tile on the element that the loop reads",
        at=at,
    )

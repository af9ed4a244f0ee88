"""Branches: where threads and their channels go.

Channels that leave the flow wait at a later instruction (`Threads.waiting`) and come back when their thread gets there.  How goto and
join treat channels is inferred from their description in Intel's manuals and from IGC's code; so are if, else, endif, while and break,
which IGC writes only where it is asked to (its option -enableStructurizer). The OpenCL C programs with divergent loops and switches in
tests/simulator hold both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .errors import UnsupportedError
from .isa import Array, Instruction
from .operands import predicated_channels
from .state import NOWHERE, Threads

END = -1
"""The program counter of threads that are done."""
Branch = Callable[[Threads, Instruction, int, dict[str, int]], Array]


def jump(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """`jmpi`: a thread goes as its flag says; a scalar instruction's channel is the first."""
    if inst.predicate is None:
        return np.full(t.count, labels[inst.labels[0]])
    taken = predicated_channels(inst)(t)[:, 0]
    return np.where(taken, labels[inst.labels[0]], at + 1)


def _chosen(t: Threads, inst: Instruction) -> Array:
    """Channels of the instruction that its predicate chooses, of all that a thread has."""
    lo, hi = inst.channel, inst.channel + inst.width
    chosen = np.zeros_like(t.active)
    chosen[:, lo:hi] = True if inst.predicate is None else predicated_channels(inst)(t)
    return chosen


def goto(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Channels whose predicate holds leave for the second label; the thread goes on while channels are left, else to the first.

    With branch control (`goto.b`, at the end of loops) it is the other way round: those that leave go there now, the others wait
    behind the instruction.
    """
    near, far = labels[inst.labels[0]], labels[inst.labels[1]]
    taken = t.active & _chosen(t, inst)
    left = t.active & ~taken
    t.waiting[taken] = far
    if inst.suffix == "b":
        t.waiting[left] = at + 1
        target = np.where(taken.any(1), far, at + 1)
        now = t.waiting == target[:, None]
        t.waiting[now] = NOWHERE
        t.set_active(now)
        return target
    t.set_active(left)
    return np.where(left[:, : inst.channel + inst.width].any(1), at + 1, near)


def join(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Channels that wait here come back; with none the thread goes on to the next join."""
    here = t.waiting == at
    t.waiting[here] = NOWHERE
    t.set_active(t.active | here)
    return np.where(t.active[:, : inst.channel + inst.width].any(1), at + 1, labels[inst.labels[0]])


def if_(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Channels whose predicate fails wait at the first label, behind `else` or at `endif`; with no others a thread goes there."""
    near = labels[inst.labels[0]]
    taken = t.active & _chosen(t, inst)
    t.waiting[t.active & ~taken] = near
    return _go(t, np.where(taken.any(1), at + 1, near), taken)


def else_(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Channels that come here wait at the `endif`; those that wait behind this instruction go on, and with none the thread leaves."""
    t.waiting[t.active] = labels[inst.labels[1]]
    resume = t.waiting == at + 1
    return _go(t, np.where(resume.any(1), at + 1, labels[inst.labels[0]]), np.zeros_like(resume))


def while_(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Channels whose predicate holds go round again; the others wait behind, as those that broke do, until none is left."""
    again = t.active & _chosen(t, inst)
    t.waiting[t.active & ~again] = at + 1
    return _go(t, np.where(again.any(1), labels[inst.labels[0]], at + 1), again)


def break_(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Channels whose predicate holds wait behind the `while` that the second label names; with no others a thread goes to the first."""
    near, end = (labels[label] for label in inst.labels)
    leaving = t.active & _chosen(t, inst)
    left = t.active & ~leaving
    t.waiting[leaving] = end + 1
    return _go(t, np.where(left.any(1), at + 1, near), left)


def _go(t: Threads, target: Array, active: Array) -> Array:
    """Threads go on with these channels, and those that wait where they go."""
    here = t.waiting == target[:, None]
    t.waiting[here] = NOWHERE
    t.set_active(active | here)
    return target


BRANCH: dict[str, Branch] = {
    "jmpi": jump, "goto": goto, "join": join, "if": if_, "else": else_, "endif": join, "while": while_, "break": break_,
}  # fmt: skip


def branch(t: Threads, inst: Instruction, at: int, labels: dict[str, int]) -> Array:
    """Where each thread goes next.  Raises UnsupportedError."""
    made = BRANCH.get(inst.opcode)
    if made is None:
        raise UnsupportedError(f"the branch {inst.opcode}")
    return made(t, inst, at, labels)


def settle(t: Threads, target: Array) -> list[Threads]:
    """Groups of the threads that go to the same instruction; those at the end are dropped."""
    first = int(target[0])
    if (target == first).all():
        t.pc = first
        return [] if first == END else [t]
    groups = []
    for place in np.unique(target):
        if place != END:
            group = t.take(np.nonzero(target == place)[0])
            group.pc = int(place)
            groups.append(group)
    return groups

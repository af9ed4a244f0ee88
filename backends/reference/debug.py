"""Debug mode: finds what hardware hides.

While it is on, every access passes through a `Monitor`, which knows each element's history (see `shadow`). It raises, at the
op's place in the source and naming the program: for reads of memory that nobody has written, for programs whose result depends
on their order, and for accesses to shared local memory by several subgroups with no barrier between; `checks` has the rest.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from math import prod
from typing import Any

import numpy as np

from xetile.ir.core import Op
from xetile.records import dataclass

from .checks import RaceError, UndefinedValueError, check_bounds, check_result, program_name
from .executors import Executors
from .memory import Memory
from .padding import Outside
from .shadow import MANY, NOBODY, Clocks, Shadow, Signals
from .values import BATCH, LANE, SUBGROUP, Array, X, Y, Z, along, force, with_rank

Watch = Callable[[Op, Any], None]

_HOW_TO_ORDER = (
    "let one program work on each element, or use atomics; one that waits for others learns of them by an atomic, with"
    ' xt.fence("global", "gpu") before and after it'
)
_ALL = np.ones((1, 1), np.bool_)


@dataclass
class Access:
    """Elements that are accessed, one by one.

    units: numbers of their records, [elements, records of one]; program, row: number in the grid and in the chunk; who: the
    subgroup, or in global memory the program.
    """

    shadow: Shadow
    units: Array
    program: Array
    who: Array
    row: Array


class Monitor:
    """Watches one launch.

    undefined: memories whose contents are undefined before. watch: called with every op and its result. programs: of its grid.
    """

    def __init__(
        self, memories: Sequence[Memory], undefined: Sequence[Memory] = (), watch: Watch | None = None, programs: int = 0
    ) -> None:
        self.shadows: list[Shadow] = []
        self.clocks = Clocks(1, 1)
        self.signals = Signals(programs)
        self.watch, self.outside = watch, Outside()
        self._ops: list[Op] = []
        self._numbers: dict[Op, int] = {}
        for memory in memories:
            self._add(memory, undefined=any(memory is u for u in undefined))

    def begin(self, m: Executors) -> None:
        """A chunk of the grid starts: no shared local memory yet, and no subgroup has waited for another."""
        self.shadows = [s for s in self.shadows if not s.shared]
        self.clocks = Clocks(prod(m.extent), m.num_subgroups)

    def end(self) -> None:
        """The launch is over. Raises UndefinedValueError where elements of an array are left undefined, and nothing has written them."""
        for shadow in self.shadows:
            fresh = shadow["writer_op"] == NOBODY
            if shadow.undefined and not shadow.shared and fresh.any():
                raise UndefinedValueError(
                    f"no program writes {np.count_nonzero(fresh)} of the {len(fresh)} elements of {shadow.name}, which hold anything;"
                    f" the first is {shadow.name}.flat[{int(fresh.argmax())}]",
                    hint="all programs of the grid together must store each element; an output of zeros is xt.zeros(shape, dtype)",
                )

    def of_program(self, m: Executors) -> Monitor:
        """One for a program that takes turns with others: what subgroups know of each other is its own, the rest is common."""
        own = copy(self)
        own.outside = Outside()
        own.begin(m)
        return own

    def allocated(self, memory: Memory) -> None:
        """Shared local memory exists; nothing is in it."""
        self._add(memory, undefined=True, shared=True)

    def _add(self, memory: Memory, *, undefined: bool, shared: bool = False) -> None:
        """Arrays that overlap share one history."""
        start, size = _bytes(memory)
        touching = [s for s in self.shadows if s.overlaps(start, size)]
        end = max([start + size, *(s.start + s.size for s in touching)])
        start = min([start, *(s.start for s in touching)])
        unit = min([memory.flat.itemsize, *(s.unit for s in touching)])
        name = " or ".join([*(s.name for s in touching), memory.name])
        self.shadows = [s for s in self.shadows if s not in touching]
        self.shadows.append(Shadow(start, end - start, unit, name, undefined and not touching, shared))

    # What the interpreter tells.

    bounds = staticmethod(check_bounds)

    def made(self, m: Executors, op: Op, operands: Sequence[Any], result: Any) -> None:
        """An op has given its result."""
        if self.watch is not None:
            self.watch(op, force(result))
        check_result(m, op, operands, result)
        self.outside.made(m, op, operands, result)

    def read(self, m: Executors, memory: Memory, address: Array, inside: Array | None) -> None:
        """Elements are read."""
        access, _ = self._access(m, memory, address, inside)
        if access is None:
            return
        self._check_defined(m, access)
        self._compare(m, access, "writer", "reads", _ALL)
        self._remember(m, access, "reader")

    def write(self, m: Executors, memory: Memory, address: Array, inside: Array | None, value: Array) -> None:
        """Elements are written. Who writes what is there already changes nothing for others."""
        access, found = self._access(m, memory, address, inside, value)
        if access is None:
            return
        new = _split(found[0].astype(memory.flat.dtype, copy=False), access)
        changes = _ALL if access.shadow.shared else (new != self._contents(memory, access)).any(axis=-1)
        self._compare(m, access, "reader", "writes", changes)
        self._compare(m, access, "writer", "writes", changes)
        self._remember(m, access, "writer")
        self._compare_inside(m, access, new)
        access.shadow["atomic"][access.units] = False

    def atomic(self, m: Executors, memory: Memory, address: Array, inside: Array, reads: bool) -> None:
        """Elements are read (unless all is replaced) and written as one: among atomics any order is as good."""
        access, _ = self._access(m, memory, address, inside)
        if access is None:
            return
        if reads:
            self._check_defined(m, access)
        self._compare(m, access, "reader", "updates", _ALL)
        self._compare(m, access, "writer", "updates", ~access.shadow["atomic"][access.units])
        self._remember(m, access, "writer")
        access.shadow["atomic"][access.units] = True
        if not access.shadow.shared:
            self.signals.atomic(access.program)

    def fence(self, m: Executors, memory: str) -> None:
        """The active programs order their accesses."""
        if memory == "global":
            self.signals.fence(_numbers(m))

    def arrive(self, m: Executors) -> None:
        """All subgroups of the active programs say how far they have come."""
        self.clocks.arrive(_programs(m))

    def wait(self, m: Executors) -> None:
        """All subgroups of the active programs have waited for all."""
        self.clocks.wait(_programs(m))

    # How it finds out.

    def _access(
        self, m: Executors, memory: Memory, address: Array, inside: Array | None, *values: Array
    ) -> tuple[Access | None, list[Array]]:
        """The elements that really are accessed, one by one, with `values` alike."""
        self.signals.access()
        start, _ = _bytes(memory)
        shadow = next((s for s in self.shadows if s.overlaps(start, 1)), None)
        if shadow is None:  # an array without elements
            return None, []
        rank = address.ndim - BATCH
        mask = np.ones((1,) * BATCH, np.bool_) if m.mask is None else m.mask
        mask = with_rank(mask, rank) if inside is None else with_rank(mask, rank) & inside
        # Of the lanes of one subgroup only those count apart that have addresses of their own.
        everyone = (*m.executors[:LANE], 1) if shadow.shared else (*m.extent, 1, 1)
        shape = np.broadcast_shapes((*everyone, *(1,) * rank), address.shape, mask.shape, *(v.shape for v in values))
        taken = np.broadcast_to(mask, shape)
        if not taken.any():
            return None, []

        def coordinate(axis: int, first: int) -> Array:
            numbers = along(axis, first + np.arange(shape[axis]))
            return np.broadcast_to(with_rank(numbers, rank), shape)[taken]

        size = memory.flat.itemsize
        units = shadow.units(start + np.broadcast_to(address, shape)[taken] * size, size)
        z, y, x = (coordinate(axis, m.start[axis]) for axis in (Z, Y, X))
        program = (z * m.grid[1] + y) * m.grid[2] + x
        row = ((z - m.start[0]) * m.extent[1] + y - m.start[1]) * m.extent[2] + x - m.start[2]
        who = self._who(m, coordinate(SUBGROUP, m.subgroup or 0)) if shadow.shared else program
        return Access(shadow, units, program, who, row), [np.broadcast_to(v, shape)[taken] for v in values]

    def _who(self, m: Executors, subgroup: Array) -> Array:
        """The subgroup; at workgroup level, where nobody knows which one it will be, a number of the op's own beyond them."""
        return subgroup if m.level != "workgroup" else np.full_like(subgroup, self.clocks.subgroups + self._number(m))

    def _number(self, m: Executors) -> int:
        assert m.op is not None
        if m.op not in self._numbers:
            self._numbers[m.op] = len(self._ops)
            self._ops.append(m.op)
        return self._numbers[m.op]

    def _contents(self, memory: Memory, access: Access) -> Array:
        """The bytes that are there now, as `_split` has them."""
        raw, unit = memory.flat.view(np.uint8), access.shadow.unit
        first = access.units * unit + access.shadow.start - _bytes(memory)[0]
        return raw[first[..., None] + np.arange(unit)]

    def _check_defined(self, m: Executors, access: Access) -> None:
        """Raises UndefinedValueError where an element is read that nothing has written."""
        fresh = access.shadow["writer_op"][access.units] == NOBODY
        if access.shadow.undefined and fresh.any():
            name = self._name(m, access, int(np.argwhere(fresh)[0][0]))
            raise UndefinedValueError(f"{name} reads {access.shadow.name} where nothing has been written")

    def _compare(self, m: Executors, access: Access, role: str, does: str, counts: Array) -> None:
        """Raises RaceError where somebody else did something here before, and nothing decides that it was before."""
        shadow, units = access.shadow, access.units
        other = shadow[role][units]
        me = np.broadcast_to(access.who[:, None], units.shape)
        conflict = (other != NOBODY) & (other != me) & counts
        if shadow.shared:
            row = np.broadcast_to(access.row[:, None], units.shape)
            conflict &= ~self.clocks.ordered(row, me, other, shadow[f"{role}_time"][units])
        else:
            atomic = shadow["atomic"][units] & (role == "writer")
            conflict &= ~self.signals.ordered(me, other, shadow[f"{role}_time"][units], atomic)
        if not conflict.any() or (shadow.shared and self.clocks.subgroups == 1 and m.level != "workgroup"):
            return
        i, j = (int(n) for n in np.argwhere(conflict)[0])
        place = self._ops[int(shadow[f"{role}_op"][units[i, j]])].loc
        done = "wrote" if role == "writer" else "read"
        why = "with no barrier between" if shadow.shared else "and nothing decides who comes first"
        raise RaceError(
            f"{self._name(m, access, i)} {does} an element of {shadow.name} that"
            f" {self._other(m, shadow, int(other[i, j]))} {done} at {place}, {why}",
            hint="put a barrier between the two" if shadow.shared else _HOW_TO_ORDER,
        )

    def _remember(self, m: Executors, access: Access, role: str) -> None:
        shadow, units = access.shadow, access.units
        me, now = access.who[:, None], self._now(access)
        before, time = shadow[role][units], shadow[f"{role}_time"][units]
        shadow[role][units] = me
        if role == "reader":
            # In shared memory, readers of an earlier time are known to be done; in global memory those that this one has heard of.
            done = time < now if shadow.shared else self.signals.ordered(me, before, time, np.zeros_like(time, np.bool_))
            several = ((before != NOBODY) & (before != me) & ~done) | (shadow[role][units] != me)
            shadow[role][units[several]] = MANY
        shadow[f"{role}_op"][units] = self._number(m)
        shadow[f"{role}_time"][units] = now

    def _now(self, access: Access) -> Array:
        if not access.shadow.shared:
            return np.full((len(access.who), 1), self.signals.now, np.int32)
        return self.clocks.now(access.row, access.who)[:, None]

    def _compare_inside(self, m: Executors, access: Access, new: Array) -> None:
        """Raises RaceError where the same op writes different values to one element: nothing decides which of them stays."""
        shadow, units = access.shadow, access.units
        last = np.zeros(shadow["writer"].shape, np.int64)
        last[units] = np.arange(len(units))[:, None]
        winner = last[units]
        differ = (new != new[winner, np.arange(units.shape[1])]).any(axis=-1)
        if differ.any():
            i, j = (int(n) for n in np.argwhere(differ)[0])
            one, other = self._name(m, access, i), self._name(m, access, int(winner[i, j]))
            raise RaceError(
                f"{f'{one} writes' if one == other else f'{one} and {other} write'} different values to one element of {shadow.name}",
                hint="let one of them write each element, or use an atomic",
            )

    # In words.

    def _name(self, m: Executors, access: Access, i: int) -> str:
        text = program_name(m, int(access.program[i]))
        return f"{text}, subgroup {int(access.who[i])}" if access.shadow.shared and m.level != "workgroup" else text

    def _other(self, m: Executors, shadow: Shadow, who: int) -> str:
        if who == MANY:
            return "others"
        if not shadow.shared:
            return program_name(m, who)
        return f"subgroup {who}" if m.level != "workgroup" else "other subgroups"


def _programs(m: Executors) -> Array:
    """Rows of the programs that are active."""
    if m.mask is None:
        return np.arange(prod(m.extent))
    somebody = m.mask.any(axis=(SUBGROUP, LANE))
    return np.flatnonzero(np.broadcast_to(somebody, m.extent))


def _numbers(m: Executors) -> Array:
    """Numbers in the grid of the programs that are active."""
    z, y, x = (first + i for first, i in zip(m.start, np.unravel_index(_programs(m), m.extent)))
    return (z * m.grid[1] + y) * m.grid[2] + x


def _bytes(memory: Memory) -> tuple[int, int]:
    """Address and size of a memory."""
    raw = memory.flat.view(np.uint8)
    return raw.ctypes.data, raw.size


def _split(elements: Array, access: Access) -> Array:
    """Elements as bytes: [elements, records of one, bytes of a record]."""
    return np.ascontiguousarray(elements).view(np.uint8).reshape(*access.units.shape, access.shadow.unit)

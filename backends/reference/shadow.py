"""What debug mode remembers of each element of memory: who wrote and read it last, when, and by which op."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from dataclasses import field

import numpy as np

from xetile.records import dataclass

from .values import Array

NOBODY = -1
MANY = -2


@dataclass
class Shadow:
    """Records for `size` bytes from address `start`, one for each `unit` bytes: the narrowest elements seen so far.

    undefined: contents count as undefined until they are written. shared: it is shared local memory.
    """

    start: int
    size: int
    unit: int
    name: str
    undefined: bool = False
    shared: bool = False
    records: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = -(-self.size // self.unit)
        for name in ("writer", "writer_op", "writer_time", "reader", "reader_op", "reader_time"):
            self.records[name] = np.full(count, NOBODY, np.int32)
        self.records["atomic"] = np.zeros(count, np.bool_)

    def __getitem__(self, name: str) -> Array:
        return self.records[name]

    def overlaps(self, start: int, size: int) -> bool:
        """Whether some of these bytes are remembered here."""
        return self.start < start + size and start < self.start + self.size

    def units(self, address: Array, itemsize: int) -> Array:
        """Numbers of the records that elements at byte addresses cover: an array [elements, records of one element]."""
        if itemsize < self.unit:
            factor = self.unit // itemsize
            self.records = {name: np.repeat(record, factor) for name, record in self.records.items()}
            self.unit = itemsize
        first = (address - self.start) // self.unit
        return first[:, None] + np.arange(itemsize // self.unit)


class Clocks:
    """Who has waited for whom: for each program and pair of subgroups, up to what time one knows what the other did.

    A subgroup's time goes on each time that it tells others what it has done. What another did at time t came before what I do
    now if I know of that subgroup's time up to t.
    """

    def __init__(self, programs: int, subgroups: int) -> None:
        self.subgroups = subgroups
        self.time = np.zeros((programs, subgroups), np.int32)
        self.known = np.full((programs, subgroups, subgroups), NOBODY, np.int32)
        self._told = self.time.copy()

    def now(self, row: Array, who: Array) -> Array:
        """Each one's time; who is no single subgroup stands for all."""
        return self.time[row, np.where(who < self.subgroups, who, 0)]

    def ordered(self, row: Array, me: Array, other: Array, time: Array) -> Array:
        """Whether what `other` did at `time` came before what `me` does now, in the programs `row`."""
        single = (me < self.subgroups) & (other >= 0) & (other < self.subgroups)
        mine, others = np.where(single, me, 0), np.where(single, other, 0)
        # Where several stand behind a number, everybody must have waited since.
        return np.where(single, time <= self.known[row, mine, others], time < self.time[row].min(axis=-1))

    def arrive(self, programs: Array) -> None:
        """All subgroups of these programs say how far they have come."""
        self._told[programs] = self.time[programs]
        self.time[programs] += 1

    def wait(self, programs: Array) -> None:
        """All subgroups of these programs learn what all said."""
        self.known[programs] = np.maximum(self.known[programs], self._told[programs][:, None, :])

    def tell(self, subgroup: int) -> Array:
        """What one subgroup of the only program knows, itself included, as it says how far it has come."""
        told = self.known[0, subgroup].copy()
        told[subgroup] = self.time[0, subgroup]
        self.time[0, subgroup] += 1
        return told

    def learn(self, subgroup: int, told: Array) -> None:
        """What others said is known to one subgroup of the only program from here on."""
        np.maximum(self.known[0, subgroup], told, out=self.known[0, subgroup])


class Signals:
    """What programs know of each other through atomics: the only way that one can wait for another.

    A fence and then an atomic tell others what a program did before; an atomic and then a fence let it know what others told. Who
    told whom is not kept: that a program has told anybody, and another has heard from anybody since, is taken for it, so that
    correct kernels are never blamed. Times count the accesses of a launch.
    """

    def __init__(self, programs: int) -> None:
        self.now = 0
        self._fenced, self._told, self._met, self._heard = (np.full(programs, NOBODY, np.int32) for _ in range(4))

    def access(self) -> None:
        """Time goes on."""
        self.now += 1

    def atomic(self, programs: Array) -> None:
        """These programs meet others at an atomic."""
        self._told[programs] = self._fenced[programs]
        self._met[programs] = self.now

    def fence(self, programs: Array) -> None:
        """What these programs did before it stays before what they do after."""
        self._fenced[programs] = self.now
        self._heard[programs] = self._met[programs]

    def ordered(self, me: Array, other: Array, time: Array, atomic: Array) -> Array:
        """Whether what `other` did at `time`, by an atomic or not, may be taken to come before what `me` does now."""
        told = atomic | (other < 0) | (self._told[np.maximum(other, 0)] >= time)
        return told & (self._heard[me] >= time)

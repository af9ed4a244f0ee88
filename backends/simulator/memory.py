"""Global memory: numpy buffers at made-up addresses, far from each other, in one array; and what threads of a batch share."""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterable
from dataclasses import field

import numpy as np

from xetile.records import dataclass

from .errors import ViolationError
from .isa import Array, Dtype
from .races import Races

BASE = 0x1_0000_0000
"""Device allocations lie above 4 GiB: no 32-bit address reaches them by chance."""
GUARD = 4096
PAGE = 4096
POISON = 0xCD
LINE = 64
"""Bytes of a cache line."""
# Elements of 16 bytes move as complex numbers: numpy has no integers of that size.
UNITS: dict[int, Dtype] = {
    1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32), 8: np.dtype(np.uint64), 16: np.dtype(np.complex128),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Buffer:
    """An allocation: where it begins and how many bytes it has; `writable`: stores are allowed; `private`: to each thread's own part."""

    name: str
    address: int
    size: int
    writable: bool = True
    private: bool = False

    @property
    def shared(self) -> bool:
        """Whether threads may see there what others stored."""
        return self.writable and not self.private

    def __str__(self) -> str:
        return f"{self.name} ({self.size} bytes)"


class Memory:
    """Allocations of a launch.

    touched: numbers of the cache lines that accesses touch, by the position of the instruction, where they are noted; place: of the
    instruction that runs.  reads_results: something was loaded from a buffer that the kernel may also store to.
    """

    def __init__(self) -> None:
        self.reads_results = False
        self.touched: dict[int, set[int]] | None = None
        self.place = 0
        self.buffers: list[Buffer] = []
        self._arena: Array = np.full(1 << 16, POISON, np.uint8)
        self._used = GUARD
        self._starts = self._ends = np.empty(0, np.int64)

    def allocate(self, name: str, data: Array | bytes, *, writable: bool = True, align: int = 0,
                 private: bool = False) -> int:  # fmt: skip
        """The address of a copy of `data`: `align` bytes behind a multiple of a page."""
        raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        at = -(-self._used // PAGE) * PAGE + align % PAGE
        end = at + raw.size + GUARD
        if end > self._arena.size:
            grown = np.full(max(-(-end // PAGE) * PAGE, 2 * self._arena.size), POISON, np.uint8)
            grown[: self._arena.size] = self._arena
            self._arena = grown
        self._arena[at : at + raw.size] = raw
        self._used = end
        self.buffers.append(Buffer(name, BASE + at, raw.size, writable, private))
        self._starts = np.array([b.address for b in self.buffers], np.int64)
        self._ends = np.array([b.address + b.size for b in self.buffers], np.int64)
        return BASE + at

    def view(self, address: int, size: int) -> Array:
        """Bytes as they are now."""
        return self._arena[address - BASE : address - BASE + size]

    def contents(self) -> Array:
        """All bytes as they are now."""
        made: Array = self._arena[: self._used].copy()
        return made

    def reset(self, contents: Array) -> None:
        """All bytes as they were."""
        self._arena[: contents.size] = contents

    def checksum(self, start: int) -> int:
        """A number that tells one state of all buffers from another."""
        return zlib.crc32(self._arena[: self._used].data, start)

    def check_string(self, address: int) -> None:
        """Raises ViolationError unless the address lies in a buffer."""
        self.check(np.array([address]), 1, store=False)

    def check(self, addresses: Array, size: int, *, store: bool) -> None:
        """Raises ViolationError unless each access of `size` bytes lies in one buffer, and a store in one that may be written."""
        if not addresses.size:
            return
        self.note(addresses, size)
        low, high = int(addresses.min()), int(addresses.max())
        place = int(np.searchsorted(self._starts, low, "right")) - 1
        if place < 0 or high + size > self._ends[place]:
            at = np.searchsorted(self._starts, addresses, "right") - 1
            wrong = (at < 0) | (addresses + size > self._ends[np.maximum(at, 0)])
            if wrong.any():
                raise ViolationError(self._outside(addresses, wrong))
            used = np.unique(at)
        else:
            used = np.array([place])
        self._use(used.tolist(), store=store)

    def _use(self, used: Iterable[int], *, store: bool) -> None:
        if not store:
            self.reads_results = self.reads_results or any(self.buffers[i].shared for i in used)
        elif found := next((self.buffers[i] for i in used if not self.buffers[i].writable), None):
            raise ViolationError(f"a store into {found}, which the kernel does not declare as written")

    def check_spans(self, first: Array, end: Array, *, store: bool) -> None:
        """As `check`, for accesses between two addresses each: those of a span lie in one buffer.  Notes no cache lines."""
        place = np.searchsorted(self._starts, first, "right") - 1
        wrong = (place < 0) | (end > self._ends[np.maximum(place, 0)])
        if wrong.any():
            raise ViolationError(self._outside(np.where(place < 0, first, end - 1), wrong))
        self._use(set(place.tolist()), store=store)

    def note(self, starts: Array, size: int) -> None:
        """The cache lines of runs of `size` bytes are touched, where that is noted."""
        if self.touched is not None:
            found = self.touched.setdefault(self.place, set())
            for at in range(0, size + LINE - 1, LINE):
                found.update(np.unique((starts + min(at, size - 1)) // LINE).tolist())

    def touched_lines(self, positions: Container[int] | None = None) -> dict[str, tuple[int, int]]:
        """Of each buffer: bytes of its cache lines that instructions at these positions touched (all by default), each once, and of all
        its lines.
        """
        noted = (self.touched or {}).items()
        touched = set().union(*(lines for place, lines in noted if positions is None or place in positions))
        at = np.searchsorted(self._starts, np.array(sorted(touched), np.int64) * LINE + LINE - 1, "right") - 1
        counts = np.bincount(at[at >= 0], minlength=len(self.buffers)).tolist()
        return {b.name: (LINE * n, -(-b.size // LINE) * LINE) for b, n in zip(self.buffers, counts) if n}

    def _outside(self, addresses: Array, wrong: Array) -> str:
        first = int(addresses[wrong].reshape(-1)[0])
        near = min(self.buffers, key=lambda b: min(abs(first - b.address), abs(first - b.address - b.size)))
        return f"{int(wrong.sum())} of {addresses.size} addresses lie in no buffer: the first is byte {first - near.address} of {near}"

    def gather(self, addresses: Array, unit: int) -> Array:
        """Elements of `unit` bytes at addresses, checked before."""
        offset = addresses - BASE
        if unit == 1:
            return self._arena.take(offset)
        if not (offset & (unit - 1)).any():
            return self._arena.view(UNITS[unit]).take(offset >> (unit.bit_length() - 1))
        return np.ascontiguousarray(self._arena[offset[..., None] + np.arange(unit)]).view(UNITS[unit])[..., 0]

    def scatter(self, addresses: Array, values: Array) -> None:
        """Store elements; where two have one address, the last wins."""
        offset, unit = addresses - BASE, values.dtype.itemsize
        if not (offset & (unit - 1)).any():
            self._arena.view(values.dtype)[offset >> (unit.bit_length() - 1)] = values
        else:
            raw = np.ascontiguousarray(values)[..., None].view(np.uint8)
            self._arena[offset[..., None] + np.arange(unit)] = raw


@dataclass(frozen=True, slots=True)
class Surface:
    """A buffer that messages name by the handle of its surface state."""

    address: int
    size: int
    name: str = ""


@dataclass
class World:
    """What the threads of a batch share.

    group     workgroup of each thread; slm: workgroups by bytes of shared local memory.
    low_base  what 32-bit stateless addresses count from.  scratch_size: bytes of a thread's own memory.
    races     watches shared local memory, in debug mode.
    members   threads of each workgroup; arrived: at its barrier now; complete: how often all have; passed: how often a thread went on.
    """

    memory: Memory
    group: Array
    slm: Array
    slm_size: int
    surfaces: dict[int, Surface]
    low_base: int
    scratch_size: int = 0
    races: Races | None = None
    members: Array = field(init=False)
    arrived: Array = field(init=False)
    complete: Array = field(init=False)
    passed: Array = field(init=False)

    def __post_init__(self) -> None:
        groups = int(self.group.max()) + 1
        self.members = np.bincount(self.group, minlength=groups)
        self.arrived, self.complete = np.zeros(groups, int), np.zeros(groups, int)
        self.passed = np.zeros(self.group.size, int)

    def signal(self, threads: Array) -> None:
        """Threads arrive at their workgroup's barrier."""
        self.arrived += np.bincount(self.group[threads], minlength=self.arrived.size)
        full = self.arrived >= self.members
        self.complete[full] += 1
        self.arrived[full] = 0

    def passes(self, threads: Array) -> Array:
        """Which of the threads need not wait any longer."""
        made: Array = self.complete[self.group[threads]] > self.passed[threads]
        return made

    def go_on(self, threads: Array) -> None:
        """They pass the barrier."""
        self.passed[threads] += 1

"""Registers of hardware threads that stand at the same instruction.

The register file is laid out register by register: all threads' r0, then all threads' r1.  An instruction on whole registers works
on one contiguous piece of memory, however many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .errors import UnsupportedError
from .isa import TYPES, Array, Operand
from .memory import World

CHANNELS = 32
ACCUMULATORS = 16
EXTRA_BITS = 8
"""Accumulators mme0 to mme7, with the bits of intermediate results that registers do not hold; two rows each."""
ARCHITECTURE = ("f", "a0", "cr0", "sr0", "ce0", "tm0", "dbg0", "s0")
"""The architecture registers; each has a row of the file behind the accumulators."""
NOWHERE = -1

Mask = Array | None
Step = Callable[["Threads"], None]


class Layout:
    """Which row of the file holds which register: `registers` general ones, accumulators, architecture registers.

    `Layout.of` gives kernels of the same size the same one, with `regions`: where operands lie, by what they say; `accesses`: functions
    that read and write them; `shared`: what instructions that say the same have in common (`program.Shared`).
    """

    def __init__(self, registers: int, grf_bytes: int, target: str) -> None:
        self.registers, self.grf_bytes, self.target = registers, grf_bytes, target
        self.base = {"r": 0, "acc": registers}
        self.base |= {name: registers + ACCUMULATORS + i for i, name in enumerate(ARCHITECTURE)}
        self.base["mme"] = registers + ACCUMULATORS + len(ARCHITECTURE)
        self.rows = self.base["mme"] + 2 * EXTRA_BITS
        self.regions: dict[tuple[Any, ...], Any] = {}
        self.accesses: dict[tuple[Any, ...], Any] = {}
        self.shared: dict[tuple[str, ...], Any] = {}

    @classmethod
    @cache
    def of(cls, registers: int, grf_bytes: int, target: str) -> Layout:
        """The layout of these sizes."""
        return cls(registers, grf_bytes, target)

    def place(self, operand: Operand) -> int:
        """The byte of an operand's first element, counted from the file's first row.  Raises UnsupportedError."""
        if operand.file not in self.base:
            raise UnsupportedError(f"register {operand.file}")
        size = TYPES[operand.type].itemsize if operand.type else 1
        if operand.file == "f":
            return self.base["f"] * self.grf_bytes + 4 * operand.reg + 2 * operand.sub
        limit = {"r": self.registers, "acc": ACCUMULATORS, "mme": 2 * EXTRA_BITS}.get(operand.file, 1)
        if operand.reg >= limit:
            raise UnsupportedError(f"register {operand.file}{operand.reg}, of {limit}")
        return (self.base[operand.file] + operand.reg) * self.grf_bytes + operand.sub * size


class Threads:
    """Hardware threads at the same instruction.

    file      registers: rows (see Layout) by threads by bytes.
    world     what they share with others.
    number    which threads of the launch's batch they are.
    active    channels that execute; waiting: where channels wait that left the flow (a position in the code), or NOWHERE.
    scratch   a thread's own memory.
    rank      groups of a lower rank run first; rounds: jumps back since the last time that others were let go first.
    rounding  of floating point: 0 to nearest, 1 up, 2 down, 3 towards zero.
    pending   results of a dpas macro that have not landed; doubles: elements of its operands that the next ones take again.
    written   bytes of registers that hold something, where that is watched.
    """

    def __init__(self, layout: Layout, world: World, number: Array) -> None:
        self.layout, self.world, self.number, self.count = layout, world, number, number.size
        self.file: Array = np.zeros((layout.rows, number.size, layout.grf_bytes), np.uint8)
        self.active: Array = np.ones((number.size, CHANNELS), bool)
        self.waiting: Array = np.full((number.size, CHANNELS), NOWHERE, np.int32)
        self.scratch: Array = np.zeros((number.size, 0), np.uint8)
        self.written: Array | None = None
        self.pc = self.rank = self.rounds = 0
        self.rounding = 0
        self.pending: list[tuple[Any, Array]] = []
        self.doubles: dict[Any, Array] = {}
        self.all_active = True
        self._look()

    def watch(self) -> None:
        """From now on note which bytes of registers hold something: architecture registers do, others when they are written."""
        self.written = np.zeros(self.file.shape, bool)
        self.written[self.layout.base["f"] :] = True

    def _look(self) -> None:
        self.views: dict[str, Array] = {name: self.file.view(dtype) for name, dtype in TYPES.items()}
        self.views[""] = self.file

    def set_active(self, active: Array) -> None:
        """Change which channels execute."""
        self.active = active
        self.all_active = bool(active.all())

    def take(self, which: Array) -> Threads:
        """Some of the threads (places in this group), as a group of their own."""
        other = object.__new__(Threads)
        other.layout, other.world, other.number = self.layout, self.world, self.number[which]
        other.pc, other.rounding, other.rank, other.rounds = self.pc, self.rounding, self.rank, self.rounds
        other.count = other.number.size
        other.file = np.take(self.file, which, axis=1)
        other.waiting, other.scratch = self.waiting[which], self.scratch[which]
        other.written = None if self.written is None else np.take(self.written, which, axis=1)
        other.pending, other.doubles = [(store, value[..., which, :]) for store, value in self.pending], {}
        other.set_active(self.active[which])
        other._look()
        return other

    @staticmethod
    def join(groups: Sequence[Threads]) -> Threads:
        """Groups at the same instruction as one, in the order of their numbers."""
        order = np.argsort(np.concatenate([g.number for g in groups]), kind="stable")
        first, other = groups[0], object.__new__(Threads)
        other.layout, other.world, other.pc = first.layout, first.world, first.pc
        other.rounding, other.rank, other.rounds = first.rounding, first.rank, max(g.rounds for g in groups)
        other.number = np.concatenate([g.number for g in groups])[order]
        other.count = other.number.size
        other.file = np.take(np.concatenate([g.file for g in groups], axis=1), order, axis=1)
        other.waiting = np.concatenate([g.waiting for g in groups])[order]
        size = max(g.scratch.shape[1] for g in groups)
        other.scratch = np.concatenate([g.scratch_of(size) for g in groups])[order]
        other.written = None
        if first.written is not None:
            other.written = np.take(np.concatenate([g.written for g in groups if g.written is not None], axis=1), order, axis=1)
        other.pending, other.doubles = [], {}
        other.set_active(np.concatenate([g.active for g in groups])[order])
        other._look()
        return other

    def scratch_of(self, size: int) -> Array:
        """Scratch memory of at least so many bytes for each thread; what nobody wrote is 0xCD."""
        if self.scratch.shape[1] < size:
            self.scratch = np.pad(self.scratch, ((0, 0), (0, size - self.scratch.shape[1])), constant_values=0xCD)
        return self.scratch

    def registers(self, first: int, count: int) -> Array:
        """Whole registers as one row of bytes for each thread."""
        if count == 1:
            one: Array = self.file[first]
            return one
        if first + count > self.layout.registers:
            raise UnsupportedError(f"r{first} and {count - 1} registers behind it, of {self.layout.registers}")
        made: Array = self.file[first : first + count].transpose(1, 0, 2).reshape(self.count, -1)
        return made

    def set_registers(self, first: int, values: Array) -> None:
        """Store rows of bytes (whole registers) of each thread."""
        count = values.shape[1] // self.layout.grf_bytes
        if first + count > self.layout.registers:
            raise UnsupportedError(f"r{first} and {count - 1} registers behind it, of {self.layout.registers}")
        self.file[first : first + count] = values.reshape(self.count, count, -1).transpose(1, 0, 2)

    def flag(self, reg: int, first: int, width: int) -> Array:
        """Bits of a flag register as booleans, threads by channels."""
        if not (first | width) & 7:
            raw = self._flag_bytes(reg, first, width)
            return np.unpackbits(raw, axis=1, bitorder="little").view(bool)
        bits = self.views["ud"][self.layout.base["f"], :, reg]
        return (bits[:, None] >> np.arange(first, first + width, dtype=np.uint32) & 1).astype(bool)

    def set_flag(self, reg: int, first: int, values: Array, mask: Mask) -> None:
        """Write bits of a flag register where `mask`."""
        width = values.shape[1]
        if not (first | width) & 7:
            raw, new = self._flag_bytes(reg, first, width), np.packbits(values, axis=1, bitorder="little")
            if mask is not None:
                which = np.packbits(mask, axis=1, bitorder="little")
                new = (raw & ~which) | (new & which)
            raw[...] = new
            return
        weights = np.uint32(1) << np.arange(first, first + width, dtype=np.uint32)
        column = self.views["ud"][self.layout.base["f"], :, reg]
        chosen = weights.sum(dtype=np.uint32) if mask is None else (mask * weights).sum(1, dtype=np.uint32)
        made = (values * weights).sum(1, dtype=np.uint32)
        column[...] = (column & ~chosen) | (made & chosen)

    def _flag_bytes(self, reg: int, first: int, width: int) -> Array:
        made: Array = self.file[self.layout.base["f"], :, 4 * reg + first // 8 : 4 * reg + (first + width) // 8]
        return made

"""Loads and stores of the data port (LSC): gathering and scattering ones, and transposed ones, which move consecutive elements.

The same code serves global memory, shared local memory and scratch: a place is chosen when the message is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from xetile.records import dataclass

from .errors import UnsupportedError, ViolationError
from .isa import Array, Instruction
from .memory import UNITS, Surface
from .messages import ATOMIC, DATA, SLM_TAG, SS, VECTORS, addresses_of, base_of, field, lane_registers
from .operands import mask_of
from .state import Layout, Mask, Step, Threads


class Place(Protocol):
    """A kind of memory. Addresses are threads by elements; `where` says which of them count."""

    def check(self, t: Threads, addresses: Array, where: Mask, unit: int, store: bool) -> None:
        """Raises ViolationError out of bounds."""

    def load(self, t: Threads, addresses: Array, where: Mask, unit: int) -> Array:
        """Elements as unsigned numbers."""

    def store(self, t: Threads, addresses: Array, values: Array, where: Mask) -> None:
        """Write elements."""


@dataclass(frozen=True)
class Global:
    """Buffers."""

    def check(self, t: Threads, addresses: Array, where: Mask, unit: int, store: bool) -> None:
        """Each element in one buffer."""
        t.world.memory.check(addresses if where is None else addresses[where], unit, store=store)

    def load(self, t: Threads, addresses: Array, where: Mask, unit: int) -> Array:
        """Elements as unsigned numbers."""
        return t.world.memory.gather(addresses, unit)

    def store(self, t: Threads, addresses: Array, values: Array, where: Mask) -> None:
        """Write elements."""
        keep = slice(None) if where is None else where
        t.world.memory.scatter(addresses[keep].reshape(-1), values[keep].reshape(-1))


@dataclass(frozen=True)
class Shared:
    """Shared local memory of the thread's workgroup."""

    inst: Instruction

    def check(self, t: Threads, addresses: Array, where: Mask, unit: int, store: bool) -> None:
        """Within what the kernel declares."""
        chosen = addresses if where is None else addresses[where]
        if chosen.size and (chosen.min() < 0 or chosen.max() + unit > t.world.slm_size):
            worst = int(chosen.min()) if chosen.min() < 0 else int(chosen.max())
            raise ViolationError(f"byte {worst} of shared local memory, of which the workgroup has {t.world.slm_size}")

    def load(self, t: Threads, addresses: Array, where: Mask, unit: int) -> Array:
        """Elements as unsigned numbers."""
        if t.world.races is not None:
            t.world.races.note(self.inst, t.number, addresses, where, unit, atomic=self.inst.desc & 63 in ATOMIC)
        if not (addresses % unit).any():
            made: Array = t.world.slm.view(UNITS[unit])[t.world.group[t.number][:, None], addresses // unit]
            return made
        raw = t.world.slm[t.world.group[t.number][:, None, None], addresses[..., None] + np.arange(unit)]
        return np.ascontiguousarray(raw).view(UNITS[unit])[..., 0]

    def store(self, t: Threads, addresses: Array, values: Array, where: Mask) -> None:
        """Write elements."""
        if t.world.races is not None:
            t.world.races.note(self.inst, t.number, addresses, where, values, atomic=self.inst.desc & 63 in ATOMIC)
        unit, keep = values.dtype.itemsize, slice(None) if where is None else where
        group = np.broadcast_to(t.world.group[t.number][:, None], addresses.shape)[keep].reshape(-1)
        chosen, written = addresses[keep].reshape(-1), values[keep].reshape(-1)
        if not (chosen % unit).any():
            t.world.slm.view(values.dtype)[group, chosen // unit] = written
            return
        raw = np.ascontiguousarray(written)[:, None].view(np.uint8)
        t.world.slm[group[:, None], chosen[:, None] + np.arange(unit)] = raw


@dataclass(frozen=True)
class Scratch:
    """A thread's own memory: private arrays and spilled registers."""

    def check(self, t: Threads, addresses: Array, where: Mask, unit: int, store: bool) -> None:
        """Within what the kernel declares.

        A load may end behind it: IGC takes back three spilled registers by a message of four, and reads what is the next thread's.
        """
        chosen = addresses if where is None else addresses[where]
        if chosen.size and (chosen.min() < 0 or chosen.max() + (unit if store else 1) > t.world.scratch_size):
            worst = int(chosen.min()) if chosen.min() < 0 else int(chosen.max())
            raise ViolationError(f"byte {worst} of scratch memory, of which a thread has {t.world.scratch_size}")

    def load(self, t: Threads, addresses: Array, where: Mask, unit: int) -> Array:
        """Elements as unsigned numbers."""
        memory = t.scratch_of(max(t.world.scratch_size, int(addresses.max()) + unit))
        raw = memory[np.arange(t.count)[:, None, None], addresses[..., None] + np.arange(unit)]
        return np.ascontiguousarray(raw).view(UNITS[unit])[..., 0]

    def store(self, t: Threads, addresses: Array, values: Array, where: Mask) -> None:
        """Write elements."""
        unit, keep = values.dtype.itemsize, slice(None) if where is None else where
        thread = np.broadcast_to(np.arange(t.count)[:, None], addresses.shape)[keep].reshape(-1)
        raw = np.ascontiguousarray(values[keep]).reshape(-1, 1).view(np.uint8)
        t.scratch_of(t.world.scratch_size)[thread[:, None], addresses[keep].reshape(-1, 1) + np.arange(unit)] = raw


def place_of(inst: Instruction) -> Place:
    """The memory that a message goes to."""
    if inst.suffix == "slm":
        return Shared(inst)
    if field(inst.desc, 29, 2) == SS:
        return Scratch()
    return Global()


def firsts_of(layout: Layout, inst: Instruction, width: int, span: int) -> Callable[[Threads, Mask], Array]:
    """The address of each lane's first element, of `span` bytes, threads by lanes.  Raises ViolationError outside of a surface."""
    lanes, offset = addresses_of(layout, inst, width), inst.offset
    if inst.suffix != "slm" and field(inst.desc, 29, 2) == SS:
        return lambda t, where: lanes(t) + offset
    base, tag = base_of(layout, inst), ~SLM_TAG if inst.suffix == "slm" else -1

    def elements(t: Threads, where: Mask) -> Array:
        address = lanes(t)
        start, surfaces = base(t)
        if surfaces is not None:
            _within(address + offset, span, surfaces, where)
        return (address & tag) + (start + offset)

    return elements


def _within(reach: Array, span: int, surfaces: Sequence[Surface], where: Mask) -> None:
    """Raises ViolationError where `span` bytes from a lane's place on do not lie in its thread's surface."""
    if len(surfaces) == 1 and reach.min() >= 0 and reach.max() + span <= surfaces[0].size:
        return
    outside = (reach < 0) | (reach + span > np.array([[s.size] for s in surfaces]))
    if where is not None:
        outside = outside & where
    if outside.any():
        thread, lane = (int(i[0]) for i in np.nonzero(outside))
        surface = surfaces[thread if len(surfaces) > 1 else 0]
        raise ViolationError(f"byte {int(reach[thread, lane])} of {surface.name} ({surface.size} bytes)")


def transfer(layout: Layout, inst: Instruction, *, store: bool) -> Step:
    """A load or a store."""
    kind = field(inst.desc, 9, 3)
    if kind not in DATA:
        raise UnsupportedError(f"data size {kind}")
    unit, wide = DATA[kind]
    vector, transposed = VECTORS[field(inst.desc, 12, 3)], bool(field(inst.desc, 15, 1))
    width = 1 if transposed else inst.width
    data = inst.operands[2] if store else inst.operands[0]
    move = _Data(layout, data.reg, width, vector, wide, transposed)
    place, mask = place_of(inst), mask_of(inst)
    firsts, within = firsts_of(layout, inst, width, vector * unit), np.arange(vector)[:, None] * unit
    # Single elements may lie at any byte: IGC takes them so from packed structures, and joins bytes of shared memory to words that lie so.
    align = 1 if vector == 1 and not transposed else min(unit, 4) if transposed else unit
    if data.file == "null":  # a prefetch: nothing happens, whatever the addresses are
        return lambda t: None

    def step(t: Threads) -> None:
        where = mask(t)
        if where is not None:
            where = where[:, :1] if transposed else where
            if not where.any():
                return
        first = firsts(t, where)
        chosen = first if where is None else first[where]
        # The elements behind the first one are as far off a multiple as it is.
        if (chosen & (align - 1)).any():
            raise ViolationError(f"an address is no multiple of {align} bytes: {int(chosen[chosen % align != 0][0]):#x}")
        place.check(t, first, where, vector * unit, store)
        if vector == 1:
            addresses, spread = first, where
        else:
            addresses = (first[:, None, :] + within).reshape(t.count, -1)
            spread = None if where is None else np.concatenate([where] * vector, axis=1)
        if store:
            place.store(t, addresses, move.out(t).astype(UNITS[unit], copy=False), spread)
            return
        safe = addresses if spread is None else np.where(spread, addresses, chosen[0])
        move.put(t, place.load(t, safe, spread, unit).astype(UNITS[wide], copy=False), spread)

    return step


@dataclass(frozen=True)
class _Data:
    """Where the elements of a message lie in registers: each of `vector` in registers of its own, or transposed in a row."""

    layout: Layout
    first: int
    width: int
    vector: int
    wide: int
    transposed: bool

    @property
    def count(self) -> int:
        """Registers."""
        if self.transposed:
            return lane_registers(self.layout, self.vector, self.wide)
        return self.vector * lane_registers(self.layout, self.width, self.wide)

    def _view(self, raw: Array) -> Array:
        """The elements within rows of bytes, threads by vector by lanes."""
        dtype, count = UNITS[self.wide], raw.shape[0]
        if self.transposed:
            return raw.view(dtype)[:, : self.vector, None]
        return raw.reshape(count, self.vector, -1).view(dtype)[:, :, : self.width]

    def out(self, t: Threads) -> Array:
        """Elements that a store sends, threads by (vector by lanes)."""
        return self._view(np.ascontiguousarray(t.registers(self.first, self.count))).reshape(t.count, -1)

    def put(self, t: Threads, values: Array, where: Mask) -> None:
        """Elements that a load brings; the others, and what lies behind them in the last register, stay."""
        raw = np.array(t.registers(self.first, self.count))
        into = self._view(raw)
        values = values.reshape(into.shape)
        if where is None:
            into[...] = values
        else:
            np.copyto(into, values, where=where.reshape(into.shape))
        t.set_registers(self.first, raw)

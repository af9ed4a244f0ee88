"""Atomic messages: thread by thread, lane by lane, where lanes may meet; at once where their addresses all differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import UnsupportedError, ViolationError
from .isa import Array, Dtype, Instruction
from .lsc import firsts_of, place_of
from .memory import UNITS
from .messages import DATA, field, lane_registers
from .operands import mask_of
from .state import Layout, Step, Threads

Change = Callable[[Any, Any, Any], Any]

_WHERE: Change = lambda old, a, b: np.where(old == a, b, old)  # noqa: E731
ATOMICS: dict[int, tuple[str, str, Change]] = {
    0x08: ("inc", "u", lambda old, a, b: old + old.dtype.type(1)),
    0x09: ("dec", "u", lambda old, a, b: old - old.dtype.type(1)),
    0x0A: ("load", "u", lambda old, a, b: old),
    0x0B: ("store", "u", lambda old, a, b: a),
    0x0C: ("add", "u", lambda old, a, b: old + a),
    0x0D: ("sub", "u", lambda old, a, b: old - a),
    0x0E: ("min", "i", lambda old, a, b: np.minimum(old, a)),
    0x0F: ("max", "i", lambda old, a, b: np.maximum(old, a)),
    0x10: ("umin", "u", lambda old, a, b: np.minimum(old, a)),
    0x11: ("umax", "u", lambda old, a, b: np.maximum(old, a)),
    0x12: ("cas", "u", _WHERE),
    0x13: ("fadd", "f", lambda old, a, b: old + a),
    0x14: ("fsub", "f", lambda old, a, b: old - a),
    0x15: ("fmin", "f", lambda old, a, b: np.fmin(old, a)),
    0x16: ("fmax", "f", lambda old, a, b: np.fmax(old, a)),
    0x17: ("fcas", "f", _WHERE),
    0x18: ("and", "u", lambda old, a, b: old & a),
    0x19: ("or", "u", lambda old, a, b: old | a),
    0x1A: ("xor", "u", lambda old, a, b: old ^ a),
}
"""By operation of the descriptor: name, kind of number, and the new value of the old one and up to two operands."""
NO_OPERANDS = frozenset({"inc", "dec", "load"})
TWO_OPERANDS = frozenset({"cas", "fcas"})


def atomic(layout: Layout, inst: Instruction) -> Step:
    """An atomic on global or shared local memory."""
    name, kind, change = ATOMICS[inst.desc & 63]
    size = field(inst.desc, 9, 3)
    if size not in DATA:
        raise UnsupportedError(f"data size {size}")
    unit, wide = DATA[size]
    dtype = np.dtype(f"{kind}{unit}")
    sources = _operands(layout, inst, 2 if name in TWO_OPERANDS else 1, wide, dtype)
    place, mask = place_of(inst), mask_of(inst)
    elements = firsts_of(layout, inst, inst.width, unit)
    answer = inst.operands[0] if inst.operands[0].file != "null" else None

    def step(t: Threads) -> None:
        where = mask(t)
        where = np.ones((t.count, inst.width), bool) if where is None else where
        if not where.any():
            return
        addresses = elements(t, where)
        if (addresses[where] % unit).any():
            raise ViolationError(f"an atomic's address is no multiple of {unit} bytes")
        place.check(t, addresses, where, unit, True)
        a, b = sources(t)
        safe = np.where(where, addresses, addresses[where][0])

        def swap(which: Array) -> Array:
            old = place.load(t, safe, which, unit).view(dtype)
            place.store(t, addresses, np.broadcast_to(change(old, a, b), old.shape).astype(dtype).view(UNITS[unit]), which)
            return old

        old = np.zeros(addresses.shape, dtype)
        for which in _turns(addresses, where, t, inst):
            np.copyto(old, swap(which), where=which)
        if answer is not None:
            _answer(layout, t, answer.reg, old.view(UNITS[unit]).astype(UNITS[wide]), where)

    return step


def _nothing(t: Threads) -> tuple[Array, Array]:
    zero = np.zeros((1, 1), np.uint32)
    return zero, zero


def _operands(layout: Layout, inst: Instruction, count: int, wide: int, dtype: Dtype) -> Callable[[Threads], tuple[Array, Array]]:
    each = lane_registers(layout, inst.width, wide)
    first, size = inst.operands[2].reg, inst.width * wide
    if inst.operands[2].file == "null":
        if ATOMICS[inst.desc & 63][0] not in NO_OPERANDS:
            raise UnsupportedError("an atomic without data")
        return _nothing

    def one(t: Threads, i: int) -> Array:
        raw = np.ascontiguousarray(t.registers(first + i * each, each)[:, :size]).view(UNITS[wide])
        return raw.astype(UNITS[dtype.itemsize]).view(dtype)

    return lambda t: (one(t, 0), one(t, count - 1))


def _turns(addresses: Array, where: Array, t: Threads, inst: Instruction) -> list[Array]:
    """Which lanes go at once: of those that share an address one after the other, in the order of threads and lanes."""
    keys = addresses
    if inst.suffix == "slm":
        keys = addresses + (t.world.group[t.number][:, None].astype(np.int64) << 32)
    flat_keys = keys[where]
    order = np.argsort(flat_keys, kind="stable")
    ranked = flat_keys[order]
    starts = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    begin = np.maximum.accumulate(np.where(starts, np.arange(ranked.size), 0))
    rank = np.empty(ranked.size, int)
    rank[order] = np.arange(ranked.size) - begin
    turns = []
    for i in range(int(rank.max()) + 1):
        which = np.zeros(where.shape, bool)
        which[where] = rank == i
        turns.append(which)
    return turns


def _answer(layout: Layout, t: Threads, first: int, values: Array, where: Array) -> None:
    count = lane_registers(layout, values.shape[1], values.dtype.itemsize)
    raw = np.array(t.registers(first, count))
    np.copyto(raw.view(values.dtype)[:, : values.shape[1]], values, where=where)
    t.set_registers(first, raw)

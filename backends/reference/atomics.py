"""Atomic read-modify-write: programs take turns in the order of their ids, so results are the same in every run."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import memory as flat_memory
from xetile.dialects import xegpu, xetile
from xetile.dialects.types import element_of

from .checks import check_indices
from .machine import Machine, executes
from .memory import Memory
from .owners import owned
from .reduce import ATOMIC_KINDS, combine, combine_at
from .scattered import ScatterDesc
from .tiles import ScatteredTile, blocked, both, unblocked
from .values import BATCH, Array, with_rank

AtomicRmw = xetile.AtomicRmwTile | xegpu.AtomicRmw | flat_memory.AtomicRmw
"""The op, of each dialect."""


@executes(xetile.AtomicRmwTile)
def atomic_rmw_tile(m: Machine, op: xetile.AtomicRmwTile, value: Array, tile: Any, mask: Array | None) -> Array:
    """The old elements; zero where outside or masked, and where the owner is not active."""
    if isinstance(tile, ScatteredTile):
        return _update_owned(m, op, tile.memory, *tile.addresses(m, mask), value)
    check_indices(m, tile)
    address, inside = tile.addresses()
    inside = both(inside, None if mask is None else unblocked(mask))
    return blocked(_update_owned(m, op, tile.memory, address, inside, unblocked(value)), op.result.type)


def _update_owned(
    m: Machine, op: xetile.AtomicRmwTile, memory: Memory, address: Array, inside: Array | None, value: Array
) -> Array:
    address, inside, value, active = owned(m, address, inside, value, op.tile.type.wg_map)
    if active is None:
        return update(m, memory, address, inside, value, op)
    with m.unmasked():
        return update(m, memory, address, both(inside, active), value, op)


@executes(xegpu.AtomicRmw)
def atomic_rmw(m: Machine, op: xegpu.AtomicRmw, desc: ScatterDesc, mask: Array, value: Array) -> Array:
    """The old elements; zero where masked."""
    addresses = desc.addresses(m, value.shape[BATCH:], mask)
    return update(m, desc.memory, *addresses, value, op)


def update(m: Machine, memory: Memory, address: Array, inside: Array | None, value: Array, op: AtomicRmw) -> Array:
    """Everyone who executes the op changes memory once per element; gives what each found there."""
    rank = address.ndim - BATCH
    limits = (address >= 0) & (address < memory.flat.size)
    mask = limits if inside is None else limits & inside
    if m.mask is not None:
        mask = mask & with_rank(m.mask, rank)
    shape = np.broadcast_shapes((*m.executors, *(1,) * rank), address.shape, value.shape, mask.shape)
    mask = np.broadcast_to(mask, shape)
    places, values = np.broadcast_to(address, shape)[mask], np.broadcast_to(value, shape)[mask]
    if m.monitor is not None:
        m.monitor.atomic(m, memory, address, mask, reads=op.kind != "assign")
    old, before = np.zeros(shape, memory.flat.dtype), memory.flat[places]
    old[mask] = _in_turn(memory.flat, places, values, op)
    m.changes.count += bool((memory.flat[places] != before).any())
    return old


def _in_turn(memory: Array, places: Array, values: Array, op: AtomicRmw) -> Array:
    """Change memory at places, one after the other; gives what each found. Where nothing takes that it may be anything."""
    kind, element = ATOMIC_KINDS.get(op.kind), element_of(op.value.type)
    numbers = element.is_int and element.bits > 1
    if kind is not None and numbers and not op.result.uses:
        combine_at(kind, memory, places, values, element)
        return values
    order, first = _by_place(places)
    if kind == "add" and numbers:
        return _running_sums(memory, places[order], values[order], first)[np.argsort(order)]
    found = np.empty(places.shape, memory.dtype)
    for turn in _turns(order, first):
        at = places[turn]
        found[turn] = memory[at]
        memory[at] = values[turn] if kind is None else combine(kind, found[turn], values[turn], element)
    return found


def _by_place(places: Array) -> tuple[Array, Array]:
    """Positions in `places`, those of equal places beside each other and in their order; which of them is the first of a place."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    return order, np.r_[np.ones(min(1, len(order)), bool), ordered[1:] != ordered[:-1]]


def _running_sums(memory: Array, places: Array, values: Array, first: Array) -> Array:
    """Add integers to memory at places in order; gives what each found."""
    sums = np.cumsum(values, dtype=memory.dtype)
    starts = np.flatnonzero(first)
    offsets = memory[places[starts]] - (sums - values)[starts]
    sums += np.repeat(offsets, np.diff(starts, append=len(places)))
    memory[places] = sums  # of equal places the last
    return sums - values


def _turns(order: Array, first: Array) -> list[Array]:
    """Positions by turns: in one turn no place comes twice, and equal places keep their order."""
    starts = np.flatnonzero(first)
    repeat = np.arange(len(order)) - starts[np.cumsum(first) - 1]
    if not repeat.any():
        return [order]
    by_turn = np.argsort(repeat, kind="stable")
    return np.split(order[by_turn], np.cumsum(np.bincount(repeat))[:-1])

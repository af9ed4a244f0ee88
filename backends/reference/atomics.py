"""Atomic read-modify-write: programs take turns in the order of their ids, so results are the same in every run."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import xegpu, xetile
from xetile.dialects.types import ScalarType, element_of

from .machine import Machine, executes
from .memory import Memory
from .owners import owned
from .reduce import ATOMIC_KINDS, combine
from .scattered import ScatterDesc
from .tiles import ScatteredTile, blocked, both, unblocked
from .values import BATCH, Array, with_rank


@executes(xetile.AtomicRmwTile)
def atomic_rmw_tile(m: Machine, op: xetile.AtomicRmwTile, value: Array, tile: Any, mask: Array | None) -> Array:
    """The old elements; zero where outside or masked, and where the owner is not active."""
    if isinstance(tile, ScatteredTile):
        return _update_owned(m, op, tile.memory, *tile.addresses(m, mask), value)
    address, inside = tile.addresses()
    inside = both(inside, None if mask is None else unblocked(mask))
    return blocked(_update_owned(m, op, tile.memory, address, inside, unblocked(value)), op.result.type)


def _update_owned(
    m: Machine, op: xetile.AtomicRmwTile, memory: Memory, address: Array, inside: Array | None, value: Array
) -> Array:
    address, inside, value, active = owned(m, address, inside, value, op.tile.type.wg_map)
    if active is None:
        return update(m, memory, address, inside, value, op.kind, op.value.type.element)
    with m.unmasked():
        return update(m, memory, address, both(inside, active), value, op.kind, op.value.type.element)


@executes(xegpu.AtomicRmw)
def atomic_rmw(m: Machine, op: xegpu.AtomicRmw, desc: ScatterDesc, mask: Array, value: Array) -> Array:
    """The old elements; zero where masked."""
    addresses = desc.addresses(m, value.shape[BATCH:], mask)
    return update(m, desc.memory, *addresses, value, op.kind, element_of(op.value.type))


def update(
    m: Machine, memory: Memory, address: Array, inside: Array | None, value: Array, kind: str, element: ScalarType
) -> Array:
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
        m.monitor.atomic(m, memory, address, mask, reads=kind != "assign")
    old = np.zeros(shape, memory.flat.dtype)
    found = np.empty(places.shape, memory.flat.dtype)
    for turn in _turns(places):
        at = places[turn]
        found[turn] = memory.flat[at]
        new = values[turn] if kind == "assign" else combine(ATOMIC_KINDS[kind], found[turn], values[turn], element)
        m.changes.count += bool((new != found[turn]).any())
        memory.flat[at] = new
    old[mask] = found
    return old


def _turns(places: Array) -> list[Array]:
    """Positions in `places` by turns: in one turn no place comes twice, and equal places keep their order."""
    if not places.size:
        return []
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]]
    starts = np.flatnonzero(first)
    repeat = np.arange(len(ordered)) - starts[np.cumsum(first) - 1]
    if not repeat.any():
        return [order]
    by_turn = np.argsort(repeat, kind="stable")
    return np.split(order[by_turn], np.cumsum(np.bincount(repeat))[:-1])

"""Reading and writing regions of memory, or elements one by one: watched in debug mode, where executors are active."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from .machine import Machine
from .memory import Blocks, Memory, Region
from .values import BATCH, Array, with_rank


def load(m: Machine, region: Region, padding: Any = 0, counts: Array | None = None) -> Array:
    """The elements of a region; `padding` outside. `counts`: those that somebody asks for, if not all."""
    if m.monitor is not None:
        address, inside = region.addresses()
        inside = _within(region.memory, address, inside)
        m.monitor.read(m, region.memory, address, inside if counts is None else counts if inside is None else inside & counts)
    view = region.view()
    if isinstance(view, np.ndarray):
        return view if region.memory.read_only else view.copy()
    if view is not None:
        return view.read()
    box = region.box(padding)
    if box is not None:
        found = region.in_box(box)
        return found.read() if isinstance(found, Blocks) else found
    address, inside = region.addresses()
    return _gather(region.memory, address, _within(region.memory, address, inside), padding)


def store(m: Machine, region: Region, value: Array) -> None:
    """Write a value to a region; what is outside is dropped. Of programs that write one element the last wins."""
    if m.monitor is not None:
        address, inside = region.addresses()
        m.monitor.write(m, region.memory, address, _within(region.memory, address, inside), value)
    mask = m.mask
    if mask is None:
        value = _last_writer(value, region.batch)
    written = np.broadcast_shapes(value.shape[:BATCH], () if mask is None else mask.shape)
    alone = all(n <= b for n, b in zip(written, region.batch))
    view = region.view() if alone else None
    m.changes.count += 1
    box = region.box_to_store() if alone and view is None else None
    if view is not None:
        _assign(view, value, mask, region.rank)
    elif box is not None:
        _assign(region.in_box(box), value, mask, region.rank)
        region.write_back(box)
    else:
        address, inside = region.addresses()
        _scatter(m, region.memory, address, _within(region.memory, address, inside), value)


def _assign(view: Array | Blocks, value: Array, mask: Array | None, rank: int) -> None:
    if isinstance(view, Blocks):
        view.write(value, mask)
    elif mask is None:
        view[...] = value
    else:
        np.copyto(view, value, where=with_rank(mask, rank))


def _last_writer(value: Array, batch: tuple[int, ...]) -> Array:
    for axis, (have, want) in enumerate(zip(value.shape, batch)):
        if have > 1 and want == 1:
            value = value[(slice(None),) * axis + (slice(-1, None),)]
    return value


def gather(m: Machine, memory: Memory, address: Array, inside: Array | None, padding: Any = 0) -> Array:
    """Elements one by one; `padding` where not inside (or outside the memory altogether)."""
    inside = _within(memory, address, inside)
    if m.monitor is not None:
        m.monitor.read(m, memory, address, inside)
    return _gather(memory, address, inside, padding)


def _gather(memory: Memory, address: Array, inside: Array | None, padding: Any) -> Array:
    if inside is None:
        return memory.flat[address]
    flat = memory.flat if memory.flat.size else np.zeros(1, memory.flat.dtype)
    found = flat[np.where(inside, address, 0)]
    return np.where(inside, found, np.asarray(padding).astype(memory.flat.dtype))


def scatter(m: Machine, memory: Memory, address: Array, inside: Array | None, value: Array) -> None:
    """Write elements one by one where inside and active; of several that go to one address the last wins."""
    inside = _within(memory, address, inside)
    if m.monitor is not None:
        m.monitor.write(m, memory, address, inside, value)
    m.changes.count += 1
    _scatter(m, memory, address, inside, value)


def _scatter(m: Machine, memory: Memory, address: Array, inside: Array | None, value: Array) -> None:
    mask = inside
    if m.mask is not None:
        active = with_rank(m.mask, address.ndim - BATCH)
        mask = active if inside is None else inside & active
    shape = np.broadcast_shapes(address.shape, value.shape, () if mask is None else mask.shape)
    address, value = np.broadcast_to(address, shape), np.broadcast_to(value, shape)
    if mask is None:
        memory.flat[address] = value
    else:
        mask = np.broadcast_to(mask, shape)
        memory.flat[address[mask]] = value[mask]


def _within(memory: Memory, address: Array, inside: Array | None) -> Array | None:
    """Never leaves the memory, whatever sizes a module claims."""
    holds = (address >= 0) & (address < memory.flat.size)
    if holds.all():
        return inside
    return holds if inside is None else inside & holds

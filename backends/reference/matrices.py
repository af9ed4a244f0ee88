"""xegpu in shared local memory: matrices with a memory layout, named barriers, fences."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from xetile.dialects import xegpu
from xetile.errors import LaunchError
from xetile.layout import AddressTerm, MemLayout
from xetile.records import dataclass

from .access import gather, scatter
from .machine import Machine, executes
from .memory import Memory
from .tiles import flat_addresses
from .values import BATCH, LANE, Array, along, scalar, shape_of, storage, with_rank


@dataclass(frozen=True, eq=False)
class SharedMatrix:
    """An array in a memory whose elements lie as `layout` says; `offsets`: where this view of it starts, by dimension."""

    memory: Memory
    layout: MemLayout
    offsets: tuple[Array, ...]

    def addresses(
        self, m: Machine, offsets: Sequence[Array], shape: tuple[int, ...], lanes: int = 1
    ) -> tuple[Array, Array | None]:
        """Address of each element of a block of `shape` at `offsets` (of the last dimensions), and whether it is inside.

        A block of lower rank lies along the last dimensions, of which the last is distributed to `lanes` in turn.
        """
        skip = len(self.offsets) - len(offsets)
        starts = [o if d < skip else o + offsets[d - skip] for d, o in enumerate(self.offsets)]
        rank = len(shape)
        index = []
        for d, start in enumerate(starts):
            axis = d - len(starts) + rank
            place = start.reshape(start.shape + (1,) * rank)
            if axis >= 0:
                turns = lanes if axis == rank - 1 else 1
                place = place + turns * np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(rank)])
            if lanes > 1 and axis == rank - 1:
                place = place + with_rank(along(LANE, np.arange(lanes)), rank)
            index.append(place)
        inside = np.ones((1,) * (BATCH + rank), np.bool_)
        for place, extent in zip(index, self.layout.shape):
            inside = inside & (place >= 0) & (place < extent)
        address = sum((_term(t, index[t.dim]) for t in self.layout.terms()), np.zeros((1,) * (BATCH + rank), np.int64))
        holds = None if inside.all() else inside
        if m.monitor is not None:
            m.monitor.bounds(m, self.memory, address, holds, None)
        return flat_addresses(m, self.memory, address, holds)


def _term(term: AddressTerm, index: Array) -> Array:
    part = index // term.divisor
    return (part % term.modulus if term.modulus else part) * term.stride


@executes(xegpu.CreateMemDesc)
def create_mem_desc(m: Machine, op: xegpu.CreateMemDesc, source: Memory) -> SharedMatrix:
    """Row-major where no layout is given."""
    type = op.result.type
    strides = (type.layout.stride, type.layout.block) if type.layout is not None else ((), ())
    return SharedMatrix(source.of(storage(type.element)), MemLayout(type.shape, *strides), (scalar(0),) * len(type.shape))


@executes(xegpu.MemDescSubview)
def mem_desc_subview(m: Machine, op: xegpu.MemDescSubview, source: SharedMatrix, offsets: Sequence[Array]) -> SharedMatrix:
    """Elements stay where they are."""
    skip = len(source.offsets) - len(offsets)
    return replace(source, offsets=tuple(o if d < skip else o + offsets[d - skip] for d, o in enumerate(source.offsets)))


@executes(xegpu.LoadMatrix)
def load_matrix(m: Machine, op: xegpu.LoadMatrix, desc: SharedMatrix, offsets: Sequence[Array]) -> Array:
    """A block; at lane level each lane's own elements, consecutive along the last dimension from the lane's offsets.

    Those of a block message are distributed to the lanes in turn.
    """
    shape = shape_of(op.value.type)
    address, inside = desc.addresses(m, offsets, shape, _lanes_in_turn(m, op.subgroup_block_io, offsets, shape))
    return gather(m, desc.memory, address, inside)


@executes(xegpu.StoreMatrix)
def store_matrix(m: Machine, op: xegpu.StoreMatrix, data: Array, desc: SharedMatrix, offsets: Sequence[Array]) -> None:
    """The inverse of load_matrix."""
    shape = data.shape[BATCH:]
    address, inside = desc.addresses(m, offsets, shape, _lanes_in_turn(m, op.subgroup_block_io, offsets, shape))
    scatter(m, desc.memory, address, inside, data)


def _lanes_in_turn(m: Machine, block_message: Any, offsets: Sequence[Array], shape: tuple[int, ...]) -> int:
    """How many lanes a message distributes elements to, one after the other; 1 where each lane takes neighbours."""
    if block_message is None or m.level != "lane" or not shape:
        return 1
    if any(o.shape[LANE] != 1 for o in offsets):
        raise LaunchError("a block message of shared memory has offsets that differ between lanes")
    return m.subgroup_size


# Named barriers and fences.


@dataclass(frozen=True, eq=False)
class NamedBarrier:
    """Which barrier of the workgroup, and how many subgroups meet there."""

    id: Array
    participants: Array

    def pick(self, condition: Array, other: NamedBarrier) -> NamedBarrier:
        """This one where the condition holds."""
        return NamedBarrier(np.where(condition, self.id, other.id), np.where(condition, self.participants, other.participants))


@executes(xegpu.AllocNbarrier)
def alloc_nbarrier(m: Machine, op: xegpu.AllocNbarrier) -> None:
    """Barriers need no room here."""


@executes(xegpu.InitNbarrier)
def init_nbarrier(m: Machine, op: xegpu.InitNbarrier, barrier: Array, participants: Array) -> NamedBarrier:
    """A handle."""
    return NamedBarrier(barrier, participants)


@executes(xegpu.NbarrierArrive)
def nbarrier_arrive(m: Machine, op: xegpu.NbarrierArrive, barrier: NamedBarrier) -> None:
    """A signal to those who wait."""
    if m.schedule is not None:
        m.schedule.arrive(_one(barrier.id), _one(barrier.participants))


@executes(xegpu.NbarrierWait)
def nbarrier_wait(m: Machine, op: xegpu.NbarrierWait, barrier: NamedBarrier) -> None:
    """Until all participants have arrived."""
    if m.schedule is not None:
        m.schedule.wait(_one(barrier.id))


def _one(number: Array) -> int:
    """A subgroup that is a task of its own has one program and one number."""
    return int(number.flat[0])


@executes(xegpu.Fence)
def fence(m: Machine, op: xegpu.Fence) -> None:
    """Ops take effect in order, so there is nothing to do; a fence alone waits for nobody."""
    if m.monitor is not None:
        m.monitor.fence(m, op.memory_kind)

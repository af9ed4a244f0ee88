"""gpu, memref and cf: ids, barriers, exchange between lanes, printing and assertions."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from xetile.dialects import gpu
from xetile.errors import KernelAssertionError, LaunchError
from xetile.ir.core import Op

from .checks import check_barrier, describe
from .machine import Machine, executes
from .memory import Dim, Memory, followed
from .reduce import reduce
from .schedule import WORKGROUP
from .values import BATCH, LANE, SUBGROUP, Array, X, Y, Z, along, is_float, scalar, storage, unsigned

_AXIS = {"x": X, "y": Y, "z": Z}


@executes(gpu.BlockId)
def block_id(m: Machine, op: gpu.BlockId) -> Array:
    """Differs along one axis of the grid only."""
    axis = _AXIS[op.dimension]
    return along(axis, np.arange(m.start[axis], m.start[axis] + m.extent[axis]))


@executes(gpu.GridDim)
def grid_dim(m: Machine, op: gpu.GridDim) -> Array:
    """The size of the whole launch, not of a chunk."""
    return scalar(m.grid[_AXIS[op.dimension]])


@executes(gpu.SubgroupId)
def subgroup_id(m: Machine, op: gpu.SubgroupId) -> Array:
    """Differs along the subgroup axis only; at workgroup level values have one where it is known what each subgroup holds."""
    if m.level == "workgroup" and m.num_subgroups > 1 and m.unknown:
        raise LaunchError("subgroups diverge here, which workgroup-level xegpu cannot express",
                          hint="run the module at subgroup level")  # fmt: skip
    return along(SUBGROUP, np.arange(m.num_subgroups)) if m.subgroup is None else scalar(m.subgroup)


@executes(gpu.LaneId)
def lane_id(m: Machine, op: gpu.LaneId) -> Array:
    """Differs along the lane axis only."""
    return along(LANE, np.arange(m.subgroup_size))


@executes(gpu.Barrier)
def barrier(m: Machine, op: gpu.Barrier) -> None:
    """All take each step together, so there is nothing to wait for; subgroups that are tasks of their own meet."""
    barrier_arrive(m, op)
    barrier_wait(m, op)


@executes(gpu.BarrierArrive)
def barrier_arrive(m: Machine, op: Op) -> None:
    """First half of a barrier."""
    check_barrier(m)
    if m.schedule is not None:
        m.schedule.arrive(WORKGROUP, m.num_subgroups)
    elif m.monitor is not None:
        m.monitor.arrive(m)


@executes(gpu.BarrierWait)
def barrier_wait(m: Machine, op: Op) -> None:
    """Second half of a barrier."""
    check_barrier(m)
    if m.schedule is not None:
        m.schedule.wait(WORKGROUP)
    elif m.monitor is not None:
        m.monitor.wait(m)


@executes(gpu.Alloca)
def alloca(m: Machine, op: gpu.Alloca) -> Memory:
    """One buffer for each program, of bytes that are no useful number before they are written."""
    if op not in m.shared:
        m.shared[op] = _shared(m, op)
    return m.shared[op]


def _shared(m: Machine, op: gpu.Alloca) -> Memory:
    type = op.result.type
    count = type.count
    dtype = storage(type.element)
    z, y, x = m.extent
    flat = np.full(z * y * x * count * dtype.itemsize, 0xFF, np.uint8).view(dtype)
    strides = (y * x * count, x * count, count)
    lead = tuple(Dim(along(axis, np.arange(n)), n, s) for axis, (n, s) in enumerate(zip(m.extent, strides)))
    memory = Memory(flat, "shared local memory", lead, space=3)
    if m.monitor is not None:
        m.monitor.allocated(memory)
    return memory


@executes(gpu.ReinterpretCast)
def reinterpret_cast(m: Machine, op: gpu.ReinterpretCast, source: Memory, size: Array) -> Memory:
    """Addresses count from the same start."""
    return replace(source, shape=None, steps=None)


@executes(gpu.ElementCast)
def element_cast(m: Machine, op: gpu.ElementCast, source: Any) -> Memory:
    """The same bytes."""
    return followed(source).of(storage(op.result.type.element))


@executes(gpu.Shuffle)
def shuffle(m: Machine, op: gpu.Shuffle, value: Array, offset: Array, width: Array) -> tuple[Array, Array]:
    """Another lane's value, and whether there is such a lane within the group of `width`; one's own where there is none."""
    lanes = along(LANE, np.arange(m.subgroup_size))
    group = lanes // width * width
    source = {"xor": lanes ^ offset, "up": lanes - offset, "down": lanes + offset, "idx": group + offset}[op.mode]
    valid = (source >= group) & (source < group + width)
    source = np.where(valid, source, lanes)
    if (source == np.take(source, [0], LANE)).all():  # one lane's value is one for all, as messages of the whole subgroup want it
        source, valid = np.take(source, [0], LANE), np.take(valid, [0], LANE)
    rank = value.ndim - BATCH
    shape = np.broadcast_shapes(value.shape, (1,) * LANE + (m.subgroup_size,) + (1,) * rank)
    index = source.reshape(source.shape + (1,) * rank)
    full = np.broadcast_shapes(index.shape, shape)
    taken = np.broadcast_to(index, (*full[:LANE], index.shape[LANE], *full[LANE + 1 :]))
    picked = np.take_along_axis(np.broadcast_to(value, full), taken, axis=LANE)
    return picked, valid


@executes(gpu.SubgroupReduce)
def subgroup_reduce(m: Machine, op: gpu.SubgroupReduce, value: Array) -> Array:
    """Over all lanes, or over clusters of `cluster_size` lanes that are `cluster_stride` apart; each lane gets its cluster's."""
    lanes, size, stride = m.subgroup_size, op.cluster_size or m.subgroup_size, op.cluster_stride or 1
    value = np.broadcast_to(value, (*value.shape[:LANE], lanes, *value.shape[LANE + 1 :]))
    # Lane = (cluster block, position in cluster, offset below the stride).
    split = value.reshape(*value.shape[:LANE], lanes // (size * stride), size, stride, *value.shape[LANE + 1 :])
    combined = reduce(op.kind, split, (LANE + 1 - BATCH,), _element(op), keep=True)
    return np.broadcast_to(combined, split.shape).reshape(value.shape)


def _element(op: gpu.SubgroupReduce) -> Any:
    return getattr(op.value.type, "element", op.value.type)


@executes(gpu.Assert)
def assertion(m: Machine, op: gpu.Assert, condition: Array, values: tuple[Array, ...]) -> None:
    """Raises KernelAssertionError with the first program for which the condition does not hold."""
    failing = m.active(~condition)
    if failing.any():
        shape = np.broadcast_shapes(failing.shape, *(v.shape for v in values))
        first = tuple(np.argwhere(np.broadcast_to(failing, shape))[0])
        kinds = _FORMAT.findall(op.message.replace("%%", "")) if values else []
        values = tuple(unsigned(v) if kind in "uxXo" and not is_float(v) else v for v, kind in zip(values, kinds))
        shown = tuple(np.broadcast_to(v, shape)[first].item() for v in values)
        message = op.message % shown if shown else op.message
        raise KernelAssertionError(f"{message} (in {describe(m, failing)})", at=op.loc)


@executes(gpu.Printf)
def printf(m: Machine, op: gpu.Printf, arguments: tuple[Array, ...]) -> None:
    """A line for each one who is active, in the order of programs, subgroups and lanes."""
    everywhere = np.True_ if m.mask is None else m.mask
    shape = np.broadcast_shapes(m.executors, everywhere.shape)
    columns = [np.broadcast_to(a, np.broadcast_shapes(shape, a.shape[:BATCH])) for a in arguments]
    shape = np.broadcast_shapes(shape, *(c.shape for c in columns))
    mask = np.broadcast_to(everywhere, shape)
    text = op.message if op.message.endswith("\n") else op.message + "\n"
    kinds = _FORMAT.findall(text.replace("%%", ""))
    columns = [unsigned(c) if kind in "uxXo" and not is_float(c) else c for c, kind in zip(columns, kinds)]
    rows = zip(*(np.broadcast_to(c, shape)[mask].tolist() for c in columns)) if columns else [()] * int(mask.sum())
    print("".join(text % tuple(row) for row in rows), end="")


# C's conversions; Python knows them all, but shows %u of a negative number as it is.
_FORMAT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l)?([a-zA-Z])")

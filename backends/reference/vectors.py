"""vector: shuffling of values. Axes of a type stand behind the batch axes."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import vector
from xetile.dialects.types import element_of
from xetile.ir.core import Op

from .machine import Machine, executes
from .reduce import accumulate, combine, reduce
from .values import BATCH, Array, storage

_ALL = (slice(None),) * BATCH


@executes(vector.Broadcast)
def broadcast(m: Machine, op: vector.Broadcast, value: Array) -> Array:
    """New dimensions come first."""
    shape = op.result.type.shape
    batch, own = value.shape[:BATCH], value.shape[BATCH:]
    stretched = value.reshape(*batch, *(1,) * (len(shape) - len(own)), *own)
    return np.broadcast_to(stretched, (*batch, *shape))


@executes(vector.ShapeCast)
def shape_cast(m: Machine, op: vector.ShapeCast, value: Array) -> Array:
    """Row-major order stays."""
    return value.reshape(*value.shape[:BATCH], *op.result.type.shape)


@executes(vector.Bitcast)
def bitcast(m: Machine, op: vector.Bitcast, value: Array) -> Array:
    """Little endian: the first of several elements in a wider one is in the low bits."""
    return np.ascontiguousarray(value).view(storage(op.result.type.element))


@executes(vector.Transpose)
def transpose(m: Machine, op: vector.Transpose, value: Array) -> Array:
    """A view."""
    return value.transpose(*range(BATCH), *(BATCH + d for d in op.permutation))


@executes(vector.Extract)
def extract(m: Machine, op: vector.Extract, value: Array) -> Array:
    """A view."""
    return value[_ALL + tuple(op.position)]


@executes(vector.Insert)
def insert(m: Machine, op: vector.Insert, value: Array, dest: Array) -> Array:
    """A changed copy."""
    return _replaced(dest, value, op.position)


@executes(vector.ExtractStridedSlice)
def extract_slice(m: Machine, op: vector.ExtractStridedSlice, value: Array) -> Array:
    """A view."""
    return value[_ALL + tuple(slice(o, o + n) for o, n in zip(op.offsets, op.sizes))]


@executes(vector.InsertStridedSlice)
def insert_slice(m: Machine, op: vector.InsertStridedSlice, value: Array, dest: Array) -> Array:
    """A changed copy; a value of lower rank goes to the last dimensions."""
    sizes = (1,) * (dest.ndim - value.ndim) + value.shape[BATCH:]
    place = tuple(slice(o, o + n) for o, n in zip(op.offsets, sizes))
    return _replaced(dest, value.reshape(*value.shape[:BATCH], *sizes), place)


def _replaced(dest: Array, value: Array, place: tuple[Any, ...]) -> Array:
    batch = np.broadcast_shapes(dest.shape[:BATCH], value.shape[:BATCH])
    changed = np.array(np.broadcast_to(dest, (*batch, *dest.shape[BATCH:])))
    changed[_ALL + tuple(place)] = value
    return changed


@executes(vector.Shuffle)
def shuffle(m: Machine, op: vector.Shuffle, first: Array, second: Array) -> Array:
    """Numbers beyond the first vector pick from the second."""
    batch = np.broadcast_shapes(first.shape[:BATCH], second.shape[:BATCH])
    both = [np.broadcast_to(v, (*batch, *v.shape[BATCH:])) for v in (first, second)]
    return np.take(np.concatenate(both, axis=BATCH), op.mask, axis=BATCH)


@executes(vector.Step)
def step(m: Machine, op: vector.Step) -> Array:
    """0, 1, 2, ..."""
    return np.arange(op.result.type.shape[0]).reshape((1,) * BATCH + (-1,))


@executes(vector.MultiReduction)
def multi_reduction(m: Machine, op: vector.MultiReduction, value: Array, acc: Array) -> Array:
    """The reduction combined with the accumulator."""
    element = _element(op)
    return combine(op.kind, reduce(op.kind, value, op.dims, element), acc, element)


def _element(op: Op) -> Any:
    return element_of(op.results[0].type)


@executes(vector.Scan)
def scan(m: Machine, op: vector.Scan, value: Array, initial: Array) -> tuple[Array, Array]:
    """Inclusive: element i holds `initial` and elements 0 to i; exclusive: it stops before i. Then the whole reduction."""
    element, axis = _element(op), BATCH + op.reduction_dim
    first = np.expand_dims(initial, axis)
    running = combine(op.kind, first, accumulate(op.kind, value, op.reduction_dim, element), element)
    last = np.take(running, -1, axis)
    if not op.inclusive:
        whole = np.broadcast_to(first, (*running.shape[:axis], 1, *running.shape[axis + 1 :]))
        running = np.concatenate([whole, running.swapaxes(axis, 0)[:-1].swapaxes(axis, 0)], axis)
    return running, last

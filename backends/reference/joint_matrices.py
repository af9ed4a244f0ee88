"""Joint matrices: one value for all lanes of a subgroup, and what each lane owns of it (seed 004)."""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import joint_matrix as jm
from xetile.records import dataclass

from .access import gather, scatter
from .flat_memory import address
from .machine import Machine, executes
from .memory import Memory
from .values import BATCH, LANE, Array, along, scalar, with_rank


def _places(shape: tuple[int, int], stride: Array, group: int = 1) -> Array:
    """Where elements are from the first one on, `group` rows together."""
    rows, columns = (np.arange(n).reshape((1,) * BATCH + s) for n, s in zip(shape, ((-1, 1), (1, -1))))
    return rows // group * with_rank(stride, 2) + columns * group + rows % group


@executes(jm.Fill)
def fill(m: Machine, op: jm.Fill, value: Array) -> Array:
    """The same number everywhere."""
    return np.broadcast_to(with_rank(value, 2), (*value.shape, *op.result.type.shape))


@executes(jm.Load)
def load(m: Machine, op: jm.Load, where: Memory, index: Array, stride: Array) -> Array:
    """Rows, or groups of them."""
    type = op.result.type
    group = jm.group_of(type.element) if op.layout == "packed" else 1
    return gather(m, where, address(where, index, _places(type.shape, stride, group)), None)


@executes(jm.Store)
def store(m: Machine, op: jm.Store, value: Array, where: Memory, index: Array, stride: Array) -> None:
    """Rows."""
    scatter(m, where, address(where, index, _places(op.value.type.shape, stride)), None, value)


@executes(jm.Mad)
def mad(m: Machine, op: jm.Mad, a: Array, b: Array, acc: Array) -> Array:
    """In the accumulator's type."""
    left, right = (_wide(v, acc.dtype, unsigned) for v, unsigned in ((a, op.lhs_unsigned), (b, op.rhs_unsigned)))
    return np.matmul(left, right) + acc


def _wide(value: Array, kind: np.dtype[Any], unsigned: object) -> Array:
    return (value.view(f"u{value.dtype.itemsize}") if unsigned is not None else value).astype(kind)


# Slices. Numbers of elements count in row-major order.


def _flat(matrix: Array) -> Array:
    return matrix.reshape(*matrix.shape[:BATCH], -1)


def _take(matrix: Array, number: Array) -> Array:
    """Elements by their numbers, each with its batch axes; 0 behind the last one."""
    flat = _flat(matrix)
    inside = number < flat.shape[-1]
    batch = np.broadcast_shapes(flat.shape[:BATCH], number.shape[:BATCH])
    rank = number.ndim - BATCH
    flat = np.broadcast_to(flat, (*batch, flat.shape[-1]))
    wanted = np.broadcast_to(np.where(inside, number, 0), (*batch, *number.shape[BATCH:]))
    found = np.take_along_axis(flat, wanted.reshape(*batch, -1), -1).reshape(*batch, *number.shape[BATCH:])
    return np.where(np.broadcast_to(inside, found.shape), found, found.dtype.type(0)) if rank or not inside.all() else found


def _put(matrix: Array, number: Array, value: Array) -> Array:
    """The matrix with elements replaced by their numbers, those of all lanes."""
    flat, lanes = _flat(matrix), max(number.shape[LANE], value.shape[LANE])
    batch = np.broadcast_shapes(flat.shape[:LANE], number.shape[:LANE], value.shape[:LANE])
    made = np.broadcast_to(flat[:, :, :, :, 0], (*batch, flat.shape[-1])).copy()
    for lane in range(lanes):
        at, given = (
            np.broadcast_to(v[:, :, :, :, min(lane, v.shape[LANE] - 1)], (*batch, *v.shape[BATCH:])) for v in (number, value)
        )
        at, given = (v.reshape(*batch, -1) for v in (at, given))
        inside = at < made.shape[-1]
        for i in range(at.shape[-1]):  # one after the other: those behind the last element must not write the first one
            where = np.where(inside[..., i : i + 1], at[..., i : i + 1], 0)
            kept = np.take_along_axis(made, where, -1)
            np.put_along_axis(made, where, np.where(inside[..., i : i + 1], given[..., i : i + 1], kept), -1)
    return made.reshape(*batch, 1, *matrix.shape[BATCH:])


def _owned(m: Machine, index: Array) -> Array:
    return index * m.subgroup_size + along(LANE, np.arange(m.subgroup_size))


@executes(jm.SliceLength)
def slice_length(m: Machine, op: jm.SliceLength, matrix: Array) -> Array:
    """A constant."""
    return scalar(op.matrix.type.slice_length(m.subgroup_size))


@executes(jm.SliceExtract)
def slice_extract(m: Machine, op: jm.SliceExtract, matrix: Array, index: Array) -> Array:
    """Each lane's own."""
    return _take(matrix, _owned(m, index))


@executes(jm.SliceInsert)
def slice_insert(m: Machine, op: jm.SliceInsert, value: Array, matrix: Array, index: Array) -> Array:
    """Each lane's own."""
    return _put(matrix, _owned(m, index), value)


@dataclass(frozen=True)
class RowSlice:
    """A matrix, the numbers of what the lanes own of a row slice, and what they put there."""

    matrix: Array
    numbers: Array
    value: Array


@executes(jm.RowSliceId)
def row_slice_id(m: Machine, op: jm.RowSliceId, matrix: Array, index: Array) -> RowSlice:
    """With what is there."""
    numbers = _owned(m, index)
    return RowSlice(matrix, numbers, _take(matrix, numbers))


@executes(jm.RowSliceExtractElement)
def row_slice_extract_element(m: Machine, op: jm.RowSliceExtractElement, held: RowSlice) -> Array:
    """Each lane's own."""
    return held.value


@executes(jm.RowSliceInsertElement)
def row_slice_insert_element(m: Machine, op: jm.RowSliceInsertElement, value: Array, held: RowSlice) -> RowSlice:
    """Each lane's own."""
    return RowSlice(held.matrix, held.numbers, value)


@executes(jm.InsertRowSliceToMatrix)
def insert_row_slice_to_matrix(m: Machine, op: jm.InsertRowSliceToMatrix, held: RowSlice) -> Array:
    """Back."""
    return _put(held.matrix, held.numbers, held.value)


def _neighbours(offset: Array, count: int) -> Array:
    return with_rank(offset, 1) + np.arange(count).reshape((1,) * BATCH + (-1,))


@executes(jm.ExtractRowSlice)
def extract_row_slice(m: Machine, op: jm.ExtractRowSlice, matrix: Array, offset: Array) -> Array:
    """Neighbours."""
    return _take(matrix, _neighbours(offset, op.result.type.count))


@executes(jm.InsertRowSlice)
def insert_row_slice(m: Machine, op: jm.InsertRowSlice, value: Array, matrix: Array, offset: Array) -> Array:
    """Neighbours."""
    return _put(matrix, _neighbours(offset, op.value.type.count), value)

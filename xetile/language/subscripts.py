"""Subscripts of values: integers, slices and values of integers choose elements, as in numpy.

Elements move between the lanes and subgroups of a workgroup through shared local memory, between two barriers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.dialects import gpu
from xetile.dialects.types import MemRefType
from xetile.dtypes import DType
from xetile.errors import CompileError, ConstexprError, TileShapeError, counted
from xetile.language.arrays import Array
from xetile.language.casts import whole_index
from xetile.language.containers import Items
from xetile.language.context import current
from xetile.language.create import arange
from xetile.language.elementwise import as_value, broadcast_to, plain
from xetile.language.extents import counted_from_the_start, distance
from xetile.language.gather import load_gather
from xetile.language.math import where
from xetile.language.memory import store_tile
from xetile.language.sync import barrier
from xetile.language.tiles import SLM, init_tile
from xetile.language.values import Shape, Value, describe, is_integer, operator

# Values of these dtypes lie in memory as another.
_IN_MEMORY = {dtypes.bool_: dtypes.i8, dtypes.tf32: dtypes.f32}


def memory_dtype(dtype: DType) -> DType:
    """The dtype that values of another have in memory."""
    if dtype is dtypes.index:
        return dtypes.i32 if current().index_bits == 32 else dtypes.i64
    return _IN_MEMORY.get(dtype, dtype)


def scratch(shape: Shape, dtype: DType) -> Array:
    """Shared memory through which values move; moves of equal size use one, since each ends with a barrier."""
    ir = current().hoisted(gpu.Alloca, MemRefType(shape, dtype.ir, None, SLM))
    return Array("values on the move", ir, dtype, shape, (1,) if len(shape) == 1 else (shape[1], 1), space=SLM)


def lay_out(values: Sequence[Value], axis: int) -> Array:
    """Values side by side along an axis in shared memory, for all subgroups to read; `barrier` must follow the reading."""
    dtype, first = memory_dtype(values[0].dtype), values[0].shape
    whole = tuple(sum(v.shape[a] for v in values) if a == axis else n for a, n in enumerate(first))
    memory, begin = scratch(whole, dtype), 0
    for value in values:
        place = tuple(begin if a == axis else 0 for a in range(len(first)))
        stored = whole_index(value) if value.dtype is dtypes.index else value.to(dtype)
        store_tile(stored, init_tile(memory, place, value.shape))
        begin += value.shape[axis]
    barrier()
    return memory


def picked(values: Sequence[Value], offsets: Value, axis: int = 0) -> Value:
    """Of values laid side by side along an axis the elements with these numbers, counted row by row."""
    found = load_gather(init_tile(lay_out(values, axis), offsets))
    barrier()
    return found.to(values[0].dtype)


@operator("subscript")
def subscript(value: Value, items: tuple[Any, ...]) -> Value:
    """`value[items]` with an item for each axis: integers, slices of constant size, values and lists of integers, as numpy has it.

    Raises CompileError, TileShapeError.
    """
    items = tuple(_row(value, axis, item) for axis, item in enumerate(items))
    parts = [_along(value, axis, plain(item)) for axis, item in enumerate(items)]
    if len(parts) == 1:
        return _picked_as(value, parts[0])
    (rows, columns), width = parts, value.shape[1]
    gathered = [item for item in items if isinstance(item, Value) and item.shape]
    if any(len(item.shape) == 2 for item in gathered) and any(isinstance(item, slice) for item in items):
        raise TileShapeError(f"{describe(value)}: a subscript of two axes beside a slice would have three",
                             hint="choose rows or columns first, then the others")  # fmt: skip
    if isinstance(rows, Value) and rows.shape and isinstance(columns, Value) and columns.shape and len(gathered) < 2:
        return picked(values=[value], offsets=rows[:, None] * width + columns[None, :])
    if len(gathered) == 2 and len(rows.shape) == len(columns.shape) == 1 and rows.shape != columns.shape:
        raise TileShapeError(f"{describe(value)}[i, j]: i has {rows.shape[0]} elements and j {columns.shape[0]}",
                             hint="for all pairs of them: value[i[:, None], j[None, :]]")  # fmt: skip
    return _picked_as(value, rows * width + columns)


def _picked_as(value: Value, offsets: Any) -> Value:
    """The elements with these numbers; one as a scalar."""
    if isinstance(offsets, Value) and offsets.shape:
        return picked([value], offsets)
    return picked([value], broadcast_to(as_value(offsets, dtypes.index).to(dtypes.index), (1,))).item()


def _along(value: Value, axis: int, item: Any) -> Any:
    """What a subscript chooses along an axis: a number, or several of them as index."""
    size = value.shape[axis]
    if isinstance(item, slice):
        return _slice(value, axis, item)
    if isinstance(item, int) and not isinstance(item, bool):
        if not -size <= item < size:
            raise TileShapeError(f"{describe(value)}: index {item} is outside axis {axis} of {counted(size, 'element')}",
                                 hint=f"from {-size} to {size - 1}")  # fmt: skip
        return item % size
    if isinstance(item, Value) and item.dtype.kind in "iun":
        return counted_from_the_start(item.to(dtypes.index), size)
    hint = "indices are integers, slices, values of integers and lists of them"
    if isinstance(item, Value) and item.dtype.kind == "b":
        hint = "a mask chooses a number of elements that is not known now: xt.where(mask, value, other) keeps the shape"
    raise CompileError(f"{describe(value)}: {describe(item)} is no subscript", hint=hint)


def _row(value: Value, axis: int, item: Any) -> Any:
    """A list of integers as a row of them; anything else as it is."""
    numbers = item.tolist() if isinstance(item, np.ndarray) and item.ndim == 1 else item
    if not isinstance(numbers, (Items, list)) or not numbers or not all(is_integer(number) for number in numbers):
        return item
    place, row = arange(len(numbers)), as_value(0, dtypes.index)
    for count, number in enumerate(numbers):
        row = where(place == count, _along(value, axis, number), row)
    return row


def _slice(value: Value, axis: int, item: slice) -> Value:
    begin, end, step = (plain(b) for b in (item.start, item.stop, item.step))
    if any(isinstance(b, Value) for b in (begin, end, step)):
        return _moving_slice(value, axis, begin, end, 1 if step is None else step)
    chosen = range(value.shape[axis])[slice(begin, end, step)]
    if not chosen:
        raise TileShapeError(f"{describe(value)}: slice {item.start}:{item.stop}:{item.step} of axis {axis} has no elements")
    count, step = arange(len(chosen)), chosen.step
    # What is known of places is known of numbers that are none of them negative.
    return count * step + chosen.start if step > 0 else chosen.start - count * -step


def _moving_slice(value: Value, axis: int, begin: Any, end: Any, step: Any) -> Value:
    """The numbers of a slice of constant size from a run-time place on, `x[k : k + 4]`, which like other indices lie within the axis."""
    for bound in (begin, end, step):
        if bound is not None and not is_integer(bound):
            hint = (
                "whole numbers are divided by //"
                if not isinstance(bound, Value) or not bound.shape
                else "x[rows] takes the elements of a row of integers"
            )
            raise CompileError(f"{describe(value)}: a bound of the slice is {describe(bound)}, not an integer", hint=hint)
    if not isinstance(step, int) or step < 1:
        raise ConstexprError(
            f"{describe(value)}: the step of a slice from a run-time place is {describe(step)}", hint="a positive constant"
        )
    extent = None if begin is None or end is None else distance(end, begin)
    if not isinstance(extent, int):
        raise ConstexprError(
            f"{describe(value)}: the bounds of a slice must be a constant apart, for they fix the shape of the result",
            hint="x[begin : begin + 16] takes 16 elements from a run-time place on; in a loop over xt.static_range bounds are constants",
        )
    if extent < 1:
        raise TileShapeError(f"{describe(value)}: the slice has no elements")
    first = counted_from_the_start(as_value(begin, dtypes.index).to(dtypes.index), value.shape[axis])
    numbers: Value = arange(-(-extent // step)) * step + first
    return numbers

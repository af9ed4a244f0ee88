"""The largest elements, and counts by bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile import dtypes
from xetile.errors import ArgumentError
from xetile.ops.arguments import FLOATS, array, axis_of, interpreted, new, power_of_two, rows, tiles_of_rows, whole
from xetile.ops.kernels import selection as kernels
from xetile.runtime.arrays import is_device_array

KINDS = (*FLOATS[:3], dtypes.i8, dtypes.u8, dtypes.i16, dtypes.u16, dtypes.i32)


def topk(x: Any, k: int, axis: int = -1) -> tuple[Any, Any]:
    """The k largest elements along an axis, in falling order, and their places (i64); NaN counts as largest.

    x       any shape; f16, bf16, f32, integers of up to 16 bits, i32.
    k       at most the axis's size; meant for few: on GPUs each takes a pass over the axis.

    Of equal elements the first comes first. Raises ArgumentError, DtypeError.

    Example:
        print(*xt.ops.topk(np.float32([3, 9, 1, 9]), 3))

    Prints:
        [9. 9. 3.] [1 3 0]
    """
    given = array("topk", "x", x, KINDS)
    axis = axis_of("topk", axis, given.ndim)
    k = whole("topk", "k", k, 0)
    if k > given.shape[axis]:
        raise ArgumentError(f"topk: k is {k}, of {given.shape[axis]} elements",
                            hint=f"from 0 to {given.shape[axis]}")  # fmt: skip
    shape = (*given.shape[:axis], k, *given.shape[axis + 1 :])
    values, places = new(shape, given.dtype, given), new(shape, dtypes.i64, given)
    if values.size:
        view, *targets = rows(axis, given, values, places)
        along = view.strides[-1] == view.dtype.itemsize
        # One pass cannot tell the least i32 from nothing.
        options = {"KEPT": max(16, power_of_two(k)) if given.dtype != np.int32 else 0} if along else {"BM": 16, "BN": 32}
        if along and interpreted():
            options |= tiles_of_rows(view, 1)
        kernels.topk(view, *targets, **options)
    return values, places


def histogram(a: Any, bins: int = 10, range: tuple[float, float] | None = None) -> tuple[Any, Any]:
    """Counts (i64) of the elements in each of some bins of one width, and the bins' edges, as numpy gives them.

    a       any shape; floats, and integers of up to 32 bits, which are compared as floats that hold them exactly. Elements outside of
            the range are not counted.
    bins    how many; range: from where to where, by default from the least element to the largest.

    Raises ArgumentError (also for a range that is not finite), DtypeError.

    Example:
        print(*xt.ops.histogram(np.float32([1, 2, 2, 4]), bins=3))

    Prints:
        [1 2 1] [1. 2. 3. 4.]
    """
    given = array("histogram", "a", a, (*FLOATS, dtypes.i8, dtypes.u8, dtypes.i16, dtypes.u16, dtypes.i32, dtypes.u32))
    if is_device_array(given):
        raise ArgumentError("histogram takes host arrays", hint="call xetile.ops.kernels.selection.histogram")
    if not isinstance(bins, (int, np.integer)) or bins < 1:
        raise ArgumentError(f"histogram: bins is {bins!r}", hint="a whole number from 1 on")
    exact = given.astype(np.float32 if given.dtype.itemsize <= 2 or given.dtype == np.float32 else np.float64, copy=False)
    try:
        edges = np.histogram_bin_edges(exact, int(bins), range)
    except ValueError as error:
        raise ArgumentError(f"histogram: {error}") from None
    counts = np.zeros(int(bins), np.int32)
    if given.size:
        kernels.histogram(np.ascontiguousarray(exact).reshape(-1), edges.astype(exact.dtype), counts)
    return counts.astype(np.int64), edges

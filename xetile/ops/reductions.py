"""Reductions along an axis, and running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import ArgumentError
from xetile.ops.arguments import (
    FLOATS,
    NUMBERS,
    Output,
    array,
    axis_of,
    by_columns,
    dtype_of,
    fitting,
    new,
    on_vectors,
    rows,
    searched_rows,
    sums_in,
    tiles_along,
    tiles_of_rows,
)
from xetile.ops.kernels import reductions as kernels
from xetile.ops.kernels import rows as row_kernels
from xetile.runtime.devices import current_device

# A row is cut into parts where there are fewer rows than programs that a device should have, and parts stay at least so long.
PROGRAMS, ON_GPUS, PART = 64, 512, 1 << 14
PART_ON_CPUS = 1 << 16  # two launches take as long as so many elements
# From here on rows whose elements are not contiguous are read by the tiles that a device likes best; they are cut into parts too, where
# a program for so many of them leaves most of a device idle.
MANY_ROWS, STRIP, STRIPS, PART_OF_STRIP = 512, 4096, 16, 256
SHORT, SEVERAL = 128, 16  # rows of so few elements take a CPU less time together, so many at a time, than to be searched


def sum_(x: Any, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Sums along an axis, or of all elements.

    x           any shape; floats (summed in f32, f64 in f64, the result in x's dtype), integers (result: 64 bits, as in numpy) or bools, of
                which those that are true are counted (result: i64).
    axis        None: all of them, to an array without axes.
    keepdims    the axis stays, with size 1.
    out         of the result's shape and dtype.

    Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.sum(np.float32([[1, 2], [3, 4]]), axis=0), xt.ops.sum(np.int8([100, 100])))

    Prints:
        [4. 6.] 200
    """
    return _reduced("sum", "add", _ones(x), axis, keepdims, out)


def max_(x: Any, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Largest elements along an axis, or of all; NaN where there is one.

    Arguments are those of `sum`; the result has x's dtype. Raises ArgumentError (also for an empty axis), DtypeError.

    Example:
        print(xt.ops.max(np.float32([[1, 7], [3, 4]]), axis=1))

    Prints:
        [7. 4.]
    """
    return _reduced("max", "max", x, axis, keepdims, out)


def min_(x: Any, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Smallest elements along an axis, or of all; NaN where there is one.

    Arguments are those of `sum`; the result has x's dtype. Raises ArgumentError (also for an empty axis), DtypeError.

    Example:
        print(xt.ops.min(np.int32([[1, 7], [3, 4]])))

    Prints:
        1
    """
    return _reduced("min", "min", x, axis, keepdims, out)


def mean(x: Any, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Means along an axis, or of all elements.

    Arguments are those of `sum`, floats only: the result has x's dtype. An empty axis gives NaN. Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.mean(np.float32([[1, 2], [3, 4]]), axis=0, keepdims=True))

    Prints:
        [[2. 3.]]
    """
    return _reduced("mean", "add", x, axis, keepdims, out)


def argmax(x: Any, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Where the largest element along an axis is, or of all elements in their order: the first of equals, or the first NaN.

    x           any shape; floats or integers.
    out         i64, of the result's shape.

    Raises ArgumentError (also for an empty axis), DtypeError.

    Example:
        print(xt.ops.argmax(np.float32([[1, 7], [3, 3]]), axis=1))

    Prints:
        [1 0]
    """
    return _place("argmax", "max", x, axis, keepdims, out)


def argmin(x: Any, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Any:
    """Where the smallest element along an axis is, or of all elements in their order: the first of equals, or the first NaN.

    Arguments and errors are those of `argmax`.

    Example:
        print(xt.ops.argmin(np.float32([[1, 7], [3, 0]])))

    Prints:
        3
    """
    return _place("argmin", "min", x, axis, keepdims, out)


def cumsum(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """Running sums along an axis.

    x       any shape; floats (summed in f32, f64 in f64, the result in x's dtype), integers (result: 64 bits, as in numpy) or bools, of
            which those that are true are counted (result: i64).
    out     of x's shape and the result's dtype.

    Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.cumsum(np.float32([[1, 2, 3], [1, 1, 1]])))

    Prints:
        [[1. 3. 6.]
         [1. 2. 3.]]
    """
    given = array("cumsum", "x", _ones(x), NUMBERS)
    axis = axis_of("cumsum", axis, given.ndim)
    result = Output("cumsum", out, given.shape, _dtype_of_sums(given), given)
    if given.size:
        view, target = rows(axis, given, result.array)
        row_kernels.cumsum(view, target, ACC=sums_in(given), **tiles_along(view, 256))
    return result.done()


def _ones(x: Any) -> Any:
    """Bools as bytes that are 1 or 0, in the same memory; all else as it is."""
    return x.view(np.int8) if getattr(x, "dtype", None) == np.dtype(bool) and hasattr(x, "view") else x


class _Reduction:
    """The shapes of one call: the array seen by rows, and where the result goes."""

    def __init__(self, function: str, x: Any, axis: int | None, keepdims: bool, out: Any, dtype: Any) -> None:
        self.function, self.given = function, x
        shape = tuple(x.shape)
        if axis is None:
            kept, left = (1,) * len(shape), ()
            self.flat, self.axis = x.reshape(-1), 0
        else:
            axis = axis_of(function, axis, len(shape))
            kept, left = (*shape[:axis], 1, *shape[axis + 1 :]), (*shape[:axis], *shape[axis + 1 :])
            self.flat, self.axis = x, axis
        self.result = Output(function, out, kept if keepdims else left, dtype, x)

    @property
    def is_of_nothing(self) -> bool:
        """Whether there are results without any elements."""
        return bool(self.flat.shape[self.axis] == 0 and self.result.array.size > 0)

    @property
    def views(self) -> list[Any]:
        """The array with the axis last, and the result as a column for each of its rows."""
        shape = tuple(self.flat.shape)
        column = self.result.array.reshape((*shape[: self.axis], 1, *shape[self.axis + 1 :]))
        return rows(self.axis, self.flat, column)


def _reduced(function: str, kind: str, x: Any, axis: int | None, keepdims: bool, out: Any) -> Any:
    given = array(function, "x", x, FLOATS if function == "mean" else NUMBERS)
    kept = _own(given)
    is_sum = kind == "add"
    call = _Reduction(function, given, axis, keepdims, out, _dtype_of_sums(given) if is_sum else kept)
    if call.is_of_nothing:
        if not is_sum:
            raise ArgumentError(f"{function} of an empty axis: {tuple(given.shape)}")
        call.result.array[...] = np.nan if function == "mean" else 0
    elif given.size:
        acc = sums_in(given) if is_sum or kept.is_float else kept
        view, target = call.views
        _reduce_rows(kind, view, target, acc, function == "mean")
    return call.result.done()


def _reduce_rows(kind: str, view: Any, target: Any, acc: DType, is_mean: bool) -> None:
    """Rows of `view` to the one column of `target`; first to several columns where there are too few rows to fill a device."""
    columns = view.shape[-1]
    options: dict[str, Any] = {"KIND": kind, "FIRST": _neutral(kind, view), "ACC": acc}
    part = _part(view)
    if part < columns:
        partial = _beside(view, -(-columns // part), acc)
        kernel, tiles = _kernel(view)
        kernel(view, partial, part, 1, **options, **tiles)
        view = partial
    kernel, tiles = _kernel(view)
    kernel(view, target, _round_up(view.shape[-1]), columns, MEAN=is_mean, **options, **tiles)


def _is_many(view: Any) -> bool:
    """Whether neighbours in memory are of different rows, of which there are many."""
    return by_columns(view) and view.shape[-2] >= MANY_ROWS


def _kernel(view: Any) -> tuple[Any, dict[str, int]]:
    if not _is_many(view):
        return kernels.reduce, tiles_along(view, once=True)
    # What a tile has beside the array a CPU fills, and computes.
    return kernels.reduce_columns, {"BM": fitting(view.shape[-2], STRIP, 512)} if on_vectors() else {}


def _part(view: Any) -> int:
    """How many columns of a row are reduced at a time."""
    columns = int(view.shape[-1])
    rows_there = int(view.size) // columns
    if _is_many(view):
        parts = min(STRIPS * STRIP // rows_there, columns // PART_OF_STRIP)
        return -(-columns // parts // PART_OF_STRIP) * PART_OF_STRIP if parts > 1 else columns
    programs = ON_GPUS if current_device().kind == "gpu" else PROGRAMS
    least = PART_ON_CPUS if on_vectors() else PART
    parts = min(programs // rows_there, columns // least) if rows_there < programs else 1
    return _round_up(-(-columns // parts)) if parts > 1 else columns


def _beside(view: Any, columns: int, dtype: DType) -> Any:
    """An array of as many rows and of so many columns, which are contiguous where the view's are."""
    *planes, rows_there, _ = view.shape
    if not _is_many(view):
        return new((*planes, rows_there, columns), dtype, view)
    return new((*planes, columns, rows_there), dtype, view).transpose((*range(len(planes)), len(planes) + 1, len(planes)))


def _place(function: str, kind: str, x: Any, axis: int | None, keepdims: bool, out: Any) -> Any:
    given = array(function, "x", x, NUMBERS)
    call = _Reduction(function, given, axis, keepdims, out, dtypes.i64)
    if call.is_of_nothing:
        raise ArgumentError(f"{function} of an empty axis: {tuple(given.shape)}")
    if given.size:
        kept = _own(given)
        options = {"LARGEST": kind == "max", "FIRST": _neutral(kind, given)}
        view, target = call.views
        _place_in_rows(view, target, sums_in(given) if kept.is_float else kept, options)
    return call.result.done()


def _place_in_rows(view: Any, target: Any, acc: DType, options: dict[str, Any]) -> None:
    """Of rows of `view` to the one column of `target`; first of parts of the rows where there are too few to fill a device."""
    columns = view.shape[-1]
    if by_columns(view):
        # Tiles of many rows, which are not searched.
        options |= tiles_along(view) | {"SEARCH": False}
    elif on_vectors() and columns <= SHORT:
        options |= tiles_of_rows(view, SEVERAL, SHORT // 2) | {"SEARCH": False}
    else:
        # Of contiguous rows a CPU takes one at a time, in short tiles: few of them hold what is better than all before.
        options |= searched_rows(view) if on_vectors() else tiles_of_rows(view, 1, 512, usual=128)
    part = columns if _is_many(view) else _part(view)
    if part == columns:
        kernels.where_extreme(view, target, None, _round_up(columns), ACC=acc, **options)
        return
    best, places = (_beside(view, -(-columns // part), dtype) for dtype in (acc, dtypes.i32))
    kernels.where_extreme(view, places, best, part, ACC=acc, **options)
    last = {name: options[name] for name in ("LARGEST", "FIRST")}
    kernels.place_of_best(best, places, target, P=max(64, 1 << (best.shape[-1] - 1).bit_length()), **last)


def _round_up(columns: int) -> int:
    """To whole tiles of every target."""
    return -(-columns // 4096) * 4096


def _own(found: Any) -> DType:
    own = dtype_of(found)
    assert own is not None, "array() has checked it"
    return own


def _dtype_of_sums(found: Any) -> DType:
    own = _own(found)
    return own if own.is_float else sums_in(found)


def _neutral(kind: str, found: Any) -> float | int:
    """What changes no result, in the array's dtype."""
    if kind == "add":
        return 0
    if _own(found).is_float:
        return float("-inf" if kind == "max" else "inf")
    limits = np.iinfo(found.dtype)
    return int(limits.min if kind == "max" else limits.max)

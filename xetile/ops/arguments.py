"""What the functions check of their arguments, and how arrays of any rank become the two or three axes of a kernel.

Host arrays are numpy arrays or speak its protocols; device arrays are contiguous `pyopencl.array.Array`s. Views are taken where memory
allows it: a copy is made of an array of which no two axes make a tile (one of them contiguous), and of axes that do not merge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import ArgumentError, DtypeError, counted
from xetile.runtime.arrays import as_host_array, is_array, is_device_array
from xetile.runtime.devices import current_device
from xetile.runtime.queues import allocate_like

FLOATS = (dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64)
INTEGERS = (dtypes.i8, dtypes.u8, dtypes.i16, dtypes.u16, dtypes.i32, dtypes.u32, dtypes.i64, dtypes.u64)
NUMBERS = (*FLOATS, *INTEGERS)
INDICES = (dtypes.i32, dtypes.i64)
allocations: ContextVar[list[tuple[Any, Any]] | None] = ContextVar("allocations", default=None)
"""Where new host arrays, and what they are filled with, are noted."""
Check = Callable[..., None]
checks: ContextVar[list[tuple[Check, Any, tuple[Any, ...]]] | None] = ContextVar("checks", default=None)
"""Where what is asked of an array's elements is noted: the check, the array, and what else it is called with."""
WIDEST, NARROWEST, MOST_ROWS = 1024, 16, 16  # columns of a CPU's tiles of rows, powers of two, and rows of the narrow ones
FINE = 128  # columns up to which a tile is no wider than a row: more would ask for too many kernels
MOST_AT_ONCE, PROGRAMS_OF_A_CORE = 64, 4  # rows of a tile that is read once, and programs that are worth having to share them out
LONGEST = 4096  # columns of tiles that numpy computes
USUAL_ROWS, USUAL_COLUMNS, FEW_ROWS = 8, 512, 4  # of other devices' tiles of rows, and rows of those for arrays that have no more


def array(function: str, name: str, value: Any, allowed: Sequence[DType] = FLOATS, shape: Sequence[int | None] | None = None,
          *, like: Any = None) -> Any:  # fmt: skip
    """An argument as a numpy or device array. shape: its sizes, None for any; like: an array whose dtype it must have.

    Raises ArgumentError and DtypeError in the function's name.
    """
    if not is_array(value):
        raise ArgumentError(f"{function}: {name} is {type(value).__name__}, not an array", hint="pass numpy.asarray(...)")
    found = value if is_device_array(value) else as_host_array(value, f"{function}: {name}")
    _check_dtype(function, name, found, allowed, like)
    if shape is not None:
        check_shape(function, name, found, shape)
    if is_device_array(found) and not found.flags.c_contiguous:
        raise ArgumentError(f"{function}: {name} is a device array that is not contiguous", hint="copy it: array.copy()")
    return found


def _check_dtype(function: str, name: str, found: Any, allowed: Sequence[DType], like: Any) -> None:
    if like is not None and found.dtype != like.dtype:
        raise DtypeError(f"{function}: {name} is {found.dtype}, and must be {like.dtype} as the others are",
                         hint=f"pass {name}.astype({str(like.dtype)!r})")  # fmt: skip
    if dtype_of(found, allowed) is None:
        names = ", ".join(t.name for t in allowed)
        other = f"astype({allowed[0].numpy_name!r})" if len(allowed) == 1 else "astype(...)"
        if found.dtype == bool and "u8" in names:
            other = "view('uint8'), which copies nothing"
        raise DtypeError(f"{function}: {name} is {found.dtype}; it takes {names}", hint=f"pass {name}.{other}")


def check_shape(function: str, name: str, found: Any, shape: Sequence[int | None]) -> None:
    """Raise ArgumentError where sizes differ from those given."""
    if len(found.shape) == len(shape) and all(want in (None, have) for want, have in zip(shape, found.shape, strict=True)):
        return
    wanted = ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "")
    fits = len(found.shape) == len(shape)
    raise ArgumentError(f"{function}: {name} has shape {tuple(found.shape)}, and must have ({wanted})",
                        hint=None if fits else f"it has {counted(len(shape), 'axis')}; {name}.reshape(...) gives others")  # fmt: skip


def dtype_of(found: Any, allowed: Sequence[DType] = NUMBERS) -> DType | None:
    """Which of our dtypes an array has; None where it is none of those allowed."""
    known = _of_numpy(found.dtype)
    for kind in allowed:
        if kind.name in known:
            return kind
    return None


@lru_cache(maxsize=64)
def _of_numpy(dtype: Any) -> frozenset[str]:
    """Names of our dtypes that are this one: to compare with each takes longer."""
    return frozenset(name for name, kind in dtypes.DTYPES.items() if dtype == kind.numpy)


def check_elements(check: Check, found: Any, *facts: Any) -> None:
    """`check(found, *facts)`, which raises for elements of a host array that are not allowed; calls that are launched again repeat it."""
    check(found, *facts)
    if (noted := checks.get()) is not None:
        noted.append((check, found, facts))


def sums_in(found: Any) -> DType:
    """What sums of an array's elements are taken in: f32, f64 for f64, and 64 bits for integers."""
    kind = dtype_of(found)
    if kind is None or kind.is_float:
        return dtypes.f64 if kind is dtypes.f64 else dtypes.f32
    return dtypes.i64 if kind.is_signed else dtypes.u64


def axis_of(function: str, axis: int, ndim: int) -> int:
    """An axis counted from the front. Raises ArgumentError for one that is not there."""
    if not isinstance(axis, int | np.integer):
        raise ArgumentError(
            f"{function}: the axis is {axis!r}, not a whole number", hint="one axis in a call: reduce them one by one"
        )
    if not -ndim <= axis < ndim:
        hint = f"from {-ndim} to {ndim - 1}" if ndim else "x.reshape(1) has one"
        raise ArgumentError(f"{function}: axis {axis} of an array with {ndim} axes", hint=hint)
    return int(axis) % ndim


def whole(function: str, name: str, value: Any, least: int) -> int:
    """A number of something, or a size. Raises ArgumentError for what is no whole number, or less than the least."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{function}: {name} is {value!r}", hint=f"a whole number from {least} on")
    return int(value)


def number(function: str, name: str, value: Any, least: float = -math.inf) -> float:
    """A number of any kind. Raises ArgumentError for anything else, and for one that is less than the least, or NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not value >= least:
        raise ArgumentError(
            f"{function}: {name} is {value!r}", hint="a number" + (f" from {least:g} on" if least > -math.inf else "")
        )
    return float(value)


def new(shape: Sequence[int], dtype: Any, beside: Any, fill: Any = None) -> Any:
    """A new array where another one lies."""
    shape, dtype = tuple(shape), np.dtype(dtype.numpy if isinstance(dtype, DType) else dtype)
    if is_device_array(beside):
        return allocate_like(beside)(shape, dtype, fill)
    made = np.empty(shape, dtype) if fill is None else np.full(shape, fill, dtype)
    if (noted := allocations.get()) is not None:
        noted.append((made, fill))
    return made


class Output:
    """The array that a kernel writes: the caller's `out` of this shape and dtype, or a new one.

    `array` is where the kernel writes; `done()` gives what the function returns. `beside` and `others`: what the kernel reads.
    Raises ArgumentError for an `out` that does not fit.
    """

    def __init__(self, function: str, out: Any, shape: Sequence[int], dtype: Any, beside: Any, *others: Any) -> None:
        self._given = out
        wanted = np.dtype(dtype.numpy if isinstance(dtype, DType) else dtype)
        if out is None:
            self.array = new(shape, wanted, beside)
            return
        self._target = out if is_device_array(out) else as_host_array(out, f"{function}: out")
        if tuple(self._target.shape) != tuple(shape) or self._target.dtype != wanted:
            raise ArgumentError(
                f"{function}: out is {self._target.dtype} of shape {tuple(self._target.shape)}; the result is {wanted} of {tuple(shape)}"
            )
        if not is_device_array(out) and not self._target.flags.writeable:
            raise ArgumentError(
                f"{function}: out is read-only", hint="pass an array of its own memory, such as numpy.empty(shape, dtype)"
            )
        inputs = [x for x in (beside, *others) if isinstance(x, np.ndarray) and isinstance(self._target, np.ndarray)]
        # Kernels read what they have written nowhere, so a result may not lie where an operand does.
        whole = is_device_array(out) or (self._target.flags.c_contiguous and not any(np.may_share_memory(x, out) for x in inputs))
        self.array = self._target if whole else new(shape, wanted, beside)

    def done(self) -> Any:
        """The result, copied to `out` where the kernel could not write there."""
        if self._given is None:
            return self.array
        if self.array is not self._target:
            self._target[...] = self.array
        return self._given


def rows(axis: int, *arrays: Any) -> list[Any]:
    """Arrays of as many axes, each with `axis` as the last of two axes, or of three: the others are merged before it, all in one form.

    Views wherever memory allows it: always of contiguous arrays, which outputs are.
    """
    ndim = len(arrays[0].shape)
    if ndim > 3:
        arrays = tuple(x if is_device_array(x) else np.ascontiguousarray(x) for x in arrays)
    if all(is_device_array(x) or x.flags.c_contiguous for x in arrays):
        return [_merged(axis, x) for x in arrays]
    moved = [np.moveaxis(x, axis, -1) for x in arrays]
    return [tiled(x if ndim > 1 else x[None, :]) for x in moved]


def _merged(axis: int, found: Any) -> Any:
    n, outer, inner = found.shape[axis], math.prod(found.shape[:axis]), math.prod(found.shape[axis + 1 :])
    if inner == 1:
        return found.reshape(outer, n)
    parts = found.reshape(outer, n, inner)
    return parts[0].T if outer == 1 else parts.transpose((0, 2, 1))


def tiled(found: Any) -> Any:
    """The array, or a copy where neither of its last two axes is contiguous: tiles need one that is."""
    if is_device_array(found):
        return found
    contiguous = any(n <= 1 or s == found.itemsize for n, s in zip(found.shape[-2:], found.strides[-2:], strict=True))
    return found if contiguous else np.ascontiguousarray(found)


def by_columns(view: Any) -> bool:
    """Whether neighbours along the last axis are no neighbours in memory."""
    return bool(view.strides[-1] != view.dtype.itemsize and view.shape[-1] != 1)


def tiles_along(view: Any, usual: int = USUAL_COLUMNS, *, once: bool = False) -> dict[str, int]:
    """Constants of kernels that walk along the last axis: none, or tiles that suit few or short rows, or rows that are not contiguous."""
    return {"BM": 128, "BN": 32} if by_columns(view) else tiles_of_rows(view, usual=usual, once=once)


def tiles_of_rows(view: Any, most_rows: int = MOST_ROWS, widest: int = WIDEST, usual: int = USUAL_COLUMNS, *,
                  once: bool = False) -> dict[str, int]:  # fmt: skip
    """Tiles of contiguous rows: on a CPU one row of so many columns that the least of them are empty, several rows where they are short,
    or read only `once`.

    Elsewhere none, for kernels whose tiles have eight rows of `usual` columns; where there are fewer rows, tiles as much longer.
    """
    rows_there, columns = view.shape[-2:]
    if by_columns(view):
        return {}
    if interpreted():
        return {
            "BM": min(most_rows, USUAL_ROWS, power_of_two(rows_there)),
            "BN": min(LONGEST, max(NARROWEST, power_of_two(columns))),
        }
    if on_vectors():
        shared = rows_there // (PROGRAMS_OF_A_CORE * max(1, current_device().compute_units)) if once else 0
        return dict(_tiles_of_rows(rows_there, columns, most_rows, widest, min(shared, MOST_AT_ONCE)))
    if columns <= usual or rows_there > FEW_ROWS:
        return {}
    tall = 1 if rows_there == 1 else FEW_ROWS
    return {"BM": tall, "BN": USUAL_ROWS // tall * usual}


def searched_rows(view: Any) -> dict[str, int]:
    """On CPUs, tiles of one row in short pieces, and how many rows a program goes through."""
    tiles = tiles_of_rows(view, 1, 512, usual=128)
    shared = min(view.shape[-2] // (PROGRAMS_OF_A_CORE * max(1, current_device().compute_units)), MOST_AT_ONCE)
    return tiles | {"BM": 1 << max(shared, 1).bit_length() - 1}


@lru_cache(maxsize=1024)
def _tiles_of_rows(rows_there: int, columns: int, most_rows: int, widest: int, at_once: int) -> Mapping[str, int]:
    """at_once: rows that are read once, which a program may have where that is more."""

    def time(tile: int) -> int:
        """Beginning a tile costs about as much as 32 elements, and one that the array ends in half as much again: its end is copied."""
        return -(-columns // tile) * (tile + 32) + (16 if columns % tile else 0)

    if columns <= min(widest, FINE):
        width = -(-columns // NARROWEST) * NARROWEST
    else:
        width = min((widest >> i for i in range(widest.bit_length() - NARROWEST.bit_length() + 1)), key=time)
    high = max(min(most_rows, WIDEST // width), 1 << at_once.bit_length() - 1 if at_once else 1)
    return {"BM": min(high, 1 << max(rows_there, 1).bit_length() - 1), "BN": width}


def on_vectors() -> bool:
    """Whether kernels run on a CPU's vectors, a program on one core: it computes each tile whole, what no array has too."""
    device = current_device()
    return device.kind == "cpu" and not device.emulated


def interpreted() -> bool:
    """Whether kernels run by numpy, all programs at once: it takes as long to begin an operation as for thousands of elements."""
    return current_device().kind == "numpy"


def power_of_two(least: int) -> int:
    """The least power of two that is no less."""
    return 1 << max(least - 1, 0).bit_length()


@lru_cache(maxsize=1024)
def fitting(size: int, largest: int, step: int) -> int:
    """The tile of a dimension: a multiple of `step` of at most `largest` elements that computes the fewest, large ones first.

    Beginning a tile costs about as much as half a step.
    """
    return min(range(largest, 0, -step), key=lambda tile: -(-size // tile) * (tile + step // 2))

"""Elements of values in other places: gathers, rotations, other shapes, joined and split, scans by any function.

Elements move between the lanes and subgroups of a workgroup through shared local memory, between two barriers; where nothing has
to move (an axis of size 1 added or dropped) nothing does.  So these functions stand where barriers may, and take a value's size of
shared local memory.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import CompileError, DtypeError, TileShapeError
from xetile.language.context import in_a_kernel
from xetile.language.create import arange, iota
from xetile.language.elementwise import as_value, plain
from xetile.language.math import where
from xetile.language.memory import load_tile
from xetile.language.promote import promote
from xetile.language.reduce import only_axis
from xetile.language.shapes import transpose
from xetile.language.subscripts import lay_out, picked, subscript
from xetile.language.sync import barrier
from xetile.language.tiles import init_tile
from xetile.language.values import Shape, Value, check_shape, count, describe, hint_to_load, operator


def _numbers(shape: Shape) -> Value:
    """The number of each element, counted row by row."""
    if len(shape) == 1:
        return arange(shape[0])
    return iota(shape, dim=0) * shape[1] + iota(shape, dim=1)


def _check_value(value: Any, op: str) -> Value:
    if not isinstance(value, Value) or not value.shape or len(value.shape) > 2:
        raise in_a_kernel(
            TileShapeError(f"{op} takes a value with one or two axes, not {describe(value)}", hint=hint_to_load(value))
        )
    return value


def _check_axis(value: Value, axis: Any, op: str) -> int:
    axis = plain(axis)
    if not isinstance(axis, int) or not -len(value.shape) <= axis < len(value.shape):
        raise TileShapeError(f"{op}: {describe(value)} has no axis {axis!r}")
    return axis % len(value.shape)


def gather(value: Value, index: Value, axis: int) -> Value:
    """From each place of `index` the element of `value` with that number along `axis`: `value[index[i, j], j]` for axis 0.

    value   (M, N) or (N,).  index: integers; of the value's size along the other axis.

    Indices lie within the axis; `xt.debug` finds those that do not. `value[rows]` and `value[:, columns]` choose whole rows
    and columns. Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(X[0:2, 0:4])
            xt.store_tile(xt.gather(x, 3 - xt.tile_broadcast(xt.arange(4)[None, :], (2, 4)), axis=1), Y[0:2, 0:4])

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[2. 3. 1. 4.]
         [8. 6. 7. 5.]]
    """
    value = _check_value(value, "gather")
    axis = _check_axis(value, axis, "gather")
    if not isinstance(index, Value) or index.dtype.kind not in "iun":
        raise DtypeError(f"gather: the index is {describe(index)}, not integers")
    if len(index.shape) != len(value.shape) or any(a != axis and n != value.shape[a] for a, n in enumerate(index.shape)):
        raise TileShapeError(
            f"gather: the index is {describe(index)}, the value {describe(value)}", hint=f"they may differ along axis {axis} only"
        )
    where_from = index.to(dtypes.index)
    if len(value.shape) == 2:
        width = value.shape[1]
        where_from = where_from * width + iota(index.shape, dim=1) if axis == 0 else iota(index.shape, dim=0) * width + where_from
    return picked([value], where_from)


def roll(value: Value, shift: Any, axis: int | None = None) -> Value:
    """The value rotated along an axis: element i goes to place i + shift, those pushed out come back in (numpy.roll).

    Without an axis the elements of all rows are one row, whose end comes in at the front of the first.

    shift   an integer, constant or not, of any sign.

    Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=(1,))
        def example(X, Y):
            xt.store_tile(xt.roll(xt.load_tile(X[0:8]), 2), Y[0:8])

        print(example(np.arange(8, dtype=np.int32)))

    Prints:
        [6 7 0 1 2 3 4 5]
    """
    value = _check_value(value, "roll")
    if axis is None and len(value.shape) > 1:
        return reshape(roll(reshape(value, -1), shift), value.shape)
    axis, shift = _check_axis(value, only_axis(value, axis), "roll"), plain(shift)
    if isinstance(shift, bool) or (isinstance(shift, Value) and (shift.shape or shift.dtype.kind not in "iun")):
        raise DtypeError(f"roll: the shift is {describe(shift)}, not an integer")
    size = value.shape[axis]
    moved = (iota((size,)) + (-shift % size)) % size
    return subscript(value, tuple(moved if a == axis else slice(None) for a in range(len(value.shape))))


# Shapes.


@operator("reshape")
def reshape(value: Value, shape: int | tuple[int, ...]) -> Value:
    """The same elements, counted row by row, in another shape of one or two axes; one size may be -1 (numpy.reshape).

    Raises TileShapeError where the number of elements differs.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 4), X.dtype)}, grid=(1,))
        def example(X, Y):
            xt.store_tile(xt.reshape(xt.load_tile(X[0:8]), (2, 4)), Y[0:2, 0:4])

        print(example(np.arange(8, dtype=np.int32)))

    Prints:
        [[0 1 2 3]
         [4 5 6 7]]
    """
    value = _check_value(value, "reshape")
    sizes = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    if not any(isinstance(n, Value) for n in sizes) and sizes.count(-1) == 1:
        rest = count(tuple(n for n in sizes if n != -1))
        sizes[sizes.index(-1)] = count(value.shape) // rest if rest else 0
    extent = check_shape(tuple(sizes), "reshape")
    if count(extent) != count(value.shape):
        raise TileShapeError(f"reshape: {describe(value)} has {count(value.shape)} elements, {extent} has {count(extent)}",
                             hint="one size may be left open: x.reshape(8, -1); x[0:n] is a part")  # fmt: skip
    rows = {shape if len(shape) == 2 else (1, *shape) for shape in (value.shape, extent)}
    if len(rows) == 1:
        return Value(value.ir, value.dtype, extent)
    if len(rows) == 2 and all(1 in shape for shape in rows):
        return Value(transpose(Value(value.ir, value.dtype, (1, *value.shape)[-2:])).ir, value.dtype, extent)
    return picked([value], _numbers(extent))


def _check_alike(values: Any, op: str, axis: int | None = None) -> list[Value]:
    """Values of one dtype and shape but for an axis."""
    if not isinstance(values, (tuple, list)) or not values:
        raise in_a_kernel(CompileError(f"{op} takes a tuple of values, not {describe(values)}", hint=f"xt.{op}((a, b), axis)"))
    found = _of_one_integer([_check_value(value, op) for value in values])
    for value in found[1:]:
        if value.dtype is not found[0].dtype:
            raise DtypeError(f"{op} of {describe(found[0])} and {describe(value)}", hint=f"convert: .to(xt.{found[0].dtype})")
        same = len(value.shape) == len(found[0].shape) and all(
            a == axis or n == m for a, (n, m) in enumerate(zip(value.shape, found[0].shape))
        )
        if not same:
            raise TileShapeError(f"{op} of {describe(found[0])} and {describe(value)}: their shapes do not fit together")
    return found


def _of_one_integer(values: list[Value]) -> list[Value]:
    """Integers beside an index as their sums would be; other values as they are."""
    kinds = {value.dtype.kind for value in values}
    if "n" not in kinds or not kinds <= set("niu"):
        return values
    common = reduce(promote, (value.dtype for value in values))
    return [value.to(common) for value in values]


def concatenate(values: Sequence[Value], axis: int = 0) -> Value:
    """Values of one dtype side by side along an axis (numpy.concatenate). Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((8,), X.dtype)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(X[0:4])
            xt.store_tile(xt.concatenate((x, -x)), Y[0:8])

        print(example(np.arange(4, dtype=np.int32)))

    Prints:
        [ 0  1  2  3  0 -1 -2 -3]
    """
    first = values[:1] if isinstance(values, (tuple, list)) else values
    axis = _check_axis(_check_alike(first, "concatenate")[0], axis, "concatenate")
    found = _check_alike(values, "concatenate", axis)
    memory = lay_out(found, axis)
    shape = tuple(n for n in memory.shape if isinstance(n, int))
    whole = load_tile(init_tile(memory, (0,) * len(shape), shape))
    barrier()
    return whole.to(found[0].dtype)


def join(a: Value, b: Value) -> Value:
    """Two rows (N,) as the columns of an (N, 2) value; `xt.split` takes them apart. Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4, 2), X.dtype)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(X[0:4])
            xt.store_tile(xt.join(x, -x), Y[0:4, 0:2])

        print(example(np.arange(4, dtype=np.int32)))

    Prints:
        [[ 0  0]
         [ 1 -1]
         [ 2 -2]
         [ 3 -3]]
    """
    a, b = _check_alike((a, b), "join")
    if len(a.shape) != 1:
        raise TileShapeError(f"join takes two rows, not {describe(a)}", hint="xt.interleave and xt.concatenate take 2-D values")
    return transpose(concatenate((a[None, :], b[None, :]), 0))


def split(value: Value) -> tuple[Value, Value]:
    """The two columns of an (N, 2) value as rows (N,). Raises TileShapeError for other shapes.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4,), X.dtype)}, grid=(1,))
        def example(X, Y):
            real, imaginary = xt.split(xt.load_tile(X[0:4, 0:2]))
            xt.store_tile(real * real + imaginary * imaginary, Y[0:4])

        print(example(np.arange(8, dtype=np.int32).reshape(4, 2)))

    Prints:
        [ 1 13 41 85]
    """
    if _check_value(value, "split").shape[1:] != (2,):
        raise TileShapeError(
            f"split takes a value of two columns, not {describe(value)}", hint="x[:, ::2] and x[:, 1::2] split wider ones"
        )
    return value[:, 0], value[:, 1]


def interleave(a: Value, b: Value) -> Value:
    """a[0], b[0], a[1], b[1], ... along the last axis; `x[..., ::2]` and `x[..., 1::2]` take it apart.

    Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((8,), X.dtype)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(X[0:4])
            xt.store_tile(xt.interleave(x, -x), Y[0:8])

        print(example(np.arange(4, dtype=np.int32)))

    Prints:
        [ 0  0  1 -1  2 -2  3 -3]
    """
    a, b = _check_alike((a, b), "interleave")
    last = len(a.shape) - 1
    width = a.shape[last]
    shape = (*a.shape[:last], 2 * width)
    column = iota(shape)
    chosen = column // 2 + column % 2 * width
    return picked([a, b], chosen if last == 0 else iota(shape, dim=0) * (2 * width) + chosen, last)


# Scans.


def associative_scan(combine: Callable[..., Any], value: Any, axis: int | None = None, *, reverse: bool = False) -> Any:
    """Element i becomes the combination of elements 0 to i along an axis (from the last down to i with `reverse`); rows need not name theirs.

    combine   an associative function of two values (a lambda, a def, a kernel); for a tuple of values of two tuples, which gives
              a tuple.  It is given whole values, in log2(size) steps; the earlier elements come first.

    Raises TileShapeError, and DtypeError where `combine` gives another dtype.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=(1,))
        def example(X, Y):
            xt.store_tile(xt.associative_scan(xt.maximum, xt.load_tile(X[0:8]), axis=0), Y[0:8])

        print(example(np.int32([3, 1, 4, 1, 5, 9, 2, 6])))

    Prints:
        [3 3 4 4 5 9 9 9]
    """
    if not callable(combine):
        raise in_a_kernel(
            CompileError(
                f"associative_scan: {describe(combine)} does not combine",
                hint="the function comes first: xt.associative_scan(xt.maximum, x, axis=1)",
            )
        )
    several = isinstance(value, tuple)
    if several and (given := _positional(combine)) not in (None, 2):
        raise CompileError(
            f"associative_scan: of a tuple the function takes two tuples, not {given} values",
            hint="def combine(left, right): (a, b), (c, d) = left, right",
        )
    parts = [_check_value(part, "associative_scan") for part in (value if several else (value,))]
    axis, shape = _check_axis(parts[0], only_axis(parts[0], axis), "associative_scan"), parts[0].shape
    for part in parts:
        if part.shape != shape:
            raise TileShapeError(f"associative_scan of {describe(parts[0])} and {describe(part)}: their shapes differ")
    size, dim, step = shape[axis], axis + 2 - len(shape), 1
    place = iota(shape, dim=dim)
    while step < size:
        earlier = [roll(part, -step if reverse else step, axis) for part in parts]
        mixed = combine(tuple(earlier), tuple(parts)) if several else combine(earlier[0], parts[0])
        combined = _check_combined(mixed if several else (mixed,), parts)
        inside = place < size - step if reverse else place >= step
        parts = [where(inside, new, old) for new, old in zip(combined, parts)]
        step *= 2
    return tuple(parts) if several else parts[0]


def _positional(function: Callable[..., Any]) -> int | None:
    """How many values a function of Python needs; None where that is open."""
    try:
        known = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in known):
        return None
    return sum(p.default is p.empty for p in known)


def _check_combined(found: Any, parts: Sequence[Value]) -> Sequence[Value]:
    if not isinstance(found, tuple) or len(found) != len(parts):
        raise CompileError(f"associative_scan: the function gives {describe(found)}, not a tuple of {len(parts)} values")
    for new, old in zip(found, parts):
        if not isinstance(new, Value) or new.dtype is not old.dtype or new.shape != old.shape:
            raise DtypeError(
                f"associative_scan: the function makes {describe(new)} of {describe(old)}", hint=f"convert: .to(xt.{old.dtype})"
            )
    return found


# Wide products.


def mulhi(a: Any, b: Any) -> Value:
    """The upper half of the product of two integers of one dtype: what does not fit the dtype, as the device's `mul_hi`.

    Raises DtypeError for floats and bool.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=(1,))
        def example(X, Y):
            xt.store_tile(xt.mulhi(xt.load_tile(X[0:2]), 1 << 31), Y[0:2])

        print(example(np.uint32([6, 4000000000])))

    Prints:
        [         3 2000000000]
    """
    a, b = plain(a), plain(b)
    known = [v.dtype for v in (a, b) if isinstance(v, Value)]
    if not known:
        hint = hint_to_load(a) or hint_to_load(b) or "of constants: (a * b) >> 32"
        raise in_a_kernel(CompileError(f"mulhi takes a value, not {describe(a)} and {describe(b)}", hint=hint))
    dtype = known[0] if len(known) == 1 else promote(*known)
    if dtype.kind not in "iu":
        own = "its width says what the upper half is: .to(xt.u32)" if dtype is dtypes.index else None
        raise DtypeError(f"mulhi of {describe(a)} and {describe(b)}: it takes integers of 8 to 64 bits", hint=own)
    x, y = (as_value(v, dtype).to(dtype) for v in (a, b))
    if dtype.bits < 64:
        wide = dtypes.dtype(f"{dtype.kind}{2 * dtype.bits}")
        return (x.to(wide) * y.to(wide) >> dtype.bits).to(dtype)
    return _mulhi64(x, y, dtype)


def _mulhi64(x: Value, y: Value, dtype: DType) -> Value:
    """By halves of 32 bits: the upper ones with the sign, the lower ones without, and no sum of them can overflow."""
    low = 0xFFFFFFFF
    x0, y0, x1, y1 = ((x.to(dtypes.u64) & low), (y.to(dtypes.u64) & low), x >> 32, y >> 32)
    carry = (x0 * y0 >> 32).to(dtype)
    middle = x1 * y0.to(dtype) + carry
    other = x0.to(dtype) * y1 + (middle.to(dtypes.u64) & low).to(dtype)
    return x1 * y1 + (middle >> 32) + (other >> 32)

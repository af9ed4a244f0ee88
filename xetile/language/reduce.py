"""Reductions: tile_reduce and its sugar, argmax and argmin, running sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import xetile
from xetile.dtypes import DType
from xetile.errors import CompileError, DtypeError, TileShapeError
from xetile.language.context import current, in_a_kernel
from xetile.language.create import iota
from xetile.language.elementwise import as_value, bitwise, broadcast_to, compare
from xetile.language.maps import check_map
from xetile.language.math import where
from xetile.language.promote import limits, promote
from xetile.language.values import Shape, Value, check_dtype, describe, hint_to_load, shape2d
from xetile.layout import Layout

if TYPE_CHECKING:
    from xetile.dtypes import DTypeLike

# What users write, and the IR's kind for signed integers and index, unsigned integers and bool, floats (None: there is none).
# The RFC's own names (minsi, maximumf, ...) are taken too.
_KINDS: dict[str, tuple[str | None, str | None, str | None]] = {
    "add": ("add", "add", "add"),
    "mul": ("mul", "mul", "mul"),
    "max": ("maxsi", "maxui", "maximumf"),
    "min": ("minsi", "minui", "minimumf"),
    "maxnum": ("maxsi", "maxui", "maxnumf"),
    "minnum": ("minsi", "minui", "minnumf"),
    "and": ("and", "and", None),
    "or": ("or", "or", None),
    "xor": ("xor", "xor", None),
    "maxsi": ("maxsi", None, None), "minsi": ("minsi", None, None),
    "maxui": (None, "maxui", None), "minui": (None, "minui", None),
    "maxnumf": (None, None, "maxnumf"), "minnumf": (None, None, "minnumf"),
    "maximumf": (None, None, "maximumf"), "minimumf": (None, None, "minimumf"),
}  # fmt: skip


def reduction_kind(kind: str, dtype: DType, op: str) -> str:
    """The IR's kind of a reduction; raises CompileError for an unknown one, DtypeError where the dtype has none."""
    if callable(kind):
        raise CompileError(f"{op} takes the name of a reduction, not a function",
                           hint=f"one of {', '.join(_KINDS)}; xt.associative_scan takes functions, and its last element is what a "
                           "function makes of all")  # fmt: skip
    if kind not in _KINDS:
        raise CompileError(f"{op}: there is no reduction {kind!r}", hint=f"one of {', '.join(_KINDS)}")
    promote(dtype, dtype)
    column = 2 if dtype.is_float else 1 if dtype.kind in "ub" else 0
    found = _KINDS[kind][column]
    if found is None or (dtype.kind == "b" and kind in ("add", "mul")):
        fitting = [k for k, columns in _KINDS.items() if columns[column] is not None]
        hint = "convert it first: .to(xt.i32)" if dtype.kind == "b" else f"{dtype} has {', '.join(fitting)}"
        raise DtypeError(f"{op}: there is no reduction {kind!r} of {dtype}", hint=hint)
    return found


_WINNER = {"max": "larger", "min": "smaller"}


def check_axis(value: Any, axis: Any, op: str) -> int:
    """The axis of the value's two-dimensional form; raises TileShapeError for an axis that the value lacks."""
    if not isinstance(value, Value) or not value.shape:
        hint = f'the kind comes first: xt.{op}("add", value, axis)' if isinstance(value, str) else hint_to_load(value)
        if op in ("max", "min") and hint is None:
            hint = f"the {_WINNER[op]} of two is xt.{op}imum(x, y)"
        raise in_a_kernel(TileShapeError(f"{op} takes a value with elements, not {describe(value)}", hint=hint))
    rank = len(value.shape)
    if not isinstance(axis, int) or not -rank <= axis < rank:
        hint = f"its axes are {', '.join(map(str, range(rank)))}"
        if isinstance(axis, tuple):
            hint += f"; xt.{op}(x) goes over all of them"
        elif op in ("max", "min") and not isinstance(axis, int):
            hint += f"; the {_WINNER[op]} of two values is xt.{op}imum(x, y)"
        raise TileShapeError(
            f"{op}: {describe(value)} has no axis {describe(axis) if isinstance(axis, Value) else repr(axis)}", hint=hint
        )
    return axis % rank + 2 - rank


def only_axis(value: Any, axis: int | None) -> int | None:
    """The axis that is given, or the one that a value has."""
    return 0 if axis is None and isinstance(value, Value) and len(value.shape) == 1 else axis


def tile_reduce(kind: str, value: Value, axis: int, *, wg_map: Layout | None = None) -> Value:
    """Reduction along an axis, which keeps size 1: (M, N) over axis 1 gives (M, 1) (RFC, tile_reduce).

    kind     add, mul; max, min (NaN if any element is), maxnum, minnum (NaN only if all are); and, or, xor for integers and
             masks; the RFC's names with sign or NaN rule spelled out.
    wg_map   of the result; inferred where absent.

    The order of the elements is left open, and with it the sign of a result that is 0.
    Raises CompileError, DtypeError, TileShapeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.tile_reduce("max", x, 1), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[4.]
         [8.]]
    """
    dim = check_axis(value, axis, "tile_reduce")
    name = reduction_kind(kind, value.dtype, "tile_reduce")
    ir = current().build(xetile.TileReduce, value.ir, kind=name, dims=(dim,), wg_map=check_map(wg_map, "tile_reduce"))
    shape = (1,) if len(value.shape) == 1 else ir.type.shape  # type: ignore[attr-defined]
    return Value(ir, value.dtype, shape)


def _reduce(kind: str, value: Any, axis: int | None, keepdims: bool, op: str) -> Value:
    if axis is not None:
        check_axis(value, axis, op)
        result = tile_reduce(kind, value, axis)
        return result if keepdims else _dropped(result, axis % len(value.shape))
    rest = as_value(value)
    for each in range(len(rest.shape)):
        rest = tile_reduce(kind, rest, each)
    return rest.item()


def _dropped(value: Value, axis: int) -> Value:
    if len(value.shape) == 1:
        return value.item()
    if axis == 1:
        value = value.T
    return Value(value.ir, value.dtype, (shape2d(value.shape)[1],))


def sum_(value: Value, axis: int | None = None, *, keepdims: bool = True, dtype: DTypeLike | None = None) -> Value:
    """Sum along an axis, or of all elements as a scalar.

    The axis keeps size 1, so that the result broadcasts back, unless `keepdims=False`. f16 and bf16 are summed in f32 and rounded
    once; integers below 32 bits and masks are summed in 32 bits, and give i32 or u32. `dtype` is the result's.
    The sign of a sum that is 0 is left open, as is the order of its elements: sums that a loop scales and adds up,
    `total = total * fade + xt.sum(x, 1)`, may be added up apart and together behind the loop, each scaled and rounded as by `xt.fma`.
    Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4,), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.sum(x, axis=0, keepdims=False), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [ 9.  8.  9. 10.]
    """
    value = as_value(value)
    wide, given = _sum_dtypes(value.dtype, dtype, "sum")
    return _reduce("add", value.to(wide), axis, keepdims, "sum").to(given)


def _sum_dtypes(own: DType, dtype: DTypeLike | None, op: str) -> tuple[DType, DType]:
    """What elements of a dtype are summed in, and what their sums are given in: `dtype` where that is asked for."""
    wide = _SUMMED_IN.get(own, own)
    asked = None if dtype is None else check_dtype(dtype, f"{op}: dtype")
    if asked is not None and asked.bits >= wide.bits:
        wide = asked
    return wide, asked or (own if own.is_float else wide)


_SUMMED_IN = {
    dtypes.f16: dtypes.f32, dtypes.bf16: dtypes.f32, dtypes.bool_: dtypes.i32, dtypes.i8: dtypes.i32, dtypes.i16: dtypes.i32,
    dtypes.u8: dtypes.u32, dtypes.u16: dtypes.u32,
}  # fmt: skip


def max_(value: Value, axis: int | None = None, *, keepdims: bool = True) -> Value:
    """Largest element along an axis (`keepdims` as in sum), or of all; NaN if any is.

    The sign of a result that is 0 is left open, for the elements are met in any order. Raises TileShapeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.max(x, axis=1), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[4.]
         [8.]]
    """
    return _reduce("max", value, axis, keepdims, "max")


def min_(value: Value, axis: int | None = None, *, keepdims: bool = True) -> Value:
    """Smallest element along an axis (`keepdims` as in sum), or of all; NaN if any is.

    The sign of a result that is 0 is left open, for the elements are met in any order. Raises TileShapeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.min(x, axis=1), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[1.]
         [5.]]
    """
    return _reduce("min", value, axis, keepdims, "min")


def any_(mask: Value, axis: int | None = None, *, keepdims: bool = True) -> Value:
    """Whether any element along an axis, or of all, is true (not 0). Raises TileShapeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.any(x > 6, axis=1).to(xt.i32), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[0]
         [1]]
    """
    return _reduce("or", as_value(mask).to(dtypes.bool_), axis, keepdims, "any")


def all_(mask: Value, axis: int | None = None, *, keepdims: bool = True) -> Value:
    """Whether all elements along an axis, or all at all, are true (not 0). Raises TileShapeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.all(x > 4, axis=1).to(xt.i32), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[0]
         [1]]
    """
    return _reduce("and", as_value(mask).to(dtypes.bool_), axis, keepdims, "all")


def argmax(value: Value, axis: int | None = None, *, keepdims: bool = True) -> Value:
    """Where the largest element along an axis is, as i32: the first of equals; NaN is largest. Raises TileShapeError.

    Without an axis a scalar: which of all elements, counted row by row.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.argmax(x, axis=1), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[0]
         [3]]
    """
    return _arg("max", value, axis, keepdims)


def argmin(value: Value, axis: int | None = None, *, keepdims: bool = True) -> Value:
    """Where the smallest element along an axis is, as i32: the first of equals; NaN is smallest. Raises TileShapeError.

    Without an axis a scalar: which of all elements, counted row by row.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 1), xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.argmin(x, axis=1), xt.init_tile(Y, (0, 0), (2, 1)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[1]
         [0]]
    """
    return _arg("min", value, axis, keepdims)


def _arg(kind: str, value: Value, axis: int | None, keepdims: bool) -> Value:
    dim = check_axis(value, 0 if axis is None else axis, f"arg{kind}")
    if axis is not None and value.shape[dim] == 1:
        # The first place, whatever is there: IGC 2.40 crashes on numbers of other lanes that it finds to be constant.
        return _reduce("min", iota(value.shape, dim=dim).to(dtypes.i32), axis, keepdims, f"arg{kind}")
    best = broadcast_to(_reduce(kind, value, axis, True, f"arg{kind}"), value.shape)
    hit = compare("eq", value, best)
    if value.dtype.is_float:
        hit = bitwise("or", hit, compare("ne", value, value))
    places = iota(value.shape, dim=dim) if axis is not None else _numbered(value.shape)
    found = _reduce("min", where(hit, places.to(dtypes.i32), limits(dtypes.i32)[1]), axis, keepdims, f"arg{kind}")
    current().counts.add(found.ir)
    return found


def _numbered(shape: Shape) -> Value:
    """The number of each element, row by row."""
    columns = iota(shape, dim=1)
    return columns if len(shape) == 1 else columns + iota(shape, dim=0) * shape[1]


def cumsum(value: Value, axis: int | None = None, *, dtype: DTypeLike | None = None, wg_map: Layout | None = None) -> Value:
    """Running sum along an axis, which rows of one axis need not name: element i holds the sum of elements 0 to i.

    Dtypes are those of `xt.sum`: f16 and bf16 are summed in f32 and each sum rounded once; integers below 32 bits and masks are summed in
    32 bits, and give i32 or u32. `dtype` is the result's. Raises TileShapeError, DtypeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((2, 4), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(xt.cumsum(x, axis=1), xt.init_tile(Y, (0, 0), (2, 4)))

        print(example(np.float32([[4, 1, 3, 2], [5, 7, 6, 8]])))

    Prints:
        [[ 4.  5.  8. 10.]
         [ 5. 12. 18. 26.]]
    """
    dim = check_axis(value, only_axis(value, axis), "cumsum")
    wide, given = _sum_dtypes(value.dtype, dtype, "cumsum")
    value = value.to(wide)
    kind = reduction_kind("add", wide, "cumsum")
    scan = current().build(xetile.TileScan, value.ir, kind=kind, dim=dim, wg_map=check_map(wg_map, "cumsum"))
    return value.with_ir(scan).to(given)

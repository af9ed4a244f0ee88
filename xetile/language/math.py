"""Functions of elements: exponentials, roots, rounding, extremes, choice. All take values and numbers, and broadcast.

The same bits on every device: `sqrt`, `fma`, absolute value, rounding to whole numbers, extremes and choice; of a NaN only that it
is one. Other functions are computed in f32 for f32 and narrower types (f64 in f64) and rounded once to x's type: f16 and bf16 are
off by at most one unit in the last place (the nearest number but for near ties), f32 by some units, `exp` by `|x|` more; where
the result is below 2**-126 they may give 0. Of a function's multiple by one number, whose differences go to `exp` and nowhere else,
the number may be multiplied by log2(e) first, as that of a product (`xt.tile_mma`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import arith, math
from xetile.dtypes import DType
from xetile.errors import DtypeError
from xetile.ir.core import Op
from xetile.language.casts import convert
from xetile.language.context import current, in_a_kernel
from xetile.language.elementwise import (
    absolute,
    arithmetic,
    as_value,
    broadcast_shapes,
    broadcast_to,
    compare,
    constant,
    matched,
    own_dtype,
    plain,
)
from xetile.language.promote import STORAGE_ONLY, limits, promote
from xetile.language.values import NUMBERS, Number, Value, Weak, check_dtype, describe, hint_to_load, operator

if TYPE_CHECKING:
    from xetile.dtypes import DTypeLike


def _as_float(x: Any) -> Value:
    x = plain(x)
    value = as_value(x) if isinstance(x, Value) else as_value(x, own_dtype(1.0))
    promote(value.dtype, value.dtype)
    if value.dtype.is_float:
        return value
    if isinstance(value, Weak):
        return Weak(value.to(own_dtype(1.0)).ir, own_dtype(1.0))
    return value.to(dtypes.f32)


_RAISES = "Raises DtypeError for what is no value."
_EXAMPLE = """
Example:
    @xt.jit(out={{"Y": lambda X: xt.empty(X.shape, xt.f32)}}, grid=(1,))
    def example(X, Y):
        x = xt.load_tile(xt.init_tile(X, 0, (4,)))
        xt.store_tile(xt.{name}(x), xt.init_tile(Y, 0, (4,)))

    print(example(np.float32([{given}])).round(3))

Prints:
    {printed}
"""


def _function(kind: type[Op], name: str, text: str, given: str, printed: str) -> Callable[[Any], Value]:
    def function(x: Any) -> Value:
        value = _as_float(x)
        return value.with_ir(current().build(kind, value.ir))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, element by element; integers are converted to f32. {_RAISES}\n" + _EXAMPLE.format(
        name=name, given=given, printed=printed
    )
    return function


exp = _function(math.Exp, "exp", "e to the power of x", "0, 1, 2, -1", "[1.    2.718 7.389 0.368]")
exp2 = _function(math.Exp2, "exp2", "2 to the power of x", "0, 1, 0.5, -1", "[1.    2.    1.414 0.5  ]")
log = _function(math.Log, "log", "Natural logarithm (NaN below 0)", "1, 2, 10, -1", "[0.    0.693 2.303   nan]")
log2 = _function(math.Log2, "log2", "Logarithm to base 2 (NaN below 0)", "1, 2, 0.25, -1", "[ 0.  1. -2. nan]")
sqrt = _function(math.Sqrt, "sqrt", "Square root (NaN below 0)", "0, 2, 4, -1", "[0.    1.414 2.      nan]")
rsqrt = _function(math.Rsqrt, "rsqrt", "1 / sqrt(x)", "1, 2, 4, 0.25", "[1.    0.707 0.5   2.   ]")
sin = _function(math.Sin, "sin", "Sine of radians", "0, 1, 3.1415927, -1", "[ 0.     0.841 -0.    -0.841]")
cos = _function(math.Cos, "cos", "Cosine of radians", "0, 1, 3.1415927, -1", "[ 1.    0.54 -1.    0.54]")
tan = _function(math.Tan, "tan", "Tangent of radians", "0, 1, 0.7853982, -1", "[ 0.     1.557  1.    -1.557]")
tanh = _function(math.Tanh, "tanh", "Hyperbolic tangent", "0, 1, -1, 9", "[ 0.     0.762 -0.762  1.   ]")
erf = _function(math.Erf, "erf", "Error function", "0, 1, -1, 9", "[ 0.     0.843 -0.843  1.   ]")


def _rounding(kind: type[Op], name: str, text: str, given: str, printed: str) -> Callable[[Any], Value]:
    def function(x: Any) -> Value:
        value = as_value(x)
        if not value.dtype.is_float:
            return value
        promote(value.dtype, value.dtype)
        return value.with_ir(current().build(kind, value.ir))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, element by element, in x's dtype; integers stay as they are.\n\n{_RAISES}\n" + _EXAMPLE.format(
        name=name, given=given, printed=printed
    )
    return function


floor = _rounding(math.Floor, "floor", "Largest whole number not above x", "1.5, -1.5, 2, -0.25", "[ 1. -2.  2. -1.]")
ceil = _rounding(math.Ceil, "ceil", "Smallest whole number not below x", "1.5, -1.5, 2, 0.25", "[ 2. -1.  2.  1.]")
round_ = _rounding(math.RoundEven, "round", "Nearest whole number, halves to even", "0.5, 1.5, 2.5, -0.7", "[ 0.  2.  2. -1.]")
trunc = _rounding(math.Trunc, "trunc", "Whole part of x", "1.5, -1.5, 2, 0.25", "[ 1. -1.  2.  0.]")


def abs_(x: Any) -> Value:
    """Absolute value, element by element, in x's dtype.

    Raises DtypeError for what is no value.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.abs(x), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([-1.5, 0, 2, -4])))

    Prints:
        [1.5 0.  2.  4. ]
    """
    return absolute(as_value(x))


def sigmoid(x: Any) -> Value:
    """1 / (1 + exp(-x)), element by element; integers are converted to f32.

    Raises DtypeError for what is no value.

    f16 and bf16 are computed in f32 and rounded once.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.sigmoid(x), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([-100, 0, 100, 0])))

    Prints:
        [0.  0.5 1.  0.5]
    """
    value = _as_float(x)
    wide = value if value.dtype.bits >= 32 else value.to(dtypes.f32)
    (one, below), dtype, shape = matched(1.0, exp(-wide) + 1.0)
    # As exact as exp: a whole division would take longer than all the rest.
    return Value(current().build(arith.DivF, one, below, **{arith.APPROXIMATE: True}), dtype, shape).to(value.dtype)


@operator("maximum")
def maximum(a: Any, b: Any) -> Value:
    """The larger of two, element by element; NaN if one is (as numpy.maximum), `a` where they are equal (zeros of both signs).

    Raises DtypeError for types without a common one, TileShapeError for shapes that do not go together.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.maximum(x, 1), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0.5, 1, 2, np.nan])))

    Prints:
        [ 1.  1.  2. nan]
    """
    return arithmetic("maximum", a, b)


@operator("minimum")
def minimum(a: Any, b: Any) -> Value:
    """The smaller of two, element by element; NaN if one is (as numpy.minimum), `a` where they are equal (zeros of both signs).

    Raises DtypeError for types without a common one, TileShapeError for shapes that do not go together.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.minimum(x, 1), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0.5, 1, 2, np.nan])))

    Prints:
        [0.5 1.  1.  nan]
    """
    return arithmetic("minimum", a, b)


def fmax(a: Any, b: Any) -> Value:
    """The larger of two, element by element; the other one if one is NaN (as numpy.fmax), `a` where they are equal.

    Raises DtypeError for types without a common one, TileShapeError for shapes that do not go together.

    One instruction in place of three with `xt.jit(fast_math=True)`, which takes either zero.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.fmax(x, 1), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0.5, 1, 2, np.nan])))

    Prints:
        [1. 1. 2. 1.]
    """
    return arithmetic("fmax", a, b)


def fmin(a: Any, b: Any) -> Value:
    """The smaller of two, element by element; the other one if one is NaN (as numpy.fmin), `a` where they are equal.

    Raises DtypeError for types without a common one, TileShapeError for shapes that do not go together.

    One instruction in place of three with `xt.jit(fast_math=True)`, which takes either zero.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.fmin(x, 1), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0.5, 1, 2, np.nan])))

    Prints:
        [0.5 1.  1.  1. ]
    """
    return arithmetic("fmin", a, b)


def clamp(x: Any, low: Any, high: Any) -> Value:
    """min(max(x, low), high), element by element; NaN stays NaN.

    Raises DtypeError for types without a common one, TileShapeError for shapes that do not go together.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.clamp(x, 0, 1), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([-3, 0.25, 1, 7])))

    Prints:
        [0.   0.25 1.   1.  ]
    """
    return minimum(maximum(x, low), high)


def fma(a: Any, b: Any, c: Any) -> Value:
    """a * b + c rounded once, element by element, where `a * b + c` rounds twice; raises DtypeError for integers.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.fma(x, 2, 1), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0, 1, 2, 3])))

    Prints:
        [1. 3. 5. 7.]
    """
    operands, dtype, shape = matched(a, b, c)
    if not dtype.is_float:
        raise DtypeError(f"fma is for floats, not {dtype}", hint="write a * b + c")
    return Value(current().build(math.Fma, *operands), dtype, shape)


def isnan(x: Any) -> Value:
    """Whether each element is NaN; false for integers.

    Raises DtypeError for what is no value.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.isnan(x).to(xt.i32), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0, np.nan, np.inf, 1])))

    Prints:
        [0 1 0 0]
    """
    value = as_value(x)
    return compare("ne", value, value)


def isinf(x: Any) -> Value:
    """Whether each element is infinite; false for integers.

    Raises DtypeError for what is no value.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.isinf(x).to(xt.i32), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0, np.nan, np.inf, 1])))

    Prints:
        [0 0 1 0]
    """
    value = as_value(x)
    if not value.dtype.is_float:
        return compare("ne", value, value)
    return compare("eq", absolute(value), float("inf"))


@operator("where")
def where(condition: Any, a: Any, b: Any) -> Value:
    """`a` where the condition is true, `b` elsewhere, element by element, in their common dtype.

    Between Python numbers by a tile of conditions it is i32 (i64, or u64, where one needs that), f32 or bool, as kernels get such numbers.

    Raises DtypeError, TileShapeError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.where(x < 0, 0, x), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([-1, 2, -3, 4])))

    Prints:
        [0. 2. 0. 4.]
    """
    mask = as_value(condition)
    mask = mask if mask.dtype.kind == "b" else convert(mask, dtypes.bool_)
    a, b = plain(a), plain(b)
    (x, y), dtype, shape = matched(a, b, dtype=_chosen_dtype(mask, a, b))
    if mask.shape:
        full = broadcast_shapes(mask.shape, shape)
        x, y = (broadcast_to(Value(v, dtype, shape), full).ir for v in (x, y))
        mask, shape = broadcast_to(mask, full), full
    typed = any(isinstance(x, Value) and not isinstance(x, Weak) for x in (a, b))
    return (Value if shape or typed or dtype.kind == "b" else Weak)(current().build(arith.Select, mask.ir, x, y), dtype, shape)


def _chosen_dtype(mask: Value, a: Any, b: Any) -> DType | None:
    """f8 values can be chosen from, though not computed with; a tile of whole numbers of Python's is none of indices."""
    if mask.shape and all(isinstance(x, int) for x in (a, b)) and not all(isinstance(x, bool) for x in (a, b)):
        kinds = (dtypes.i32, dtypes.i64, dtypes.u64)
        return next((kind for kind in kinds if all(limits(kind)[0] <= x <= limits(kind)[1] for x in (a, b))), None)
    if isinstance(a, Value) and isinstance(b, Value) and a.dtype is b.dtype:
        return a.dtype
    return None


def bitcast(x: Value, dtype: DTypeLike) -> Value:
    """The bits of x read as another dtype of the same width; raises DtypeError where the widths differ.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.bitcast(x, xt.i32), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0, 1, -1, 2])))

    Prints:
        [          0  1065353216 -1082130432  1073741824]
    """
    if not isinstance(x, Value):
        raise in_a_kernel(DtypeError(f"bitcast takes a run-time value, not {describe(x)}", hint=hint_to_load(x)))
    return x.bitcast(dtype)


def cast(x: Any, dtype: DTypeLike) -> Value:
    """`x.to(dtype)`, for numbers too.

    Raises DtypeError for what is no dtype of kernels.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.i32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.store_tile(xt.cast(x, xt.i32), xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0.9, -0.9, 1e20, np.nan])))

    Prints:
        [         0          0 2147483647          0]
    """
    x, wanted = plain(x), check_dtype(dtype)
    if not isinstance(x, NUMBERS) or wanted in STORAGE_ONLY:
        return as_value(x).to(wanted)
    return constant(_converted(x, wanted), wanted)


def _converted(number: Number, dtype: DType) -> Number:
    """A Python number as `to` converts it: exactly, where a value of its own dtype between the two would not hold it."""
    if dtype.kind == "b":
        return number != 0
    if dtype.is_float:
        return number
    if isinstance(number, float):
        low, high = limits(dtype, current().index_bits)
        return 0 if number != number else int(min(max(number, low), high))
    return number if dtype.kind == "n" else (int(number) - limits(dtype)[0]) % 2**dtype.bits + limits(dtype)[0]

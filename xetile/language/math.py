"""Functions of elements: exponentials, roots, rounding, extremes, choice. All take values and numbers, and broadcast.

The same bits on every device: `sqrt`, `fma`, absolute value, rounding to whole numbers, extremes and choice; of a NaN only that it
is one. Other functions are computed in f32 for f32 and narrower types (f64 in f64) and rounded once to x's type: f16 and bf16 are
off by at most one unit in the last place (the nearest number but for near ties), f32 by some units, `exp` by `|x|` more; where
the result is below 2**-126 they may give 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xetile import dtypes
from xetile.dialects import arith, math
from xetile.dtypes import DType
from xetile.errors import DtypeError
from xetile.ir.core import Op
from xetile.language.context import current
from xetile.language.elementwise import (
    absolute,
    arithmetic,
    as_value,
    broadcast_shapes,
    broadcast_to,
    compare,
    convert,
    matched,
    plain,
)
from xetile.language.promote import promote
from xetile.language.values import Value, describe


def _as_float(x: Any) -> Value:
    value = as_value(x, dtypes.f32)
    promote(value.dtype, value.dtype)
    return value if value.dtype.is_float else value.to(dtypes.f32)


def _function(kind: type[Op], name: str, text: str) -> Callable[[Any], Value]:
    def function(x: Any) -> Value:
        value = _as_float(x)
        return value.with_ir(current().build(kind, value.ir))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, element by element; integers are converted to f32."
    return function


exp = _function(math.Exp, "exp", "e to the power of x")
exp2 = _function(math.Exp2, "exp2", "2 to the power of x")
log = _function(math.Log, "log", "Natural logarithm (NaN below 0)")
log2 = _function(math.Log2, "log2", "Logarithm to base 2 (NaN below 0)")
sqrt = _function(math.Sqrt, "sqrt", "Square root (NaN below 0)")
rsqrt = _function(math.Rsqrt, "rsqrt", "1 / sqrt(x)")
sin = _function(math.Sin, "sin", "Sine of radians")
cos = _function(math.Cos, "cos", "Cosine of radians")
tanh = _function(math.Tanh, "tanh", "Hyperbolic tangent")
erf = _function(math.Erf, "erf", "Error function")


def _rounding(kind: type[Op], name: str, text: str) -> Callable[[Any], Value]:
    def function(x: Any) -> Value:
        value = as_value(x)
        if not value.dtype.is_float:
            return value
        promote(value.dtype, value.dtype)
        return value.with_ir(current().build(kind, value.ir))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, element by element, in x's dtype; integers stay as they are."
    return function


floor = _rounding(math.Floor, "floor", "Largest whole number not above x")
ceil = _rounding(math.Ceil, "ceil", "Smallest whole number not below x")
round_ = _rounding(math.RoundEven, "round", "Nearest whole number, halves to even")
trunc = _rounding(math.Trunc, "trunc", "Whole part of x")


def abs_(x: Any) -> Value:
    """Absolute value, element by element, in x's dtype."""
    return absolute(as_value(x))


def sigmoid(x: Any) -> Value:
    """1 / (1 + exp(-x)), element by element; integers are converted to f32.

    f16 and bf16 are computed in f32 and rounded once.
    """
    value = _as_float(x)
    wide = value if value.dtype.bits >= 32 else value.to(dtypes.f32)
    (one, below), dtype, shape = matched(1.0, exp(-wide) + 1.0)
    # As exact as exp: a whole division would take longer than all the rest.
    return Value(current().build(arith.DivF, one, below, **{"xetile.approximate": True}), dtype, shape).to(value.dtype)


def maximum(a: Any, b: Any) -> Value:
    """The larger of two, element by element; NaN if one is (as numpy.maximum), `a` where they are equal (zeros of both signs)."""
    return arithmetic("maximum", a, b)


def minimum(a: Any, b: Any) -> Value:
    """The smaller of two, element by element; NaN if one is (as numpy.minimum), `a` where they are equal (zeros of both signs)."""
    return arithmetic("minimum", a, b)


def fmax(a: Any, b: Any) -> Value:
    """The larger of two, element by element; the other one if one is NaN (as numpy.fmax), `a` where they are equal.

    One instruction in place of three with `xt.jit(fast_math=True)`, which takes either zero.
    """
    return arithmetic("fmax", a, b)


def fmin(a: Any, b: Any) -> Value:
    """The smaller of two, element by element; the other one if one is NaN (as numpy.fmin), `a` where they are equal.

    One instruction in place of three with `xt.jit(fast_math=True)`, which takes either zero.
    """
    return arithmetic("fmin", a, b)


def clamp(x: Any, low: Any, high: Any) -> Value:
    """min(max(x, low), high), element by element; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def fma(a: Any, b: Any, c: Any) -> Value:
    """a * b + c rounded once, element by element, where `a * b + c` rounds twice; raises DtypeError for integers."""
    operands, dtype, shape = matched(a, b, c)
    if not dtype.is_float:
        raise DtypeError(f"fma is for floats, not {dtype}", hint="write a * b + c")
    return Value(current().build(math.Fma, *operands), dtype, shape)


def isnan(x: Any) -> Value:
    """Whether each element is NaN; false for integers."""
    value = as_value(x)
    return compare("ne", value, value)


def isinf(x: Any) -> Value:
    """Whether each element is infinite; false for integers."""
    value = as_value(x)
    if not value.dtype.is_float:
        return compare("ne", value, value)
    return compare("eq", absolute(value), float("inf"))


def where(condition: Any, a: Any, b: Any) -> Value:
    """`a` where the condition is true, `b` elsewhere, element by element, in their common dtype.

    Raises DtypeError, TileShapeError.
    """
    mask = as_value(condition)
    mask = mask if mask.dtype.kind == "b" else convert(mask, dtypes.bool_)
    a, b = plain(a), plain(b)
    (x, y), dtype, shape = matched(a, b, dtype=_chosen_dtype(a, b))
    if mask.shape:
        full = broadcast_shapes(mask.shape, shape)
        x, y = (broadcast_to(Value(v, dtype, shape), full).ir for v in (x, y))
        mask, shape = broadcast_to(mask, full), full
    return Value(current().build(arith.Select, mask.ir, x, y), dtype, shape)


def _chosen_dtype(a: Any, b: Any) -> DType | None:
    """f8 values can be chosen from, though not computed with."""
    if isinstance(a, Value) and isinstance(b, Value) and a.dtype is b.dtype:
        return a.dtype
    return None


def bitcast(x: Value, dtype: DType) -> Value:
    """The bits of x read as another dtype of the same width; raises DtypeError where the widths differ."""
    if not isinstance(x, Value):
        raise DtypeError(f"bitcast takes a run-time value, not {describe(x)}")
    return x.bitcast(dtype)


def cast(x: Any, dtype: DType) -> Value:
    """`x.to(dtype)`, for numbers too."""
    return as_value(x).to(dtype)

"""Division, remainder and powers, by Python's rules.

`a / b` is a float (f32 for two integers). `a // b` rounds towards minus infinity, and `a % b` has the sign of `b`, for integers
of every sign and for floats, so that `(a // b) * b + a % b == a`; of infinite floats as numpy has them (`-1.0 // inf` is -1).
Integers divided by zero give 0, and so does their remainder; the smallest integer divided by -1 wraps to itself. A float that is a
whole number of times `b` has a zero of its own sign for rest.
"""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import arith, math
from xetile.dtypes import DType
from xetile.errors import CompileError, ConstexprError, DtypeError
from xetile.language.context import current
from xetile.language.elementwise import (
    arithmetic,
    bitwise,
    common_dtype,
    compare,
    constant,
    exactly,
    matched,
    negative,
    own_dtype,
    plain,
    shift_right,
    weakly,
)
from xetile.language.extents import is_never_negative
from xetile.language.values import NUMBERS, Value, Weak, describe, operator


@operator("truediv")
@weakly
def divide(a: Any, b: Any) -> Value:
    """`a / b`."""
    dtype = common_dtype(plain(a), plain(b))
    if not dtype.is_float:
        typed = any(isinstance(x, Value) and not isinstance(x, Weak) for x in (a, b))
        dtype = dtypes.f32 if typed else own_dtype(1.0)
    (lhs, rhs), dtype, shape = matched(a, b, dtype=dtype)
    return Value(current().build(arith.DivF, lhs, rhs), dtype, shape)


def _division_dtype(a: Any, b: Any) -> DType:
    dtype = common_dtype(plain(a), plain(b))
    return dtypes.i32 if dtype.kind == "b" else dtype


def _shift_of(divisor: Any, dtype: DType) -> int | None:
    """log2 of a divisor that is a known power of two: shifting and masking follow Python's rules for both signs."""
    number = divisor if isinstance(divisor, int) else arith.constant_of(divisor.ir) if isinstance(divisor, Value) else None
    if dtype.is_float or not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return None
    return number.bit_length() - 1 if number & (number - 1) == 0 else None


@operator("floordiv")
@weakly
@exactly
def floor_divide(a: Any, b: Any) -> Value:
    """`a // b`."""
    a, b = plain(a), plain(b)
    dtype = _division_dtype(a, b)
    _refuse_zero(b, "//", dtype)
    shift = _shift_of(b, dtype)
    if shift is not None:
        whole = a if isinstance(a, Value) and a.dtype is dtype else matched_value(a, b, dtype)
        return whole if shift == 0 else shift_right(whole, shift)
    (lhs, rhs), dtype, shape = matched(a, b, dtype=dtype)
    build = current().build
    if dtype.is_float:
        return _floor_of_quotient(Value(lhs, dtype, shape), Value(rhs, dtype, shape))
    return Value(build(arith.FloorDivSI if dtype.is_signed else arith.DivUI, lhs, rhs), dtype, shape)


def _floor_of_quotient(a: Value, b: Value) -> Value:
    """The quotient may have been rounded up to a whole number: then the rest has the other sign than the divisor.

    Nothing of an infinite divisor leaves all for rest, where multiplying gives no number; an infinite dividend has no rest, and so
    no whole quotient (NaN, as in Python).
    """
    build, zero = current().build, 0.0
    whole = a.with_ir(build(math.Floor, build(arith.DivF, a.ir, b.ir)))
    left = build(math.Fma, negative(whole).ir, b.ir, a.ir)
    rest = a.with_ir(build(arith.Select, compare("eq", whole, zero).ir, a.ir, left))
    above = bitwise("or", bitwise("and", compare("lt", rest, zero), compare("gt", b, zero)),
                    bitwise("and", compare("gt", rest, zero), compare("lt", b, zero)))  # fmt: skip
    rounded = build(arith.Select, above.ir, arithmetic("sub", whole, 1.0).ir, whole.ir)
    infinite = bitwise("and", compare("eq", a.with_ir(build(math.AbsF, a.ir)), float("inf")), compare("ne", b, zero))
    return a.with_ir(build(arith.Select, infinite.ir, constant(float("nan"), a.dtype, a.shape).ir, rounded))


def matched_value(a: Any, b: Any, dtype: DType) -> Value:
    """`a` in the dtype and shape of an operation with `b`."""
    (lhs, _), dtype, shape = matched(a, b, dtype=dtype)
    return Value(lhs, dtype, shape)


@operator("mod")
@weakly
@exactly
def remainder(a: Any, b: Any) -> Value:
    """`a % b`."""
    a, b = plain(a), plain(b)
    dtype = _division_dtype(a, b)
    _refuse_zero(b, "%", dtype)
    shift = _shift_of(b, dtype)
    if shift is not None:
        return bitwise("and", matched_value(a, b, dtype), 2**shift - 1)
    (lhs, rhs), dtype, shape = matched(a, b, dtype=dtype)
    build = current().build
    if not dtype.is_signed:
        return Value(build(arith.RemUI, lhs, rhs), dtype, shape)
    # The machine's remainder has the sign of the dividend: move it by one divisor where the signs differ.
    rest = Value(build(arith.RemF if dtype.is_float else arith.RemSI, lhs, rhs), dtype, shape)
    divisor = Value(rhs, dtype, shape)
    wrong = _signs_differ(rest, divisor, b)
    result = build(arith.Select, wrong.ir, arithmetic("add", rest, divisor).ir, rest.ir)
    if not dtype.is_float and is_never_negative(b):  # of 0 the remainder is 0
        current().counts.add(result)
    return Value(result, dtype, shape)


def _signs_differ(rest: Value, divisor: Value, given: Any) -> Value:
    if isinstance(given, NUMBERS):
        return compare("lt" if given > 0 else "gt", rest, 0)
    negative = bitwise("xor", compare("lt", rest, 0), compare("lt", divisor, 0))
    return bitwise("and", compare("ne", rest, 0), negative)


def _refuse_zero(divisor: Any, symbol: str, dtype: DType) -> None:
    if isinstance(divisor, NUMBERS) and not dtype.is_float and divisor == 0:
        raise CompileError(f"{symbol} of {dtype} by zero", hint="floats have infinity: x.to(xt.f32) / 0")


@operator("pow")
@weakly
def power(a: Any, b: Any) -> Value:
    """`a ** b`: whole constant exponents by multiplying, others for floats only; roots and powers of 2 by their own functions."""
    a, b = plain(a), plain(b)
    if isinstance(a, Value) and isinstance(b, int) and not isinstance(b, bool) and 0 <= b <= 16:
        return _whole_power(a, b)
    dtype = common_dtype(a, b)
    if not dtype.is_float:
        kind = ConstexprError if isinstance(b, Value) and not b.shape else DtypeError
        raise kind(
            f"{describe(a)} ** {describe(b)}: integers have powers with constant exponents from 0 to 16 only",
            hint=f"{'1 << n is 2 ** n; else ' if isinstance(a, int) and a == 2 else ''}convert with .to(xt.f32) first",
        )
    found = _known_power(a.to(dtype), b) if isinstance(a, Value) and isinstance(b, (int, float)) else None
    if found is not None:
        return found
    if isinstance(b, Value) and isinstance(a, (int, float)) and a == 2:
        exponent: Value = b.to(dtype)
        return exponent.with_ir(current().build(math.Exp2, exponent.ir))
    (lhs, rhs), dtype, shape = matched(a, b, dtype=dtype)
    return Value(current().build(math.PowF, lhs, rhs), dtype, shape)


def _known_power(a: Value, exponent: float) -> Value | None:
    """A float to the power of a number for which there is something shorter than the function, which takes hundreds of instructions."""
    if abs(exponent) == 0.5:
        return a.with_ir(current().build(math.Sqrt if exponent > 0 else math.Rsqrt, a.ir))
    if 0 <= exponent <= 16 and exponent == int(exponent):
        return _whole_power(a, int(exponent))
    if exponent == -1 or (-4 <= exponent < 0 and exponent == int(exponent) and a.dtype.bits >= 32):
        inverse: Value = divide(1.0, a)  # first: its powers end where those of what is asked for do
        return _whole_power(inverse, -int(exponent))
    return None


def _whole_power(a: Value, exponent: int) -> Value:
    if exponent == 0:
        return constant(1, dtypes.i32 if a.dtype.kind == "b" else a.dtype, a.shape)
    result: Value | None = None
    square = a
    while True:
        if exponent & 1:
            result = square if result is None else arithmetic("mul", result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        square = arithmetic("mul", square, square)


@weakly
@exactly
def cdiv(a: Any, b: Any) -> Any:
    """`a / b` rounded up, for integers: `xt.cdiv(M, 64)` tiles of 64 cover M rows. Plain ints give a plain int.

    Raises DtypeError for floats.
    """
    a, b = plain(a), plain(b)
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    dtype = _division_dtype(a, b)
    if dtype.is_float:
        raise DtypeError(f"cdiv of {describe(a)} and {describe(b)}: it divides integers", hint="for floats: xt.ceil(a / b)")
    (lhs, rhs), dtype, shape = matched(a, b, dtype=dtype)
    return Value(current().build(arith.CeilDivSI if dtype.is_signed else arith.CeilDivUI, lhs, rhs), dtype, shape)

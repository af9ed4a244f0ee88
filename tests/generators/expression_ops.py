"""What expressions are made of: each operation on tiles, and the same on numpy arrays, written from the language's documentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xetile.backends.reference.fused import fused_multiply_add

import xetile as xt
from xetile.dtypes import DTYPES, DType

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
NUMBERS = (*INTEGERS, *FLOATS)
KINDS = ("bool", *NUMBERS)


def dtype(name: str) -> DType:
    return DTYPES[name]


def is_float(name: str) -> bool:
    return name in FLOATS


@dataclass(frozen=True)
class Operation:
    """`emit(*tiles)` and `numpy(*arrays)`; operands and result have one dtype unless `operands` or `result` say otherwise."""

    name: str
    emit: Callable[..., Any]
    numpy: Callable[..., Any]
    arity: int = 2
    on: tuple[str, ...] = NUMBERS
    operands: tuple[str, ...] = ()
    result: str = ""


def bits(x: Any) -> int:
    return 8 * int(x.dtype.itemsize)


def unsigned(x: Any) -> Any:
    return x.view(f"u{x.dtype.itemsize}")


def wide(x: Any) -> Any:
    """bf16 in f32, which holds its products and sums of two exactly enough to be rounded again."""
    return x.astype(np.float32) if x.dtype.kind == "V" or x.dtype.name == "bfloat16" else x


def first_of_equals(choose: Callable[..., Any], drop_nan: bool) -> Callable[..., Any]:
    """The first operand unless the second is better; NaN wins, or loses."""

    def run(a: Any, b: Any) -> Any:
        nan = (a != a) if drop_nan else (b != b)
        return np.where(choose(a, b) | nan, b, a)

    return run


def fused(a: Any, b: Any, c: Any) -> Any:
    return fused_multiply_add(*map(wide, (a, b, c))).astype(a.dtype)


def remainder(a: Any, b: Any) -> Any:
    """Python's sign; a zero keeps the dividend's."""
    if a.dtype.kind in "iu":
        return np.remainder(a, b)
    x, y = wide(a), wide(b)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest).astype(a.dtype)


def floor_divide(a: Any, b: Any) -> Any:
    """Rounded down; where the quotient has been rounded up to a whole number, what is left tells. Infinite numbers: as numpy has them."""
    if a.dtype.kind in "iu":
        return np.floor_divide(a, b)
    x, y = wide(a), wide(b)
    whole = np.where(np.isinf(x) | np.isinf(y), np.floor_divide(x, y), wide(np.floor(a / b))).astype(a.dtype)
    left = np.where(np.isinf(y), 0, fused(-whole, b, a))
    return np.where(((left < 0) & (b > 0)) | ((left > 0) & (b < 0)), whole - a.dtype.type(1), whole).astype(a.dtype)


def ceiling(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b) + (np.remainder(a, b) != 0).astype(a.dtype)


def shift_left(a: Any, b: Any) -> Any:
    width, count = bits(a), unsigned(b)
    return np.where(count < width, a << np.where(count < width, b, 0), a.dtype.type(0)).astype(a.dtype)


def shift_right(a: Any, b: Any) -> Any:
    width, count = bits(a), unsigned(b)
    rest = np.where(a < 0, a.dtype.type(-1), a.dtype.type(0)) if a.dtype.kind == "i" else a.dtype.type(0)
    return np.where(count < width, a >> np.where(count < width, b, 0), rest).astype(a.dtype)


def to(x: Any, name: str) -> Any:
    """`x.to(dtype)`: integers wrap, floats saturate, NaN is 0; the rest is rounded to nearest even."""
    target = np.dtype(dtype(name).numpy)
    if target == x.dtype:
        return x
    floating = x.dtype.kind == "f" or x.dtype.name == "bfloat16"
    if target.kind == "b":
        return x != 0
    if floating and target.kind in "iu":
        limits, values = np.iinfo(target), np.trunc(x.astype(np.float64))
        result = np.zeros(x.shape, target)
        inside = (values > float(limits.min)) & (values < float(limits.max))
        result[inside] = values[inside].astype(target)
        result[values >= float(limits.max)] = limits.max
        result[values <= float(limits.min)] = limits.min
        return result
    if target.name == "bfloat16":
        return x.astype(np.float32).astype(target)
    return x.astype(target)


def through(name: str) -> Callable[[Any], Any]:
    """To a narrower float and back."""
    import ml_dtypes

    narrow = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
    if name in narrow:
        return lambda x: x.astype(np.float32).astype(narrow[name]).astype(np.float32)
    return round_tf32


def round_tf32(x: Any) -> Any:
    """Ten bits of fraction, ties to even."""
    scale = np.float64(2.0) ** (np.frexp(x)[1] - 11)
    rounded = np.rint(x.astype(np.float64) / scale) * scale
    smallest = 2.0**-126
    subnormal = np.rint(x.astype(np.float64) / (smallest * 2.0**-10)) * (smallest * 2.0**-10)
    result = np.where(np.abs(x) < smallest, subnormal, rounded)
    return np.where(np.isfinite(x) & (x != 0), result, x).astype(np.float32)


def _same(*names: str) -> dict[str, tuple[str, ...]]:
    return {"on": names}


ANY = tuple(KINDS)
OPERATIONS = {
    op.name: op
    for op in (
        Operation("+", lambda a, b: a + b, lambda a, b: a + b),
        Operation("-", lambda a, b: a - b, lambda a, b: a - b),
        Operation("*", lambda a, b: a * b, lambda a, b: a * b),
        Operation("maximum", xt.maximum, first_of_equals(lambda a, b: a < b, False)),
        Operation("minimum", xt.minimum, first_of_equals(lambda a, b: a > b, False)),
        Operation("fmax", xt.fmax, first_of_equals(lambda a, b: a < b, True)),
        Operation("fmin", xt.fmin, first_of_equals(lambda a, b: a > b, True)),
        Operation("//", lambda a, b: a // b, floor_divide),
        Operation("%", lambda a, b: a % b, remainder),
        Operation("abs", xt.abs, lambda a: np.abs(a), 1),
        Operation("neg", lambda a: -a, lambda a: -a, 1),
        Operation("square", lambda a: a**2, lambda a: a * a, 1),
        Operation("cube", lambda a: a**3, lambda a: a * (a * a), 1),
        Operation("zeroth", lambda a: a**0, lambda a: np.ones_like(a), 1),
        Operation("where", xt.where, lambda c, a, b: np.where(c, a, b), 3, on=ANY, operands=("bool", "", "")),
        # integers
        Operation("&", lambda a, b: a & b, lambda a, b: a & b, on=("bool", *INTEGERS)),
        Operation("|", lambda a, b: a | b, lambda a, b: a | b, on=("bool", *INTEGERS)),
        Operation("^", lambda a, b: a ^ b, lambda a, b: a ^ b, on=("bool", *INTEGERS)),
        Operation("~", lambda a: ~a, lambda a: ~a, 1, on=("bool", *INTEGERS)),
        Operation("<<", lambda a, b: a << b, shift_left, on=INTEGERS),
        Operation(">>", lambda a, b: a >> b, shift_right, on=INTEGERS),
        Operation("cdiv", xt.cdiv, ceiling, on=INTEGERS),
        # floats
        Operation("/", lambda a, b: a / b, lambda a, b: (wide(a) / wide(b)).astype(a.dtype), on=FLOATS),
        Operation("fma", xt.fma, fused, 3, on=FLOATS),
        Operation("sqrt", xt.sqrt, lambda a: np.sqrt(wide(a)).astype(a.dtype), 1, on=FLOATS),
        Operation("floor", xt.floor, lambda a: np.floor(a), 1, on=FLOATS),
        Operation("ceil", xt.ceil, lambda a: np.ceil(a), 1, on=FLOATS),
        Operation("round", xt.round, lambda a: np.rint(a), 1, on=FLOATS),
        Operation("trunc", xt.trunc, lambda a: np.trunc(a), 1, on=FLOATS),
        Operation("f8e4m3", lambda a: a.to(xt.f8e4m3).to(xt.f32), through("f8e4m3"), 1, on=("f32",)),
        Operation("f8e5m2", lambda a: a.to(xt.f8e5m2).to(xt.f32), through("f8e5m2"), 1, on=("f32",)),
        Operation("tf32", lambda a: a.to(xt.tf32).to(xt.f32), through("tf32"), 1, on=("f32",)),
        # to bool
        Operation("==", lambda a, b: a == b, lambda a, b: a == b, result="bool", on=ANY),
        Operation("!=", lambda a, b: a != b, lambda a, b: a != b, result="bool", on=ANY),
        Operation("<", lambda a, b: a < b, lambda a, b: a < b, result="bool", on=ANY),
        Operation("<=", lambda a, b: a <= b, lambda a, b: a <= b, result="bool", on=ANY),
        Operation(">", lambda a, b: a > b, lambda a, b: a > b, result="bool", on=ANY),
        Operation(">=", lambda a, b: a >= b, lambda a, b: a >= b, result="bool", on=ANY),
        Operation("isnan", xt.isnan, lambda a: a != a, 1, result="bool"),
        Operation("isinf", xt.isinf, lambda a: np.isinf(a), 1, result="bool", on=FLOATS),
    )
}

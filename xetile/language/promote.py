"""Which dtype an operation of two dtypes has.

As numpy: the smallest type that holds both, Python numbers weakly typed (NEP 50). Where numpy would go to f64, kernels do not:
- an integer with a float gives the float's type (f16 + i32 is f16); an integer divided by an integer gives f32;
- u64 with a signed integer is refused.
f16 with bf16 gives f32; tf32 with a 16-bit float gives tf32, with f32 it gives f32. `index` (sizes, offsets, program ids) is a
signed integer of the device's address width: it wins over integers below 64 bits, i64 wins over it, and arrays of integers of 32
bits and more take it. bool counts as i32 in arithmetic of two bools and adopts the other's type otherwise. A Python number that a
loop or a branch changes still is one: it has no type of its own until it meets a value. Literals that meet none are f64 in kernels
of f64 arrays. The f8 types are for storage: convert first.

Index arithmetic does not wrap: calls whose ids, sizes and scalars could take it past 2**31 run a kernel with a 64-bit index, and
so do kernels that compute indices of numbers from memory (a bound such as xt.minimum(number, A.shape[0]) keeps those at 32 bits).
Other integers are the user's own data and wrap as numpy's; a launch is refused whose 32-bit scalars wrap and then become an index.
"""

from __future__ import annotations

from functools import cache
from math import inf, isfinite

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import DtypeError

STORAGE_ONLY = (dtypes.f8e4m3, dtypes.f8e5m2)
_SIGNED = {8: dtypes.i8, 16: dtypes.i16, 32: dtypes.i32, 64: dtypes.i64}
_FLOAT_RANK = {dtypes.f16: 0, dtypes.bf16: 0, dtypes.tf32: 1, dtypes.f32: 2, dtypes.f64: 3}


@cache
def promote(a: DType, b: DType) -> DType:
    """The dtype that holds both; raises DtypeError where there is none."""
    for dtype in (a, b):
        if dtype in STORAGE_ONLY:
            raise DtypeError(f"{dtype} is a storage type and takes no part in arithmetic", hint="convert it first: .to(xt.f16)")
    if a is b or b.kind == "b":
        return a
    if a.kind == "b":
        return b
    if a.is_float or b.is_float:
        return _promote_float(a, b)
    if "n" in (a.kind, b.kind):
        return _promote_index(b if a.kind == "n" else a)
    return _promote_int(a, b)


def _promote_float(a: DType, b: DType) -> DType:
    if not (a.is_float and b.is_float):
        return a if a.is_float else b
    if {a, b} == {dtypes.f16, dtypes.bf16}:
        return dtypes.f32
    return max(a, b, key=_FLOAT_RANK.__getitem__)


def _promote_index(other: DType) -> DType:
    if other is dtypes.u64:
        raise DtypeError("index and u64 have no common type", hint="convert one: .to(xt.u64) or .to(xt.i64)")
    return dtypes.i64 if other is dtypes.i64 else dtypes.index


def _promote_int(a: DType, b: DType) -> DType:
    if a.kind == b.kind:
        return max(a, b, key=lambda d: d.bits)
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    if unsigned.bits == 64:
        raise DtypeError(f"{a} and {b} have no common type", hint="convert one: .to(xt.i64) or .to(xt.u64)")
    return _SIGNED[2 * unsigned.bits]


def promote_weak(number: bool | int | float, dtype: DType, index_bits: int = 32) -> DType:
    """The dtype of an operation of a Python number and a value of `dtype`; raises DtypeError if the number does not fit."""
    if dtype in STORAGE_ONLY:
        return promote(dtype, dtype)
    if isinstance(number, float):
        return dtype if dtype.is_float else dtypes.f32
    if isinstance(number, bool) or dtype.is_float:
        return dtype
    result = dtypes.i32 if dtype.kind == "b" else dtype
    check_fits(number, result, index_bits)
    return result


def limits(dtype: DType, index_bits: int = 32) -> tuple[int, int]:
    """Smallest and largest number of an integer dtype."""
    bits = index_bits if dtype.kind == "n" else dtype.bits
    if dtype.kind == "b":
        return 0, 1
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def check_fits(number: int, dtype: DType, index_bits: int = 32) -> None:
    """Raise DtypeError for a number outside an integer dtype."""
    low, high = limits(dtype, index_bits)
    if not low <= number <= high:
        name = f"a {index_bits}-bit index" if dtype.kind == "n" else dtype.name
        shown = number if abs(number) < 10**40 else "a number of more than 40 digits"
        holds = next((kind for kind in (dtypes.i64, dtypes.u64) if limits(kind)[0] <= number <= limits(kind)[1]), None)
        hint = "no integer type holds it: convert the other operand to .to(xt.f64), or use smaller numbers"
        if holds is not None:
            hint = f"convert the other operand to a wider type: .to(xt.{holds})"
        if dtype in (dtypes.u32, dtypes.u64) and number > high:
            hint += f"; where it should wrap: & {high:#x}"
        raise DtypeError(f"{shown} does not fit {name} ({low} to {high})", hint=hint)


_FLOAT_FORMATS = {dtypes.f16: (10, 15), dtypes.bf16: (7, 127), dtypes.tf32: (10, 127), dtypes.f32: (23, 127), dtypes.f64: (52, 1023),
                  dtypes.f8e5m2: (2, 15), dtypes.f8e4m3: (3, 8)}  # fmt: skip
"""Explicit bits of the fraction and the largest exponent."""
_F8E4M3_TOP = 464.0  # OCP 8-bit floats, 5.1: the largest fraction of the largest exponent is NaN, so 448 is the largest number


def float_limit(dtype: DType) -> float:
    """Magnitudes from here on round to infinity in a float dtype (IEEE 754, 4.3.1)."""
    if dtype is dtypes.f8e4m3:
        return _F8E4M3_TOP
    bits, exponent = _FLOAT_FORMATS[dtype]
    return inf if dtype is dtypes.f64 else (2 - 2.0 ** -(bits + 1)) * 2.0**exponent


def as_float(number: bool | int | float, dtype: DType) -> float:
    """A number as a float; raises DtypeError for one beyond the largest of a float dtype, which would become an infinity."""
    try:
        value = float(number)
    except OverflowError:
        value = inf if number > 0 else -inf
    given = isinstance(number, float) and not isfinite(number)
    if (given or abs(value) < float_limit(dtype)) and not (dtype is dtypes.f8e4m3 and abs(value) == inf):
        return dtype.rounded(value)
    wider = ".to(xt.f32)" if dtype.bits < 32 else ".to(xt.f64)"
    hint = f"an infinity is float('inf'); for larger numbers convert the other operand: {wider}"
    shown = number if isinstance(number, float) or abs(number) < 10**40 else "a number of more than 40 digits"
    raise DtypeError(f"{shown} does not fit {dtype} (up to {_largest(dtype):.6g})", hint=None if dtype is dtypes.f64 else hint)


def _largest(dtype: DType) -> float:
    bits, exponent = _FLOAT_FORMATS[dtype]
    return 448.0 if dtype is dtypes.f8e4m3 else (2 - 2.0**-bits) * 2.0**exponent


def number_dtype(number: bool | int | float) -> DType:
    """The dtype of a Python number that has to become a value by itself: bool, index or f32."""
    if isinstance(number, bool):
        return dtypes.bool_
    return dtypes.index if isinstance(number, int) else dtypes.f32

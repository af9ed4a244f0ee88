"""Conversions between dtypes, and from bits to bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xetile import dtypes
from xetile.dialects import arith
from xetile.dialects.types import ScalarType, like, value_bits
from xetile.dtypes import DType
from xetile.errors import DtypeError
from xetile.ir.core import Op
from xetile.ir.core import Value as IRValue
from xetile.language.context import current
from xetile.language.elementwise import compare, constant
from xetile.language.values import Value, Weak, check_dtype, describe, operator

if TYPE_CHECKING:
    from xetile.dtypes import DTypeLike

_FLOAT_16_BITS = (dtypes.f16, dtypes.bf16)


@operator("convert")
def convert(a: Value, dtype: DTypeLike) -> Value:
    """`a.to(dtype)`."""
    return cast(a, dtype)


def cast(a: Value, dtype: DTypeLike) -> Value:
    """`a` in another dtype; see `Value.to`."""
    dtype = check_dtype(dtype)
    if a.dtype is dtype:
        return Value(a.ir, a.dtype, a.shape) if isinstance(a, Weak) else a
    if dtype.kind == "b":
        return compare("ne", a, 0)
    number = arith.constant_of(a.ir)
    if number is not None and not isinstance(number, tuple) and _is_exact(number, a.dtype, dtype):
        return constant(number, dtype, a.shape)
    source = "i" if a.dtype.kind == "b" else a.dtype.kind
    steps = {("f", "f"): _float_to_float, ("n", "f"): _index_to_float, ("f", "n"): _float_to_index}
    step = steps.get((source, dtype.kind)) or _SIMPLE.get((source.replace("u", "i"), dtype.kind.replace("u", "i")))
    assert step is not None, (a.dtype, dtype)
    return Value(step(a.ir, a.dtype, dtype), dtype, a.shape)


def _is_exact(number: int | float | bool, source: DType, target: DType) -> bool:
    """Whether a constant can be converted here: small integers are the same number in every dtype that holds them."""
    if source.is_float or not isinstance(number, int):
        return False
    return 0 <= number <= 127 or (target.kind == "n" and abs(number) < 2**31)


def _emit(kind: type[Op], value: IRValue, target: ScalarType) -> IRValue:
    result: IRValue = current().build(kind, value, result=like(value.type, target))
    return result


def _int_to_int(value: IRValue, source: DType, target: DType) -> IRValue:
    if source.bits == target.bits and source.kind != "b":
        return value
    if source.bits > target.bits:
        return _emit(arith.TruncI, value, target.ir)
    return _emit(arith.ExtUI if source.kind in "ub" else arith.ExtSI, value, target.ir)


def _int_to_float(value: IRValue, source: DType, target: DType) -> IRValue:
    return _emit(arith.UIToFP if source.kind in "ub" else arith.SIToFP, value, target.ir)


def _float_to_int(value: IRValue, source: DType, target: DType) -> IRValue:
    return _emit(arith.FPToUI if target.kind == "u" else arith.FPToSI, value, target.ir)


def _int_to_index(value: IRValue, source: DType, target: DType) -> IRValue:
    return _emit(arith.IndexCastUI if source.kind in "ub" else arith.IndexCast, value, target.ir)


def _index_to_int(value: IRValue, source: DType, target: DType) -> IRValue:
    # An index has a sign, of unsigned integers too: -1 is 2**64 - 1 of u64, however many bits a launch's index has.
    return _emit(arith.IndexCast, value, target.ir)


def _index_to_float(value: IRValue, source: DType, target: DType) -> IRValue:
    return _emit(arith.SIToFP, _whole(value), target.ir)


def _whole(value: IRValue) -> IRValue:
    result: IRValue = current().build(arith.IndexCast, value, result=like(value.type, current().index_int), **{arith.WHOLE: True})
    return result


def whole_index(a: Value) -> Value:
    """An index as the integer that has its bits, for where no index can be: in memory, or printed."""
    return Value(_whole(a.ir), dtypes.dtype(current().index_int.name), a.shape)


def _float_to_index(value: IRValue, source: DType, target: DType) -> IRValue:
    return _emit(arith.IndexCast, _emit(arith.FPToSI, value, current().index_int), target.ir)


def _float_to_float(value: IRValue, source: DType, target: DType) -> IRValue:
    if source.bits == target.bits and {source, target} != {dtypes.f32, dtypes.tf32}:
        # No conversion keeps the width: f16 and bf16, or the two f8 types, go through a type that holds both.
        middle = dtypes.f32 if source in _FLOAT_16_BITS else dtypes.f16
        return _emit(arith.TruncF, _emit(arith.ExtF, value, middle.ir), target.ir)
    widens = value_bits(target.ir) > value_bits(source.ir)
    return _emit(arith.ExtF if widens else arith.TruncF, value, target.ir)


_SIMPLE = {
    ("i", "i"): _int_to_int,
    ("i", "f"): _int_to_float,
    ("f", "i"): _float_to_int,
    ("i", "n"): _int_to_index,
    ("n", "i"): _index_to_int,
}


@operator("bitcast")
def bitcast(a: Value, dtype: DTypeLike) -> Value:
    """`a.bitcast(dtype)`."""
    dtype = check_dtype(dtype)
    if a.dtype.bits != dtype.bits or "n" in (a.dtype.kind, dtype.kind):
        hint = "an index has no bits of its own: .to(xt.i32)" if a.dtype.kind == "n" else f"choose a dtype of {a.dtype.bits} bits"
        raise DtypeError(f"the bits of {describe(a)} cannot be read as {dtype}", hint=hint)
    if a.dtype.ir is dtype.ir:
        return Value(a.ir, dtype, a.shape)
    return Value(_emit(arith.Bitcast, a.ir, dtype.ir), dtype, a.shape)

"""arith and math: one function of arrays for each op.

Integers wrap around. Where MLIR leaves a result open, this is what happens here: an integer divided by zero is 0 and so is its
remainder; the smallest integer divided by -1 is itself; a shift by the width or more gives 0 (or the sign), and the amount has no
sign; a float converted to an integer saturates, and NaN becomes 0. Debug mode reports the first of these. Of two equal floats
the maximum and the minimum are the first, which tells the sign of zero. Nothing tells the bits of a NaN.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from xetile.dialects import arith, math
from xetile.dialects.types import I1, TF32, ScalarType, element_of, shape_of
from xetile.dtypes import nearest, rounded_to_odd
from xetile.ir.core import Op

from .fused import fused_multiply_add
from .machine import Machine, elementwise, executes
from .memory import Memory, Region, select_region
from .values import BATCH, Array, narrow, quiet, round_tf32, signed, storage, unsigned, wide, with_rank

Function = Callable[..., Array]


@executes(arith.Constant)
def constant(m: Machine, op: arith.Constant) -> Array:
    """A splat stays one number with strides of 0."""
    if op not in m.plan.constants:
        m.plan.constants[op] = _constant(op)
    return m.plan.constants[op]


def _constant(op: arith.Constant) -> Array:
    element, shape = element_of(op.results[0].type), (1,) * BATCH + shape_of(op.results[0].type)
    if isinstance(op.value, tuple):
        return _elements(op.value, element).reshape(shape)
    return np.broadcast_to(_elements((op.value,), element), shape)


def _elements(values: tuple[Any, ...], element: ScalarType) -> Array:
    dtype = storage(element)
    if element.is_float:
        return narrow(np.array(values, np.float64).astype(dtype), element)
    # An integer may be written signed or unsigned: the same bits.
    return np.array([int(v) & ((1 << element.bits) - 1) for v in values], np.uint64).astype(dtype)


# Integers.


def _truncating_quotient(x: Array, y: Array) -> Array:
    return np.floor_divide(x - np.fmod(x, y), y)


def _ceiling_quotient(x: Array, y: Array) -> Array:
    return np.floor_divide(x, y) + (np.remainder(x, y) != 0).astype(x.dtype)


def on_signed(function: Function) -> Function:
    """The function of signed integers, in the operands' type."""

    def run(x: Array, y: Array) -> Array:
        return function(signed(x), signed(y)).astype(x.dtype, copy=False)

    return run


def on_unsigned(function: Function) -> Function:
    """The function of the same bits as unsigned integers, in the operands' type."""

    def run(x: Array, y: Array) -> Array:
        result = function(unsigned(x), unsigned(y))
        return result.astype(np.bool_) if x.dtype == np.bool_ else result.view(x.dtype)

    return run


def _modulo_bits(function: Function, one_bit: Function) -> Function:
    def run(x: Array, y: Array) -> Array:
        return one_bit(x, y) if x.dtype == np.bool_ else function(x, y)

    return run


elementwise({
    arith.AddI: _modulo_bits(np.add, np.logical_xor),
    arith.SubI: _modulo_bits(np.subtract, np.logical_xor),
    arith.MulI: _modulo_bits(np.multiply, np.logical_and),
    arith.AndI: np.bitwise_and,
    arith.OrI: np.bitwise_or,
    arith.XOrI: np.bitwise_xor,
    arith.DivSI: on_signed(_truncating_quotient),
    arith.DivUI: on_unsigned(np.floor_divide),
    arith.RemSI: on_signed(np.fmod),
    arith.RemUI: on_unsigned(np.remainder),
    arith.FloorDivSI: on_signed(np.floor_divide),
    arith.CeilDivSI: on_signed(_ceiling_quotient),
    arith.CeilDivUI: on_unsigned(_ceiling_quotient),
    arith.ShLI: on_unsigned(np.left_shift),
    arith.ShRSI: on_signed(np.right_shift),
    arith.ShRUI: on_unsigned(np.right_shift),
    arith.MaxSI: on_signed(np.maximum),
    arith.MaxUI: on_unsigned(np.maximum),
    arith.MinSI: on_signed(np.minimum),
    arith.MinUI: on_unsigned(np.minimum),
    math.AbsI: np.abs,
})  # fmt: skip


# Floats: computed at least in float32, rounded once.


def on_floats(function: Function) -> Callable[..., Array]:
    """The meaning of a float op."""

    def run(m: Machine, op: Op, *operands: Array) -> Array:
        return narrow(function(*map(wide, operands)), element_of(op.results[0].type))

    run.__doc__ = f"{getattr(function, '__name__', 'function')}, rounded to the result's type."
    return run


@lru_cache(maxsize=1)
def _error_function() -> Function:
    from math import erf

    return np.vectorize(erf, otypes=[np.float64])


def _erf(x: Array) -> Array:
    """The error function of the C library: numpy has none, and a polynomial of its precision is no faster."""
    return _error_function()(x).astype(x.dtype) if x.size else x


def _rsqrt(x: Array) -> Array:
    return (1.0 / np.sqrt(x.astype(np.float64))).astype(x.dtype)


def _extreme(function: Function) -> Function:
    """The first of two operands that are equal: numpy takes either zero, as its build has it."""
    seen = quiet if function in (np.fmin, np.fmax) else lambda x: x

    def run(x: Array, y: Array) -> Array:
        return np.where(x == y, x, function(seen(x), seen(y)))

    run.__name__ = function.__name__
    return run


FLOATS: dict[type[Op], Function] = {
    arith.AddF: np.add,
    arith.SubF: np.subtract,
    arith.MulF: np.multiply,
    arith.DivF: np.divide,
    arith.RemF: np.fmod,
    arith.MaximumF: _extreme(np.maximum),  # NaN if either is NaN
    arith.MinimumF: _extreme(np.minimum),
    arith.MaxNumF: _extreme(np.fmax),  # the other one if either is NaN
    arith.MinNumF: _extreme(np.fmin),
    arith.NegF: np.negative,
    math.Rsqrt: _rsqrt,
    math.Erf: _erf,
    math.AbsF: np.abs,
    math.Fma: fused_multiply_add,
    math.PowF: np.power,
}
_NAMED: list[type[math.Function | math.Rounding]] = [*math.Function.__subclasses__(), *math.Rounding.__subclasses__()]
FLOATS |= {kind: getattr(np, kind.c_name) for kind in _NAMED if kind not in FLOATS}
for _kind, _function in FLOATS.items():
    executes(_kind)(on_floats(_function))


# Comparisons.

_CMPI: dict[str, Function] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


@executes(arith.CmpI)
def cmpi(m: Machine, op: arith.CmpI, x: Array, y: Array) -> Array:
    """`slt` compares as signed, `ult` as unsigned integers."""
    if op.predicate in _CMPI:
        return _CMPI[op.predicate](x, y)
    view = signed if op.predicate[0] == "s" else unsigned
    return _CMPI[op.predicate[1:]](view(x), view(y))


@executes(arith.CmpF)
def cmpf(m: Machine, op: arith.CmpF, x: Array, y: Array) -> Array:
    """Ordered predicates are false on NaN, unordered ones true."""
    x, y = wide(x), wide(y)
    if op.predicate in ("true", "false"):
        return np.full(np.broadcast_shapes(x.shape, y.shape), op.predicate == "true")
    unordered = np.isnan(x) | np.isnan(y)
    if op.predicate in ("ord", "uno"):
        return unordered if op.predicate == "uno" else ~unordered
    holds = _CMPI[op.predicate[1:]](x, y)
    return holds | unordered if op.predicate[0] == "u" else holds & ~unordered


@executes(arith.Select)
def select(m: Machine, op: arith.Select, condition: Array, x: Any, y: Any) -> Any:
    """A scalar condition picks whole vectors, or one of two memories."""
    if isinstance(x, Memory):
        return x if condition.all() else y  # one program at a time (see interpret)
    if isinstance(x, Region):
        return select_region(condition, x, y)
    return np.where(with_rank(condition, x.ndim - condition.ndim), x, y)


# Conversions.


def _to(op: Op) -> ScalarType:
    return element_of(op.results[0].type)


@executes(arith.ExtF, arith.TruncF)
def convert_float(m: Machine, op: Op, x: Array) -> Array:
    """Rounded to nearest, ties to even; f8 overflows as its format says (NaN for E4M3FN, infinity for E5M2)."""
    if _to(op) is TF32:
        return narrow(rounded_to_odd(x) if x.dtype == np.float64 else x.astype(np.float32, copy=False), TF32)
    return nearest(x, storage(_to(op)))


@executes(arith.SIToFP)
def signed_to_float(m: Machine, op: Op, x: Array) -> Array:
    """Rounded to nearest."""
    return _from_integer(signed(x), _to(op))


@executes(arith.UIToFP)
def unsigned_to_float(m: Machine, op: Op, x: Array) -> Array:
    """Rounded to nearest."""
    return _from_integer(unsigned(x), _to(op))


def _from_integer(x: Array, element: ScalarType) -> Array:
    direct = np.dtype(f"f{element.bits // 8}") if element.bits >= 32 else np.dtype(np.float32)
    return narrow(x.astype(direct), element)


@executes(arith.FPToSI)
def float_to_signed(m: Machine, op: Op, x: Array) -> Array:
    """Toward zero, saturating."""
    if _to(op) is I1:
        return wide(x) <= -1
    return _saturate(x, np.dtype(f"i{max(8, _to(op).bits) // 8}")).astype(storage(_to(op)), copy=False)


@executes(arith.FPToUI)
def float_to_unsigned(m: Machine, op: Op, x: Array) -> Array:
    """Toward zero, saturating."""
    if _to(op) is I1:
        return wide(x) >= 1
    return _saturate(x, np.dtype(f"u{_to(op).bits // 8}")).view(storage(_to(op)))


def _saturate(x: Array, dtype: np.dtype[Any]) -> Array:
    limits = np.iinfo(dtype)
    whole = np.trunc(wide(x).astype(np.float64))
    inside = np.where((whole > float(limits.min)) & (whole < float(limits.max)), whole, 0).astype(dtype)
    inside[whole >= float(limits.max)] = limits.max
    inside[whole <= float(limits.min)] = limits.min
    return inside


@executes(arith.ExtSI, arith.IndexCast)
def extend_signed(m: Machine, op: Op, x: Array) -> Array:
    """The sign fills the new bits; fewer bits drop the high ones."""
    return signed(x).astype(storage(_to(op)), copy=False)


@executes(arith.ExtUI, arith.IndexCastUI)
def extend_unsigned(m: Machine, op: Op, x: Array) -> Array:
    """Zeros fill the new bits."""
    return unsigned(x).astype(storage(_to(op)), copy=False)


@executes(arith.TruncI)
def truncate(m: Machine, op: Op, x: Array) -> Array:
    """The low bits."""
    return (x & 1).astype(np.bool_) if _to(op) is I1 else x.astype(storage(_to(op)))


@executes(arith.Bitcast)
def bitcast(m: Machine, op: Op, x: Array) -> Array:
    """The same bits."""
    return x.view(storage(_to(op)))


__all__ = ["FLOATS", "on_signed", "on_unsigned", "round_tf32"]

"""f32 to its shorter forms by integer arithmetic, for devices without the instructions: to nearest, ties to even."""

from __future__ import annotations

from xetile.dialects.types import BF16, F32, F64, TF32

from ..module.encode import Id
from .emitter import Emitter
from .values import Fragment, mapped

_BF16_DROPS, _TF32_DROPS = 16, 13  # bits of the fraction
_REGISTERS = (8, 16)  # elements of vectors that fill them
_INFINITY, _QUIET, _SIGN = 0x7F800000, 0x00400000, 0x80000000


def widened(e: Emitter, value: Fragment) -> Fragment:
    """bf16 as f32: the upper half of the word."""

    def shift(n: int, x: Id) -> Id:
        words = e.vector(e.i32, n)
        bits = e.emit("OpShiftLeftLogical", words, e.emit("OpUConvert", words, x), e.constant(e.i32, _BF16_DROPS, n))
        return e.emit("OpBitcast", e.vector(e.f32, n), bits)

    return mapped(e, F32, shift, value)


def to_bf16(e: Emitter, value: Fragment) -> Fragment:
    """Rounded to bf16."""
    rounds = e.fast_math and BF16.name in e.target.pair_products

    def narrow(n: int, x: Id) -> Id:
        if rounds and n in _REGISTERS:  # takes numbers below 2^-126 for 0
            floats, halves = e.vector(e.f32, n), e.vector(e.i16, n)
            code = e.module.assembly("vcvtneps2bf16 $1, $0", "=v,v", halves, floats)
            return e.emit("OpAsmCallINTEL", halves, code, x)
        words = e.vector(e.i32, n)
        bits = e.emit("OpShiftRightLogical", words, _rounded(e, n, x, _BF16_DROPS), e.constant(e.i32, _BF16_DROPS, n))
        return e.emit("OpUConvert", e.vector(e.i16, n), bits)

    return mapped(e, BF16, narrow, value)


def to_tf32(e: Emitter, value: Fragment) -> Fragment:
    """Rounded to tf32, which lies in f32."""

    def clear(n: int, x: Id) -> Id:
        kept = e.constant(e.i32, -1 << _TF32_DROPS, n)
        bits = e.emit("OpBitwiseAnd", e.vector(e.i32, n), _rounded(e, n, x, _TF32_DROPS), kept)
        return e.emit("OpBitcast", e.vector(e.f32, n), bits)

    return mapped(e, TF32, clear, value)


def to_odd(e: Emitter, value: Fragment) -> Fragment:
    """f64 as f32, rounded to odd: the rounding of that to a shorter form is the only one that shows (`xetile.dtypes.nearest`)."""

    def narrow(n: int, x: Id) -> Id:
        words, mask, floats, doubles = e.vector(e.i32, n), e.vector(e.bool, n), e.vector(e.f32, n), e.vector(e.form(F64), n)
        single = e.emit("OpFConvert", floats, x)
        size, given = e.ext(doubles, "fabs", e.emit("OpFConvert", doubles, single)), e.ext(doubles, "fabs", x)
        above, below = (e.emit(f"OpFOrd{kind}Than", mask, size, given) for kind in ("Greater", "Less"))
        bits, one = e.emit("OpBitcast", words, single), e.constant(e.i32, 1, n)
        cut = e.emit("OpSelect", words, above, e.emit("OpISub", words, bits, one), bits)
        inexact = e.emit("OpLogicalOr", mask, above, below)
        return e.emit("OpBitcast", floats, e.emit("OpSelect", words, inexact, e.emit("OpBitwiseOr", words, cut, one), cut))

    return mapped(e, F32, narrow, value)


def _rounded(e: Emitter, n: int, x: Id, dropped: int) -> Id:
    """The bits with what the rounding carries added; NaN stays one, quiet."""
    words, mask = e.vector(e.i32, n), e.vector(e.bool, n)

    def number(value: int) -> Id:
        return e.constant(e.i32, value - (1 << 32) if value >= 1 << 31 else value, n)

    bits = e.emit("OpBitcast", words, x)
    odd = e.emit("OpBitwiseAnd", words, e.emit("OpShiftRightLogical", words, bits, number(dropped)), number(1))
    carried = e.emit("OpIAdd", words, e.emit("OpIAdd", words, bits, odd), number((1 << (dropped - 1)) - 1))
    size = e.emit("OpBitwiseAnd", words, bits, number(_SIGN - 1))
    is_nan = e.emit("OpSGreaterThan", mask, size, number(_INFINITY))
    return e.emit("OpSelect", words, is_nan, e.emit("OpBitwiseOr", words, bits, number(_QUIET)), carried)

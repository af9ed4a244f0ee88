"""Quotients of 32-bit integers for GPUs, which have no instruction for them.

IGC (2.40.14) divides in f32 that is rounded towards zero. Where registers are few it converts an integer to f32 a second time, outside of
the instructions that round so, and to nearest there: quotients come out that are off by thousands. So they are written here, with nothing
that another rounding would spoil: the reciprocal of the divisor in f32, a little too small, as a fraction of 32 bits; a step of Newton's
in integers; the upper half of a product, which is at most two less than the quotient; two corrections.

The fraction r is below 2**32 / y and above 2**32 / y * (1 - e) - 1 with e < 2**-20, so that its rest 2**32 - y * r is positive. After
the step it is short of 2**32 / y by less than 2**32 / y * (e + y / 2**32)**2 + 1, which is below 2 for y up to 2**31; larger divisors
have quotients of 0 and 1.
"""

from __future__ import annotations

from ..module.code import Code
from ..module.encode import Id

_FRACTION = 2.0**32 - 2048
"""Less than 2**32 by 2**-21 of it: conversion and product add up to 2**-24 each, the reciprocal up to 2**-23."""


def unsigned(e: Code, x: Id, y: Id, n: int) -> tuple[Id, Id]:
    """Quotient and rest of two i32 without sign, or of vectors of `n`; y is not 0."""
    kind, floats, mask = e.vector(e.i32, n), e.vector(e.f32, n), e.vector(e.bool, n)
    zero, one = e.constant(e.i32, 0, n), e.constant(e.i32, 1, n)
    inverse = e.emit("OpFDiv", floats, e.constant(e.f32, 1.0, n), e.emit("OpConvertUToF", floats, y))
    e.module.decorate(inverse, "FPFastMathMode", "AllowRecip")
    scaled = e.emit("OpFMul", floats, inverse, e.constant(e.f32, _FRACTION, n))
    fraction = e.emit("OpConvertFToU", kind, scaled)
    rest = e.emit("OpISub", kind, zero, e.emit("OpIMul", kind, fraction, y))
    fraction = e.emit("OpIAdd", kind, fraction, e.ext(kind, "u_mul_hi", fraction, rest))
    quotient = e.ext(kind, "u_mul_hi", x, fraction)
    rest = e.emit("OpISub", kind, x, e.emit("OpIMul", kind, quotient, y))
    for _ in range(2):
        more = e.emit("OpUGreaterThanEqual", mask, rest, y)
        quotient = e.emit("OpSelect", kind, more, e.emit("OpIAdd", kind, quotient, one), quotient)
        rest = e.emit("OpSelect", kind, more, e.emit("OpISub", kind, rest, y), rest)
    return quotient, rest


def signed(e: Code, x: Id, y: Id, n: int) -> tuple[Id, Id]:
    """Quotient towards zero, and the rest, which has the sign of x."""
    kind = e.vector(e.i32, n)
    signs = [e.emit("OpShiftRightArithmetic", kind, each, e.constant(e.i32, 31, n)) for each in (x, y)]

    def with_sign_of(value: Id, sign: Id) -> Id:
        """The value, or its negation where the sign is -1."""
        return e.emit("OpISub", kind, e.emit("OpBitwiseXor", kind, value, sign), sign)

    quotient, rest = unsigned(e, with_sign_of(x, signs[0]), with_sign_of(y, signs[1]), n)
    return with_sign_of(quotient, e.emit("OpBitwiseXor", kind, *signs)), with_sign_of(rest, signs[0])

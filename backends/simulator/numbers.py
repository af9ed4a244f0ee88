"""Numbers as the hardware makes them: conversions, rounding modes, the fused multiply-add, bits of integers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .errors import UnsupportedError
from .isa import FLOATS, TYPES, Array

F32, F64 = np.float32, np.float64
NEAREST, UP, DOWN, ZERO = range(4)
"""Values of the control register's rounding mode."""
SIGNIFICANT = {"f": 24, "hf": 11, "bf": 8}
LEAST_EXPONENT = {"f": -149, "hf": -24, "bf": -133}
# A float64 is half way between two normal float32 when its last 29 bits are these.
LOW_BITS, HALF_WAY = np.int64((1 << 29) - 1), np.int64(1 << 28)
_ROOM = 900
"""Exponents of float64 between which products of parts of numbers lose nothing."""
LEAST_NORMAL = float(np.finfo(F32).tiny)


def bf_to_f(values: Array) -> Array:
    """bfloat16 to float32: its bits are the upper ones."""
    made: Array = (values.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(F32)
    return made


def convert(values: Array, source: str, target: str, saturate: bool) -> Array:
    """Values of type `source` as numbers of type `target`; floats to integers are cut, and clipped to what fits; NaN becomes 0."""
    if target in FLOATS:
        if saturate:
            values = np.clip(np.nan_to_num(values, nan=0.0), 0, 1)
        if source == "bf" and target == "f":
            return bf_to_f(np.ascontiguousarray(values))
        if target == "tf32" and source != "tf32":
            return _tf32(values.astype(F32))
        return values if values.dtype == TYPES[target] else values.astype(TYPES[target])
    limits = np.iinfo(TYPES[target])
    if source in FLOATS:
        return _cut(values.astype(F64), limits.min, limits.max, TYPES[target])
    if saturate:
        if values.dtype.itemsize == 8 and limits.bits == 64:
            raise UnsupportedError("saturation of 64-bit integers")
        return np.clip(values, limits.min, limits.max).astype(TYPES[target])
    return values if values.dtype == TYPES[target] else values.astype(TYPES[target])


def _tf32(values: Array) -> Array:
    """The nearest numbers with 10 bits of fraction, ties to even."""
    bits = values.view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), rounded.view(F32), values)


def _cut(values: Array, low: int, high: int, dtype: np.dtype[np.generic]) -> Array:
    whole = np.nan_to_num(np.trunc(values), nan=0.0, posinf=np.inf, neginf=-np.inf)
    over, under = whole >= float(high), whole <= float(low)
    inside = np.where(over | under, 0, whole).astype(dtype)
    return np.where(over, np.array(high, dtype), np.where(under, np.array(low, dtype), inside))


def directed(values: Array, type: str, mode: int) -> Array:
    """float64 numbers (exact, or rounded to odd) rounded in a mode to f, hf or bf."""
    if mode == NEAREST:
        return values.astype(TYPES[type])
    _, exponent = np.frexp(values)
    unit = np.maximum(exponent - SIGNIFICANT[type], LEAST_EXPONENT[type])
    scaled = np.ldexp(values, -unit)
    whole = {UP: np.ceil, DOWN: np.floor, ZERO: np.trunc}[mode](scaled)
    made = np.ldexp(whole, unit).astype(TYPES[type])
    # Rounding towards zero never gives infinity; the largest number stands where ldexp went beyond it.
    too_large = np.isinf(made) & np.isfinite(values)
    toward = (mode == ZERO) | ((mode == UP) & (values < 0)) | ((mode == DOWN) & (values > 0))
    largest = np.nextafter(np.array(np.inf, F32), F32(0)) if type == "f" else _largest(type)
    made = np.where(too_large & toward, np.copysign(largest, values).astype(TYPES[type]), made)
    return np.where(np.isfinite(values), made, values.astype(TYPES[type]))


def _largest(type: str) -> Array:
    made: Array = np.array([{"hf": 0x7BFF, "bf": 0x7F7F}[type]], np.uint16).view(TYPES[type])[0]
    return made


def fma32(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of float32 with one rounding.

    The product is exact in float64. Rounding the sum twice goes wrong only where the first result is half way between two float32.
    """
    total = a.astype(F64) * b + c
    half = (total.view(np.int64) & LOW_BITS) == HALF_WAY
    if half.any() or ((np.abs(total) < LEAST_NORMAL) & (total != 0)).any():
        return fma_odd(a, b, c).astype(F32)
    return total.astype(F32)


def fma_odd(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of float32 in float64, the sum rounded to odd: rounding that again gives what one rounding would."""
    product, addend = np.broadcast_arrays(a.astype(F64) * b, c.astype(F64))
    return sum_odd(product, addend)


def sum_odd(a: Array, b: Array) -> Array:
    """a + b of float64, rounded to odd."""
    total = a + b
    # Knuth's two-sum: what the addition lost.
    back = total - a
    lost = (a - (total - back)) + (b - back)
    bits = total.view(np.int64)
    even = (lost != 0) & np.isfinite(total) & ((bits & 1) == 0)
    # The lost part points away from zero or towards it: the neighbour on that side has an odd last bit.
    away = (lost > 0) == (total > 0)
    return np.where(even, np.where(away, bits + 1, bits - 1), bits).view(F64)


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The sum, and exactly what it lost."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The product, and exactly what it lost (Dekker; the numbers' exponents must leave room)."""
    product = a * b
    high_a, low_a = _split(a)
    high_b, low_b = _split(b)
    lost = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    return product, np.where(np.isfinite(lost), lost, 0.0)


def _split(a: Array) -> tuple[Array, Array]:
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


def fma64(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of float64 with one rounding (Boldo and Melquiond: the small parts are added rounded to odd)."""
    a, b, c = np.broadcast_arrays(a, b, c)
    high, low = two_product(a, b)
    small, smaller = two_sum(c, low)
    large, left = two_sum(high, small)
    made = large + sum_odd(smaller, left)
    finite = np.isfinite(a) & np.isfinite(b)
    plain = ~finite | (a == 0) | (b == 0)  # one rounding, and the sign of zero
    made = np.where(plain, a * b + c, made)
    # Products too small for any number keep their sign beside 0; those too large are not infinite yet.
    made = np.where(finite & ~np.isfinite(c), c, np.where(~plain & (c == 0), a * b, made))
    plain |= ~np.isfinite(c) | (c == 0)
    for place in zip(*np.nonzero(~plain & ~_has_room(a, b, c, high, made))):
        made[place] = _exact(Fraction(a[place]) * Fraction(b[place]) + Fraction(c[place]))
    return made


def _has_room(*numbers: Array) -> Array:
    """Where no exponent is so near to an end of the range that parts of numbers are lost."""
    made: Array = np.all([np.isfinite(n) & (np.abs(np.frexp(n)[1]) < _ROOM) for n in numbers], axis=0)
    return made


def _exact(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def reverse_bits(x: Array) -> Array:
    """Bits of 32-bit numbers in reverse order."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        x = ((x >> np.uint32(shift)) & np.uint32(mask)) | ((x & np.uint32(mask)) << np.uint32(shift))
    made: Array = (x >> np.uint32(16)) | (x << np.uint32(16))
    return made


def leading_zeros(x: Array) -> Array:
    """Of 32-bit numbers; 32 for zero."""
    return (32 - np.frexp(x.astype(F64))[1]).astype(np.uint32)


def lowest_bit(x: Array) -> Array:
    """The place of the lowest bit that is set; all ones for zero."""
    alone = x & (~x + np.uint32(1))
    made: Array = np.where(x == 0, np.uint32(0xFFFFFFFF), np.uint32(31) - leading_zeros(alone))
    return made


def highest_bit(x: Array, signed: bool) -> Array:
    """How many bits from the top the first one lies that is not the sign's; all ones where there is none."""
    bits = np.where(x >> np.uint32(31) != 0, ~x, x) if signed else x
    return np.where(bits == 0, np.uint32(0xFFFFFFFF), leading_zeros(bits))


def count_bits(x: Array) -> Array:
    """Bits that are set in 32-bit numbers."""
    x = x - ((x >> np.uint32(1)) & np.uint32(0x55555555))
    x = (x & np.uint32(0x33333333)) + ((x >> np.uint32(2)) & np.uint32(0x33333333))
    x = (x + (x >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    made: Array = (x * np.uint32(0x01010101)) >> np.uint32(24)
    return made

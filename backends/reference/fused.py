"""a * b + c rounded once, which numpy has not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .values import Array


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c` of floats of one type, rounded once to that type."""
    return _fused_f64(a, b, c) if a.dtype == np.float64 else _fused_narrow(a, b, c)


def _fused_narrow(a: Array, b: Array, c: Array) -> Array:
    """Of f32 or less: the product is exact in f64, and a sum rounded to odd there can be rounded again without harm.

    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.)
    """
    product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + addend
    # Knuth's exact error of a sum.
    part = total - product
    error = (product - (total - part)) + (addend - part)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    # One step away from zero where the error has the sum's sign, towards zero where it has the other.
    step = np.where((error > 0) == (total > 0), 1, -1)
    return (bits + np.where(inexact, step, 0)).view(np.float64).astype(a.dtype)


@np.vectorize
def _exact(a: float, b: float, c: float) -> float:
    if math.isfinite(a) and math.isfinite(b) and not math.isfinite(c):
        return c  # whatever the product is, it is finite
    rounded = a * b + c
    if not (math.isfinite(a) and math.isfinite(b)):
        return rounded
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        # Of zeros the sum's sign; what cancels is +0 (IEEE 754, 6.3).
        return rounded if a == 0 or b == 0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _fused_f64(a: Array, b: Array, c: Array) -> Array:
    shape = np.broadcast_shapes(a.shape, b.shape, c.shape)
    return _exact(a, b, c).astype(np.float64) if 0 not in shape else np.zeros(shape)

"""The simulator's fused products against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from backends.simulator.numbers import fma64

SPECIAL = np.array([0.0, 1.0, 3.0, 129.0, 2.0**-1074, 2.0**-1022, 1.668805393880401e-308, 2.0**-537, 1e-160, 1e-197, 1.5e154, 1e300,
                    2.0**1023, np.finfo(np.float64).max, np.inf])  # fmt: skip


def exact(a: float, b: float, c: float) -> float:
    """a * b + c rounded once (IEEE 754, 5.4.1 and 6.3)."""
    if not all(map(math.isfinite, (a, b, c))):
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if total == 0:
        return a * b + c if 0 in (a, b) else 0.0
    try:
        rounded = float(total)
    except OverflowError:
        rounded = math.inf
    return math.copysign(rounded, 1 if total > 0 else -1)


def test_fma64_at_the_ends_of_the_range():
    ends = np.concatenate([SPECIAL, -SPECIAL, [np.nan]])
    a, b, c = (x.ravel() for x in np.meshgrid(ends, ends, ends))
    with np.errstate(all="ignore"):
        made = fma64(a, b, c)
        wanted = np.array([exact(*map(float, numbers)) for numbers in zip(a, b, c)])
    same = (made == wanted) & (np.signbit(made) == np.signbit(wanted)) | np.isnan(made) & np.isnan(wanted)
    for at in np.flatnonzero(~same)[:1]:
        raise AssertionError(f"{a[at]!r} * {b[at]!r} + {c[at]!r} is {made[at]!r}, not {wanted[at]!r}")

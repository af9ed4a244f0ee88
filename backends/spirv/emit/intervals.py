"""tanh by intervals: a polynomial for each, whose coefficients lie in two vector registers and are picked by the bits of x.

An interval is a quarter of an octave, from 2^-4 on; below lies one more. Two registers of 16 numbers have room for 32 of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

COUNT = 32
SHIFT = 21
"""Bits of an f32 behind those that tell octave and quarter."""
FIRST = (127 - 4) << 2
"""What is left of the bits of 2^-4."""
ENOUGH = 10.0
"""tanh is 1 in f32."""
_DEGREE = 5


@cache
def tanh_tables() -> tuple[tuple[float, ...], ...]:
    """The centres of the intervals, then the coefficients of powers of what x is beyond them, the highest first.

    A number's place is its interval's bits modulo 32, as instructions take them. All polynomials are off by 1.5 units in the last
    place at most where they are computed in f32 (tests/vectors/test_exponential.py).
    """
    rows = [_interval(number) for number in range(COUNT)]
    rows = rows[-(FIRST % COUNT) :] + rows[: -(FIRST % COUNT)]
    centres, *powers = zip(*rows, strict=True)
    return (centres, *reversed(powers))


def _interval(number: int) -> tuple[float, ...]:
    """The centre, and coefficients with the lowest power first."""
    octave, quarter = 2.0 ** (number // 4 - 4), number % 4
    low, high = octave * (1 + quarter / 4), octave * (1 + (quarter + 1) / 4)
    if number == 0:  # all that is smaller too: x times a polynomial, so that the error is one of the result
        return (0.0, 0.0, *_fitted(lambda x: math.tanh(x) / x, 0.0, high, _DEGREE - 1, 0.0))
    centre = (low + high) / 2
    return (centre, *_fitted(math.tanh, low, high, _DEGREE, centre))


def _fitted(f: Callable[[float], float], low: float, high: float, degree: int, centre: float) -> list[float]:
    """Coefficients of powers of x - centre, the lowest first, of the polynomial that meets f at Chebyshev's points."""
    count = degree + 1
    points = [(low + high) / 2 + (high - low) / 2 * math.cos(math.pi * (i + 0.5) / count) for i in range(count)]
    differences = [f(x) for x in points]  # Newton's
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - order])
    powers = [0.0] * count
    for difference, point in zip(reversed(differences), reversed(points), strict=True):
        powers = [(powers[i - 1] if i else 0.0) - (point - centre) * powers[i] for i in range(count)]
        powers[0] += difference
    return powers

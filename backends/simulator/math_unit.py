"""The extended math unit: correctly rounded here (the hardware's results are within 1 to 4 units in the last place).

`math.invm` and `math.rsqtm` begin a division or square root that `madm` instructions finish, with extra bits of intermediate results
in the accumulators mme0 to mme7.  Intel documents neither their width nor the seed's error.  Here an intermediate is a pair of
numbers, high and low part, exact to twice the precision, so that the sequence ends at the correctly rounded result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .isa import Array
from .numbers import two_product, two_sum

Pair = tuple[Array, Array]

_IN_DOUBLE: dict[str, Callable[..., Array]] = {
    "inv": lambda x: 1.0 / x,
    "rsqt": lambda x: 1.0 / np.sqrt(x),
    "sqt": np.sqrt,
    "exp": np.exp2,
    "log": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "sigm": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "pow": lambda x, y: np.exp2(np.log2(np.abs(x)) * y),
    "fdiv": lambda x, y: x / y,
}


def function(name: str) -> Callable[..., Array] | None:
    """The function of an instruction `math.NAME` on float16 or float32; None for one that is not known."""
    exact = _IN_DOUBLE.get(name)
    if exact is None:
        return None

    def rounded(*args: Array) -> Array:
        return exact(*[a.astype(np.float64) for a in args]).astype(args[0].dtype)

    return rounded


def inverse(numerator: Pair, denominator: Pair) -> tuple[Pair, Array]:
    """A seed of 1 / denominator, and where the quotient is not to be refined: the seed is the result itself there."""
    a, b = numerator[0], denominator[0]
    special = ~np.isfinite(a) | ~np.isfinite(b) | (a == 0) | (b == 0) | (np.abs(b) < 2.0**-1000) | (np.abs(b) > 2.0**1000)
    special |= np.abs(np.frexp(a)[1] - np.frexp(b)[1]) > 960
    seed = (1.0 / b.astype(np.float32)).astype(b.dtype) if b.dtype == np.float32 else 1.0 / b
    return (np.where(special, a / b, seed), np.zeros_like(seed)), special


def inverse_root(value: Pair) -> tuple[Pair, Array]:
    """A seed of 1 / sqrt(value), and where the root is not to be refined: the seed is the square root itself there."""
    x = value[0]
    special = ~(np.isfinite(x) & (x > 0))
    return (np.where(special, np.sqrt(x), 1.0 / np.sqrt(np.where(special, 1.0, x))), np.zeros_like(x)), special


def multiply_add(a: Pair, b: Pair, c: Pair) -> Pair:
    """a * b + c to twice the precision of float64."""
    high, low = two_product(a[0], b[0])
    low = low + (a[0] * b[1] + a[1] * b[0])
    total, lost = two_sum(high, c[0])
    return two_sum(total, lost + (low + c[1]))

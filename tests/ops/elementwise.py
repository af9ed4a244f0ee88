"""Tables of element-by-element operations, each with what numpy gives for it, and the kernel that runs a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import erf
from typing import Any

import numpy as np

import xetile as xt

Function = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Op:
    """`fn(a, b, c)` of values; `ref` the same of numpy arrays, where the text differs."""

    name: str
    fn: Function
    ref: Function | None = None

    @property
    def numpy(self) -> Function:
        """What must come out."""
        return self.ref or self.fn


@xt.jit
def table(A, B, C, Out, F: xt.constexpr, SHAPE: xt.constexpr, MAP: xt.constexpr = None, VIA: xt.constexpr = None):
    """Out[i, M, N] = F[i](A[M, N], B[M, N], C[M, N]); VIA is a dtype to compute in."""
    place = (xt.program_id(1) * SHAPE[0], xt.program_id(0) * SHAPE[1])
    a = xt.load_tile(xt.init_tile(A, place, SHAPE, wg_map=MAP))
    b = xt.load_tile(xt.init_tile(B, place, SHAPE, wg_map=MAP))
    c = xt.load_tile(xt.init_tile(C, place, SHAPE, wg_map=MAP))
    if VIA is not None:
        a, b, c = a.to(VIA), b.to(VIA), c.to(VIA)
    for i in xt.static_range(len(F)):
        xt.store_tile(F[i](a, b, c).to(Out.dtype), xt.init_tile(Out[i], place, SHAPE, wg_map=MAP))


ANY = (
    Op("add", lambda a, b, c: a + b),
    Op("sub", lambda a, b, c: a - b),
    Op("mul", lambda a, b, c: a * b),
    Op("mixes with numbers", lambda a, b, c: 3 * a + 5),
    Op("maximum", lambda a, b, c: xt.maximum(a, b), lambda a, b, c: np.maximum(a, b)),
    Op("minimum", lambda a, b, c: xt.minimum(a, b), lambda a, b, c: np.minimum(a, b)),
    Op("fmax", lambda a, b, c: xt.fmax(a, b), lambda a, b, c: np.fmax(a, b)),
    Op("fmin", lambda a, b, c: xt.fmin(a, b), lambda a, b, c: np.fmin(a, b)),
    Op("clamp", lambda a, b, c: xt.clamp(a, 2, 9), lambda a, b, c: np.clip(a, 2, 9)),
    Op("abs", lambda a, b, c: xt.abs(a), lambda a, b, c: np.abs(a)),
    Op("where", lambda a, b, c: xt.where(a < b, a, c), lambda a, b, c: np.where(a < b, a, c)),
    Op("masks", lambda a, b, c: (a < b) & (b != c) | ~(a >= c)),
    Op("xor of masks", lambda a, b, c: (a < b) ^ (b > c)),
    Op("eq", lambda a, b, c: a == b),
    Op("ne", lambda a, b, c: a != b),
    Op("lt", lambda a, b, c: a < b),
    Op("le", lambda a, b, c: a <= b),
    Op("gt", lambda a, b, c: a > b),
    Op("ge", lambda a, b, c: a >= b),
    Op("isnan", lambda a, b, c: xt.isnan(a), lambda a, b, c: a != a),
    Op("square", lambda a, b, c: a**2),
)

SIGNED_ONLY = (Op("neg", lambda a, b, c: -a),)

INTEGER = (
    Op("and", lambda a, b, c: a & b),
    Op("or", lambda a, b, c: a | b),
    Op("xor", lambda a, b, c: a ^ b),
    Op("invert", lambda a, b, c: ~a),
    Op("shift left", lambda a, b, c: a << (c & 7)),
    Op("shift right", lambda a, b, c: a >> (c & 7)),
    Op("floordiv", lambda a, b, c: a // b),
    Op("mod", lambda a, b, c: a % b),
    Op("floordiv by a power of two", lambda a, b, c: a // 8),
    Op("mod by a power of two", lambda a, b, c: a % 8),
    Op("floordiv by a number", lambda a, b, c: a // 7),
    Op("mod by a number", lambda a, b, c: a % 7),
    Op("cube", lambda a, b, c: a**3),
)


def whole(a: Any, b: Any) -> Any:
    """`//` of floats; those of 16 bits in f64, where they have exact quotients."""
    return np.floor_divide(a.astype(np.float64), b.astype(np.float64))


ENDLESS = (Op("floordiv of any", lambda a, b, c: a // b, lambda a, b, c: whole(a, b)),)
"""Of numbers among which some are infinite."""

FLOAT = (
    Op("truediv", lambda a, b, c: a / b),
    Op("neg", lambda a, b, c: -a),
    Op("floordiv", lambda a, b, c: (a * 4) // 0.5, lambda a, b, c: whole((a * 4), np.full_like(a, 0.5))),
    Op("floor", lambda a, b, c: xt.floor(a), lambda a, b, c: np.floor(a)),
    Op("ceil", lambda a, b, c: xt.ceil(a), lambda a, b, c: np.ceil(a)),
    Op("round", lambda a, b, c: xt.round(a), lambda a, b, c: np.round(a)),
    Op("trunc", lambda a, b, c: xt.trunc(a), lambda a, b, c: np.trunc(a)),
    Op("isinf", lambda a, b, c: xt.isinf(a), lambda a, b, c: np.isinf(a)),
    Op("reciprocal", lambda a, b, c: 1 / b, lambda a, b, c: 1 / b),
)


def _positive(x: Any) -> Any:
    return abs(x) + 0.125


# Computed by numpy in float64 and rounded once.
MATH = (
    Op("exp", lambda a, b, c: xt.exp(a), lambda a, b, c: np.exp(a)),
    Op("exp2", lambda a, b, c: xt.exp2(a), lambda a, b, c: np.exp2(a)),
    Op("log", lambda a, b, c: xt.log(_positive(a)), lambda a, b, c: np.log(_positive(a))),
    Op("log2", lambda a, b, c: xt.log2(_positive(a)), lambda a, b, c: np.log2(_positive(a))),
    Op("sqrt", lambda a, b, c: xt.sqrt(_positive(a)), lambda a, b, c: np.sqrt(_positive(a))),
    Op("rsqrt", lambda a, b, c: xt.rsqrt(_positive(a)), lambda a, b, c: 1 / np.sqrt(_positive(a))),
    Op("sin", lambda a, b, c: xt.sin(a), lambda a, b, c: np.sin(a)),
    Op("cos", lambda a, b, c: xt.cos(a), lambda a, b, c: np.cos(a)),
    Op("tan", lambda a, b, c: xt.tan(a), lambda a, b, c: np.tan(a)),
    Op("tanh", lambda a, b, c: xt.tanh(a), lambda a, b, c: np.tanh(a)),
    Op("erf", lambda a, b, c: xt.erf(a), lambda a, b, c: np.vectorize(erf)(a)),
    Op("sigmoid", lambda a, b, c: xt.sigmoid(a), lambda a, b, c: 1 / (1 + np.exp(-a))),
    Op("pow", lambda a, b, c: _positive(a) ** 1.5, lambda a, b, c: _positive(a) ** 1.5),
)

BOOL = (
    Op("and", lambda a, b, c: a & b),
    Op("or", lambda a, b, c: a | b),
    Op("xor", lambda a, b, c: a ^ b),
    Op("not", lambda a, b, c: ~a),
    Op("eq", lambda a, b, c: a == b),
    Op("ne", lambda a, b, c: a != b),
    Op("where", lambda a, b, c: xt.where(a, b, c), lambda a, b, c: np.where(a, b, c)),
    Op("less", lambda a, b, c: a < b),
    Op("add", lambda a, b, c: a + b == 2, lambda a, b, c: a & b),
)

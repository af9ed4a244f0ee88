"""The dtypes that ops are tested with, and numbers of each."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.dtypes import DType

SIGNED = (xt.i8, xt.i16, xt.i32, xt.i64)
UNSIGNED = (xt.u8, xt.u16, xt.u32, xt.u64)
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = (xt.f16, xt.bf16, xt.f32, xt.f64)
STORAGE = (xt.f8e4m3, xt.f8e5m2)
NUMBERS = (*INTEGERS, *FLOATS)
# Largest relative distance of two neighbours.
EPSILON = {xt.f16: 2.0**-10, xt.bf16: 2.0**-7, xt.tf32: 2.0**-10, xt.f32: 2.0**-23, xt.f64: 2.0**-52,
           xt.f8e4m3: 2.0**-3, xt.f8e5m2: 2.0**-2}  # fmt: skip
SPECIALS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5)


def random(dtype: DType, shape: tuple[int, ...], seed: int = 0, scale: float = 4.0) -> np.ndarray:
    """Numbers over an integer's whole range, or around zero."""
    rng = np.random.default_rng([seed, *shape])
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.is_float:
        return (rng.standard_normal(shape) * scale).astype(dtype.numpy)
    low, high = (0, 2**dtype.bits) if dtype.kind == "u" else (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1))
    return rng.integers(low, high, shape, dtype.numpy)


def small(dtype: DType, shape: tuple[int, ...], seed: int = 0, limit: int = 6) -> np.ndarray:
    """Whole numbers of which sums of some hundreds are exact in every dtype but the narrowest."""
    rng = np.random.default_rng([seed, *shape])
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    low = 0 if dtype.kind == "u" else -limit
    return rng.integers(low, limit + 1, shape).astype(dtype.numpy)


def nonzero(values: np.ndarray) -> np.ndarray:
    """The same, with 3 for 0 and -1: a divisor that no integer overflows with."""
    bad = (values == 0) | (values == -1) if values.dtype.kind == "i" else values == 0
    return np.where(bad, np.array(3, values.dtype), values)


def specials(dtype: DType, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Infinities, NaN, zeros of both signs and halves, in random places."""
    return np.random.default_rng([seed, *shape]).choice(np.array(SPECIALS), shape).astype(dtype.numpy)


def marks(dtype: DType) -> list[pytest.MarkDecorator]:
    """Slow, for dtypes of which another of the same class and sign is always tested."""
    return [pytest.mark.slow] if dtype in (xt.i16, xt.u8, xt.u32, xt.u64) else []

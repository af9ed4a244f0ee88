"""Functions of floats: of every number of the 16-bit types, and of f32 numbers of every size, on every device.

16-bit types are computed in f32 and rounded once: off by one unit in the last place at most.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest

import xetile as xt
from xetile.dtypes import DType

TILE = (16, 64)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "exp": (xt.exp, np.exp),
    "exp2": (xt.exp2, np.exp2),
    "log": (xt.log, np.log),
    "log2": (xt.log2, np.log2),
    "sqrt": (xt.sqrt, np.sqrt),
    "rsqrt": (xt.rsqrt, lambda x: 1 / np.sqrt(x)),
    "sin": (xt.sin, np.sin),
    "cos": (xt.cos, np.cos),
    "tan": (xt.tan, np.tan),
    "tanh": (xt.tanh, np.tanh),
    "erf": (xt.erf, np.vectorize(erf)),
    "sigmoid": (xt.sigmoid, sigmoid),
}
# Units in the last place that f32 may be off; exp by more the larger its argument, which is rounded as an exponent to base 2.
ULPS = {
    "exp": 64,
    "exp2": 4,
    "log": 4,
    "log2": 4,
    "sqrt": 0,
    "rsqrt": 3,
    "sin": 4,
    "cos": 4,
    "tan": 5,
    "tanh": 8,
    "erf": 16,
    "sigmoid": 64,
}


@xt.jit
def apply(X, Y, F: xt.constexpr):
    """Y[i, M, N] = F[i](X[M, N])."""
    place = (xt.program_id(1) * TILE[0], xt.program_id(0) * TILE[1])
    x = xt.load_tile(xt.init_tile(X, place, TILE))
    for i in xt.static_range(len(F)):
        xt.store_tile(F[i](x), xt.init_tile(Y[i], place, TILE))


def ordered(x: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the floats: neighbours differ by one, the zeros by none."""
    size = x.dtype.itemsize
    bits = np.ascontiguousarray(x).view(f"i{size}").astype(np.int64)
    return np.where(bits < 0, -(bits & ((1 << (8 * size - 1)) - 1)), bits)


def off(x: np.ndarray, dtype: DType, name: str, device: str) -> np.ndarray:
    """How many units in the last place a function is off; NaN and numbers never meet."""
    exact = FUNCTIONS[name][1](x.astype(np.float64))
    expected = exact.astype(x.dtype)
    with xt.device(device):
        found = np.zeros((1, *x.shape), x.dtype)
        apply[(x.shape[1] // TILE[1], x.shape[0] // TILE[0])](x, found, F=(FUNCTIONS[name][0],))
    same = np.isnan(expected) & np.isnan(found[0])
    same |= np.abs(exact) < 2.0**-126  # may be 0
    assert (np.isnan(expected) == np.isnan(found[0])).all(), f"{name} of {x[np.isnan(expected) != np.isnan(found[0])][:4]}"
    return np.where(same, 0, np.abs(ordered(expected) - ordered(found[0])))


@pytest.mark.covering
@pytest.mark.every(18, 2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_number_of_16_bits(device, name, dtype):
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype.numpy).reshape(256, 256)
    wrong = off(x, dtype, name, device)
    assert wrong.max() <= 1, f"{name} of {x.flat[wrong.argmax()]} is off by {wrong.max()} units"
    assert (wrong > 0).mean() < 0.001


@pytest.mark.covering
@pytest.mark.every(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_of_32_bits(device, name):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 1 << 32, (64, 256), np.uint32).view(np.float32)
    x[::2] = rng.normal(0, 20, (32, 256)).astype(np.float32)
    wrong = off(x, xt.f32, name, device)
    assert wrong.max() <= ULPS[name], f"{name} of {x.flat[wrong.argmax()]} is off by {wrong.max()} units"


def test_tanh_at_its_ends_and_near_zero(device):
    """Zeros keep their sign and subnormal numbers what they are; where a polynomial ends and powers begin."""
    near = np.float32(0.55)
    given = [0.0, 1e-40, 1e-30, near, np.nextafter(near, np.float32(0)), 9, 44, 89, 3e38, np.inf]
    x = np.resize(np.float32([*given, *(-n for n in given), np.nan]), TILE).astype(np.float32)
    found = np.zeros((1, *TILE), np.float32)
    with xt.device(device):
        apply[(1, 1)](x, found, F=(xt.tanh,))
    expected = np.tanh(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(found[0], expected, rtol=5e-7)
    assert (np.signbit(found[0]) == np.signbit(x))[~np.isnan(x)].all()

"""Quotients of 32-bit integers where registers are few: Intel's compiler, left to it, converts dividends with another rounding there.

Quotients of f64 that are hard to round.
"""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools

SHAPE = (8, 32)


@xt.jit(num_subgroups=1, grid=(1,))
def quotients(X, Y, Out):
    """Out[0] = X // Y, Out[1] = xt.cdiv(X, Y), Out[2] = X * X % 7, Out[3] = X % Y."""
    x, y = xt.load_tile(xt.init_tile(X, (0, 0), SHAPE)), xt.load_tile(xt.init_tile(Y, (0, 0), SHAPE))
    found = (x // y, xt.cdiv(x, xt.where(y == 0, 1, y)), (x * x) % 7, x % y)
    for k in xt.static_range(4):
        xt.store_tile(found[k], xt.init_tile(Out[k], (0, 0), SHAPE))


def limits(dtype: type, seed: int) -> np.ndarray:
    """Numbers of all lengths, and those around the ends of the range."""
    rng, edge = np.random.default_rng(seed), np.iinfo(dtype)
    some = rng.integers(edge.min, edge.max, SHAPE, dtype, endpoint=True) >> rng.integers(0, 31, SHAPE).astype(dtype)
    ends = rng.choice(np.array([0, 1, 2, 3, edge.max, edge.max - 1, edge.min, edge.min + 1, edge.max // 3 * 2], dtype), SHAPE)
    return np.where(rng.random(SHAPE) < 0.5, some, ends)


@pytest.mark.every(36)
@pytest.mark.covering
@pytest.mark.parametrize("device", ["sim:bmg", "sim:dg2", "sim:pvc"])
@pytest.mark.parametrize("dtype", [np.uint32, np.int32])
def test_quotients_where_registers_are_few(device, dtype):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    x, y, out = limits(dtype, 1), limits(dtype, 2), np.zeros((4, *SHAPE), dtype)
    with xt.device(device):
        quotients(x, y, out)
    wide, by = x.astype(object), np.where(y == 0, 1, y).astype(object)
    squares = (wide * wide).astype("u8").astype(dtype).astype(object)
    expected = [np.where(y == 0, 0, wide // by), -(-wide // by), squares % 7, np.where(y == 0, 0, wide % by)]
    for found, numbers in zip(out, expected):
        np.testing.assert_array_equal(found, (numbers % 2**32).astype("u8").astype(dtype))


@xt.jit(num_subgroups=1, grid=(1,))
def by_minus_one(X, B, Out):
    """Out[0] = X // n, Out[1] = xt.cdiv(X, n), Out[2] = X % n, where the compiler finds out that n is -1."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), SHAPE))
    n = -xt.maximum(xt.load_tile(xt.init_tile(B, (0, 0), SHAPE)).to(X.dtype), 1)
    found = (x // n, xt.cdiv(x, n), x % n)
    for k in xt.static_range(3):
        xt.store_tile(found[k], xt.init_tile(Out[k], (0, 0), SHAPE))


@pytest.mark.parametrize("device", ["sim:dg2", *(pytest.param(d, marks=pytest.mark.slow) for d in ("sim:pvc", "sim:bmg"))])
def test_the_smallest_integer_by_what_is_found_to_be_minus_one(device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    x, out = limits(np.int32, 1), np.zeros((3, *SHAPE), np.int32)
    with xt.device(device):
        by_minus_one(x, np.ones(SHAPE, np.bool_), out)
    np.testing.assert_array_equal(out, [0 - x, 0 - x, 0 * x])


@xt.jit(num_subgroups=1, grid=(1,))
def wide_quotients(X, Y, Out):
    """Out = X / Y."""
    x, y = (xt.load_tile(xt.init_tile(array, (0, 0), SHAPE)) for array in (X, Y))
    xt.store_tile(x / y, xt.init_tile(Out, (0, 0), SHAPE))


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_quotients_that_are_almost_between_two_numbers(target):
    """Of the largest significands, where a quotient is hard to round, up to both ends of f64's range."""
    tools.require_tool("ocloc")
    powers = np.concatenate([np.arange(-1022, -894), np.arange(896, 1024)]).reshape(SHAPE)
    y, x = np.ldexp(2 - 2.0**-52, powers), np.ones(SHAPE)
    out = np.zeros_like(x)
    with xt.device(f"sim:{target}"):
        wide_quotients(x, y, out)
    np.testing.assert_array_equal(out, x / y)


@xt.jit(grid=(1,))
def back_again(X, Y, Out):
    """A quotient times its divisor."""
    x, y = xt.load_tile(xt.init_tile(X, (0, 0), SHAPE)), xt.load_tile(xt.init_tile(Y, (0, 0), SHAPE))
    xt.store_tile(xt.concatenate((x / y * y, y * (x / y / y)), 0), xt.init_tile(Out, (0, 0), (2 * SHAPE[0], SHAPE[1])))


@pytest.mark.parametrize("device", ["sim:bmg", "sim:pvc"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quotients_times_their_divisors(device, dtype):
    """Of zeros and infinities they are no numbers."""
    x, y = np.full(SHAPE, 5, dtype), np.full(SHAPE, 3, dtype)
    y[0], y[1], y[2] = 0, -np.inf, np.nan
    out = np.zeros((2 * SHAPE[0], SHAPE[1]), dtype)
    with xt.device(device), np.errstate(all="ignore"):
        back_again(x, y, out)
        expected = np.concatenate((x / y * y, y * (x / y / y)))
    np.testing.assert_allclose(out, expected, rtol=1e-6)

"""Quotients of 32-bit integers where registers are few: Intel's compiler, left to it, converts dividends with another rounding there."""

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

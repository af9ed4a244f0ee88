"""Columns that differ by constants, which Xe2's messages add: IGC copies headers wrongly for some of them."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt

ALL = tuple(range(-40, 45))
FEW = (0, -5, 11, 27, -21)


@xt.jit(grid=(1,))
def beside(X, Y, n, AT: xt.constexpr, ROWS: xt.constexpr = 2):
    for i in xt.static_range(len(AT)):
        xt.store_tile(xt.load_tile(xt.init_tile(X, (n, n + AT[i]), (ROWS, 16))), xt.init_tile(Y, (ROWS * i, 0), (ROWS, 16)))


@xt.jit(grid=(1,))
def beside_in_a_loop(X, Y, n, AT: xt.constexpr, ROWS: xt.constexpr = 2):
    for k in range(n // 20):
        for i in xt.static_range(len(AT)):
            x = xt.load_tile(xt.init_tile(X, (n, 20 * k + n + AT[i]), (ROWS, 16)))
            y = xt.init_tile(Y, (ROWS * i, 0), (ROWS, 16))
            xt.store_tile(xt.load_tile(y) + x, y)


@pytest.mark.parametrize("where", ["sim:bmg", "sim:pvc"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.uint8])
@pytest.mark.parametrize("at", [FEW, pytest.param(ALL, marks=pytest.mark.slow)], ids=["few", "all"])
@pytest.mark.parametrize("kernel", [beside, beside_in_a_loop], ids=["straight", "loop"])
def test_columns_beside(where, dtype, at, kernel):
    x = np.arange(44 * 128).reshape(44, 128).astype(dtype)
    y = np.zeros((2 * len(at), 16), dtype)
    with xt.device(where):
        kernel(x, y, 40, AT=at)
    rounds = 2 if kernel is beside_in_a_loop else 1
    seen = [sum(x[40:42, 40 + 20 * k + a : 56 + 20 * k + a] for k in range(rounds)) for a in at]
    np.testing.assert_array_equal(y, np.concatenate(seen).astype(dtype))

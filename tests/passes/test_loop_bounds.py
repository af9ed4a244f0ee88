"""Coordinates compared with the end of a loop that counts up to it."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import uncompiled


@xt.jit(grid=lambda Y: (1,), num_subgroups=1)
def counted(X, Y, first: xt.constexpr):
    """Y[8, 64] i32: how often `n + column < columns`, and 100 times how often `n + 16 + column` is, for n in range(first, columns, 64)."""
    total, one = xt.zeros((8, 64), xt.i32), xt.full((8, 64), 1, xt.i32)
    for n in range(first, X.shape[1], 64):
        at = xt.arange(64)[None, :]
        total += xt.where(n + at < X.shape[1], one, 0)
        total += xt.where(n + (at + 16) < X.shape[1], one * 100, 0)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (8, 64)))


def text(first: int) -> str:
    return str(uncompiled(counted, "f32[?,?]", "i32[?,?]", first=first, target="pvc").ir["lane"])


def test_the_counter_goes_to_the_side_that_lanes_share() -> None:
    assert "arith.subi %X_d1, %n" in text(0)
    assert text(0).count("arith.subi %X_d1, %n") == 1


def test_counters_that_may_be_negative_stay() -> None:
    assert "arith.subi %X_d1, %n" not in text(-64)


@pytest.mark.every(2)
@pytest.mark.parametrize("columns", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("device", ["numpy", "cpu"])
@pytest.mark.parametrize("first", [0, -64])
def test_values(columns: int, device: str, first: int) -> None:
    x, y = np.zeros((8, columns), np.float32), np.zeros((8, 64), np.int32)
    with xt.device(device):
        counted(x, y, first=first, **({"target": "pvc"} if device == "cpu" else {}))
    at = np.arange(first, columns, 64)[:, None] + np.arange(64)
    np.testing.assert_array_equal(y, np.tile((at < columns).sum(0) + 100 * (at + 16 < columns).sum(0), (8, 1)))

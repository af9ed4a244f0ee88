"""What rows allow of columns is one number of each lane, in place of one register for each row."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt


@xt.jit
def least(X, Y, BM: xt.constexpr, BN: xt.constexpr = 16):
    """The least of each row, and infinity where there are no columns."""
    m, top = xt.program_id(0) * BM, xt.full((BM, 1), float("inf"), xt.f32)
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)), padding=float("inf"))
        top = xt.minimum(top, xt.min(x, axis=1))
    xt.store_tile(top, xt.init_tile(Y, (m, 0), (BM, 1)))


def sizes(target: str, rows: int) -> int:
    """How many numbers of columns are chosen by rows."""
    text = least.compile("f32[?,?]", "f32[?,?]", target=target, BM=rows, num_subgroups=1).ir["lane"]
    return sum("arith.select" in line and line.endswith(", %c0 : index") for line in text.splitlines())


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("rows", "chosen"), [(2, 2), (4, 1), (16, 1), (24, 2)])
def test_lanes_choose_for_rows(target, rows, chosen):
    assert sizes(target, rows) == chosen


@pytest.mark.parametrize("rows", [4, 16, 24])
@pytest.mark.parametrize("shape", [(5, 37), (64, 16), (3, 100), (40, 1)])
def test_values(device, rows, shape):
    x = np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32) + 5
    y = np.zeros((shape[0], 1), np.float32)
    with xt.device(device):
        least[-(-shape[0] // rows)](x, y, BM=rows)
    np.testing.assert_array_equal(y[:, 0], x.min(axis=1))

"""Rows of bytes, one for each column: by messages of one row, of which lanes take their bytes by one move."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt


@xt.jit(num_subgroups=2, grid=lambda C, BN: (xt.cdiv(C.shape[1], BN),))
def added(X, R, C, r, BN: xt.constexpr = 32):
    """C = X + row r of R, which gets outside of R where r does."""
    n, of_columns = xt.program_id(0) * BN, xt.wg_map(sg_layout=(1, 2), sg_data=(8, 16))
    x = xt.load_tile(xt.init_tile(X, (0, n), (8, BN), wg_map=of_columns))
    row = xt.load_tile(xt.init_tile(R, (r, n), (1, BN)))
    xt.store_tile(x + row.to(xt.f32), xt.init_tile(C, (0, n), (8, BN)))


@pytest.mark.every(2)
@pytest.mark.parametrize("columns", [100, 64, 24])
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_each_lane_has_its_byte(device, kind, columns):
    rng = np.random.default_rng(0)
    rows, x = rng.integers(0, 256, (5, columns)).astype(np.uint8).view(kind), np.zeros((8, columns), np.float32)
    for r in (0, 3, 4, 5, -1):
        c = np.full_like(x, -1)
        with xt.device(device):
            added(x, rows, c, r)
        np.testing.assert_array_equal(c, np.broadcast_to(rows[r] if 0 <= r < 5 else 0, c.shape))


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("kind", ["u8", "i8"])
def test_a_message_brings_one_row(target, kind):
    lane = str(added.compile("f32[?,?]", f"{kind}[?,?]", "f32[?,?]", "i32", target=target).ir["lane"])
    assert "tensor_desc<1x32xi8>" in lane
    assert "xi8, #xegpu.block_tdesc_attr<array_length = 4" not in lane

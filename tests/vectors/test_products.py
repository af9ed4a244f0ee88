"""Products on CPUs of every depth: even, odd, less than a tile's."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.runtime.settings import override


@xt.jit
def product(A, B, C, BK: xt.constexpr, ACC: xt.constexpr):
    a, b = xt.init_tile(A, (0, 0), (16, BK)), xt.init_tile(B, (0, 0), (BK, 64))
    xt.store_tile(xt.tile_mma(xt.load_tile(a), xt.load_tile(b), xt.zeros((16, 64), ACC)), xt.init_tile(C, (0, 0), (16, 64)))


@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize(("depth", "tile"), [(8, 8), (7, 8), (7, 7), (1, 8), (2, 1), (13, 16)])
@pytest.mark.parametrize(("dtype", "acc"), [("f4", xt.f32), ("f8", xt.f64), ("f2", xt.f32), ("i1", xt.i32)])
def test_every_depth(way, depth, tile, dtype, acc):
    rng = np.random.default_rng(depth)
    a, b = rng.integers(-8, 8, (16, depth)).astype(dtype), rng.integers(-8, 8, (depth, 64)).astype(dtype)
    c = np.zeros((16, 64), acc.numpy)
    with override(cpu=way), xt.device("cpu"):
        product[(1,)](a, b, c, BK=tile, ACC=acc)
    used = min(depth, tile)
    np.testing.assert_array_equal(c, a[:, :used].astype("f8") @ b[:used].astype("f8"))

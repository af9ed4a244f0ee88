"""Tiles with fewer columns than a subgroup has lanes: rounded up to a row of all lanes where block messages leave out the rest."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch


@xt.jit
def narrow(X, Y, Sums, Most, C, W: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (64, W)))
    y = x * 3 + xt.load_tile(xt.init_tile(C, (0, 0), (1, W)))
    xt.store_tile(y, xt.init_tile(Y, (0, 0), (64, W)))
    xt.store_tile(xt.sum(y, axis=1), xt.init_tile(Sums, (0, 0), (64, 1)))
    xt.store_tile(xt.max(y, axis=0), xt.init_tile(Most, (0, 0), (1, W)))


def launch(width, dtype, beside, subgroups):
    """`beside`: columns of the arrays that lie to the right of the tile."""
    rng = np.random.default_rng(0)
    x, c = (rng.integers(-3, 4, (rows, width + beside)).astype(dtype) for rows in (64, 1))
    tile = (x * 3 + c)[:, :width]
    y, most, sums = np.zeros_like(x), np.zeros_like(c), tile.sum(1, keepdims=True, dtype=np.int32 if dtype is np.int8 else dtype)
    y[:, :width], most[:, :width] = tile, tile.max(0)
    before = {"X": x, "Y": np.zeros_like(y), "Sums": np.zeros_like(sums), "Most": np.zeros_like(most), "C": c}
    after = {"Y": y, "Sums": sums, "Most": most}
    return Launch(narrow, before, after, constants={"W": width}, num_subgroups=subgroups)


@pytest.mark.every(18)
@pytest.mark.parametrize("subgroups", [1, 4])
@pytest.mark.parametrize("beside", [0, 3])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize("width", [2, 3, 4, 5, 8])
def test_at_all_levels(width, dtype, beside, subgroups):
    launch(width, dtype, beside, subgroups).at_levels("pvc")


@pytest.mark.slow
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize("width", [3, 8])
def test_as_machine_code(width, dtype, device):
    launch(width, dtype, 3, 4).on_device(device)

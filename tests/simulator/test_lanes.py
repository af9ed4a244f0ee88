"""Numbers of one lane that all lanes take, on both ways of a branch (backends/spirv/emit_gpu)."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools

DEVICES = ("sim:pvc", "sim:bmg")


@xt.jit
def column(row):
    return xt.tile_broadcast(row.T, (16, 16))


@xt.jit(num_subgroups=1, grid=(1,))
def turned(A, Out, n):
    """Rows of A as columns, on both ways: a row's elements are in lanes of their own."""
    x, y, z, u = (xt.load_tile(xt.init_tile(A, (i, 0), (1, 16))) for i in range(4))
    made = xt.load_tile(xt.init_tile(Out, (0, 0), (16, 16)))
    if n > 2:
        made = ((made + column(x)) * 2 + column(y)) * 2 + (column(z) - made) * column(u)
    else:
        made = ((made - column(x)) * 2 - column(y)) * 2 - (column(z) + made) * column(u)
    xt.store_tile(made, xt.init_tile(Out, (0, 0), (16, 16)))


def check(device, kind):
    tools.require_tool("ocloc")
    a = np.random.default_rng(0).integers(-3, 3, (4, 16)).astype(kind.numpy)
    x, y, z, u = a[:, :, None]
    tile = (np.arange(256, dtype=kind.numpy) % 5).reshape(16, 16)
    for n, expected in ((2, ((tile - x) * 2 - y) * 2 - (z + tile) * u), (3, ((tile + x) * 2 + y) * 2 + (z - tile) * u)):
        out = tile.copy()
        with xt.device(device):
            turned(a, out, n)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.every(2)
@pytest.mark.parametrize("device", DEVICES)
def test_both_ways_of_a_branch_take_numbers_of_the_same_lanes(device):
    """IGC moves what both ways take of one lane in front of the branch, and in front of where some of the rows are loaded."""
    check(device, xt.f32)


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", [xt.f16, xt.f64, xt.i64, xt.i32, xt.i8], ids=str)
def test_both_ways_take_numbers_of_other_types(device, kind):
    check(device, kind)

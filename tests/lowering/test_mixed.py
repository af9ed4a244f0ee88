"""XeTile's memory ops in workgroup-level xegpu kernels mean what they mean beside other tiles."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile import xegpu
from xetile.errors import CompileError, LayoutError

pytestmark = pytest.mark.device
SHAPE = (64, 64)


@xt.jit(grid=(1,))
def padded(A, B, R):
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg))
    b = xt.load_tile(xt.init_tile(A, (-8, 24), (64, 64)), padding=3)
    xegpu.store_nd(a + b, xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


@xt.jit(grid=(1,))
def rows(A, B, R):
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg))
    line = xt.init_tile(B, 16, (64,))
    b = xt.load_tile(line, padding=5)
    for _ in range(2):
        line = xt.update_tile_offset(line, 24)
    xegpu.store_nd(a + b[None, :] + xt.load_tile(line)[:, None], xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


def shifted(a):
    whole = np.full((72, 88), 3, np.float32)
    whole[8:, :64] = a
    return whole[:64, 24:88]


EXPECTED = {
    padded: lambda a, b, r: a + shifted(a),
    rows: lambda a, b, r: a + np.append(b[16:], [5] * 16)[None, :] + np.append(b[64:], [0] * 64)[:64, None],
}


@pytest.mark.every(4)
@pytest.mark.parametrize("kernel", EXPECTED, ids=lambda kernel: kernel.__name__)
def test_tiles_beside_descriptors(kernel, device):
    rng = np.random.default_rng(0)
    a, r = (rng.integers(-4, 4, SHAPE).astype(np.float32) for _ in "ar")
    b = rng.integers(-4, 4, 64).astype(np.float32)
    expected = EXPECTED[kernel](a, b, r)
    with xt.device(device):
        kernel(a, b, r)
    assert (r == expected).all()


@xt.jit(grid=(1,))
def moved(A, R):
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    tile = xt.init_tile(A, (0, 0), (64, 64))
    tile = xt.update_tile_offset(tile, (0, 8))
    xegpu.store_nd(xt.load_tile(tile, padding=3), xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


def test_padding_of_a_tile_that_moves_is_refused(device):
    with xt.device(device), pytest.raises(LayoutError, match="padding of a tile that moves"):
        moved(np.zeros(SHAPE, np.float32), np.zeros(SHAPE, np.float32))


@xt.jit(grid=(1,))
def joined(A, R, n, which):
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    tile = xt.init_tile(A, (0, 0), (64, 64))
    if which > 0:
        tile = xt.init_tile(A, (0, 0), (64, 64), base_shape=(n, n), base_strides=(64, 1))
    xegpu.store_nd(xt.load_tile(tile), xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


def test_tiles_of_other_sizes_that_a_branch_joins_are_refused(device):
    """Only one of the sizes was used, whichever way the branch went."""
    with xt.device(device), pytest.raises(CompileError, match="take the place of one of another array, or of other sizes"):
        joined(np.ones(SHAPE, np.float32), np.zeros(SHAPE, np.float32), 8, 0)

"""XeTile's memory ops in workgroup-level xegpu kernels mean what they mean beside other tiles."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile import xegpu

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


@xt.jit(grid=(1,))
def moved(A, B, R):
    """Padding of tiles that loops and branches move, row-major and column-major."""
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    tile = xt.init_tile(A, (0, 0), (64, 64))
    turned = xt.init_tile(A.T, (0, 0), (64, 64))
    total = xt.zeros((64, 64), xt.f32)
    for i in range(2):
        tile = xt.update_tile_offset(tile, (-4, 8))
        if i > 0:
            turned = xt.update_tile_offset(turned, (6, -40))
        total += xt.load_tile(tile, padding=3) + 2 * xt.load_tile(turned, padding=-1)
    xegpu.store_nd(total, xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


@xt.jit(grid=(1,))
def gathered(A, B, R):
    """Scattered loads, one of which moves, and a scattered store."""
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg))
    rows, columns = xt.arange(64)[:, None], xt.arange(64)[None, :]
    where = xt.init_tile(B, (rows * 7 + columns) % 62)
    total = a
    for _ in range(2):
        where = xt.update_tile_offset(where, xt.full((64, 64), 1, xt.i32))
        total += xt.load_gather(where, mask=rows > columns, padding=9)
    xt.store_scatter(total, xt.init_tile(R, columns * 64 + rows), mask=columns < 60)


@xt.jit(grid=(1,))
def counted(A, B, R):
    """Atomic updates of a tile that stands out of its array, and of single elements."""
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg))
    xt.atomic_rmw_tile("add", a, xt.init_tile(R, (-8, 24), (64, 64)))
    xt.atomic_rmw_tile("add", 2 * a, xt.init_tile(R, xt.arange(64)[None, :] * 64 + xt.arange(64)[:, None]))


@xt.jit(grid=(1,))
def running(A, B, R):
    """Cumulative sums along both axes, split over subgroups, and the line's sums beside them."""
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg))
    down = xt.cumsum(a, axis=0)
    both = xt.cumsum(down, axis=1) + 2 * xt.cumsum(a, axis=1)
    xegpu.store_nd(both + down, xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


@xt.jit(grid=(1,))
def staged(A, B, R):
    """A tile in shared local memory, read transposed; a prefetch of a tile that nothing else distributes; a column of an array of rank 1."""
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    xt.prefetch_tile(xt.init_tile(A, (0, 0), (64, 64)))
    here = xt.init_tile(xt.alloc_slm((64, 64), xt.f32), (0, 0), (64, 64))
    xt.store_tile(xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg)), here)
    xt.barrier()
    column = xt.load_tile(xt.init_tile(B, 0, (64,)))[:, None]
    xegpu.store_nd(xt.load_tile(here).T + column, xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


@xt.jit(grid=(1,))
def shared(A, B, R):
    """One tile, loaded for two layouts."""
    tile = xt.init_tile(A, (0, 0), (64, 64))
    rows = xegpu.layout(sg_layout=(8, 1), sg_data=(8, 64))
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    total = xt.load_tile(tile) + xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=rows))
    both = total + xt.load_tile(tile) * xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=wg))
    xegpu.store_nd(both, xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


def outside(a, top, left, fill):
    """The 64 x 64 part of an array that begins at (top, left); `fill` where there is nothing."""
    whole = np.full((320, 320), fill, np.float32)
    whole[128:192, 128:192] = a
    return whole[128 + top : 192 + top, 128 + left : 192 + left]


def walked(a, b, r):
    tiles = outside(a, -4, 8, 3) + outside(a, -8, 16, 3)
    return tiles + 2 * (a.T + outside(a.T, 6, -40, -1))


def gather(a, b, r):
    rows, columns = np.indices(SHAPE)
    where = (rows * 7 + columns) % 62
    read = [np.where(rows > columns, b[where + step], 9) for step in (1, 2)]
    return np.where(rows < 60, (a + sum(read)).T, r)


def updated(a, b, r):
    r = r.copy()
    r[:56, 24:] += a[8:, :40]
    return r + 2 * a.T


def summed(a, b, r):
    down = a.cumsum(0)
    return down.cumsum(1) + 2 * a.cumsum(1) + down


def shifted(a):
    whole = np.full((72, 88), 3, np.float32)
    whole[8:, :64] = a
    return whole[:64, 24:88]


EXPECTED = {
    moved: walked,
    gathered: gather,
    counted: updated,
    running: summed,
    padded: lambda a, b, r: a + shifted(a),
    staged: lambda a, b, r: a.T + b[:, None],
    shared: lambda a, b, r: 2 * a + a * a,
    rows: lambda a, b, r: a + np.append(b[16:], [5] * 16)[None, :] + np.append(b[64:], [0] * 64)[:64, None],
}


@pytest.mark.every(8, 4)
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
def joined(A, R, n, which):
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    tile = xt.init_tile(A, (0, 0), (64, 64))
    if which > 0:
        tile = xt.init_tile(A, (0, 0), (64, 64), base_shape=(n, n), base_strides=(64, 1))
    xegpu.store_nd(xt.load_tile(tile), xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


@pytest.mark.every(2)
@pytest.mark.parametrize("which", [0, 1])
def test_tiles_of_other_sizes_that_a_branch_joins_are_cut_as_each_says(device, which):
    """Once only one of the sizes was used, whichever way the branch went; then they were refused."""
    r = np.full(SHAPE, -1, np.float32)
    with xt.device(device):
        joined(np.ones(SHAPE, np.float32), r, 8, which)
    assert (r == (np.pad(np.ones((8, 8)), (0, 56)) if which else 1)).all()


@xt.jit(grid=(1,))
def chosen(A, B, R, which):
    wg = xegpu.layout(sg_layout=(4, 2), sg_data=(16, 32))
    where = xt.init_tile(A, xt.arange(64)[:, None] + xt.arange(64)[None, :])
    if which > 0:
        where = xt.init_tile(B, xt.arange(64)[:, None] + xt.arange(64)[None, :])
    xegpu.store_nd(xt.load_gather(where), xegpu.create_nd_tdesc(R, (0, 0), (64, 64), layout=wg))


@pytest.mark.parametrize("which", [0, 1])
def test_scattered_tiles_of_other_arrays_that_a_branch_joins(device, which):
    """They were refused."""
    r = np.zeros(SHAPE, np.float32)
    with xt.device(device):
        chosen(np.full(128, 1, np.float32), np.full(128, 2, np.float32), r, which)
    assert (r == 1 + which).all()

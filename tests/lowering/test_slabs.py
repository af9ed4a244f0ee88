"""Values that are larger than shared local memory change owners slab by slab, in both dialects."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import asked
from xetile import xegpu
from xetile.runtime import compiler

SHAPE = (256, 256)
BANDS, COLUMNS, DEALT = (
    xt.wg_map((8, 4), (32, 64)),
    xt.wg_map((4, 8), (64, 32)),
    xt.wg_map((4, 8), (32, 16)),
)


@xt.jit(grid=(1,))
def tiles(A, R):
    a = xt.load_tile(xt.init_tile(A, (0, 0), (256, 256), wg_map=BANDS))
    b = xt.tile_conv_layout(a, wg_map=COLUMNS)
    xt.store_tile(b + 1, xt.init_tile(R, (0, 0), (256, 256), wg_map=COLUMNS))


@xt.jit(grid=(1,))
def descriptors(A, R):
    bands, columns = xegpu.layout(sg_layout=(8, 4), sg_data=(32, 64)), xegpu.layout(sg_layout=(4, 8), sg_data=(64, 32))
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (256, 256), layout=bands))
    b = xegpu.convert_layout(a, bands, columns)
    xegpu.store_nd(b + 1, xegpu.create_nd_tdesc(R, (0, 0), (256, 256), layout=columns))


@xt.jit(grid=(1,))
def dealt(A, R):
    """To pieces that are dealt out in rounds, and back."""
    a = xt.load_tile(xt.init_tile(A, (0, 0), (256, 256), wg_map=BANDS))
    b = xt.tile_conv_layout(a, wg_map=DEALT) + 1
    xt.store_tile(xt.tile_conv_layout(b, wg_map=COLUMNS), xt.init_tile(R, (0, 0), (256, 256), wg_map=COLUMNS))


@xt.jit(grid=(1,))
def turned(A, R):
    """The pieces' transposes have other owners than the result."""
    a = xt.load_tile(xt.init_tile(A, (0, 0), (256, 256), wg_map=BANDS)) * 2
    xt.store_tile(xt.tile_transpose(a), xt.init_tile(R, (0, 0), (256, 256), wg_map=COLUMNS))


KERNELS = {tiles: lambda a: a + 1, descriptors: lambda a: a + 1, dealt: lambda a: a + 1, turned: lambda a: 2 * a.T}


@pytest.mark.device
@pytest.mark.every(4)
@pytest.mark.filterwarnings("ignore:.*registers")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_large_values_change_owners(kernel, device):
    a = np.random.default_rng(0).integers(-999, 999, SHAPE).astype(np.float32)
    r = np.zeros(SHAPE, np.float32)
    with xt.device(device):
        kernel(a, r)
    assert (r == KERNELS[kernel](a)).all()


@pytest.mark.filterwarnings("ignore:.*registers")
@pytest.mark.covering
@pytest.mark.every(3, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg", "lnl", "dg2"])
@pytest.mark.parametrize("kernel", [descriptors, tiles], ids=lambda kernel: kernel.__name__)
def test_they_compile_where_the_memory_is_too_small(kernel, target):
    """256 KB, and 128 or 64 of memory."""
    made = compiler.build(asked(kernel, "f32[?,?]", "f32[?,?]", target=target))
    assert 0 < made.slm_bytes < 256 * 256 * 4

"""Prefetches outside of arrays bring nothing, whatever the array's size is."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(grid=(1,))
def ahead(A, B, n):
    for k in range(0, n, 16):
        xt.prefetch_tile(xt.init_tile(A, (0, k), (16, 16)))
    tile = xt.init_tile(B, (0, 0), (16, 16))
    xt.store_tile(xt.load_tile(tile) + 1, tile)


@pytest.mark.parametrize("shape", [(0, 64), (64, 0), (0, 0)], ids=str)
@pytest.mark.parametrize("device", ["numpy", pytest.param("cpu", marks=pytest.mark.device), "sim:bmg"])
def test_of_empty_arrays(device, shape):
    """The simulated message refuses an illegal size of its surface."""
    if device.startswith("sim:"):
        tools.require_tool("ocloc")
    b = np.zeros((16, 16), np.float16)
    with xt.device(device):
        ahead(np.zeros(shape, np.float16), b, 32)
    assert (b == 1).all()

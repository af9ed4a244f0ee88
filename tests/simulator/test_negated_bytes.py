"""Numbers less remainders of places: LLVM divides lanes' numbers as bytes, and IGC lost the minus of such a byte on DG2."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(num_subgroups=1)
def remainders(Turned, Sums):
    places = (xt.arange(24)[None, :] % 5 - xt.arange(8)[:, None] % 3).to(xt.f32).T
    rows = (xt.arange(18)[None, :] % 5 - xt.arange(7)[:, None] % 3).to(xt.f32)[2:7, 1:17]
    xt.store_tile(places, xt.init_tile(Turned, (0, 0), (24, 8)))
    xt.store_tile(xt.cumsum(rows, 1), xt.init_tile(Sums, (0, 0), (5, 16)))


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_less_remainders_of_lanes(target):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    turned, sums = np.zeros((24, 8), np.float32), np.zeros((5, 16), np.float32)
    with xt.device(f"sim:{target}"):
        remainders[(1,)](turned, sums)
    places = np.arange(24)[None] % 5 - np.arange(8)[:, None] % 3
    rows = np.arange(18)[None] % 5 - np.arange(7)[:, None] % 3
    np.testing.assert_array_equal(turned, places.T)
    np.testing.assert_array_equal(sums, np.cumsum(rows[2:7, 1:17], 1))

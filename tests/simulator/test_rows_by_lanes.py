"""Numbers of rows that are the same in all lanes: masks of rows that lanes load element by element, and conversions to fewer bits."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(grid=(1,))
def counted(A, Y, n, m):
    rows = xt.init_tile(A, (0, 0), (32, 32), base_shape=(min(n, m), A.shape[1]), base_strides=(A.shape[1], 1))
    xt.store_tile(xt.load_tile(rows).to(xt.f32) + 1, xt.init_tile(Y, (0, 0), (32, 32)))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_as_many_rows_as_there_are(target):
    """IGC took the first of several choices for all, and loaded what lies behind the array."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a = np.random.default_rng(0).integers(-9, 10, (12, 32)).astype(np.float16)
    found, expected = np.zeros((32, 32), np.float32), np.ones((32, 32), np.float32)
    expected[:12] += a
    with xt.device(f"sim:{target}"):
        counted(a, found, 12, 20, num_subgroups=2)
    np.testing.assert_array_equal(found, expected)


@xt.jit(grid=(1,))
def converted(A, Y, BETWEEN: xt.constexpr):
    tops = xt.max(xt.load_tile(xt.init_tile(A, (0, 3), (16, 16))), axis=1)
    xt.store_tile(xt.tile_broadcast(tops, (16, 16)).to(BETWEEN).to(Y.dtype), xt.init_tile(Y, (0, 0), (16, 16)))


@pytest.mark.parametrize("between", [xt.i8, xt.u8, xt.i16])
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_rows_of_one_number_are_cut_to_fewer_bits(target, between):
    """IGC cut the first of several rows alone."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a = np.random.default_rng(0).integers(0, 40, (24, 48)).astype(np.int32)
    found = np.zeros((16, 16), np.int32)
    with xt.device(f"sim:{target}"):
        converted(a, found, between)
    np.testing.assert_array_equal(found, np.broadcast_to(a[:16, 3:19].max(axis=1, keepdims=True), (16, 16)))

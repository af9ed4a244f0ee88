"""Bits of products by a constant that have them as negations have, which decide between -1 and 0: IGC shifts negated numbers up and down."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(grid=(1,))
def decided(A, Y, n):
    x = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16)))
    one = xt.where((n * 19 & 2) != 0, -1, 0) + 8 * xt.where((-n & 4) == 0, 0, -1)
    xt.store_tile(
        xt.where((x * 19 & 2) != 0, -1, 0) + 2 * one + 4 * xt.where((x * 7 & 2) != 0, -1, 0), xt.init_tile(Y, (0, 0), (8, 16))
    )


@xt.jit(grid=(1,))
def copied(A, Y):
    """Of each subgroup 19 columns, from its own first one on."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), (8, 57), wg_map=xt.wg_map((1, 3), (8, 19))))
    xt.store_tile(x + x, xt.init_tile(Y, (0, 0), (8, 57)))


@pytest.fixture(params=["pvc", "bmg", "dg2"])
def simulated(request):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    with xt.device(f"sim:{request.param}"):
        yield


@pytest.mark.parametrize("n", [2, 5, -4])
def test_bits_that_decide(simulated, n):
    a = np.arange(-40, 88, dtype=np.int32).reshape(8, 16)
    found = np.zeros_like(a)
    decided(a, found, np.int32(n))
    one = -(n * 19 >> 1 & 1) - 8 * (-n >> 2 & 1)
    np.testing.assert_array_equal(found, -(a * 19 >> 1 & 1) + 2 * one - 4 * (a * 7 >> 1 & 1))


def test_columns_that_subgroups_begin_between_words(simulated):
    """The third one's begin two bytes behind a word: the choice of what is shifted by two was a bit of a product by 19."""
    a = np.random.default_rng(0).integers(0, 99, (8, 128)).astype(np.uint8)
    found = np.zeros_like(a)
    copied(a, found, num_subgroups=3)
    np.testing.assert_array_equal(found[:, :57], 2 * a[:, :57])


@xt.jit(grid=(1,))
def shifted(K, C):
    v = xt.zeros((16, 48), xt.i32)
    for i in range(3):
        v = xt.tile_mma(xt.load_tile(xt.init_tile(K, (8, 0), (16, 5))), xt.load_tile(xt.init_tile(K, (0, i * 3 % 7), (5, 48))))
    xt.store_tile(v, xt.init_tile(C, (0, 0), (16, 48)))


def test_remainders_that_are_what_they_are_of(simulated):
    """LLVM knows that `i * 3` is less than 7: the last one's columns begin two bytes behind a word."""
    whole = np.random.default_rng(0).integers(-3, 4, (44, 256)).astype(np.int8)
    k, found = whole[2:42, 64:136], np.zeros((16, 48), np.int32)
    shifted(k, found)
    np.testing.assert_array_equal(found, k[8:24, :5].astype(int) @ k[:5, 6:54])

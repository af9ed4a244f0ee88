"""Products on CPUs of every depth: even, odd, less than a tile's."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.disassemble import disassemble

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


BYTES = ("i1", "u1")


@pytest.mark.device
@pytest.mark.covering
@pytest.mark.parametrize(("depth", "tile"), [(32, 32), (16, 16), (48, 48), (37, 48), (5, 16), (70, 80)])
@pytest.mark.parametrize("right", BYTES)
@pytest.mark.parametrize("left", BYTES)
def test_bytes_of_both_signs_are_multiplied_by_fours(left, right, depth, tile):
    """All bytes, the extreme ones among them; 0 where the arrays end."""
    rng = np.random.default_rng(depth)
    a, b = (rng.integers(*extremes(t), shape, t, endpoint=True) for t, shape in ((left, (16, depth)), (right, (depth, 64))))
    a[0], b[:, 0] = extremes(left)[0], extremes(right)[0]
    a[1], b[:, 1] = extremes(left)[1], extremes(right)[1]
    c = np.zeros((16, 64), np.int32)
    with override(cpu="vector"), xt.device("cpu"):
        product[(1,)](a, b, c, BK=tile, ACC=xt.i32)
    np.testing.assert_array_equal(c, a.astype("i4") @ b.astype("i4"))


def extremes(dtype):
    info = np.iinfo(dtype)
    return info.min, info.max


def test_what_bytes_are_multiplied_by():
    made = product.compile("i8[?,?]", "i8[?,?]", "i32[?,?]", BK=32, ACC=xt.i32, target="cpu")
    assert "xetile.dot_quads" in made.ir["vectors"]
    assert "vpdpbusd" in disassemble(made.spirv)
    for depth, target, op in ((8, "cpu", "xetile.dot_pairs"), (32, "avx2", "arith.muli")):
        text = product.compile("i8[?,?]", "i8[?,?]", "i32[?,?]", BK=depth, ACC=xt.i32, target=target).ir["vectors"]
        assert op in text and "dot_quads" not in text

"""Tiles of fewer rows of bytes than a block message has: the messages read no row of the array beside the tile's."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import request, run_levels
from xetile.dialects import arith, xegpu
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

ARRAY, SHAPES = (5, 128), [(1, 64), (1, 48), (2, 96)]


@xt.jit
def moved(A, Out, Y, X, SHAPE: xt.constexpr):
    """Out = A + 1 of a tile anywhere that begins at a whole word"""
    start = xt.clamp(X, -1000, 1000) * 4
    x = xt.load_tile(xt.init_tile(A, (Y, start), SHAPE))
    xt.store_tile(x + 1, xt.init_tile(Out, (0, 0), SHAPE))


def case(shape, y, x):
    """An array, and what of it the tile has; zeros outside."""
    given = np.random.default_rng(1).integers(1, 99, ARRAY).astype("i1")
    rows, columns = y + np.arange(shape[0])[:, None], x + np.arange(shape[1])
    inside = (rows >= 0) & (rows < ARRAY[0]) & (columns >= 0) & (columns < ARRAY[1])
    return given, np.where(inside, given[rows.clip(0, ARRAY[0] - 1), columns.clip(0, ARRAY[1] - 1)], 0) + 1


PLACES = [(0, 0), (3, 64), (4, 100), (5, 0), (-1, 0), (-7, -32), (9, 8), (2**31 - 1, 0)]


@pytest.mark.every(2)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("y, x", PLACES)
def test_every_level(shape, y, x):
    given, wanted = case(shape, y, x)
    what = request(moved, {"A": "i8[?,?]", "Out": "i8[?,?]", "Y": "i32", "X": "i32"}, SHAPE=shape)
    for level, after in run_levels(what, (1,), {"A": given, "Out": np.zeros((8, 128), "i1"), "Y": y, "X": x // 4}):
        np.testing.assert_array_equal(after["Out"][: shape[0], : shape[1]], wanted, err_msg=f"level {level}")


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("y, x", PLACES[::2])
def test_machine_code(y, x, target):
    """The simulator holds what a surface may be."""
    given, wanted = case((1, 64), y, x)
    out = np.zeros((8, 128), "i1")
    with xt.device(f"sim:{target}"):
        moved[(1,)](given, out, y, x // 4, SHAPE=(1, 64))
    np.testing.assert_array_equal(out[:1, :64], wanted)


def test_rows_beside_the_tile_seem_to_lie_outside():
    what = request(moved, {"A": "i8[?,?]", "Out": "i8[?,?]", "Y": "i32", "X": "i32"}, SHAPE=(1, 64))
    modules = dict(pipeline.lower(trace(what), get_target("pvc")))
    (load,) = [op for op in modules["xegpu"].walk() if isinstance(op, xegpu.LoadNd)]
    behind = load.desc.op.shape[0].op
    assert load.desc.type.shape == (8, 16) and isinstance(behind, arith.AddI) and isinstance(behind.lhs.op, arith.MinSI)

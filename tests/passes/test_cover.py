"""What a value becomes covers it exactly once, at every level: blocks, pieces, lanes."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import request, run_levels
from xetile.dialects import xetile
from xetile.dialects.types import F16, VectorType
from xetile.errors import VerifyError
from xetile.layout import Layout
from xetile.passes.block.matrices import check_cover
from xetile.passes.lane.lower.fragments import fragments


@pytest.mark.parametrize("blocks", [(16, 16), (8, 24), (32, 16)])
def test_blocks_that_leave_a_rest_are_refused(blocks):
    with pytest.raises(VerifyError, match="do not cover a value of 24x32"):
        xetile.TileType((24, 32), F16, inner_blocks=blocks)
    with pytest.raises(VerifyError, match="do not cover a value of 24x32"):
        xetile.packed(VectorType((24, 32), F16), blocks)


@pytest.mark.parametrize("places, words", [
    (((0, 0, 16, 32),), "do not cover"), (((0, 0, 16, 32), (8, 0, 16, 32)), "there twice"),
    (((0, 0, 24, 32), (24, 0, 8, 32)), "do not cover"),
])  # fmt: skip
def test_pieces_that_miss_or_share_elements_are_refused(places, words):
    with pytest.raises(VerifyError, match=words):
        check_cover((24, 32), places)


def test_pieces_may_come_in_any_order():
    check_cover((24, 32), ((16, 0, 8, 32), (0, 16, 16, 16), (0, 0, 16, 16)))


def test_lanes_hold_every_element():
    assert len(fragments((8, 32), Layout(lane_layout=(1, 16), lane_data=(1, 1)))) == 16


@xt.jit
def reductions(A, Out, SHAPE: xt.constexpr):
    """What the padding of a tile must not change: lines of NaN, of infinities, and of zeros with a sign."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(xt.tile_reduce("add", x, 1), xt.init_tile(Out, (0, 0), (SHAPE[0], 1)))
    xt.store_tile(xt.tile_reduce("max", x, 1), xt.init_tile(Out, (0, 1), (SHAPE[0], 1)))
    xt.store_tile(xt.tile_reduce("maxnum", x, 1), xt.init_tile(Out, (0, 2), (SHAPE[0], 1)))
    xt.store_tile(xt.tile_reduce("minnum", x, 1), xt.init_tile(Out, (0, 3), (SHAPE[0], 1)))
    xt.store_tile(xt.tile_reduce("min", x, 1), xt.init_tile(Out, (0, 4), (SHAPE[0], 1)))


def test_padding_changes_no_reduction():
    shape = 5, 13
    a = np.ones(shape, np.float32)
    a[0], a[1], a[2], a[3] = np.nan, -np.inf, np.inf, -0.0
    what = request(reductions, {"A": "f32[?,?]", "Out": "f32[?,?]"}, SHAPE=shape)
    found = {level: after["Out"] for level, after in run_levels(what, (1,), {"A": a, "Out": np.zeros((5, 5), np.float32)})}
    # Not xegpu: vector.multi_reduction starts from -inf there, where all of a line is NaN.
    for level in ("subgroup", "blocked", "lane"):
        np.testing.assert_array_equal(found[level], found["xetile"], err_msg=level)
    assert np.isnan(found["lane"][0]).all()
    assert np.signbit(found["lane"][3]).all() and not found["lane"][3].any()

"""Rows that are the same where a branch gives them, and go to messages of four and of two rows: IGC takes one vector for both."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(num_subgroups=4)
def chosen(A, Out, a, KIND: xt.constexpr):
    """24 rows of Out for four subgroups: six for each."""
    tile = xt.load_tile(xt.init_tile(A, (8, 1), (28, 100))).to(xt.f32)[2:26, 2:98:2]
    rows = xt.clamp((tile.to(xt.i32) // 3).to(xt.f32), -7, 7)
    if a < xt.program_id(0):
        if KIND == "gathered":
            same = xt.zeros((24, 48), xt.f32) + xt.cast(xt.program_id(0) % 5, xt.f32)
            rows = xt.gather(xt.load_tile(xt.init_tile(A, (4, 3), (8, 48))).to(xt.f32), same.to(xt.i32), 0)
        else:
            rows = xt.zeros((24, 48), xt.f32) + xt.sum(xt.load_tile(xt.init_tile(A, (4, 3), (8, 48))).to(xt.f32), 0)
    xt.store_tile(rows, xt.init_tile(Out[xt.program_id(0)], (0, 0), (24, 48)))


@pytest.mark.parametrize("kind", ["gathered", "summed"])
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_rows_of_a_branch_that_are_the_same(target, kind):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a = np.random.default_rng(0).integers(-9, 10, (40, 112)).astype(np.float16)
    found, expected = (np.zeros((3, 24, 48), np.float32) for _ in range(2))
    for device, out in ((f"sim:{target}", found), ("numpy", expected)):
        with xt.device(device):
            chosen[(3,)](a, out, 0, kind)
    np.testing.assert_array_equal(found, expected)

"""`argmin` and `argmax` along an axis of one element are 0: IGC 2.40 ends by an internal error on numbers of other lanes that are constant."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(num_subgroups=2)
def first_place(A, Out, LEAST: xt.constexpr):
    column = xt.arange(8)[:, None].to(xt.f32)
    found = xt.argmin(column, 1) if LEAST else xt.argmax(column, 1)
    xt.store_tile(xt.load_tile(xt.init_tile(A.T, (1, 64), (8, 3))) + found.to(xt.f32), xt.init_tile(Out, (0, 0), (8, 3)))


@pytest.mark.parametrize("least", [True, False])
def test_there_is_one_place(least):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a, out = np.arange(72 * 64, dtype=np.float32).reshape(72, 64), np.zeros((8, 64), np.float32)
    with xt.device("sim:bmg"):
        first_place[(1,)](a, out, least)
    np.testing.assert_array_equal(out[:, :3], a.T[1:9, 64:67])

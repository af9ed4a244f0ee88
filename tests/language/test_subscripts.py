"""Subscripts of values, against numpy."""

import runpy

import numpy as np
import pytest

import xetile as xt
from tests.language.running import body_of
from xetile.errors import TileShapeError


@xt.jit
def looked_up(X, Q, Table, Out, Pairs):
    x, q, table = xt.load_tile(X[0:8, 0:16]), xt.load_tile(Q[0:8, 0:16]).to(xt.i32), xt.load_tile(Table[0:32])
    Out[0:8, 0:16] = table[q] + x[q % 8, 15 - q % 16] + x[q % 8, 2]
    Pairs[0:4, 0:8] = x[xt.arange(4)[:, None] * 2, xt.arange(8)[None, :] * 2 + 1]


def test_subscripts_of_two_axes_give_values_of_their_shape(device):
    draw = np.random.default_rng(0)
    x, table = draw.random((8, 16), np.float32), draw.random(32, np.float32)
    q, out, pairs = draw.integers(0, 32, (8, 16)).astype(np.uint8), np.zeros((8, 16), np.float32), np.zeros((4, 8), np.float32)
    with xt.device(device):
        looked_up[(1,)](x, q, table, out, pairs)
    np.testing.assert_array_equal(out, table[q] + x[q % 8, 15 - q % 16] + x[q % 8, 2])
    np.testing.assert_array_equal(pairs, x[np.arange(0, 8, 2)[:, None], np.arange(1, 16, 2)[None, :]])


@pytest.mark.parametrize(
    "subscript, message",
    [
        ("x[q, :]", "a subscript of two axes beside a slice"),
        ("x[r, r[0:2]]", "i has 4 elements and j 2"),
    ],
)
def test_subscripts_that_do_not_fit(subscript, message, tmp_path):
    source = tmp_path / "wrong.py"
    source.write_text(f"""import xetile as xt
def kernel(X):
    x, q, r = xt.load_tile(X[0:8, 0:16]), xt.zeros((8, 16), xt.i32), xt.arange(4)
    xt.store_tile({subscript}, X[0:8, 0:16])
""")
    with pytest.raises(TileShapeError, match=message):
        body_of(runpy.run_path(str(source))["kernel"], X="f32[?,?]")

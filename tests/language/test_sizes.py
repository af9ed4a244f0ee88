"""How many elements a value may have: drivers crashed or wrapped where a number of elements needs more than 32 bits."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import TileShapeError

LARGE = {
    "filled": lambda X: xt.zeros((100_000, 100_000)),
    "spread": lambda X: xt.arange(100_000)[:, None] * xt.arange(100_000)[None, :],
    "loaded": lambda X: xt.load_tile(xt.init_tile(X, 0, (2**31,))),
    "joined": lambda X: xt.concatenate([xt.zeros((50_000, 40_000))] * 2, 0),
    "multiplied": lambda X: xt.zeros((100_000, 16)) @ xt.zeros((16, 100_000)),
}


@xt.jit(grid=(1,))
def largest(X, MADE: xt.constexpr):
    X[0] = xt.max(MADE(X)).to(X.dtype)


MADE_AT_ONCE = {"filled", "loaded", "joined"}
"""What a call gives a shape for; the others come of smaller values."""


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_values_of_too_many_elements_are_refused_where_they_are_made(device, name):
    told = "elements, and 16777216 are the most" if name in MADE_AT_ONCE else r"has \d+ elements; there can be 2147483647"
    with xt.device(device), pytest.raises(TileShapeError, match=told) as raised:
        largest(np.ones(8, np.float32), MADE=LARGE[name])
    assert raised.value.at is not None

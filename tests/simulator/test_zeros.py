"""Signs of zero where a number is converted on its way through a choice between it and zero: LLVM makes another comparison of such choices."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools

SHAPE = (4, 32)
CHOICES = (
    (lambda x, y: xt.where(x < 0.0, 0.0, y), lambda x, y: np.where(x < 0, 0, y)),
    (lambda x, y: xt.where(x > 0.0, 0.0, y), lambda x, y: np.where(x > 0, 0, y)),
    (lambda x, y: xt.where((x < 0.0) | xt.isnan(x), 0.0, y), lambda x, y: np.where((x < 0) | (x != x), 0, y)),
    (lambda x, y: xt.where(~(x < 0.0), y, 0.0), lambda x, y: np.where(~(x < 0), y, 0)),
    (lambda x, y: xt.where(y < 0.0, 0.0, y), lambda x, y: np.where(y < 0, 0, y)),
    (lambda x, y: xt.maximum(y, 0.0), lambda x, y: np.where(y < 0, 0, y)),
    (lambda x, y: xt.minimum(y, 0.0), lambda x, y: np.where(y > 0, 0, y)),
)


DEVICES = ("cpu", "sim:bmg", "sim:dg2", "sim:pvc")
CASES = [
    *((device, *types) for device in DEVICES for types in ((np.float16, np.float32), (np.float32, np.float16))),
    *((device, np.float32, np.float64) for device in DEVICES if device != "sim:dg2"),  # which has no f64
]


@xt.jit(num_subgroups=1, grid=(1,))
def choices(X, Out, One):
    """Out[k] = the k-th choice between zero and what the elements of X are converted to; One = X[0, 0], converted, or 0 below."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), SHAPE))
    for k in xt.static_range(len(CHOICES)):
        xt.store_tile(CHOICES[k][0](x, x.to(Out.dtype)), xt.init_tile(Out[k], (0, 0), SHAPE))
    first = X[0, 0]
    if first < 0.0:
        chosen = xt.cast(0.0, Out.dtype)
    else:
        chosen = first.to(Out.dtype)
    xt.store_tile(xt.full((1,), chosen, Out.dtype), xt.init_tile(One, 0, (1,)))


@pytest.mark.every(4, 2)
@pytest.mark.parametrize(("device", "source", "target"), CASES)
def test_a_converted_number_or_zero(device, source, target):
    if device != "cpu":
        tools.require_tool("ocloc")
    x = np.resize(np.array([-0.0, 0.0, 1, -1, np.nan, 6e-8, -6e-8, np.inf, -np.inf], source), SHAPE)
    out, one = np.zeros((len(CHOICES), *SHAPE), target), np.zeros(1, target)
    with xt.device(device):
        choices(x, out, one)
    expected = np.array([choice(x, x.astype(target)) for _, choice in CHOICES], target)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.signbit(out) & (out == 0), np.signbit(expected) & (expected == 0))
    assert one[0] == 0
    assert np.signbit(one[0])

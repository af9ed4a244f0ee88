"""Values that return by several ways, and sums from block to block: what IGC's optimiser and its vectorizer lost (backends/spirv)."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit
def chosen(u, v, a, b):
    if b == (b - a) % 7:
        v = u * v
    else:
        if b % 2 == 0:
            return v, a
        if a % 2 == 0:
            return u, 5
    return u, a


@xt.jit(num_subgroups=1, grid=(1,))
def ways(A, Out, a, b):
    u, v = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(A, (0, 16), (8, 16)))
    u, n = chosen(u, v, b, a)
    xt.store_tile(u + n.to(xt.f32), xt.init_tile(Out, (0, 0), (8, 16)))


@xt.jit(num_subgroups=1, grid=(1,))
def running(A, Out):
    xt.store_tile(xt.cumsum(xt.load_tile(xt.init_tile(A, (0, 0), (40, 32))), 0), xt.init_tile(Out, (0, 0), (40, 32)))


def both(device, kernel, shape, *numbers):
    tools.require_tool("ocloc")
    given, found = np.random.default_rng(1).integers(-4, 5, (40, 32)).astype(np.float32), []
    for where in ("numpy", device):
        out = np.zeros(shape, np.float32)
        with xt.device(where):
            kernel[(1,)](given, out, *numbers)
        found.append(out)
    np.testing.assert_array_equal(*found[::-1])


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
def test_values_of_several_returns(device):
    for a, b in ((-5, 9), (4, 9), (4, 7), (3, 8), (0, 0)):
        both(device, ways, (8, 16), np.int32(a), np.int32(b))


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
def test_sums_down_many_rows(device):
    both(device, running, (40, 32))

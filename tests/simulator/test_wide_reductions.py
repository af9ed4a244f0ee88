"""Integers of 64 bits combined over lanes: IGC makes two halves of `and`, `or`, `xor`, and drops shuffles that it sees beside them."""

import numpy as np
import pytest

import xetile as xt
from tests import tools

KINDS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "add": np.add, "max": np.maximum}


@xt.jit(num_subgroups=4)
def combined(X, Out, NAMES: xt.constexpr, SHAPE: xt.constexpr, MAP: xt.constexpr):
    value = xt.load_tile(xt.init_tile(X, (0, 0), SHAPE, wg_map=MAP))
    for i in xt.static_range(len(NAMES)):
        found = xt.tile_broadcast(xt.tile_reduce(NAMES[i], value, 0), SHAPE)
        xt.store_tile(found, xt.init_tile(Out[i], (0, 0), SHAPE, wg_map=MAP))


@pytest.mark.every(8, 7)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("rows, columns", [(8, 2), (4, 8), (2, 8)])
def test_whole_numbers_of_64_bits(target, rows, columns):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    shape, wg_map = (2 * rows, 2 * columns), xt.wg_map(sg_layout=(2, 2), sg_data=(rows, columns))
    x = np.random.default_rng(rows).integers(-(2**62), 2**62, shape) | 1 << 40
    out = np.zeros((len(KINDS), *shape), np.int64)
    with xt.device(f"sim:{target}"):
        combined[(1,)](x, out, tuple(KINDS), shape, wg_map)
    for found, function in zip(out, KINDS.values(), strict=True):
        np.testing.assert_array_equal(found, np.broadcast_to(function.reduce(x, 0), shape))

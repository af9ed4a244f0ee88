"""Accumulators that a load, a sum or a branch has made, carried through loops: DPAS gets them as it holds its own results."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch

SHAPE = (8, 16)


@xt.jit(num_subgroups=1)
def loaded(A, H, G, Out):
    acc = xt.load_tile(xt.init_tile(A, (0, 16), (8, 16)))
    h, g = xt.init_tile(H, (0, 0), (8, 16)), xt.init_tile(G, (0, 0), (16, 16))
    for _ in range(0, H.shape[1], 16):
        acc = xt.tile_mma(xt.load_tile(h), xt.load_tile(g), acc)
        h, g = xt.update_tile_offset(h, (0, 16)), xt.update_tile_offset(g, (16, 0))
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (8, 16)))


@xt.jit(num_subgroups=1)
def summed(A, H, G, Out):
    acc = xt.load_tile(xt.init_tile(A, (0, 16), (8, 16)))
    for k in range(0, H.shape[1], 16):
        acc += xt.load_tile(xt.init_tile(H, (0, k), (8, 16))) @ xt.load_tile(xt.init_tile(G, (k, 0), (16, 16)))
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (8, 16)))


@xt.jit(num_subgroups=1)
def joined(A, H, G, Out):
    acc = xt.load_tile(xt.init_tile(A, (0, 16), (8, 16)))
    for k in range(0, H.shape[1], 16):
        if k >= 0:
            acc = xt.tile_mma(
                xt.load_tile(xt.init_tile(H, (0, k), (8, 16))), xt.load_tile(xt.init_tile(G, (k, 0), (16, 16))), acc
            )
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (8, 16)))


@pytest.mark.covering
@pytest.mark.every(12)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.float32], ids=lambda t: t.__name__)
@pytest.mark.parametrize("kernel", [loaded, summed, joined], ids=lambda k: k.__name__)
def test_at_levels(kernel, dtype, target):
    random = np.random.default_rng(0)
    total = np.int32 if dtype is np.int8 else np.float32
    a, h, g = (random.integers(-3, 4, shape).astype(t) for shape, t in (((40, 64), total), ((8, 48), dtype), ((48, 16), dtype)))
    expected = a[:8, 16:32] + h.astype(total) @ g.astype(total)
    Launch(kernel, {"A": a, "H": h, "G": g, "Out": np.zeros(SHAPE, total)}, {"Out": expected}, grid=(1,)).at_levels(target)

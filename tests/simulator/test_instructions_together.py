"""Instructions that IGC's vectorizer (2.40.14) joins to one of a vector: what stands between them, and vectors it takes for others.

It puts those of a vector's elements side by side, what depends on them behind and all else in front, stores and barriers too.
"""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt

GPUS = ("sim:pvc", "sim:bmg")


@xt.jit(grid=lambda A: (1,))
def more_than_the_sum(A, Out, H: xt.constexpr, W: xt.constexpr):
    """Some rows of a tile are summed before a barrier, and all rows taken behind it."""
    x = xt.load_tile(xt.init_tile(A, (-1, -1), (H, W)), padding=0)
    total = xt.sum(x.to(xt.i32))
    xt.store_tile(x + total.to(x.dtype), xt.init_tile(Out, (0, 0), (H, W)))


@pytest.mark.parametrize("device", GPUS)
@pytest.mark.parametrize("dtype", [xt.bf16, xt.f16, xt.f32], ids=str)
@pytest.mark.parametrize("subgroups", [2, 4])
@pytest.mark.parametrize("shape", [(33, 3), (35, 8), (41, 2)], ids=str)
def test_stores_stay_in_front_of_barriers(device, dtype, subgroups, shape):
    height, width = shape
    values = np.random.default_rng(height).integers(-1, 2, (35, 2)).astype(dtype.numpy)
    padded = np.zeros(shape)
    padded[1:36, 1 : min(width, 3)] = values[: height - 1, : min(width, 3) - 1]
    out = np.zeros(shape, dtype.numpy)
    with xt.device(device):
        more_than_the_sum(values, out, H=height, W=width, num_subgroups=subgroups)
    np.testing.assert_array_equal(out.astype(float), padded + padded.sum())


@xt.jit(grid=lambda A: (1,))
def columns_by_turns(A, Out, H: xt.constexpr, W: xt.constexpr, AXIS: xt.constexpr):
    """A loop carries a tile of two columns of blocks, and the extremes of its columns: two numbers, each of which many rows take."""
    x = xt.load_tile(xt.init_tile(A, (1, 16), (H, W)), padding=0).to(xt.i32)
    best = xt.tile_reduce("max", x, AXIS)
    for i in range(3):
        if i % 2 == 0:
            x = x + best
        else:
            x = xt.minimum(x, 5) - 1
        best = xt.tile_reduce("max", x, AXIS)
    xt.store_tile((xt.tile_broadcast(best, (H, W)) + x).to(Out.dtype), xt.init_tile(Out, (0, 0), (H, W)))


@pytest.mark.parametrize("device", GPUS)
@pytest.mark.parametrize("dtype", [xt.f16, xt.f32, xt.bf16], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(35, 17), (24, 33)], ids=str)
def test_a_number_that_is_spread_is_no_vector_of_another_size(device, dtype, axis, shape):
    values = np.random.default_rng(1).integers(-1, 2, (30, 64)).astype(np.float16)[:, :16]
    out = np.full((64, 64), 77, dtype.numpy)
    with xt.device(device):
        columns_by_turns(values, out, H=shape[0], W=shape[1], AXIS=axis, num_subgroups=1)
    x = np.zeros(shape, int)
    best = x.max(axis, keepdims=True)
    for i in range(3):
        x = x + best if i % 2 == 0 else np.minimum(x, 5) - 1
        best = x.max(axis, keepdims=True)
    np.testing.assert_array_equal(out[: shape[0], : shape[1]].astype(float), best + x)

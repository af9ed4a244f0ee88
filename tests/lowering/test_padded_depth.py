"""Products whose depth was rounded up are computed as deep as the user says: beyond that one operand is 0."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.dialects import math, xegpu
from xetile.runtime.compiler import lowered


@xt.jit(grid=(1,))
def product(A, B, C, M: xt.constexpr, N: xt.constexpr, K: xt.constexpr):
    c = xt.load_tile(A[0:M, 0:K]) @ xt.load_tile(B[0:K, 0:N])
    xt.store_tile(c.to(C.dtype), C[0:M, 0:N])


def lines(kernel, kind) -> int:
    """Of a compiled kernel: ops of a kind for each block of 8 rows and 16 columns of the result."""
    ops = [op for op in lowered(kernel.request).walk() if isinstance(op, kind)]
    return len(ops) // sum(isinstance(op, xegpu.StoreNd) for op in lowered(kernel.request).walk())


@pytest.mark.parametrize(("depth", "rows"), [(24, 24), (7, 8), (40, 32), (32, 32)])
def test_f32_is_multiplied_as_deep_as_it_is(depth, rows):
    kernel = product.compile(*["f32[?,?]"] * 3, M=rows, N=32, K=depth, num_subgroups=1, target="pvc")
    assert lines(kernel, (math.Fma,)) == depth - 1  # the first line is a product


@pytest.mark.every(8, 3)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("depth", [7, 24, 40])
def test_what_lies_beyond_adds_nothing(device, depth, dtype):
    """Arrays go on behind the tiles, with numbers that make the sums no numbers."""
    random = np.random.default_rng(depth)
    a, b = (random.integers(-3, 4, shape).astype(dtype) for shape in ((24, 64), (64, 40)))
    if dtype is not np.int8:
        a[:, depth:], b[depth:] = np.nan, np.inf
    c = np.zeros((24, 40), np.int32 if dtype is np.int8 else np.float32)
    with xt.device(device):
        product(a, b, c, M=24, N=40, K=depth)
    np.testing.assert_array_equal(c, a[:, :depth].astype(np.float64) @ b[:depth].astype(np.float64))

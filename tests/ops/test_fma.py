"""`xt.fma` rounds once, and makes nobody else round less: not beside a factor of one, of which compilers make sums."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt

SHAPE = (4, 64)


@xt.jit(grid=1)
def sums(A, B, Out, factor: xt.constexpr):
    """Six sums with a product that is rounded by itself."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE)), xt.load_tile(xt.init_tile(B, (0, 0), SHAPE))
    k = xt.full(SHAPE, factor, A.dtype)
    found = (xt.fma(a, k, -(b * b)), xt.fma(k, a, -(b * b)), xt.fma(a, k, -b * b), xt.fma(-(a * b), k, b), xt.fma(k, a * a, -b),
             xt.fma(a, k, b * b * b))  # fmt: skip
    for i in xt.static_range(6):
        xt.store_tile(found[i], xt.init_tile(Out[i], (0, 0), SHAPE))


@pytest.mark.covering
@pytest.mark.every(12)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("factor", [1.0, -1.0, 2.0])
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_products_beside_an_fma_are_rounded_by_themselves(device, dtype, factor):
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(SHAPE).astype(dtype) for _ in range(2))
    out, k = np.zeros((6, *SHAPE), dtype), np.asarray(factor, dtype)
    with xt.device(device):
        sums(a, b, out, factor=factor)
    # Factors of powers of two round nothing: the sum is the only rounding of these.
    expected = np.stack([a * k - b * b, k * a - b * b, a * k + -b * b, -(a * b) * k + b, k * (a * a) - b, a * k + b * b * b])
    np.testing.assert_array_equal(out, expected)

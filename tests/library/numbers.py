"""Arrays for the tests of the library, and how near a result must come to the one in double precision."""

from __future__ import annotations

import ml_dtypes
import numpy as np

DTYPES = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
# Rounding of one result, and the errors of a sum or of a function on the way.
ALLOWED = {"f16": 2e-3, "bf16": 2e-2, "f32": 4e-6, "f64": 1e-13}


def normal(seed, shape, dtype="f32"):
    """Normally distributed numbers, the same for a seed."""
    return np.random.default_rng(seed).standard_normal(shape).astype(DTYPES[dtype])


def wide(x):
    """The same numbers in double precision."""
    return np.asarray(x).astype(np.float64)


def assert_near(result, expected, dtype="f32", factor=1.0):
    """The same shape, NaN in the same places, and differences small against the largest magnitude."""
    found = wide(result)
    assert found.shape == expected.shape
    if expected.size == 0:
        return
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    finite = np.isfinite(expected)
    assert np.array_equal(found[~finite & ~np.isnan(expected)], expected[~finite & ~np.isnan(expected)])
    largest = max(1.0, float(np.abs(expected[finite]).max(initial=0)))
    worst = float(np.abs(found - expected)[finite].max(initial=0))
    assert worst <= factor * ALLOWED[dtype] * largest, f"off by {worst:.2e} of {largest:.2e}"


def layouts(x):
    """The same numbers as they lie in memory by default, in the reverse order of axes, and as a part of a larger array."""
    larger = np.zeros((*(n + 3 for n in x.shape[:-1]), 2 * x.shape[-1]), x.dtype)
    part = larger[(*tuple(slice(2, 2 + n) for n in x.shape[:-1]), slice(0, 2 * x.shape[-1], 2))]
    part[...] = x
    return {"plain": x, "reversed": np.asfortranarray(x), "part": part}

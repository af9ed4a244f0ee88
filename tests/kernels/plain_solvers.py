"""Triangular systems by blocks, as people write them: rows of a block one after the other, what is done read back from memory."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda B, BN: (xt.cdiv(B.shape[1], BN),))
def substituted(L, B, X, T: xt.constexpr = 16, BN: xt.constexpr = 32):
    """L @ X = B, T rows at a time. A whole block of rows is in memory before the next one reads it."""
    n = xt.program_id(0) * BN
    rows = xt.arange(T)[:, None]
    for i in range(0, L.shape[0], T):
        b = xt.load_tile(B[i : i + T, n : n + BN])
        for j in range(0, i, T):
            b -= xt.load_tile(L[i : i + T, j : j + T]) @ xt.load_tile(X[j : j + T, n : n + BN])
        low = xt.load_tile(L[i : i + T, i : i + T])
        for k in xt.static_range(T):
            found = b[k : k + 1, :] / low[k, k]
            b = xt.where(rows == k, found, xt.where(rows > k, b - low[:, k : k + 1] * found, b))
        X[i : i + T, n : n + BN] = b
        xt.fence("global", "workgroup")
        xt.barrier()


def _substituted() -> Made:
    low, b = np.tril(random(48, 48) * 0.2) + 2 * np.eye(48, dtype=np.float32), random(48, 70)
    wide_low, wide_b = wide(low, b)
    return [low.astype(np.float32), b, np.zeros_like(b)], {2: np.linalg.solve(wide_low, wide_b)}


F = "f32[?,?]"
CASES = {"substituted": Plain(substituted, (F, F, F), _substituted, {"pvc": 568, "bmg": 558}, tolerance=1e-4)}

"""Rows and elements by indices of their own, as people who come from pointers write them: rows stored to slots."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def slots(X, Slots, Cache, BM: xt.constexpr = 16, D: xt.constexpr = 128):
    """Cache[Slots[i]] = X[i]; a slot below zero is none."""
    m = xt.program_id(0) * BM
    row, c = xt.load_tile(xt.init_tile(Slots, m, BM))[:, None], xt.arange(D)[None, :]
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, D)))
    there = (m + xt.arange(BM)[:, None] < X.shape[0]) & (row >= 0) & (c < Cache.shape[1])
    xt.store_scatter(x, xt.init_tile(Cache, row * Cache.stride(0) + c), there)


@xt.jit(grid=lambda A, B, BM, BN: (xt.cdiv(B.shape[1], BN), xt.cdiv(A.shape[0], BM)))
def combined(A, B, Ids, W, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C[Ids[i]] = W[i] * (A @ B)[i]: what an expert gives goes to the rows of its tokens."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    ids, c = xt.load_tile(xt.init_tile(Ids, m, BM))[:, None], n + xt.arange(BN)[None, :]
    acc = acc * xt.load_tile(xt.init_tile(W, m, BM))[:, None]
    here = (m + xt.arange(BM)[:, None] < A.shape[0]) & (ids >= 0) & (c < C.shape[1])
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, ids * C.stride(0) + c), here)


def _slots(dtype: Any) -> Made:
    x, cache = random(37, 128, dtype=dtype), random(90, 128, dtype=dtype, seed=1)
    places = np.random.default_rng(0).permutation(90)[:37].astype(np.int32)
    places[::5] = -1
    after = cache.copy()
    after[places[places >= 0]] = x[places >= 0]
    return [x, places, cache], {2: after}


def _combined() -> Made:
    a, b, w = random(72, 64, dtype=np.float16), random(64, 80, dtype=np.float16, seed=1), random(72, seed=2)
    ids = np.random.default_rng(0).permutation(100)[:72].astype(np.int32)
    ids[::7] = -1
    after = np.zeros((100, 80), np.float32)
    after[ids[ids >= 0]] = (w[:, None] * (a.astype(np.float32) @ b.astype(np.float32)))[ids >= 0]
    return [a, b, ids, w, np.zeros((100, 80), np.float32)], {4: after}


F, H = "f32[?,?]", "f16[?,?]"
CASES = {
    "rows to slots": Plain(slots, (F, "i32[?]", F), lambda: _slots(np.float32), {"pvc": 206, "bmg": 199}),
    "rows to slots, f16": Plain(slots, (H, "i32[?]", H), lambda: _slots(np.float16), {"pvc": 352, "bmg": 345}),
    "products to rows": Plain(combined, (H, H, "i32[?]", "f32[?]", F), _combined, {"pvc": 82, "bmg": 76}, tolerance=1e-3),
}

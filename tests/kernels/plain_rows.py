"""Rows and elements by indices of their own, as people who come from pointers write them: rows stored to slots, tiles by places and masks."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


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


@xt.jit(grid=lambda X, B: (xt.cdiv(X.shape[0], B),))
def added(X, Y, Z, B: xt.constexpr = 1024):
    """Z = X + Y by places, with one mask for all."""
    i = xt.program_id(0) * B + xt.arange(B)
    there = i < X.shape[0]
    x, y = xt.load_gather(xt.init_tile(X, i), there), xt.load_gather(xt.init_tile(Y, i), there)
    xt.store_scatter(x + y, xt.init_tile(Z, i), there)


@xt.jit(grid=lambda A, B, BM, BN: (xt.cdiv(B.shape[1], BN), xt.cdiv(A.shape[0], BM)))
def multiplied(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ B by places."""
    m, n = xt.program_id(1) * BM + xt.arange(BM)[:, None], xt.program_id(0) * BN + xt.arange(BN)[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        i, j = k + xt.arange(BK)[:, None], k + xt.arange(BK)[None, :]
        a = xt.load_gather(xt.init_tile(A, m * A.stride(0) + j), (m < A.shape[0]) & (j < A.shape[1]))
        b = xt.load_gather(xt.init_tile(B, i * B.stride(0) + n), (i < B.shape[0]) & (n < B.shape[1]))
        acc += a @ b
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m * C.stride(0) + n), (m < C.shape[0]) & (n < C.shape[1]))


@xt.jit(grid=lambda A, B, BM, BN: (xt.cdiv(B.shape[1], BN), xt.cdiv(A.shape[0], BM)))
def moving(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """The same by places that move on, and masks of what is left of the depth."""
    m, n = xt.program_id(1) * BM + xt.arange(BM)[:, None], xt.program_id(0) * BN + xt.arange(BN)[None, :]
    i, j = xt.arange(BK)[:, None], xt.arange(BK)[None, :]
    a_at, b_at, acc = m * A.stride(0) + j, i * B.stride(0) + n, xt.zeros((BM, BN), xt.f32)
    for k in range(xt.cdiv(A.shape[1], BK)):
        left = A.shape[1] - k * BK
        a = xt.load_gather(xt.init_tile(A, a_at), (m < A.shape[0]) & (j < left))
        acc += a @ xt.load_gather(xt.init_tile(B, b_at), (i < left) & (n < B.shape[1]))
        a_at += BK
        b_at += BK * B.stride(0)
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m * C.stride(0) + n), (m < C.shape[0]) & (n < C.shape[1]))


@xt.jit(grid=lambda A, B, BM, BN: (xt.cdiv(A.shape[0], BM) * xt.cdiv(B.shape[1], BN),))
def wrapping(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32, GROUP: xt.constexpr = 8):
    """The same as in Triton's tutorial: programs in groups, rows and columns that wrap around, and A need not be as wide as B is high."""
    M, K = A.shape
    K, N = B.shape
    in_group = GROUP * xt.cdiv(N, BN)
    first = xt.program_id(0) // in_group * GROUP
    size = min(xt.cdiv(M, BM) - first, GROUP)
    m = (first + xt.program_id(0) % in_group % size) * BM + xt.arange(BM)
    n = xt.program_id(0) % in_group // size * BN + xt.arange(BN)
    k = xt.arange(BK)
    a_at = (m % M)[:, None] * A.stride(0) + k[None, :] * A.stride(1)
    b_at = k[:, None] * B.stride(0) + (n % N)[None, :] * B.stride(1)
    acc = xt.zeros((BM, BN), xt.f32)
    for step in range(xt.cdiv(K, BK)):
        a = xt.load_gather(xt.init_tile(A, a_at), k[None, :] < K - step * BK)
        b = xt.load_gather(xt.init_tile(B, b_at), k[:, None] < K - step * BK)
        acc = xt.tile_mma(a, b, acc)
        a_at += BK * A.stride(1)
        b_at += BK * B.stride(0)
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m[:, None] * C.stride(0) + n[None, :]), (m[:, None] < M) & (n[None, :] < N))


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[2], BM), Q.shape[0], Q.shape[1]))
def attended(Q, K, V, Out, scale, BM: xt.constexpr = 128, BN: xt.constexpr = 64, D: xt.constexpr = 64):
    """Attention by places: keys are masked, columns of heads are known to be there."""
    N, z, h = Q.shape[2], xt.program_id(1), xt.program_id(2)
    m, d = xt.program_id(0) * BM + xt.arange(BM), xt.arange(D)
    q_at = z * Q.stride(0) + h * Q.stride(1) + m[:, None] * Q.stride(2) + d[None, :]
    q = xt.load_gather(xt.init_tile(Q, q_at), m[:, None] < N)
    top, total, acc = xt.full((BM, 1), float("-inf"), xt.f32), xt.zeros((BM, 1), xt.f32), xt.zeros((BM, D), xt.f32)
    for first in range(0, N, BN):
        n = first + xt.arange(BN)
        k_at = z * K.stride(0) + h * K.stride(1) + n[None, :] * K.stride(2) + d[:, None]
        scores = (q @ xt.load_gather(xt.init_tile(K, k_at), n[None, :] < N)) * scale
        scores = xt.where(n[None, :] < N, scores, float("-inf"))
        new = xt.maximum(top, xt.max(scores, axis=1))
        p, fade = xt.exp(scores - new), xt.exp(top - new)
        v_at = z * V.stride(0) + h * V.stride(1) + n[:, None] * V.stride(2) + d[None, :]
        acc = acc * fade + p.to(V.dtype) @ xt.load_gather(xt.init_tile(V, v_at), n[:, None] < N)
        total, top = total * fade + xt.sum(p, axis=1), new
    at = z * Out.stride(0) + h * Out.stride(1) + m[:, None] * Out.stride(2) + d[None, :]
    xt.store_scatter((acc / total).to(Out.dtype), xt.init_tile(Out, at), m[:, None] < N)


@xt.jit(grid=lambda M, N, BM, BN: (xt.cdiv(M, BM), xt.cdiv(N, BN)))
def counted(A, B, C, M, N, K, pitch_a, pitch_b, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """The same with sizes and pitches as numbers of their own; C's pitch is the length of its rows."""
    m, n = xt.program_id(0) * BM + xt.arange(BM)[:, None], xt.program_id(1) * BN + xt.arange(BN)[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, K, BK):
        i, j = k + xt.arange(BK)[:, None], k + xt.arange(BK)[None, :]
        a = xt.load_gather(xt.init_tile(A, m * pitch_a + j), (m < M) & (j < K))
        acc += a @ xt.load_gather(xt.init_tile(B, i * pitch_b + n), (i < K) & (n < N))
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m * N + n), (m < M) & (n < N))


@xt.jit(grid=lambda X: (X.shape[0],))
def normed(X, W, Y, B: xt.constexpr = 512):
    """Rows of X by the root of their mean square, times W."""
    row, c = xt.program_id(0), xt.arange(B)
    x = xt.load_gather(xt.init_tile(X, row * X.stride(0) + c), c < X.shape[1]).to(xt.f32)
    scale = xt.rsqrt(xt.sum(x * x, axis=0) / X.shape[1].to(xt.f32) + 1e-5)
    y = x * scale * xt.load_gather(xt.init_tile(W, c), c < X.shape[1]).to(xt.f32)
    xt.store_scatter(y.to(Y.dtype), xt.init_tile(Y, row * Y.stride(0) + c), c < Y.shape[1])


@xt.jit(grid=lambda M, N, BM, BN: (xt.cdiv(M, BM) * xt.cdiv(N, BN),))
def strided(A, B, C, M, N, K, am, ak, bk, bn, cm, cn, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32,
            GROUP: xt.constexpr = 8):  # fmt: skip
    """The same with all sizes and strides as numbers, as Triton's tutorial has them."""
    in_group = GROUP * xt.cdiv(N, BN)
    first = xt.program_id(0) // in_group * GROUP
    size = min(xt.cdiv(M, BM) - first, GROUP)
    m = (first + xt.program_id(0) % in_group % size) * BM + xt.arange(BM)
    n = xt.program_id(0) % in_group // size * BN + xt.arange(BN)
    k = xt.arange(BK)
    a_at, b_at = (m % M)[:, None] * am + k[None, :] * ak, k[:, None] * bk + (n % N)[None, :] * bn
    acc = xt.zeros((BM, BN), xt.f32)
    for step in range(xt.cdiv(K, BK)):
        a = xt.load_gather(xt.init_tile(A, a_at), k[None, :] < K - step * BK)
        b = xt.load_gather(xt.init_tile(B, b_at), k[:, None] < K - step * BK)
        acc = xt.tile_mma(a, b, acc)
        a_at += BK * ak
        b_at += BK * bk
    xt.store_scatter(acc.to(C.dtype), xt.init_tile(C, m[:, None] * cm + n[None, :] * cn), (m[:, None] < M) & (n[None, :] < N))


@xt.jit(grid=lambda rows: (rows,))
def softened(Y, X, y_pitch, x_pitch, rows, columns, B: xt.constexpr = 1024):
    """Softmax of a row, whose places are numbers' as well."""
    row, c = xt.program_id(0), xt.arange(B)
    x = xt.load_gather(xt.init_tile(X, row * x_pitch + c), c < columns, padding=float("-inf"))
    e = xt.exp(x - xt.max(x, axis=0))
    xt.store_scatter((e / xt.sum(e, axis=0)).to(Y.dtype), xt.init_tile(Y, row * y_pitch + c), c < columns)


def _added() -> Made:
    x, y = random(2080), random(2080, seed=1)
    return [x, y, np.zeros(2080, np.float32)], {2: x + y}


def _multiplied() -> Made:
    a, b = random(72, 88, dtype=np.float16), random(88, 80, dtype=np.float16, seed=1)
    return [a, b, np.zeros((72, 80), np.float32)], {2: a.astype(np.float64) @ b.astype(np.float64)}


def _counted() -> Made:
    (a, b, c), after = _multiplied()
    return [a, b, c, 72, 80, 88, 88, 80], after


def _strided() -> Made:
    (a, b, c), after = _multiplied()
    return [a, b, c, 72, 80, 88, 88, 1, 80, 1, 80, 1], after


def _softened() -> Made:
    x = random(5, 800)
    p = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return [np.zeros_like(x), x, 800, 800, 5, 800], {0: p / p.sum(1, keepdims=True)}


def _attended() -> Made:
    q, k, v = (random(1, 2, 100, 64, dtype=np.float16, seed=seed) for seed in range(3))
    scores = 0.125 * (q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3))
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return [q, k, v, np.zeros_like(q), 0.125], {3: p / p.sum(-1, keepdims=True) @ v.astype(np.float64)}


def _normed() -> Made:
    x, w = random(5, 400, dtype=np.float16), random(400, dtype=np.float16, seed=1)
    wx, ww = wide(x, w)
    return [x, w, np.zeros_like(x)], {2: wx / np.sqrt((wx * wx).mean(1, keepdims=True) + 1e-5) * ww}


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
    "rows to slots": Plain(slots, (F, "i32[?]", F), lambda: _slots(np.float32), {"pvc": 202, "bmg": 65}),
    "rows to slots, f16": Plain(slots, (H, "i32[?]", H), lambda: _slots(np.float16), {"pvc": 243, "bmg": 113}),
    "vector add by places": Plain(added, ("f32[?;lines]",) * 3, _added, {"pvc": 75, "bmg": 72, "dg2": 66}),
    "matmul by places": Plain(multiplied, (H, H, F), _multiplied, {"pvc": 53, "bmg": 47, "dg2": 219}, tolerance=1e-3),
    "matmul by places, 80 by 80": Plain(multiplied, (H, H, F), _multiplied, {"pvc": 46, "bmg": 37}, {"BM": 80, "BN": 80}, 1e-3),
    "matmul by places that move": Plain(moving, (H, H, F), _multiplied, {"pvc": 55, "bmg": 49, "dg2": 221}, tolerance=1e-3),
    "matmul by places that wrap": Plain(wrapping, (H, H, F), _multiplied, {"pvc": 54, "bmg": 49, "dg2": 167}, tolerance=1e-3),
    "matmul by numbers": Plain(counted, (H, H, F, *("index",) * 5), _counted, {"pvc": 53, "bmg": 48, "dg2": 166}, tolerance=1e-3),
    "matmul by strides": Plain(strided, (H, H, F, *("index",) * 9), _strided, {"pvc": 53, "bmg": 48, "dg2": 167}, tolerance=1e-3),
    "softmax by strides": Plain(softened, (F, F, *("index",) * 4), _softened, {"pvc": 615, "bmg": 474}),
    "attention by places": Plain(attended, ("f16[?,?,?,?]",) * 4 + ("f32",), _attended, {"pvc": 422, "bmg": 391}, tolerance=4e-3),
    "rms norm by places": Plain(normed, (H, "f16[?]", H), _normed, {"pvc": 389, "bmg": 294, "dg2": 467}, tolerance=2e-3),
    "products to rows": Plain(combined, (H, H, "i32[?]", "f32[?]", F), _combined, {"pvc": 57, "bmg": 52}, tolerance=1e-3),
}

"""Kernels that take values apart, as people write them: pairs of columns, rows one after the other, scans, states."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def pairs(X, Cos, Sin, Out, D: xt.constexpr = 64, BM: xt.constexpr = 32):
    """Rotary positions of neighbours in a row."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, D))).to(xt.f32)
    c = xt.load_tile(xt.init_tile(Cos, (m, 0), (BM, D // 2)))
    s = xt.load_tile(xt.init_tile(Sin, (m, 0), (BM, D // 2)))
    a, b = x[:, ::2], x[:, 1::2]
    y = xt.interleave(a * c - b * s, a * s + b * c)
    xt.store_tile(y.to(Out.dtype), xt.init_tile(Out, (m, 0), (BM, D)))


@xt.jit(grid=lambda A, BC: (xt.cdiv(A.shape[1], BC),), num_subgroups=1)
def scan(A, B, H, BT: xt.constexpr = 32, BC: xt.constexpr = 16):
    """h = A[t] * h + B[t]."""
    c = xt.program_id(0) * BC
    h = xt.zeros((1, BC), xt.f32)
    for t in range(0, A.shape[0], BT):
        a, b = xt.load_tile(xt.init_tile(A, (t, c), (BT, BC))), xt.load_tile(xt.init_tile(B, (t, c), (BT, BC)))
        fades, sums = xt.associative_scan(lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]), (a, b), 0)
        y = sums + fades * h
        xt.store_tile(y, xt.init_tile(H, (t, c), (BT, BC)))
        h = y[BT - 1 : BT, :]


@xt.jit(grid=lambda B, BN: (xt.cdiv(B.shape[1], BN),))
def triangular(L, B, X, N: xt.constexpr = 16, BN: xt.constexpr = 32):
    """L @ X = B by forward substitution."""
    n = xt.program_id(0) * BN
    low, x = xt.load_tile(xt.init_tile(L, (0, 0), (N, N))), xt.load_tile(xt.init_tile(B, (0, n), (N, BN)))
    rows = xt.arange(N)[:, None]
    for j in xt.static_range(N):
        found = x[j : j + 1, :] / low[j, j]
        x = xt.where(rows == j, found, xt.where(rows > j, x - low[:, j : j + 1] * found, x))
    xt.store_tile(x, xt.init_tile(X, (0, n), (N, BN)))


@xt.jit(grid=lambda Out, B: (xt.cdiv(Out.shape[1], B), xt.cdiv(Out.shape[0], B)))
def shortest(D, E, Out, B: xt.constexpr = 32, BK: xt.constexpr = 16):
    """The least of D[i, k] + E[k, j] over k."""
    m, n = xt.program_id(1) * B, xt.program_id(0) * B
    best = xt.full((B, B), float("inf"))
    for k in range(0, D.shape[1], BK):
        d = xt.load_tile(xt.init_tile(D, (m, k), (B, BK)), padding=float("inf"))
        e = xt.load_tile(xt.init_tile(E, (k, n), (BK, B)), padding=float("inf"))
        for j in xt.static_range(BK):
            best = xt.minimum(best, d[:, j : j + 1] + e[j : j + 1, :])
    xt.store_tile(best, xt.init_tile(Out, (m, n), (B, B)))


@xt.jit(grid=lambda Q: (Q.shape[0],))
def gated(Q, K, V, G, Out, D: xt.constexpr = 32, T: xt.constexpr = 16):
    """S = exp(G[t]) * S + outer(K[t], V[t]); Out[t] = Q[t] @ S, by chunks of T in f32."""
    h = xt.program_id(0)
    state = xt.zeros((D, D), xt.f32)
    for t in range(0, Q.shape[1], T):
        q, k, v, g = (xt.load_tile(xt.init_tile(A[h], (t, 0), (T, D))) for A in (Q, K, V, G))
        b = xt.cumsum(g, 0)
        last = b[T - 1 :, :]
        q = q * xt.exp(b)
        s = xt.where(xt.arange(T)[:, None] >= xt.arange(T)[None, :], q @ (k * xt.exp(-b)).T, 0)
        xt.store_tile(s @ v + q @ state, xt.init_tile(Out[h], (t, 0), (T, D)))
        state = state * xt.exp(last).T + (k * xt.exp(last - b)).T @ v


def _pairs() -> Made:
    x, c, s = random(40, 64, dtype=np.float16), random(40, 32, seed=1), random(40, 32, seed=2)
    a, b, wc, ws = wide(x[:, ::2], x[:, 1::2], c, s)
    return [x, c, s, np.zeros_like(x)], {3: np.stack([a * wc - b * ws, a * ws + b * wc], 2).reshape(40, 64)}


def _scan() -> Made:
    a, b = 1 / (1 + np.exp(-random(70, 40))), random(70, 40, seed=1)
    found, h = np.zeros((70, 40)), np.zeros(40)
    for t in range(70):
        h = a[t].astype(np.float64) * h + b[t]
        found[t] = h
    return [a, b, np.zeros_like(a)], {2: found}


def _triangular() -> Made:
    low, b = np.tril(random(16, 16)) * np.float32(0.3) + np.eye(16, dtype=np.float32), random(16, 40, seed=1)
    return [low, b, np.zeros_like(b)], {2: np.linalg.solve(*wide(low, b))}


def _shortest() -> Made:
    d, e = np.abs(random(40, 24)), np.abs(random(24, 50, seed=1))
    d[0] = np.inf
    d[1:, 3] = np.inf
    d[0, 0] = 1  # no row is all infinite
    wd, we = wide(d, e)
    return [d, e, np.zeros((40, 50), np.float32)], {2: (wd[:, :, None] + we[None]).min(1)}


def _gated() -> Made:
    q, k, v = (random(2, 40, 32, seed=i) for i in range(3))
    g = -np.abs(random(2, 40, 32, seed=3)) * np.float32(0.1)
    wq, wk, wv, wg = wide(q, k, v, g)
    found, state = np.zeros((2, 40, 32)), np.zeros((2, 32, 32))
    for t in range(40):
        state = state * np.exp(wg[:, t])[:, :, None] + wk[:, t, :, None] * wv[:, t, None, :]
        found[:, t] = (wq[:, t, None, :] @ state)[:, 0]
    return [q, k, v, g, np.zeros_like(q)], {4: found}


H, F, F3 = "f16[?,?]", "f32[?,?]", "f32[?,?,?]"
CASES = {
    "rotary positions of pairs": Plain(pairs, (H, F, F, H), _pairs, {"pvc": 448, "bmg": 375}, tolerance=2e-3),
    "scan of pairs": Plain(scan, (F, F, F), _scan, {"pvc": 488, "bmg": 470}),
    "triangular solve": Plain(triangular, (F, F, F), _triangular, {"pvc": 726, "bmg": 657}, tolerance=1e-4),
    "shortest ways": Plain(shortest, (F, F, F), _shortest, {"pvc": 1202, "bmg": 1136}),
    "gated linear attention": Plain(gated, (F3,) * 5, _gated, {"pvc": 815, "bmg": 671}),
}

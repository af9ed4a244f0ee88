"""Signals and sequences as people write them: convolutions, Fourier transforms by products, recurrent cells, retention."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[2], BN), xt.cdiv(Y.shape[1], BM), Y.shape[0]))
def conv1d(X, W, Y, TAPS: xt.constexpr = 3, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """Y[b, o, t] = sum of W[s, o, c] * X[b, c, t + s - TAPS // 2]."""
    m, n, b = xt.program_id(1) * BM, xt.program_id(0) * BN, xt.program_id(2)
    acc = xt.zeros((BM, BN), xt.f32)
    for c in range(0, X.shape[1], BK):
        for s in xt.static_range(TAPS):
            w = xt.load_tile(xt.init_tile(W[s], (m, c), (BM, BK)))
            acc += w @ xt.load_tile(xt.init_tile(X[b], (c, n + s - TAPS // 2), (BK, BN)))
    xt.store_tile(acc.to(Y.dtype), xt.init_tile(Y[b], (m, n), (BM, BN)))


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[3], BN), Y.shape[1], xt.cdiv(Y.shape[2], BM) * Y.shape[0]))
def conv2d(X, W, Y, TAPS: xt.constexpr = 3, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """X[b, h, w, c], W[r, s, c, o], Y[b, h, w, o]: pixels of a row by channels."""
    blocks = xt.cdiv(Y.shape[2], BM)
    n, y, m, b = xt.program_id(0) * BN, xt.program_id(1), xt.program_id(2) % blocks * BM, xt.program_id(2) // blocks
    acc = xt.zeros((BM, BN), xt.f32)
    for r in range(TAPS):
        row = y + r - TAPS // 2
        if (row >= 0) & (row < X.shape[1]):
            for s in range(TAPS):
                for c in range(0, X.shape[3], BK):
                    x = xt.load_tile(xt.init_tile(X[b, row], (m + s - TAPS // 2, c), (BM, BK)))
                    acc += x @ xt.load_tile(xt.init_tile(W[r, s], (c, n), (BK, BN)))
    xt.store_tile(acc.to(Y.dtype), xt.init_tile(Y[b, y], (m, n), (BM, BN)))


@xt.jit(grid=lambda X, BT, BC: (xt.cdiv(X.shape[1], BC), xt.cdiv(X.shape[0], BT)))
def depthwise(X, W, Y, TAPS: xt.constexpr = 4, BT: xt.constexpr = 32, BC: xt.constexpr = 64):
    """Y[t, c] = sum of W[s, c] * X[t - s, c]."""
    t, c = xt.program_id(1) * BT, xt.program_id(0) * BC
    acc = xt.zeros((BT, BC), xt.f32)
    for s in xt.static_range(TAPS):
        acc += xt.load_tile(xt.init_tile(X, (t - s, c), (BT, BC))) * xt.load_tile(xt.init_tile(W, (s, c), (1, BC)))
    xt.store_tile(acc, xt.init_tile(Y, (t, c), (BT, BC)))


@xt.jit(grid=lambda Re, BM, BN: (xt.cdiv(Re.shape[1], BN), xt.cdiv(Re.shape[0], BM)))
def fourier(X, C, S, Re, Im, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """Re = C @ X, Im = -S @ X: a Fourier transform of columns by matrices of cosines and sines."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    re, im = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[0], BK):
        x = xt.load_tile(xt.init_tile(X, (k, n), (BK, BN)))
        re += xt.load_tile(xt.init_tile(C, (m, k), (BM, BK))) @ x
        im -= xt.load_tile(xt.init_tile(S, (m, k), (BM, BK))) @ x
    xt.store_tile(re, xt.init_tile(Re, (m, n), (BM, BN)))
    xt.store_tile(im, xt.init_tile(Im, (m, n), (BM, BN)))


@xt.jit(grid=lambda Out, BM, BN: (xt.cdiv(Out.shape[1], BN), xt.cdiv(Out.shape[0], BM)))
def gru(X, H, W, U, Out, BM: xt.constexpr = 64, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """A step of a GRU: W [D, 3 E], U [E, 3 E] have the columns of its reset, update and new gates one after the other."""
    m, n, e = xt.program_id(1) * BM, xt.program_id(0) * BN, Out.shape[1]
    r, z = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    new, old = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, BK)))
        r += x @ xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        z += x @ xt.load_tile(xt.init_tile(W, (k, e + n), (BK, BN)))
        new += x @ xt.load_tile(xt.init_tile(W, (k, 2 * e + n), (BK, BN)))
    for k in range(0, H.shape[1], BK):
        h = xt.load_tile(xt.init_tile(H, (m, k), (BM, BK)))
        r += h @ xt.load_tile(xt.init_tile(U, (k, n), (BK, BN)))
        z += h @ xt.load_tile(xt.init_tile(U, (k, e + n), (BK, BN)))
        old += h @ xt.load_tile(xt.init_tile(U, (k, 2 * e + n), (BK, BN)))
    z, new = xt.sigmoid(z), xt.tanh(new + xt.sigmoid(r) * old)
    h = xt.load_tile(xt.init_tile(H, (m, n), (BM, BN))).to(xt.f32)
    xt.store_tile(((1 - z) * new + z * h).to(Out.dtype), xt.init_tile(Out, (m, n), (BM, BN)))


@xt.jit(grid=lambda X, B: (xt.cdiv(X.shape[1], B),))
def recurrent(X, W, H, B: xt.constexpr = 16, E: xt.constexpr = 64):
    """H[t] = tanh(X[t] + H[t - 1] @ W) for T steps: X, H [T, batch, E]."""
    b = xt.program_id(0) * B
    w = xt.load_tile(xt.init_tile(W, (0, 0), (E, E)))
    h = xt.zeros((B, E), xt.f32)
    for t in range(X.shape[0]):
        h = xt.tanh(xt.load_tile(xt.init_tile(X[t], (b, 0), (B, E))).to(xt.f32) + h.to(W.dtype) @ w)
        xt.store_tile(h.to(H.dtype), xt.init_tile(H[t], (b, 0), (B, E)))


@xt.jit(grid=lambda Q: (Q.shape[0],))
def retention(Q, K, V, Out, decay, D: xt.constexpr = 64, B: xt.constexpr = 64):
    """Out[t] = sum over s <= t of decay ** (t - s) * (Q[t] . K[s]) * V[s], by chunks of B with a state of D by D."""
    z = xt.program_id(0)
    state = xt.zeros((D, D), xt.f32)
    r, c = xt.arange(B)[:, None], xt.arange(B)[None, :]
    rate = xt.log2(decay)
    weights = xt.where(r >= c, xt.exp2((r - c).to(xt.f32) * rate), 0.0)
    before, after = xt.exp2((r + 1).to(xt.f32) * rate), xt.exp2((B - 1 - r).to(xt.f32) * rate)
    whole = xt.exp2(B * rate)
    for t in range(0, Q.shape[1], B):
        q, k = xt.load_tile(xt.init_tile(Q[z], (t, 0), (B, D))), xt.load_tile(xt.init_tile(K[z], (t, 0), (B, D)))
        v = xt.load_tile(xt.init_tile(V[z], (t, 0), (B, D)))
        out = ((q @ k.T) * weights).to(V.dtype) @ v + (q @ state.to(Q.dtype)) * before
        state = state * whole + k.T @ (v * after).to(V.dtype)
        xt.store_tile(out, xt.init_tile(Out[z], (t, 0), (B, D)))


def _conv1d() -> Made:
    x, w = random(2, 48, 72, dtype=np.float16), random(3, 80, 48, dtype=np.float16, seed=1)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1)))
    made = sum(np.einsum("oc,bct->bot", w[s].astype(np.float64), padded[:, :, s : s + 72]) for s in range(3))
    return [x, w, np.zeros((2, 80, 72), np.float32)], {2: np.asarray(made)}


def _conv2d() -> Made:
    x, w = random(2, 6, 20, 32, dtype=np.float16), random(3, 3, 32, 48, dtype=np.float16, seed=1)
    padded, wide_w = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0))), w.astype(np.float64)
    made = sum(padded[:, r : r + 6, s : s + 20] @ wide_w[r, s] for r in range(3) for s in range(3))
    return [x, w, np.zeros((2, 6, 20, 48), np.float32)], {2: np.asarray(made)}


def _depthwise() -> Made:
    x, w = random(70, 80), random(4, 80, seed=1)
    padded = np.pad(x.astype(np.float64), ((3, 0), (0, 0)))
    return [x, w, np.zeros_like(x)], {2: sum(padded[3 - s : 73 - s] * w[s] for s in range(4))}


def _fourier() -> Made:
    size, x = 72, random(72, 80, dtype=np.float16)
    angles = 2 * np.pi * (np.outer(np.arange(size), np.arange(size)) % size) / size
    c, s = np.cos(angles).astype(np.float16), np.sin(angles).astype(np.float16)
    zeros = [np.zeros((size, 80), np.float32) for _ in range(2)]
    wc, ws, wx = wide(c, s, x)
    return [x, c, s, *zeros], {3: wc @ wx, 4: -ws @ wx}


def _gru() -> Made:
    d, e, n = 48, 64, 70
    x, h = random(n, d, dtype=np.float16), random(n, e, dtype=np.float16, seed=1)
    w, u = (random(k, 3 * e, dtype=np.float16, seed=2) / np.float16(8) for k in (d, e))
    wx, wh, ww, wu = wide(x, h, w, u)
    a, b = np.split(wx @ ww, 3, 1), np.split(wh @ wu, 3, 1)
    r, z = (1 / (1 + np.exp(-(a[i] + b[i]))) for i in range(2))
    return [x, h, w, u, np.zeros((n, e), np.float32)], {4: (1 - z) * np.tanh(a[2] + r * b[2]) + z * wh}


def _recurrent() -> Made:
    x, w = random(6, 20, 64, dtype=np.float16), random(64, 64, dtype=np.float16, seed=1) / np.float16(16)
    h, steps = np.zeros((20, 64)), []
    for line in x.astype(np.float64):
        h = np.tanh(line + h @ w.astype(np.float64))
        steps.append(h)
    return [x, w, np.zeros_like(x)], {2: np.array(steps)}


def _retention() -> Made:
    q, k, v = (random(2, 130, 64, dtype=np.float16, seed=i) / np.float16(4) for i in range(3))
    places = np.arange(130)
    weights = np.where(places[:, None] >= places, 0.9375 ** np.maximum(places[:, None] - places, 0), 0)
    wq, wk, wv = wide(q, k, v)
    return [q, k, v, np.zeros(q.shape, np.float32), 0.9375], {3: (wq @ wk.swapaxes(1, 2) * weights) @ wv}


H, F, H3, F3, H4 = "f16[?,?]", "f32[?,?]", "f16[?,?,?;free]", "f32[?,?,?;free]", "f16[?,?,?,?;free]"
CASES = {
    "conv1d": Plain(conv1d, (H3, H3, F3), _conv1d, {"pvc": 138, "bmg": 126}),
    "conv2d": Plain(conv2d, (H4, H4, "f32[?,?,?,?;free]"), _conv2d, {"pvc": 49, "bmg": 44}),
    "depthwise convolution": Plain(depthwise, (F, F, F), _depthwise, {"pvc": 207, "bmg": 117}),
    "Fourier transform by products": Plain(fourier, (H, H, H, F, F), _fourier, {"pvc": 87, "bmg": 83, "dg2": 276}),
    "GRU cell": Plain(gru, (H, H, H, H, F), _gru, {"pvc": 49, "bmg": 44}, tolerance=1e-3),
    "recurrent layer": Plain(recurrent, (H3, H, H3), _recurrent, {"pvc": 440, "bmg": 424}, tolerance=2e-3),
    "retention": Plain(retention, (H3, H3, H3, F3, "f32"), _retention, {"pvc": 749, "bmg": 633}, tolerance=2e-3),
    # What is kept of the state is taken by a product first, then scaled.
    "retention, chunks of 16": Plain(
        retention, (H3, H3, H3, F3, "f32"), _retention, {"pvc": 380, "bmg": 357}, {"B": 16}, tolerance=2e-3
    ),
}

"""Products by operands that are worked out in the kernel, and rows that are reduced in other ways than by sums, as people write them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_attention import SCALE
from tests.kernels.plain_products import by_blocks, whole
from tests.kernels.plain_variants import by_rows, softmax


@xt.jit(grid=by_rows)
def rotated(Q, K, V, Cos, Sin, Out, scale, BM: xt.constexpr = 64, BN: xt.constexpr = 32, D: xt.constexpr = 64):
    """Causal attention of grouped heads; queries and keys are rotated by their positions as they are loaded."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    kv, half = h // (Q.shape[1] // K.shape[1]), D // 2
    q1 = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, half))).to(xt.f32)
    q2 = xt.load_tile(xt.init_tile(Q[z, h], (m, half), (BM, half))).to(xt.f32)
    c, s = (xt.load_tile(xt.init_tile(A, (m, 0), (BM, half))) for A in (Cos, Sin))
    qa, qb = (q1 * c - q2 * s).to(Q.dtype), (q2 * c + q1 * s).to(Q.dtype)
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), float("-inf"), xt.f32)
    rows = m + xt.arange(BM)[:, None]
    for n in range(0, xt.minimum(m + BM, K.shape[2]), BN):
        k1 = xt.load_tile(xt.init_tile(K[z, kv], (n, 0), (BN, half))).to(xt.f32)
        k2 = xt.load_tile(xt.init_tile(K[z, kv], (n, half), (BN, half))).to(xt.f32)
        c, s = (xt.load_tile(xt.init_tile(A, (n, 0), (BN, half))) for A in (Cos, Sin))
        ka, kb = (k1 * c - k2 * s).to(K.dtype), (k2 * c + k1 * s).to(K.dtype)
        x = (qa @ ka.T + qb @ kb.T) * scale
        columns = n + xt.arange(BN)[None, :]
        x = xt.where((columns <= rows) & (columns < K.shape[2]), x, float("-inf"))
        new = xt.maximum(top, xt.max(x, 1))
        p, again = xt.exp(x - new), xt.exp(top - new)
        total = total * again + xt.sum(p, 1)
        acc = acc * again + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z, kv], (n, 0), (BN, D)))
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]))
def sinks(Q, K, V, Sink, Out, scale, W, BM: xt.constexpr = 64, BN: xt.constexpr = 64, D: xt.constexpr = 64):
    """The last W keys, and one that is not there: its score is the head's."""
    m, h = xt.program_id(0) * BM, xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[h], (m, 0), (BM, D)))
    top, total, acc = xt.full((BM, 1), 0.0, xt.f32) + Sink[h], xt.full((BM, 1), 1.0, xt.f32), xt.zeros((BM, D), xt.f32)
    rows = m + xt.arange(BM)[:, None]
    for n in range(xt.maximum(m - W + 1, 0) // BN * BN, xt.minimum(m + BM, K.shape[1]), BN):
        x = q @ xt.load_tile(xt.init_tile(K[h], (n, 0), (BN, D))).T * scale
        columns = n + xt.arange(BN)[None, :]
        x = xt.where((columns <= rows) & (columns > rows - W) & (columns < K.shape[1]), x, float("-inf"))
        new = xt.maximum(top, xt.max(x, 1))
        p, again = xt.exp(x - new), xt.exp(top - new)
        total = total * again + xt.sum(p, 1)
        acc = acc * again + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[h], (n, 0), (BN, D)))
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[h], (m, 0), (BM, D)))


@xt.jit(grid=by_blocks)
def rows_to_bytes(X, W, S, C, BM: xt.constexpr = 64, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = X @ (W * S) of bytes: X is divided by a scale for each row, which the kernel finds."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    largest = xt.zeros((BM, 1), xt.f32)
    for k in range(0, X.shape[1], BK):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))).to(xt.f32)
        largest = xt.maximum(largest, xt.max(xt.abs(x), 1))
    s, acc = xt.maximum(largest, 1e-8) / 127.0, xt.zeros((BM, BN), xt.i32)
    for k in range(0, X.shape[1], BK):
        q = xt.round(xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))).to(xt.f32) / s).to(xt.i8)
        acc += q @ xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
    c = acc.to(xt.f32) * s * xt.load_tile(xt.init_tile(S, n, BN))[None, :]
    xt.store_tile(c.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def normed(X, G, B, W, C, eps, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = layer_norm(X) @ W."""
    m, n, size = xt.program_id(1) * BM, xt.program_id(0) * BN, X.shape[1]
    s, ss = xt.zeros((BM, 1), xt.f32), xt.zeros((BM, 1), xt.f32)
    for k in range(0, size, BK):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))).to(xt.f32)
        s, ss = s + xt.sum(x, 1), ss + xt.sum(x * x, 1)
    mean = s / size
    scale, acc = xt.rsqrt(ss / size - mean * mean + eps), xt.zeros((BM, BN), xt.f32)
    for k in range(0, size, BK):
        x = (xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))).to(xt.f32) - mean) * scale
        h = x * xt.load_tile(xt.init_tile(G, k, BK))[None, :] + xt.load_tile(xt.init_tile(B, k, BK))[None, :]
        acc += h.to(X.dtype) @ xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gated_bytes(X, W1, W2, S1, S2, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = silu(X @ (W1 * S1)) * (X @ (W2 * S2)): weights of bytes, a scale for each column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    g, u = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, BK)))
        g += x @ xt.load_tile(xt.init_tile(W1, (k, n), (BK, BN))).to(X.dtype)
        u += x @ xt.load_tile(xt.init_tile(W2, (k, n), (BK, BN))).to(X.dtype)
    g = g * xt.load_tile(xt.init_tile(S1, n, BN))[None, :]
    u = u * xt.load_tile(xt.init_tile(S2, n, BN))[None, :]
    xt.store_tile((g * xt.sigmoid(g) * u).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def narrow_rows(X, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = X @ (W * S[:, None]).T: weights of 8 bits, a row and a scale for each column of C."""
    m, n, acc = xt.program_id(1) * BM, xt.program_id(0) * BN, xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (n, k), (BN, BK))).to(X.dtype)
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ w.T
    xt.store_tile(acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda Q: (Q.shape[0],))
def decode_bytes(Q, K, V, Sk, Sv, Out, length, scale, G: xt.constexpr = 8, BN: xt.constexpr = 64, D: xt.constexpr = 64):
    """A token's attention to keys and values of bytes with a scale for each."""
    h = xt.program_id(0)
    q = xt.load_tile(xt.init_tile(Q[h], (0, 0), (G, D)))
    acc, total, top = xt.zeros((G, D), xt.f32), xt.zeros((G, 1), xt.f32), xt.full((G, 1), float("-inf"), xt.f32)
    for n in range(0, length, BN):
        k, v = (xt.load_tile(xt.init_tile(A[h], (n, 0), (BN, D))).to(Q.dtype) for A in (K, V))
        sk, sv = (xt.load_tile(xt.init_tile(A[h], n, BN))[None, :] for A in (Sk, Sv))
        x = xt.where(n + xt.arange(BN)[None, :] < length, q @ k.T * sk * scale, float("-inf"))
        new = xt.maximum(top, xt.max(x, 1))
        p, again = xt.exp(x - new), xt.exp(top - new)
        total, acc, top = total * again + xt.sum(p, 1), acc * again + (p * sv).to(Q.dtype) @ v, new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[h], (0, 0), (G, D)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def to_f8(X, Q, S, BM: xt.constexpr = 8, BN: xt.constexpr = 512):
    """Q = X / S, whose largest is the largest that its type has."""
    m, largest = xt.program_id(0) * BM, xt.zeros((BM, 1), xt.f32)
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32)
        largest = xt.maximum(largest, xt.max(xt.abs(x), 1))
    s = xt.maximum(largest, 1e-12) / 448.0
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32) / s
        xt.store_tile(x.to(Q.dtype), xt.init_tile(Q, (m, n), (BM, BN)))
    xt.store_tile(s, xt.init_tile(S, (m, 0), (BM, 1)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def router(X, W, Chosen, Weights, BM: xt.constexpr = 64, E: xt.constexpr = 16, BK: xt.constexpr = 32):
    """The two experts with the largest of X @ W, and their shares."""
    m, acc = xt.program_id(0) * BM, xt.zeros((BM, E), xt.f32)
    for k in range(0, X.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ xt.load_tile(xt.init_tile(W, (k, 0), (BK, E)))
    first, best = xt.argmax(acc, 1), xt.max(acc, 1)
    rest = xt.where(xt.arange(E)[None, :] == first, float("-inf"), acc)
    second, next_best = xt.argmax(rest, 1), xt.max(rest, 1)
    share = 1.0 / (1.0 + xt.exp(next_best - best))
    for i, (expert, part) in enumerate(((first, share), (second, 1.0 - share))):
        xt.store_tile(expert.to(xt.i32), xt.init_tile(Chosen, (m, i), (BM, 1)))
        xt.store_tile(part, xt.init_tile(Weights, (m, i), (BM, 1)))


@xt.jit(grid=lambda R: (R.shape[0],))
def time_mixing(R, K, V, W, U, Y, D: xt.constexpr = 32):
    """Y[t] = R[t] @ (s + U * kv); s = s * W[t] + kv, where kv is the outer product of K[t] and V[t] (RWKV)."""
    z = xt.program_id(0)
    state, bonus = xt.zeros((D, D), xt.f32), xt.load_tile(xt.init_tile(U[z], 0, D))[:, None]
    for t in range(R.shape[1]):
        r, k, v, w = (xt.load_tile(xt.init_tile(A[z], (t, 0), (1, D))) for A in (R, K, V, W))
        kv = k.T * v
        xt.store_tile(xt.sum(r.T * (state + bonus * kv), 0), xt.init_tile(Y[z], (t, 0), (1, D)))
        state = state * w.T + kv


def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, keep: Any) -> np.ndarray:
    return softmax(np.where(keep, q @ k.swapaxes(-1, -2) * SCALE, -np.inf)) @ v


def _rotated() -> Made:
    q, k, v = (random(1, h, 70, 64, dtype=np.float16, seed=h) for h in (4, 2, 2))
    angles = np.arange(70)[:, None] * 0.1 ** (np.arange(32) / 8)
    cos, sin = (f(angles).astype(np.float32) for f in (np.cos, np.sin))

    def turn(x: np.ndarray) -> np.ndarray:
        a, b = x[..., :32].astype(np.float64), x[..., 32:].astype(np.float64)
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    keys, values = (np.repeat(x, 2, 1) for x in (turn(k), v.astype(np.float64)))
    expected = _attention(turn(q), keys, values, np.tri(70, dtype=bool))
    return [q, k, v, cos, sin, np.zeros_like(q), SCALE], {5: expected}


def _sinks() -> Made:
    q, k, v = (random(2, 150, 64, dtype=np.float16, seed=i) for i in range(3))
    sink = random(2, seed=3)
    i, [a, b, c, s] = np.arange(150), wide(q, k, v, sink)
    keep = (i <= i[:, None]) & (i > i[:, None] - 40)
    x = np.where(keep, a @ b.swapaxes(1, 2) * SCALE, -np.inf)
    x = np.concatenate([x, np.broadcast_to(s[:, None, None], (2, 150, 1))], -1)
    return [q, k, v, sink, np.zeros_like(q), SCALE, 40], {4: softmax(x)[..., :-1] @ c}


def _rows_to_bytes() -> Made:
    x, w = random(70, 128, dtype=np.float16), whole(128, 80, dtype=np.int8, low=-100, high=100)
    scales = np.abs(random(80, seed=3)) / 100
    s = np.abs(x.astype(np.float32)).max(1, keepdims=True) / np.float32(127)
    q = np.round(x.astype(np.float32) / s).astype(np.float64)
    return [x, w, scales, np.zeros((70, 80), np.float16)], {3: q @ w * s * scales}


def _normed() -> Made:
    x, w = random(70, 96, dtype=np.float16), random(96, 80, dtype=np.float16, seed=1)
    g, b = random(96, seed=2), random(96, seed=3)
    wx, ww, wg, wb = wide(x, w, g, b)
    h = (wx - wx.mean(1, keepdims=True)) / np.sqrt(wx.var(1, keepdims=True) + 1e-5) * wg + wb
    return [x, g, b, w, np.zeros((70, 80), np.float16), 1e-5], {4: h @ ww}


def _gated_bytes() -> Made:
    x, w1, w2 = random(70, 96, dtype=np.float16), *(whole(96, 80, dtype=np.int8, low=-100, high=100, seed=i) for i in (1, 2))
    s1, s2 = (np.abs(random(80, seed=i)) / 200 for i in (3, 4))
    wx, g, u, a, b = wide(x, w1, w2, s1, s2)
    g, u = wx @ g * a, wx @ u * b
    return [x, w1, w2, s1, s2, np.zeros((70, 80), np.float16)], {5: g / (1 + np.exp(-g)) * u}


def _narrow_rows(kind: Any) -> Made:
    x, w, s = random(70, 96, dtype=np.float16), whole(80, 96, dtype=kind, seed=1), np.abs(random(80, seed=2))
    wx, ww, ws = wide(x, w, s)
    return [x, w, s, np.zeros((70, 80), np.float32)], {3: wx @ ww.T * ws}


def _decode_bytes() -> Made:
    q, k, v = random(2, 8, 64, dtype=np.float16), *(whole(2, 200, 64, dtype=np.int8, low=-99, high=99, seed=i) for i in (1, 2))
    sk, sv = (np.abs(random(2, 200, seed=i)) / 100 for i in (3, 4))
    wq, wk, wv, a, b = wide(q, k, v, sk, sv)
    expected = _attention(wq, (wk * a[..., None])[:, :150], (wv * b[..., None])[:, :150], np.True_)
    return [q, k, v, sk, sv, np.zeros((2, 8, 64), np.float16), 150, SCALE], {5: expected}


def _to_f8() -> Made:
    x = random(20, 700, dtype=np.float16)
    s = np.abs(x.astype(np.float32)).max(1, keepdims=True) / np.float32(448)
    q = (x.astype(np.float32) / s).astype(ml_dtypes.float8_e4m3fn)
    return [x, np.zeros_like(q), np.zeros_like(s)], {1: q.astype(np.float64), 2: s}


def _router() -> Made:
    x, w = random(70, 64, dtype=np.float16), random(64, 16, dtype=np.float16, seed=1)
    found: Any = np.matmul(*wide(x, w))
    chosen = np.argsort(-found, 1)[:, :2]
    shares = softmax(np.take_along_axis(found, chosen, 1))
    return [x, w, np.zeros((70, 2), np.int32), np.zeros((70, 2), np.float32)], {2: chosen, 3: shares}


def _time_mixing() -> Made:
    r, k, v = (random(2, 20, 32, seed=i) for i in range(3))
    w, u = np.random.default_rng(5).uniform(0.5, 1, (2, 20, 32)).astype(np.float32), random(2, 32, seed=6)
    wr, wk, wv, ww, wu = wide(r, k, v, w, u)
    y, s = np.zeros(r.shape), np.zeros((2, 32, 32))
    for t in range(20):
        kv = wk[:, t, :, None] * wv[:, t, None, :]
        y[:, t] = (wr[:, t, :, None] * (s + wu[:, :, None] * kv)).sum(1)
        s = s * ww[:, t, :, None] + kv
    return [r, k, v, w, u, np.zeros_like(r)], {5: y}


H, F, B8, LINE = "f16[?,?]", "f32[?,?]", "i8[?,?]", "f32[?]"
H3, F3, B3, H4 = "f16[?,?,?;free]", "f32[?,?,?;free]", "i8[?,?,?;free]", "f16[?,?,?,?;free]"
CASES = {
    "attention, rotated": Plain(rotated, (H4, H4, H4, F, F, H4, "f32"), _rotated, {"pvc": 545}, tolerance=5e-3),
    "attention, sinks": Plain(
        sinks, (H3, H3, H3, LINE, H3, "f32", "i32"), _sinks, {"pvc": 502, "bmg": 466, "dg2": 1058}, tolerance=5e-3
    ),
    "rows to bytes": Plain(rows_to_bytes, (H, B8, LINE, H), _rows_to_bytes, {"pvc": 2113, "bmg": 2105}, tolerance=2e-3),
    "layer norm, product": Plain(
        normed, (H, LINE, LINE, H, H, "f32"), _normed, {"pvc": 249, "bmg": 235, "dg2": 445}, tolerance=3e-3
    ),
    "gated MLP, bytes": Plain(
        gated_bytes, (H, B8, B8, LINE, LINE, H), _gated_bytes, {"pvc": 119, "bmg": 114, "dg2": 295}, tolerance=2e-3
    ),
    "weights i8, rows": Plain(narrow_rows, (H, B8, LINE, F), lambda: _narrow_rows(np.int8), {"pvc": 91, "bmg": 84, "dg2": 264}),
    "weights f8e5m2, rows": Plain(
        narrow_rows, (H, "f8e5m2[?,?]", LINE, F), lambda: _narrow_rows(ml_dtypes.float8_e5m2), {"pvc": 75, "bmg": 68, "dg2": 251}
    ),
    "attention, bytes": Plain(
        decode_bytes, (H3, B3, B3, F, F, H3, "i32", "f32"), _decode_bytes, {"pvc": 986, "bmg": 951}, tolerance=5e-3
    ),
    "rows to f8": Plain(to_f8, (H, "f8e4m3[?,?]", F), _to_f8, {"pvc": 625, "bmg": 619}),
    # One more than 33 on BMG: ops stand in another order that needs as many registers.
    "router": Plain(router, (H, H, "i32[?,?]", F), _router, {"pvc": 39, "bmg": 34}),
    "time mixing": Plain(time_mixing, (F3, F3, F3, F3, F, F3), _time_mixing, {"pvc": 160, "bmg": 147}),
}

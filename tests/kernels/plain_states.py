"""State space models, mixtures of experts and transforms as people write them."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda X: (X.shape[0],))
def state_space(X, Decay, B, C, Y, P: xt.constexpr = 64, N: xt.constexpr = 32, T: xt.constexpr = 64):
    """h = exp(Decay[t]) * h + outer(B[t], X[t]); Y[t] = C[t] @ h, by chunks of T. X, Y [Z, T, P]; Decay [Z, T]; B, C [Z, T, N]."""
    z = xt.program_id(0)
    h = xt.zeros((N, P), xt.f32)
    r, c = xt.arange(T)[:, None], xt.arange(T)[None, :]
    for t in range(0, X.shape[1], T):
        x = xt.load_tile(xt.init_tile(X[z], (t, 0), (T, P)))
        b = xt.load_tile(xt.init_tile(B[z], (t, 0), (T, N)))
        cc = xt.load_tile(xt.init_tile(C[z], (t, 0), (T, N)))
        a = xt.cumsum(xt.load_tile(xt.init_tile(Decay[z], t, T)), axis=0)
        rows, columns = a[:, None], a[None, :]
        decay = xt.where(r >= c, xt.exp(rows - columns), 0.0)
        y = ((cc @ b.T) * decay).to(X.dtype) @ x
        y += (cc @ h.to(X.dtype)) * xt.exp(rows)
        last = xt.sum(xt.load_tile(xt.init_tile(Decay[z], t, T)), axis=0)
        h = h * xt.exp(last) + b.T @ (x * xt.exp(last - rows)).to(X.dtype)
        xt.store_tile(y, xt.init_tile(Y[z], (t, 0), (T, P)))


@xt.jit(grid=lambda C, Blocks, BN: (xt.cdiv(C.shape[1], BN), Blocks.shape[0]))
def experts(A, W, Rows, Blocks, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C[i] = A[Rows[i]] @ W[Blocks[i // BM]]: tokens sorted by expert, padded to whole blocks with rows of -1."""
    e, m, n = Blocks[xt.program_id(1)], xt.program_id(1) * BM, xt.program_id(0) * BN
    rows = xt.load_tile(xt.init_tile(Rows, m, BM))[:, None]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        columns = k + xt.arange(BK)[None, :]
        a = xt.load_gather(xt.init_tile(A, rows * A.shape[1] + columns), mask=(rows >= 0) & (columns < A.shape[1]))
        acc += a @ xt.load_tile(xt.init_tile(W[e], (k, n), (BK, BN)))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[3], BN), xt.cdiv(Y.shape[2], BM), Y.shape[0] * Y.shape[1]))
def nine_products(X, W, Y, BM: xt.constexpr = 32, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """X [Z, R + 2, S + 2, C] padded, W [3, 3, C, O], Y [Z, R, S, O]."""
    s, o = xt.program_id(1) * BM, xt.program_id(0) * BN
    z, r = xt.program_id(2) // Y.shape[1], xt.program_id(2) % Y.shape[1]
    acc = xt.zeros((BM, BN), xt.f32)
    for c in range(0, X.shape[3], BK):
        for i in xt.static_range(3):
            for j in xt.static_range(3):
                x = xt.load_tile(xt.init_tile(X[z, r + i], (s + j, c), (BM, BK)))
                acc += x @ xt.load_tile(xt.init_tile(W[i, j], (c, o), (BK, BN)))
    xt.store_tile(xt.maximum(acc, 0.0), xt.init_tile(Y[z, r], (s, o), (BM, BN)))


@xt.jit(grid=lambda Yr, BM, BN: (xt.cdiv(Yr.shape[1], BN), xt.cdiv(Yr.shape[0], BM)))
def complex_product(Ar, Ai, Br, Bi, Yr, Yi, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    re, im = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, Ar.shape[1], BK):
        ar, ai = xt.load_tile(xt.init_tile(Ar, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(Ai, (m, k), (BM, BK)))
        br, bi = xt.load_tile(xt.init_tile(Br, (k, n), (BK, BN))), xt.load_tile(xt.init_tile(Bi, (k, n), (BK, BN)))
        re += ar @ br - ai @ bi
        im += ar @ bi + ai @ br
    xt.store_tile(re, xt.init_tile(Yr, (m, n), (BM, BN)))
    xt.store_tile(im, xt.init_tile(Yi, (m, n), (BM, BN)))


@xt.jit(grid=lambda Q: (Q.shape[0],))
def linear_attention(Q, K, V, Out, D: xt.constexpr = 64, T: xt.constexpr = 64):
    """Causal, features elu(x) + 1, a state and a sum of keys, by chunks of T."""
    z = xt.program_id(0)
    state, total = xt.zeros((D, D), xt.f32), xt.zeros((1, D), xt.f32)
    below = xt.arange(T)[:, None] >= xt.arange(T)[None, :]
    for t in range(0, Q.shape[1], T):
        q = xt.load_tile(xt.init_tile(Q[z], (t, 0), (T, D))).to(xt.f32)
        k = xt.load_tile(xt.init_tile(K[z], (t, 0), (T, D))).to(xt.f32)
        v = xt.load_tile(xt.init_tile(V[z], (t, 0), (T, D)))
        q, k = xt.where(q > 0, q + 1, xt.exp(q)), xt.where(k > 0, k + 1, xt.exp(k))
        s = xt.where(below, q.to(V.dtype) @ k.to(V.dtype).T, 0.0)
        norm = xt.sum(s, axis=1) + xt.sum(q * total, axis=1)
        out = s.to(V.dtype) @ v + q.to(V.dtype) @ state.to(V.dtype)
        xt.store_tile(out / norm, xt.init_tile(Out[z], (t, 0), (T, D)))
        state += k.to(V.dtype).T @ v
        total += xt.sum(k, axis=0)


@xt.jit(grid=lambda X, BD: (xt.cdiv(X.shape[2], BD), X.shape[0]))
def scan_of_rows(X, Step, A, B, C, Y, N: xt.constexpr = 4, BD: xt.constexpr = 128):
    """Mamba's scan of N states, each a row of its own: X, Step, Y [Z, T, D]; A [N, D]; B, C [Z, T, N]."""
    d, z = xt.program_id(0) * BD, xt.program_id(1)
    a = [xt.load_tile(xt.init_tile(A[n], d, BD)) for n in range(N)]
    h = [xt.zeros((BD,), xt.f32) for n in range(N)]
    for t in range(X.shape[1]):
        x = xt.load_tile(xt.init_tile(X[z, t], d, BD)).to(xt.f32)
        step = xt.load_tile(xt.init_tile(Step[z, t], d, BD)).to(xt.f32)
        h = [xt.exp(step * a[n]) * h[n] + B[z, t, n] * (step * x) for n in range(N)]
        y = xt.zeros((BD,), xt.f32)
        for n in xt.static_range(N):
            y += C[z, t, n] * h[n]
        xt.store_tile(y.to(Y.dtype), xt.init_tile(Y[z, t], d, BD))


def _scan_of_rows() -> Made:
    x, step = random(2, 21, 136, dtype=np.float16), np.abs(random(2, 21, 136, dtype=np.float16, seed=1)) / np.float16(2)
    b, c = (random(2, 21, 4, dtype=np.float16, seed=i) for i in (2, 3))
    a = -np.abs(random(4, 136, seed=4))
    h, y = np.zeros((2, 4, 136)), np.zeros(x.shape)
    wx, ws, wa, wb, wc = wide(x, step, a, b, c)
    for t in range(21):
        h = np.exp(ws[:, t, None] * wa) * h + wb[:, t, :, None] * (ws[:, t] * wx[:, t])[:, None]
        y[:, t] = np.einsum("zn,znd->zd", wc[:, t], h)
    return [x, step, a, b, c, np.zeros(x.shape, np.float16)], {5: y}


def _state_space() -> Made:
    x = random(1, 130, 64, dtype=np.float16)
    b, c = (random(1, 130, 32, dtype=np.float16, seed=i) / np.float16(4) for i in (1, 2))
    decay = -np.abs(random(1, 130, seed=3)) / 8
    h, y = np.zeros((1, 32, 64)), np.zeros(x.shape)
    wx, wb, wc, wd = wide(x, b, c, decay)
    for t in range(130):
        h = np.exp(wd[:, t, None, None]) * h + wb[:, t, :, None] * wx[:, t, None, :]
        y[:, t] = np.einsum("zn,znp->zp", wc[:, t], h)
    return [x, decay, b, c, np.zeros(x.shape, np.float32)], {4: y}


def _experts() -> Made:
    a, w = random(50, 72, dtype=np.float16), random(3, 72, 80, dtype=np.float16, seed=1)
    rows, experts_of = np.full(256, -1, np.int32), np.array([2, 0, 2, 1], np.int32)
    for i, n in enumerate((64, 10, 33, 1)):
        rows[64 * i : 64 * i + n] = np.random.default_rng(i).integers(0, 50, n)
    wa, ww = wide(a, w)
    expected = np.einsum("ik,ikn->in", np.where(rows[:, None] >= 0, wa[rows], 0), np.repeat(ww[experts_of], 64, axis=0))
    return [a, w, rows, experts_of, np.zeros((256, 80), np.float32)], {4: expected}


def _nine() -> Made:
    x, w = random(2, 6, 42, 48, dtype=np.float16), random(3, 3, 48, 80, dtype=np.float16, seed=1)
    wx, ww = wide(x, w)
    made = sum(wx[:, i : i + 4, j : j + 40] @ ww[i, j] for i in range(3) for j in range(3))
    return [x, w, np.zeros((2, 4, 40, 80), np.float32)], {2: np.maximum(made, 0)}


def _complex() -> Made:
    ar, ai = (random(72, 96, dtype=np.float16, seed=i) for i in range(2))
    br, bi = (random(96, 80, dtype=np.float16, seed=i) for i in range(2, 4))
    war, wai, wbr, wbi = wide(ar, ai, br, bi)
    zeros = [np.zeros((72, 80), np.float32) for _ in range(2)]
    return [ar, ai, br, bi, *zeros], {4: war @ wbr - wai @ wbi, 5: war @ wbi + wai @ wbr}


def _linear() -> Made:
    q, k, v = (random(1, 130, 64, dtype=np.float16, seed=i) for i in range(3))
    wq, wk, wv = wide(q, k, v)
    q1, k1 = (np.where(x > 0, x + 1, np.exp(x)) for x in (wq, wk))
    s = np.tril(q1 @ k1.swapaxes(1, 2))
    return [q, k, v, np.zeros(q.shape, np.float32)], {3: s @ wv / s.sum(-1, keepdims=True)}


H, F, H3, F3, H4, F4 = "f16[?,?]", "f32[?,?]", "f16[?,?,?;free]", "f32[?,?,?;free]", "f16[?,?,?,?;free]", "f32[?,?,?,?;free]"
CASES = {
    "state space model by chunks": Plain(
        state_space, (H3, F, H3, H3, F3), _state_space, {"pvc": 823, "bmg": 693}, tolerance=2e-3
    ),
    "selective scan, states as rows": Plain(
        scan_of_rows, (H3, H3, F, H3, H3, H3), _scan_of_rows, {"pvc": 385, "bmg": 326}, tolerance=2e-3
    ),
    "mixture of experts": Plain(experts, (H, H3, "i32[?]", "i32[?]", F), _experts, {"pvc": 166, "bmg": 162}, tolerance=1e-4),
    "conv2d by nine products": Plain(nine_products, (H4, H4, F4), _nine, {"pvc": 128, "bmg": 110}, tolerance=1e-4),
    "complex product": Plain(complex_product, (H,) * 4 + (F, F), _complex, {"pvc": 93, "bmg": 84}, tolerance=1e-4),
    "linear attention": Plain(linear_attention, (H3, H3, H3, F3), _linear, {"pvc": 1240, "bmg": 1067}, tolerance=2e-3),
}

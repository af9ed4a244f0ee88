"""Variants of attention as people write them: biases, caps, lengths from memory, lists of blocks, all gradients at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_attention import LOWEST, SCALE, weights


def by_rows(Q: Any, BM: int) -> tuple[int, int, int]:
    """Blocks of queries, heads, sequences of Q [Z, H, N, D]."""
    return xt.cdiv(Q.shape[2], BM), Q.shape[1], Q.shape[0]


@xt.jit(grid=by_rows)
def alibi(Q, K, V, Slopes, Out, scale, D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """Causal; the further a key is behind, the less it counts: by the head's slope."""
    h, z = xt.program_id(1), xt.program_id(2)
    m = xt.program_id(0) * BM
    slope = Slopes[h]
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    rows = m + xt.arange(BM)[:, None]
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
    for n in range(0, min(m + BM, K.shape[2]), BN):
        k = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, D)))
        v = xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D)))
        columns = n + xt.arange(BN)[None, :]
        s = (q @ k.T) * scale + slope * (columns - rows).to(xt.f32)
        s = xt.where(columns <= rows, s, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade = xt.exp(top - new)
        p = xt.exp(s - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(V.dtype) @ v
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=by_rows)
def softcap(Q, K, V, Out, scale, cap, D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    h, z = xt.program_id(1), xt.program_id(2)
    m = xt.program_id(0) * BM
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
    for n in range(0, K.shape[2], BN):
        k = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, D)))
        v = xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D)))
        s = cap * xt.tanh((q @ k.T) * scale / cap)
        s = xt.where(n + xt.arange(BN)[None, :] < K.shape[2], s, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade = xt.exp(top - new)
        p = xt.exp(s - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(V.dtype) @ v
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=by_rows)
def lengths(Q, K, V, Lengths, Out, scale, G: xt.constexpr = 2, W: xt.constexpr = 40, D: xt.constexpr = 64,
            BM: xt.constexpr = 64, BN: xt.constexpr = 64):  # fmt: skip
    """Each sequence has its own length; G heads share keys; windows of W keys by a condition alone."""
    h, z = xt.program_id(1), xt.program_id(2)
    m = xt.program_id(0) * BM
    length = Lengths[z]
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
    rows = m + xt.arange(BM)[:, None]
    for n in range(0, length, BN):
        k = xt.load_tile(xt.init_tile(K[z, h // G], (n, 0), (BN, D)))
        v = xt.load_tile(xt.init_tile(V[z, h // G], (n, 0), (BN, D)))
        columns = n + xt.arange(BN)[None, :]
        seen = (columns < length) & (xt.abs(columns - rows) < W)
        s = xt.where(seen, (q @ k.T) * scale, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade = xt.exp(top - new)
        p = xt.where(seen, xt.exp(s - new), 0.0)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(V.dtype) @ v
        top = new
    out = xt.where(rows < length, acc / total, 0.0)
    xt.store_tile(out.to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q, First, BM: (xt.cdiv(Q.shape[1], BM), First.shape[0] - 1, Q.shape[0]))
def packed_alibi(Q, K, V, First, Slopes, Out, scale, SLOPES: xt.constexpr = True, D: xt.constexpr = 64, BM: xt.constexpr = 64,
                 BN: xt.constexpr = 64):  # fmt: skip
    """Sequences one after the other in [H, T, D], of which each begins at its First; causal, with slopes; rows are scattered."""
    i, h = xt.program_id(1), xt.program_id(2)
    first, end = First[i], First[i + 1]
    m = first + xt.program_id(0) * BM
    if m < end:
        slope = Slopes[h]
        q = xt.load_tile(xt.init_tile(Q[h], (m, 0), (BM, D)))
        acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
        rows = m + xt.arange(BM)[:, None]
        for n in range(first, end, BN):
            k = xt.load_tile(xt.init_tile(K[h], (n, 0), (BN, D)))
            v = xt.load_tile(xt.init_tile(V[h], (n, 0), (BN, D)))
            columns = n + xt.arange(BN)[None, :]
            s = (q @ k.T) * scale
            if SLOPES:
                s = s + slope * (columns - rows).to(xt.f32)
            s = xt.where((columns <= rows) & (columns < end), s, LOWEST)
            new = xt.maximum(top, xt.max(s, axis=1))
            p, fade = xt.exp(s - new), xt.exp(top - new)
            total = total * fade + xt.sum(p, axis=1)
            acc = acc * fade + p.to(V.dtype) @ v
            top = new
        columns = xt.arange(D)[None, :]
        xt.store_scatter((acc / total).to(Out.dtype), xt.init_tile(Out[h], rows * D + columns), (rows < end) & (columns < D))


@xt.jit(grid=by_rows)
def latent(Q, R, K, P, Out, scale, D: xt.constexpr = 128, E: xt.constexpr = 32, BM: xt.constexpr = 64, BN: xt.constexpr = 32):
    """Scores Q @ K.T + R @ P.T: what is said and where it is said; K is the values too, and all heads share K and P [Z, N, .]."""
    h, z = xt.program_id(1), xt.program_id(2)
    m = xt.program_id(0) * BM
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    r = xt.load_tile(xt.init_tile(R[z, h], (m, 0), (BM, E)))
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
    for n in range(0, K.shape[1], BN):
        k = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D)))
        p = xt.load_tile(xt.init_tile(P[z], (n, 0), (BN, E)))
        s = (q @ k.T + r @ p.T) * scale
        s = xt.where(n + xt.arange(BN)[None, :] < K.shape[1], s, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade = xt.exp(top - new)
        w = xt.exp(s - new)
        total = total * fade + xt.sum(w, axis=1)
        acc = acc * fade + w.to(K.dtype) @ k
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=lambda K, BN: (xt.cdiv(K.shape[1], BN), K.shape[0]))
def backward(Q, K, V, dOut, L, Dl, dQ, dK, dV, scale, D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """All three gradients: programs own keys and add to dQ."""
    n, z = xt.program_id(0) * BN, xt.program_id(1)
    k, v = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
    dk, dv = xt.zeros((BN, D), xt.f32), xt.zeros((BN, D), xt.f32)
    for m in range(0, Q.shape[1], BM):
        q, do = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D))), xt.load_tile(xt.init_tile(dOut[z], (m, 0), (BM, D)))
        row, dl = xt.load_tile(xt.init_tile(L[z], m, BM))[:, None], xt.load_tile(xt.init_tile(Dl[z], m, BM))[:, None]
        p = xt.exp((q @ k.T) * scale - row)
        ds = (p * (do @ v.T - dl) * scale).to(Q.dtype)
        dv += p.to(dOut.dtype).T @ do
        dk += ds.T @ q
        xt.atomic_rmw_tile("add", ds @ k, xt.init_tile(dQ[z], (m, 0), (BM, D)))
    xt.store_tile(dv, xt.init_tile(dV[z], (n, 0), (BN, D)))
    xt.store_tile(dk, xt.init_tile(dK[z], (n, 0), (BN, D)))


@xt.jit(grid=by_rows)
def blocks(Q, K, V, Counts, Lists, Out, scale, D: xt.constexpr = 64, BM: xt.constexpr = 64):
    """Each block of queries sees the blocks of keys in its list."""
    i, h, z = xt.program_id(0), xt.program_id(1), xt.program_id(2)
    q = xt.load_tile(xt.init_tile(Q[z, h], (i * BM, 0), (BM, D)))
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
    for j in range(Counts[i]):
        n = Lists[i, j] * BM
        k = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BM, D)))
        v = xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BM, D)))
        s = (q @ k.T) * scale
        new = xt.maximum(top, xt.max(s, axis=1))
        fade = xt.exp(top - new)
        p = xt.exp(s - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(V.dtype) @ v
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (i * BM, 0), (BM, D)))


@xt.jit(grid=lambda Keys, Lengths: (1, Keys.shape[2], Lengths.shape[0]))
def paged_rows(Q, Keys, Values, Table, Lengths, Out, scale, G: xt.constexpr = 16, D: xt.constexpr = 64, PAGE: xt.constexpr = 32):
    """Decoding: the G queries that share keys are one tile. Q, Out [B, H * G, D]; Keys, Values [pages, PAGE, H, D]."""
    h, b = xt.program_id(1), xt.program_id(2)
    q = xt.load_tile(xt.init_tile(Q[b], (h * G, 0), (G, D)))
    acc, total, top = xt.zeros((G, D), xt.f32), xt.zeros((G, 1), xt.f32), xt.full((G, 1), LOWEST, xt.f32)
    for i in range(xt.cdiv(Lengths[b], PAGE)):
        page = Table[b, i]
        k = xt.load_tile(xt.init_tile(Keys[page, :, h], (0, 0), (PAGE, D)))
        v = xt.load_tile(xt.init_tile(Values[page, :, h], (0, 0), (PAGE, D)))
        s = (q @ k.T) * scale
        s = xt.where(i * PAGE + xt.arange(PAGE)[None, :] < Lengths[b], s, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade = xt.exp(top - new)
        p = xt.exp(s - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(Values.dtype) @ v
        top = new
    xt.store_tile(acc / total, xt.init_tile(Out[b], (h * G, 0), (G, D)))


def _many(z: int, h: int, n: int, d: int, shared: int = 1) -> list[np.ndarray]:
    return [random(z, h // g, n, d, dtype=np.float16, seed=i) for i, g in enumerate((1, shared, shared))]


def softmax(s: np.ndarray) -> np.ndarray:
    p = np.exp(s - s.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    a, b = wide(q, k)
    return a @ b.swapaxes(-1, -2) * SCALE


def _alibi() -> Made:
    q, k, v = _many(2, 3, 136, 64)
    slopes, places = np.array([0.5, 0.25, 0.125], np.float32), np.arange(136)
    far = places - places[:, None]
    s = np.where(far <= 0, scores(q, k) + slopes[:, None, None].astype(np.float64) * far, -np.inf)
    return [q, k, v, slopes, np.zeros_like(q), SCALE], {4: softmax(s) @ v.astype(np.float64)}


def _softcap() -> Made:
    q, k, v = _many(1, 2, 72, 64)
    p = softmax(3.0 * np.tanh(scores(q, k) / 3.0))
    return [q, k, v, np.zeros_like(q), SCALE, 3.0], {3: p @ v.astype(np.float64)}


def _lengths(most: int = 72, width: int = 40) -> Made:
    q, k, v = _many(2, 4, most, 64, 2)
    ends, out, places = np.array([most, 7], np.int32), np.zeros(q.shape), np.arange(most)
    for z, n in enumerate(ends):
        near = np.abs(places[:n] - places[:n, None]) < width
        for h in range(4):
            out[z, h, :n] = weights(q[z, h, :n], k[z, h // 2, :n], near) @ v[z, h // 2, :n].astype(np.float64)
    return [q, k, v, ends, np.zeros_like(q), SCALE], {4: out}


def _packed(slopes: Sequence[float] = (0.5, 0.25)) -> Made:
    q, k, v = (random(2, 180, 64, dtype=np.float16, seed=i) for i in range(3))
    each, firsts, out = np.array(slopes, np.float32), np.array([0, 70, 71, 180], np.int32), np.zeros(q.shape)
    for a, b in pairwise(firsts):
        far = np.arange(b - a) - np.arange(b - a)[:, None]
        s = scores(q[:, a:b], k[:, a:b]) + each[:, None, None].astype(np.float64) * far
        out[:, a:b] = softmax(np.where(far <= 0, s, -np.inf)) @ v[:, a:b].astype(np.float64)
    return [q, k, v, firsts, each, np.zeros_like(q), SCALE], {5: out}


def _latent() -> Made:
    q, r = random(2, 3, 72, 128, dtype=np.float16), random(2, 3, 72, 32, dtype=np.float16, seed=1)
    k, p = random(2, 80, 128, dtype=np.float16, seed=2), random(2, 80, 32, dtype=np.float16, seed=3)
    w = softmax(scores(q, k[:, None]) + scores(r, p[:, None]))
    return [q, r, k, p, np.zeros_like(q), SCALE], {4: w @ k[:, None].astype(np.float64)}


def _backward() -> Made:
    q, k, v, do = (random(1, 72, 64, dtype=np.float16, seed=i) for i in range(4))
    s, p = scores(q, k), weights(q, k)
    wq, wk, wv, wdo = wide(q, k, v, do)
    logs, dl = np.log(np.exp(s).sum(-1)), (p @ wv * wdo).sum(-1)
    ds = p * (wdo @ wv.swapaxes(1, 2) - dl[..., None]) * SCALE
    given = [q, k, v, do, logs.astype(np.float32), dl.astype(np.float32)]
    zeros = [np.zeros(q.shape, np.float32) for _ in range(3)]
    return [*given, *zeros, SCALE], {6: ds @ wk, 7: ds.swapaxes(1, 2) @ wq, 8: p.swapaxes(1, 2) @ wdo}


def _blocks() -> Made:
    q, k, v = _many(2, 2, 192, 64)
    seen = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]], bool)
    lists = np.zeros((3, 3), np.int32)
    for i, row in enumerate(seen):
        lists[i, : row.sum()] = np.flatnonzero(row)
    p = weights(q, k, np.kron(seen, np.ones((64, 64), bool)))
    return [q, k, v, seen.sum(1).astype(np.int32), lists, np.zeros_like(q), SCALE], {5: p @ v.astype(np.float64)}


def _paged() -> Made:
    q = random(3, 32, 64, dtype=np.float16)
    keys, values = (random(12, 32, 2, 64, dtype=np.float16, seed=i) for i in (1, 2))
    table, ends = np.random.default_rng(3).permutation(12).reshape(3, 4).astype(np.int32), np.array([5, 128, 65], np.int32)
    out = np.zeros(q.shape)
    for b, n in enumerate(ends):
        for h in range(2):
            k, v = (a[table[b], :, h].reshape(-1, 64)[:n] for a in (keys, values))
            out[b, 16 * h : 16 * h + 16] = weights(q[b, 16 * h : 16 * h + 16], k) @ v.astype(np.float64)
    return [q, keys, values, table, ends, np.zeros(q.shape, np.float32), SCALE], {5: out}


H3, F3, H4, F4, ROWS = "f16[?,?,?;free]", "f32[?,?,?;free]", "f16[?,?,?,?;free]", "f32[?,?,?,?;free]", "f32[?,?]"
CASES = {
    "attention, ALiBi": Plain(alibi, (H4, H4, H4, "f32[?]", H4, "f32"), _alibi, {"pvc": 596, "bmg": 522}, tolerance=2e-3),
    "attention, softcap": Plain(softcap, (H4, H4, H4, H4, "f32", "f32"), _softcap, {"pvc": 935, "bmg": 902}, tolerance=2e-3),
    "attention, packed, ALiBi": Plain(packed_alibi, (H3, H3, H3, "i32[?]", "f32[?]", H3, "f32"), _packed, {"pvc": 989, "bmg": 901},
                                      tolerance=2e-3),
    "attention, packed": Plain(packed_alibi, (H3, H3, H3, "i32[?]", "f32[?]", H3, "f32"), lambda: _packed((0, 0)), {"pvc": 489, "bmg": 395},
                               {"SLOPES": False}, 2e-3),
    "attention, lengths": Plain(lengths, (H4, H4, H4, "i32[?]", H4, "f32"), _lengths, {"pvc": 867, "bmg": 773}, tolerance=2e-3),
    "attention, lengths, near keys": Plain(lengths, (H4, H4, H4, "i32[?]", H4, "f32"), lambda: _lengths(330, 160), {"pvc": 483, "bmg": 394},
                                           {"W": 160}, 2e-3),
    "attention, latent": Plain(latent, (H4, H4, H3, H3, H4, "f32"), _latent, {"pvc": 320, "bmg": 288}, tolerance=2e-3),
    "attention backward": Plain(backward, (H3,) * 4 + (ROWS, ROWS, F3, F3, F3, "f32"), _backward, {"pvc": 691, "bmg": 593}, tolerance=2e-3),
    "attention, lists of blocks": Plain(blocks, (H4, H4, H4, "i32[?]", "i32[?,?]", H4, "f32"), _blocks, {"pvc": 418, "bmg": 416},
                                        tolerance=2e-3),
    # dg2: each step's operands are read where its product takes them, one instruction more.
    "attention, paged rows": Plain(paged_rows, (H3, H4, H4, "i32[?,?]", "i32[?]", F3, "f32"), _paged, {"pvc": 378, "bmg": 359, "dg2": 1546},
                                  tolerance=2e-3),
}  # fmt: skip

"""More of attention as people write it: blocks that a condition skips, several maps of scores, biases, pages, one query."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_attention import LOWEST, SCALE
from tests.kernels.plain_variants import by_rows, softmax


@xt.jit(grid=by_rows)
def window_sinks(Q, K, V, Out, scale, W: xt.constexpr = 128, S: xt.constexpr = 4, BM: xt.constexpr = 64,
                 BN: xt.constexpr = 64, D: xt.constexpr = 64):  # fmt: skip
    """The first S keys and the last W; blocks of none of them are skipped."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    g = h // (Q.shape[1] // K.shape[1])
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    acc = xt.zeros((BM, D), xt.f32)
    mx = xt.full((BM, 1), LOWEST, xt.f32)
    total = xt.zeros((BM, 1), xt.f32)
    rows = m + xt.arange(BM)[:, None]
    for n in range(0, min(m + BM, K.shape[2]), BN):
        if n < S or n + BN > m - W:
            k = xt.load_tile(xt.init_tile(K[z, g], (n, 0), (BN, D)))
            s = (q @ k.T) * scale
            cols = n + xt.arange(BN)[None, :]
            keep = (cols <= rows) & ((cols < S) | (cols > rows - W))
            s = xt.where(keep, s, LOWEST)
            new = xt.maximum(mx, xt.max(s, axis=1))
            p = xt.exp(s - new)
            alpha = xt.exp(mx - new)
            total = total * alpha + xt.sum(p, axis=1)
            v = xt.load_tile(xt.init_tile(V[z, g], (n, 0), (BN, D)))
            acc = acc * alpha + p.to(V.dtype) @ v
            mx = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]))
def in_two_loops(Q, K, V, Out, scale, BM: xt.constexpr = 128, BN: xt.constexpr = 64, D: xt.constexpr = 128):
    """Causal: first the blocks that all rows see, then those that the diagonal cuts; as many queries as keys."""
    m, z = xt.program_id(0) * BM, xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    largest, total, acc = xt.full((BM, 1), LOWEST, xt.f32), xt.zeros((BM, 1), xt.f32), xt.zeros((BM, D), xt.f32)
    rows = m + xt.arange(BM)[:, None]

    def step(n, largest, total, acc, masked):
        s = (q @ xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))).T) * scale
        if masked:
            s = xt.where(n + xt.arange(BN)[None, :] <= rows, s, LOWEST)
        new = xt.maximum(largest, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(largest - new)
        v = xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        return new, total * fade + xt.sum(p, axis=1), acc * fade + p.to(V.dtype) @ v

    for n in range(0, m, BN):
        largest, total, acc = step(n, largest, total, acc, False)
    for n in range(m, min(m + BM, K.shape[1]), BN):
        largest, total, acc = step(n, largest, total, acc, True)
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q1, BM: (xt.cdiv(Q1.shape[2], BM), Q1.shape[1], Q1.shape[0]))
def differential(Q1, Q2, K1, K2, V, Out, lam, scale, BM: xt.constexpr = 64, BN: xt.constexpr = 32, D: xt.constexpr = 64):
    """(softmax(Q1 @ K1.T) - lam * softmax(Q2 @ K2.T)) @ V."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    q1 = xt.load_tile(xt.init_tile(Q1[z, h], (m, 0), (BM, D)))
    q2 = xt.load_tile(xt.init_tile(Q2[z, h], (m, 0), (BM, D)))
    a1, a2 = xt.zeros((BM, D), xt.f32), xt.zeros((BM, D), xt.f32)
    m1, m2 = xt.full((BM, 1), LOWEST, xt.f32), xt.full((BM, 1), LOWEST, xt.f32)
    l1, l2 = xt.zeros((BM, 1), xt.f32), xt.zeros((BM, 1), xt.f32)
    for n in range(0, K1.shape[2], BN):
        cols = n + xt.arange(BN)[None, :]
        v = xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D)))
        s1 = (q1 @ xt.load_tile(xt.init_tile(K1[z, h], (n, 0), (BN, D))).T) * scale
        s1 = xt.where(cols < K1.shape[2], s1, LOWEST)
        new = xt.maximum(m1, xt.max(s1, axis=1))
        p, alpha = xt.exp(s1 - new), xt.exp(m1 - new)
        l1, a1, m1 = l1 * alpha + xt.sum(p, axis=1), a1 * alpha + p.to(V.dtype) @ v, new
        s2 = (q2 @ xt.load_tile(xt.init_tile(K2[z, h], (n, 0), (BN, D))).T) * scale
        s2 = xt.where(cols < K2.shape[2], s2, LOWEST)
        new = xt.maximum(m2, xt.max(s2, axis=1))
        p, alpha = xt.exp(s2 - new), xt.exp(m2 - new)
        l2, a2, m2 = l2 * alpha + xt.sum(p, axis=1), a2 * alpha + p.to(V.dtype) @ v, new
    xt.store_tile((a1 / l1 - lam * (a2 / l2)).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=by_rows)
def cross_bias(Q, K, V, Slopes, Lengths, Out, scale, BM: xt.constexpr = 64, BN: xt.constexpr = 64, D: xt.constexpr = 64):
    """Cross attention with a slope of each head over distances, and a number of keys for each sequence."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    slope, length = Slopes[h], Lengths[z]
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    rows = m + xt.arange(BM)[:, None]
    mx, total = xt.full((BM, 1), LOWEST, xt.f32), xt.zeros((BM, 1), xt.f32)
    acc = xt.zeros((BM, D), xt.f32)
    for n in range(0, length, BN):
        k = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, D)))
        cols = n + xt.arange(BN)[None, :]
        bias = -slope * xt.abs(cols - rows).to(xt.f32)
        s = xt.where(cols < length, (q @ k.T) * scale + bias, LOWEST)
        new = xt.maximum(mx, xt.max(s, axis=1))
        p, alpha = xt.exp(s - new), xt.exp(mx - new)
        total = total * alpha + xt.sum(p, axis=1)
        acc = acc * alpha + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D)))
        mx = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q: (Q.shape[1], Q.shape[0]))
def paged_groups(Q, Kc, Vc, Table, Lengths, Out, scale, G: xt.constexpr = 8, PAGE: xt.constexpr = 64, D: xt.constexpr = 128):
    """Decoding with pages: Q, Out [B, Hkv, G, D]; Kc, Vc [pages, Hkv, PAGE, D]."""
    h, b = xt.program_id(0), xt.program_id(1)
    length = Lengths[b]
    q = xt.load_tile(xt.init_tile(Q[b, h], (0, 0), (G, D)))
    mx, total = xt.full((G, 1), LOWEST, xt.f32), xt.zeros((G, 1), xt.f32)
    acc = xt.zeros((G, D), xt.f32)
    for i in range(xt.cdiv(length, PAGE)):
        page = Table[b, i]
        k = xt.load_tile(xt.init_tile(Kc[page, h], (0, 0), (PAGE, D)))
        v = xt.load_tile(xt.init_tile(Vc[page, h], (0, 0), (PAGE, D)))
        s = (q @ k.T) * scale
        s = xt.where(i * PAGE + xt.arange(PAGE)[None, :] < length, s, LOWEST)
        new = xt.maximum(mx, xt.max(s, axis=1))
        p, alpha = xt.exp(s - new), xt.exp(mx - new)
        total = total * alpha + xt.sum(p, axis=1)
        acc = acc * alpha + p.to(Vc.dtype) @ v
        mx = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[b, h], (0, 0), (G, D)))


@xt.jit(grid=lambda Q, Starts, MOST, BM: (xt.cdiv(MOST, BM), Q.shape[0], Starts.shape[0] - 1))
def grouped_lengths(Q, K, V, Out, Starts, Ends, scale, MOST: xt.constexpr, CAUSAL: xt.constexpr = True, BM: xt.constexpr = 64,
                    BN: xt.constexpr = 64, D: xt.constexpr = 128):  # fmt: skip
    """Grouped heads, sequences packed one after the other. Q, Out [Hq, total, D]; K, V [Hkv, total, D]."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    start, end = Starts[z], Ends[z]
    length = end - start
    if m < length:
        g = h // (Q.shape[0] // K.shape[0])
        q = xt.load_tile(xt.init_tile(Q[h, start:end], (m, 0), (BM, D)))
        acc = xt.zeros((BM, D), xt.f32)
        mx = xt.full((BM, 1), LOWEST, xt.f32)
        total = xt.zeros((BM, 1), xt.f32)
        rows = m + xt.arange(BM)[:, None]
        stop = xt.minimum(m + BM, length) if CAUSAL else length
        for n in range(0, stop, BN):
            k = xt.load_tile(xt.init_tile(K[g, start:end], (n, 0), (BN, D)))
            v = xt.load_tile(xt.init_tile(V[g, start:end], (n, 0), (BN, D)))
            cols = n + xt.arange(BN)[None, :]
            keep = cols < length
            if CAUSAL:
                keep = keep & (cols <= rows)
            s = xt.where(keep, (q @ k.T) * scale, LOWEST)
            new = xt.maximum(mx, xt.max(s, axis=1))
            p = xt.exp(s - new)
            alpha = xt.exp(mx - new)
            total = total * alpha + xt.sum(p, axis=1)
            acc = acc * alpha + p.to(V.dtype) @ v
            mx = new
        xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[h, start:end], (m, 0), (BM, D)))


@xt.jit(grid=by_rows)
def rotary(Q, K, V, Cos, Sin, Out, scale, BM: xt.constexpr = 64, BN: xt.constexpr = 64, D: xt.constexpr = 64):
    """Queries and keys are rotated by their positions: halves of a row change places."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    half = D // 2
    c = xt.load_tile(xt.init_tile(Cos, (m, 0), (BM, half)))
    s = xt.load_tile(xt.init_tile(Sin, (m, 0), (BM, half)))
    q1 = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, half))).to(xt.f32)
    q2 = xt.load_tile(xt.init_tile(Q[z, h], (m, half), (BM, half))).to(xt.f32)
    qa = ((q1 * c - q2 * s) * scale).to(Q.dtype)
    qb = ((q1 * s + q2 * c) * scale).to(Q.dtype)
    acc, total = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32)
    mx = xt.full((BM, 1), LOWEST, xt.f32)
    for n in range(0, K.shape[2], BN):
        kc = xt.load_tile(xt.init_tile(Cos, (n, 0), (BN, half)))
        ks = xt.load_tile(xt.init_tile(Sin, (n, 0), (BN, half)))
        k1 = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, half))).to(xt.f32)
        k2 = xt.load_tile(xt.init_tile(K[z, h], (n, half), (BN, half))).to(xt.f32)
        ka = (k1 * kc - k2 * ks).to(K.dtype)
        kb = (k1 * ks + k2 * kc).to(K.dtype)
        x = qa @ ka.T + qb @ kb.T
        x = xt.where(n + xt.arange(BN)[None, :] < K.shape[2], x, LOWEST)
        new = xt.maximum(mx, xt.max(x, axis=1))
        p, alpha = xt.exp(x - new), xt.exp(mx - new)
        total = total * alpha + xt.sum(p, axis=1)
        acc = acc * alpha + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D)))
        mx = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


@xt.jit(grid=by_rows)
def tree(Q, K, V, Mask, Out, scale, BM: xt.constexpr = 32, BN: xt.constexpr = 64, D: xt.constexpr = 128):
    """A mask of bytes from memory says which keys a query sees."""
    m, h, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    q = xt.load_tile(xt.init_tile(Q[z, h], (m, 0), (BM, D)))
    acc, total = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32)
    mx = xt.full((BM, 1), LOWEST, xt.f32)
    for n in range(0, K.shape[2], BN):
        k = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, D)))
        seen = xt.load_tile(xt.init_tile(Mask[z], (m, n), (BM, BN)))
        s = xt.where(seen != 0, (q @ k.T) * scale, LOWEST)
        new = xt.maximum(mx, xt.max(s, axis=1))
        p, alpha = xt.exp(s - new), xt.exp(mx - new)
        total = total * alpha + xt.sum(p, axis=1)
        acc = acc * alpha + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D)))
        mx = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (m, 0), (BM, D)))


def _many(z: int, h: int, n: int, d: int, shared: int = 1) -> list[np.ndarray]:
    return [random(z, h // g, n, d, dtype=np.float16, seed=i) for i, g in enumerate((1, shared, shared))]


def _seen(q: np.ndarray, k: np.ndarray, v: np.ndarray, keep: Any = True, bias: Any = 0.0) -> np.ndarray:
    s = np.where(keep, q @ k.swapaxes(-1, -2) * SCALE + bias, -np.inf)
    return softmax(s) @ v


def _window_sinks() -> Made:
    q, k, v = _many(1, 4, 300, 64, 2)
    r, c = np.arange(300)[:, None], np.arange(300)[None]
    keep = (c <= r) & ((c < 4) | (c > r - 128))
    a, b, w = wide(q, np.repeat(k, 2, 1), np.repeat(v, 2, 1))
    return [q, k, v, np.zeros_like(q), SCALE], {3: _seen(a, b, w, keep)}


def _in_two_loops() -> Made:
    q, k, v = (random(2, 200, 128, dtype=np.float16, seed=i) for i in range(3))
    return [q, k, v, np.zeros_like(q), SCALE], {3: _seen(*wide(q, k, v), np.tri(200) > 0)}


def _differential() -> Made:
    given = [random(1, 2, 72, 64, dtype=np.float16, seed=i) for i in range(5)]
    q1, q2, k1, k2, v = wide(*given)
    return [*given, np.zeros_like(given[0]), 0.5, SCALE], {5: _seen(q1, k1, v) - 0.5 * _seen(q2, k2, v)}


def _cross_bias() -> Made:
    q, (k, v) = random(2, 2, 72, 64, dtype=np.float16), (random(2, 2, 100, 64, dtype=np.float16, seed=i) for i in (1, 2))
    slopes, ends = np.array([0.5, 0.125], np.float32), np.array([100, 37], np.int32)
    a, b, w = wide(q, k, v)
    bias = -slopes.astype(np.float64)[:, None, None] * np.abs(np.arange(100) - np.arange(72)[:, None])
    keep = np.arange(100) < ends[:, None, None, None]
    return [q, k, v, slopes, ends, np.zeros_like(q), SCALE], {5: _seen(a, b, w, keep, bias)}


def _paged_groups() -> Made:
    q = random(3, 2, 8, 128, dtype=np.float16) / np.float16(2)
    kc, vc = (random(7, 2, 64, 128, dtype=np.float16, seed=i) for i in (1, 2))
    table, ends = np.random.default_rng(3).permutation(6).reshape(3, 2).astype(np.int32), np.array([5, 128, 65], np.int32)
    out = np.zeros(q.shape)
    for b, n in enumerate(ends):
        for h in range(2):
            k, v = (a[table[b], h].reshape(-1, 128)[:n].astype(np.float64) for a in (kc, vc))
            out[b, h] = _seen(q[b, h].astype(np.float64), k, v)
    return [q, kc, vc, table, ends, np.zeros_like(q), SCALE], {5: out}


def _grouped_lengths() -> Made:
    starts, heads, shared = np.array([0, 37, 37, 150], np.int32), 4, 2
    q = random(heads, 150, 128, dtype=np.float16) / np.float16(2)
    k, v = (random(heads // shared, 150, 128, dtype=np.float16, seed=i) for i in (1, 2))
    out = np.zeros(q.shape)
    for b, e in itertools.pairwise(starts):
        for h in range(heads if e > b else 0):
            a, w, x = wide(q[h, b:e], k[h // shared, b:e], v[h // shared, b:e])
            out[h, b:e] = _seen(a, w, x, np.tri(e - b, dtype=bool))
    return [q, k, v, np.zeros_like(q), starts, starts[1:].copy(), SCALE], {3: out}


def _rotary(width: int = 64) -> Made:
    q, k, v = _many(1, 2, 72, width)
    angles = np.arange(72)[:, None] * 0.1 ** (np.arange(width // 2) / 8)
    cos, sin = (f(angles).astype(np.float32) for f in (np.cos, np.sin))

    def turn(x: np.ndarray) -> np.ndarray:
        a, b = np.split(x.astype(np.float64), 2, -1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    return [q, k, v, cos, sin, np.zeros_like(q), SCALE], {5: _seen(turn(q), turn(k), v.astype(np.float64))}


def _tree() -> Made:
    q, k, v = _many(2, 2, 72, 128)
    q /= np.float16(2)
    mask = np.maximum(np.random.default_rng(4).integers(0, 2, (2, 72, 72)), np.eye(72)).astype(np.uint8)
    a, b, w = wide(q, k, v)
    return [q, k, v, mask, np.zeros_like(q), SCALE], {4: _seen(a, b, w, mask[:, None] != 0)}


H3, H4, F, LINE, PLACES = "f16[?,?,?;free]", "f16[?,?,?,?;free]", "f32[?,?]", "f32[?]", "i32[?]"
CASES = {
    "attention, window and sinks": Plain(
        window_sinks, (H4, H4, H4, H4, "f32"), _window_sinks, {"pvc": 584, "bmg": 496, "dg2": 1140}, tolerance=5e-3
    ),
    "attention, causal, in two loops": Plain(
        in_two_loops, (H3, H3, H3, H3, "f32"), _in_two_loops, {"pvc": 503, "bmg": 445}, tolerance=5e-3
    ),
    "attention, differential": Plain(
        differential, (H4,) * 6 + ("f32", "f32"), _differential, {"pvc": 455, "bmg": 423, "dg2": 1997}, tolerance=5e-3
    ),
    "attention, crossed, ALiBi": Plain(
        cross_bias, (H4, H4, H4, LINE, PLACES, H4, "f32"), _cross_bias, {"pvc": 599, "bmg": 522}, tolerance=5e-3
    ),
    "attention, pages of groups": Plain(
        paged_groups, (H4, H4, H4, "i32[?,?]", PLACES, H4, "f32"), _paged_groups, {"pvc": 774, "bmg": 668}, tolerance=5e-3
    ),
    "attention, groups of any length": Plain(
        grouped_lengths,
        (H3, H3, H3, H3, PLACES, PLACES, "f32"),
        _grouped_lengths,
        {"pvc": 453, "bmg": 407},
        {"MOST": 128},
        tolerance=5e-3,
    ),
    "attention, rotary": Plain(rotary, (H4, H4, H4, F, F, H4, "f32"), _rotary, {"pvc": 612, "bmg": 545}, tolerance=5e-3),
    "attention, rotary, heads of 96 columns": Plain(
        rotary, (H4, H4, H4, F, F, H4, "f32"), lambda: _rotary(96), {"pvc": 856, "bmg": 744}, {"D": 96}, 5e-3
    ),
    "attention, masks": Plain(tree, (H4, H4, H4, "u8[?,?,?;free]", H4, "f32"), _tree, {"pvc": 527, "bmg": 460}, tolerance=5e-3),
}

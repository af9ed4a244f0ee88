"""Attention as people write it: forward, with causal masks, windows, sequences of any length and paged caches, and backward."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Plain, random, wide

LOWEST = -1e30


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]))
def forward(
    Q, K, V, Out, scale, CAUSAL: xt.constexpr = False, D: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 64
):
    m, z = xt.program_id(0) * BM, xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    largest, total = xt.full((BM, 1), float("-inf"), xt.f32), xt.zeros((BM, 1), xt.f32)
    acc = xt.zeros((BM, D), xt.f32)
    end = min(m + BM, K.shape[1]) if CAUSAL else K.shape[1]
    for n in range(0, end, BN):
        k = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D)))
        s = q @ k.T * scale
        columns = n + xt.arange(BN)[None, :]
        s = xt.where(columns < K.shape[1], s, float("-inf"))
        if CAUSAL:
            s = xt.where(columns <= m + xt.arange(BM)[:, None], s, float("-inf"))
        new = xt.maximum(largest, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=1)
        v = xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        acc = acc * fade + p.to(V.dtype) @ v
        largest = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]))
def window(Q, K, V, Out, scale, W: xt.constexpr = 64, D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 32):
    """Each query sees the W keys up to its own place."""
    m, z = xt.program_id(0) * BM, xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    largest, total = xt.full((BM, 1), LOWEST, xt.f32), xt.zeros((BM, 1), xt.f32)
    acc = xt.zeros((BM, D), xt.f32)
    for n in range(max(0, m - W) // BN * BN, min(m + BM, K.shape[1]), BN):
        s = (q @ xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))).T) * scale
        r, c = m + xt.arange(BM)[:, None], n + xt.arange(BN)[None, :]
        s = xt.where((c <= r) & (c > r - W), s, LOWEST)
        new = xt.maximum(largest, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        largest = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (m, 0), (BM, D)))


@xt.jit(grid=lambda Starts, H, BM, MOST: (xt.cdiv(MOST, BM), H, Starts.shape[0] - 1))
def any_length(Q, K, V, Out, Starts, scale, H: xt.constexpr, G: xt.constexpr, MOST: xt.constexpr,
               D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 32):  # fmt: skip
    """Q, Out [total, H, D]; K, V [total, H // G, D]: sequences one after the other, G heads share keys."""
    h, m = xt.program_id(1), xt.program_id(0) * BM
    b, e = Starts[xt.program_id(2)], Starts[xt.program_id(2) + 1]
    if m >= e - b:
        return
    q = xt.load_tile(xt.init_tile(Q[b:e, h, :], (m, 0), (BM, D)))
    largest, total = xt.full((BM, 1), LOWEST, xt.f32), xt.zeros((BM, 1), xt.f32)
    acc = xt.zeros((BM, D), xt.f32)
    for n in range(0, e - b, BN):
        k = xt.load_tile(xt.init_tile(K[b:e, h // G, :], (n, 0), (BN, D)))
        s = (q @ k.T) * scale
        s = xt.where(n + xt.arange(BN)[None, :] < e - b, s, LOWEST)
        new = xt.maximum(largest, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=1)
        v = xt.load_tile(xt.init_tile(V[b:e, h // G, :], (n, 0), (BN, D)))
        acc = acc * fade + xt.tile_mma(p.to(V.dtype), v)
        largest = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[b:e, h, :], (m, 0), (BM, D)))


@xt.jit(grid=lambda Q: (Q.shape[1], Q.shape[0]))
def paged(Q, Keys, Values, Table, Lengths, Out, scale, D: xt.constexpr = 64, PAGE: xt.constexpr = 16):
    """One query for each of B sequences, whose keys are in pages. Q, Out [B, H, D]; Keys, Values [pages, PAGE, H, D]."""
    b, h = xt.program_id(1), xt.program_id(0)
    q = xt.load_tile(xt.init_tile(Q[b], (h, 0), (1, D))).to(xt.f32)
    largest, total = xt.full((1, 1), LOWEST, xt.f32), xt.zeros((1, 1), xt.f32)
    acc = xt.zeros((1, D), xt.f32)
    for i in range(xt.cdiv(Lengths[b], PAGE)):
        page = Table[b, i]
        k = xt.load_tile(xt.init_tile(Keys[page, :, h, :], (0, 0), (PAGE, D))).to(xt.f32)
        v = xt.load_tile(xt.init_tile(Values[page, :, h, :], (0, 0), (PAGE, D))).to(xt.f32)
        s = xt.sum(k * q, axis=1) * scale
        s = xt.where(i * PAGE + xt.arange(PAGE)[:, None] < Lengths[b], s, LOWEST)
        new = xt.maximum(largest, xt.max(s))
        p, fade = xt.exp(s - new), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=0)
        acc = acc * fade + xt.sum(p * v, axis=0)
        largest = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[b], (h, 0), (1, D)))


@xt.jit(grid=lambda Q, BN: (xt.cdiv(Q.shape[1], BN), Q.shape[0]))
def backward_keys(Q, K, V, dOut, L, Dl, dK, dV, scale, D: xt.constexpr = 64, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    """L: logarithms of the rows' sums [Z, N]; Dl: the rows' sums of Out * dOut."""
    n, z = xt.program_id(0) * BN, xt.program_id(1)
    k, v = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
    dk, dv = xt.zeros((BN, D), xt.f32), xt.zeros((BN, D), xt.f32)
    for m in range(0, Q.shape[1], BM):
        q, do = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D))), xt.load_tile(xt.init_tile(dOut[z], (m, 0), (BM, D)))
        row, dl = xt.load_tile(xt.init_tile(L, (z, m), (1, BM))), xt.load_tile(xt.init_tile(Dl, (z, m), (1, BM)))
        p = xt.exp((k @ q.T) * scale - row)
        dv += p.to(dOut.dtype) @ do
        ds = p * (v @ do.T - dl)
        dk += ds.to(Q.dtype) @ q
    xt.store_tile(dv, xt.init_tile(dV[z], (n, 0), (BN, D)))
    xt.store_tile(dk * scale, xt.init_tile(dK[z], (n, 0), (BN, D)))


@xt.jit(grid=lambda K, BN: (xt.cdiv(K.shape[1], BN), K.shape[0]))
def backward_scores(Q, K, V, dOut, L, Dl, dK, dV, scale, D: xt.constexpr = 64, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    """The same by scores of queries, which are transposed."""
    n, z = xt.program_id(0) * BN, xt.program_id(1)
    k, v = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
    dk, dv = xt.zeros((BN, D), xt.f32), xt.zeros((BN, D), xt.f32)
    for m in range(0, Q.shape[1], BM):
        q, do = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D))), xt.load_tile(xt.init_tile(dOut[z], (m, 0), (BM, D)))
        row, dl = xt.load_tile(xt.init_tile(L[z], m, (BM,)))[:, None], xt.load_tile(xt.init_tile(Dl[z], m, (BM,)))[:, None]
        p = xt.where(m + xt.arange(BM)[:, None] < Q.shape[1], xt.exp((q @ k.T) * scale - row), 0.0)
        dv += p.to(dOut.dtype).T @ do
        ds = p * (do @ v.T - dl)
        dk += ds.to(Q.dtype).T @ q
    xt.store_tile(dv, xt.init_tile(dV[z], (n, 0), (BN, D)))
    xt.store_tile(dk * scale, xt.init_tile(dK[z], (n, 0), (BN, D)))


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]))
def backward_queries(Q, K, V, dOut, L, Dl, dQ, scale, D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 32):
    m, z = xt.program_id(0) * BM, xt.program_id(1)
    q, do = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D))), xt.load_tile(xt.init_tile(dOut[z], (m, 0), (BM, D)))
    row, dl = xt.load_tile(xt.init_tile(L[z], m, BM))[:, None], xt.load_tile(xt.init_tile(Dl[z], m, BM))[:, None]
    dq = xt.zeros((BM, D), xt.f32)
    for n in range(0, K.shape[1], BN):
        k, v = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        p = xt.exp((q @ k.T) * scale - row)
        ds = p * (do @ v.T - dl)
        dq += ds.to(K.dtype) @ k
    xt.store_tile(dq * scale, xt.init_tile(dQ[z], (m, 0), (BM, D)))


SCALE, D = 0.125, 64


def weights(q: np.ndarray, k: np.ndarray, mask: Any = None) -> np.ndarray:
    """Rows of softmax(q @ k.T * SCALE)."""
    (a, b) = wide(q, k)
    s = a @ b.swapaxes(-1, -2) * SCALE
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def _heads(z: int = 2, n: int = 72, width: int = D) -> list[np.ndarray]:
    return [random(z, n, width, dtype=np.float16, seed=i) for i in range(4)]


def _forward(mask: Any = None, width: int = D) -> tuple[list[Any], dict[int, np.ndarray]]:
    q, k, v, _ = _heads(n=200 if mask is None else len(mask), width=width)
    return [q, k, v, np.zeros(q.shape, np.float32), SCALE], {3: weights(q, k, mask) @ v.astype(np.float64)}


def _below(n: int = 72, width: int = 1000) -> np.ndarray:
    r, c = np.arange(n)[:, None], np.arange(n)[None]
    below: np.ndarray = (c <= r) & (c > r - width)
    return below


def _any_length() -> tuple[list[Any], dict[int, np.ndarray]]:
    starts, heads, shared = np.array([0, 37, 37, 110], np.int32), 4, 2
    q = random(110, heads, D, dtype=np.float16)
    k, v = (random(110, heads // shared, D, dtype=np.float16, seed=i) for i in (1, 2))
    expected = np.zeros(q.shape)
    for b, e in itertools.pairwise(starts):
        for h in range(heads if e > b else 0):
            expected[b:e, h] = weights(q[b:e, h], k[b:e, h // shared]) @ v[b:e, h // shared].astype(np.float64)
    return [q, k, v, np.zeros(q.shape, np.float16), starts, SCALE], {3: expected}


def _paged() -> tuple[list[Any], dict[int, np.ndarray]]:
    sequences, heads, most, pages = 3, 4, 4, 12
    q = random(sequences, heads, D, dtype=np.float16)
    keys, values = (random(pages, 16, heads, D, dtype=np.float16, seed=i) for i in (1, 2))
    table = np.random.default_rng(3).permutation(pages).reshape(sequences, most).astype(np.int32)
    lengths = np.array([5, 64, 33], np.int32)
    expected = np.zeros(q.shape)
    for b, n in enumerate(lengths):
        k, v = (a[table[b]].reshape(-1, heads, D)[:n].swapaxes(0, 1) for a in (keys, values))
        expected[b] = (weights(q[b, :, None], k) @ v.astype(np.float64))[:, 0]
    return [q, keys, values, table, lengths, np.zeros(q.shape, np.float32), SCALE], {5: expected}


def _backward(keys: bool) -> tuple[list[Any], dict[int, np.ndarray]]:
    q, k, v, do = _heads()
    p = weights(q, k)
    s = np.einsum("zmd,znd->zmn", *wide(q, k)) * SCALE
    logs = np.log(np.exp(s).sum(-1))
    wq, wk, wv, wdo = wide(q, k, v, do)
    dl = (p @ wv * wdo).sum(-1)
    ds = p * (wdo @ wv.swapaxes(1, 2) - dl[..., None])
    given = [q, k, v, do, logs.astype(np.float32), dl.astype(np.float32)]
    zeros = [np.zeros(q.shape, np.float32) for _ in range(2)]
    if keys:
        return [*given, *zeros, SCALE], {6: ds.swapaxes(1, 2) @ wq * SCALE, 7: p.swapaxes(1, 2) @ wdo}
    return [*given, zeros[0], SCALE], {6: ds @ wk * SCALE}


H, F, ROWS = "f16[?,?,?;free]", "f32[?,?,?;free]", "f32[?,?]"
CASES = {
    "attention": Plain(forward, (H, H, H, F, "f32"), _forward, {"pvc": 416, "bmg": 394, "dg2": 885}, tolerance=2e-3),
    "attention, 64 rows": Plain(forward, (H, H, H, F, "f32"), _forward, {"pvc": 424, "bmg": 396}, {"BM": 64}, 2e-3),
    "attention, causal": Plain(forward, (H, H, H, F, "f32"), lambda: _forward(_below(200)), {"pvc": 416, "bmg": 385},
                               {"CAUSAL": True}, 2e-3),
    "attention, 96 rows": Plain(forward, (H, H, H, F, "f32"), _forward, {"pvc": 459, "bmg": 400}, {"BM": 96}, 2e-3),
    "attention, heads of 72 columns": Plain(forward, (H, H, H, F, "f32"), lambda: _forward(width=72), {"pvc": 526, "bmg": 417},
                                            {"D": 72}, 3e-3),
    "attention, heads of 128 columns": Plain(forward, (H, H, H, F, "f32"), lambda: _forward(width=128), {"pvc": 392, "bmg": 344},
                                             {"D": 128, "BN": 32}, 4e-3),
    "attention, heads of 256 columns": Plain(forward, (H, H, H, F, "f32"), lambda: _forward(width=256), {"pvc": 430, "bmg": 403},
                                             {"D": 256, "BN": 32}, 6e-3),
    "attention, window": Plain(window, (H, H, H, F, "f32"), lambda: _forward(_below(width=64)), {"pvc": 318, "bmg": 305, "dg2": 902},
                               tolerance=2e-3),
    "attention, wide window": Plain(window, (H, H, H, F, "f32"), lambda: _forward(_below(330, 192)), {"pvc": 431, "bmg": 395},
                                    {"W": 192, "BN": 64}, 2e-3),
    # One more on PVC than with coordinates in two sums, which IGC keeps nearby.
    "attention, any length": Plain(any_length, (H, H, H, H, "i32[?]", "f32"), _any_length, {"pvc": 288, "bmg": 273, "dg2": 802},
                                   {"H": 4, "G": 2, "MOST": 128}, 2e-3),
    "attention, paged": Plain(paged, (H, "f16[?,?,?,?;free]", "f16[?,?,?,?;free]", "i32[?,?]", "i32[?]", F, "f32"), _paged,
                              {"pvc": 291, "bmg": 263}),
    "attention backward, keys": Plain(backward_keys, (H, H, H, H, ROWS, ROWS, F, F, "f32"), lambda: _backward(True),
                                      {"pvc": 193, "bmg": 160}, tolerance=2e-3),
    "attention backward, keys, by scores of queries": Plain(
        backward_scores, (H, H, H, H, ROWS, ROWS, F, F, "f32"), lambda: _backward(True), {"pvc": 200, "bmg": 161}, tolerance=2e-3
    ),
    "attention backward, queries": Plain(backward_queries, (H, H, H, H, ROWS, ROWS, F, "f32"), lambda: _backward(False),
                                         {"pvc": 220, "bmg": 189}, tolerance=2e-3),
}  # fmt: skip

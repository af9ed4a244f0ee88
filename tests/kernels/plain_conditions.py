"""Attention whose steps decide: masks in branches, by places and by lists, and sums that stand behind the product."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random
from tests.kernels.plain_attention import SCALE, weights

NEVER = float("-inf")


def by_rows(Q: Any, BM: int) -> tuple[int, int]:
    """Blocks of queries, and heads of Q [Z, N, D]."""
    return xt.cdiv(Q.shape[1], BM), Q.shape[0]


@xt.jit(grid=by_rows)
def causal(Q, K, V, Out, scale, D: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """Steps at the diagonal, and at the end, are masked: a branch says which."""
    m, z, keys = xt.program_id(0) * BM, xt.program_id(1), K.shape[1]
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    rows = m + xt.arange(BM)[:, None]
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), NEVER)
    for n in range(0, min(m + BM, keys), BN):
        k = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D)))
        v = xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
        s = (q @ k.T) * scale
        if n + BN > m or n + BN > keys:
            columns = n + xt.arange(BN)[None, :]
            s = xt.where((columns <= rows) & (columns < keys), s, NEVER)
        new = xt.maximum(top, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(top - new)
        acc = xt.tile_mma(p.to(v.dtype), v, acc * fade)
        total, top = total * fade + xt.sum(p, axis=1), new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (m, 0), (BM, D)))


@xt.jit(grid=by_rows)
def listed(Q, K, V, Counts, Lists, Out, scale, D: xt.constexpr = 64, BM: xt.constexpr = 64):
    """Each block of queries sees the blocks of keys in its list, of which the last is masked."""
    i, z = xt.program_id(0), xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[z], (i * BM, 0), (BM, D)))
    acc, total, top = xt.zeros((BM, D), xt.f32), xt.zeros((BM, 1), xt.f32), xt.full((BM, 1), NEVER)
    for j in range(Counts[i]):
        n = Lists[i, j] * BM
        s = q @ xt.load_tile(xt.init_tile(K[z], (n, 0), (BM, D))).T * scale
        if n + BM > K.shape[1]:
            s = xt.where(n + xt.arange(BM)[None, :] < K.shape[1], s, NEVER)
        new = xt.maximum(top, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(top - new)
        acc = acc * fade + p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z], (n, 0), (BM, D)))
        total, top = total * fade + xt.sum(p, axis=1), new
    xt.store_tile(acc / total, xt.init_tile(Out[z], (i * BM, 0), (BM, D)))


def _causal() -> Made:
    q, k, v = (random(2, 150, 64, dtype=np.float16, seed=i) for i in range(3))
    return [q, k, v, np.zeros_like(q), SCALE], {3: weights(q, k, np.tri(150) == 1) @ v.astype(np.float64)}


def _listed() -> Made:
    q, k, v = (random(2, 150, 64, dtype=np.float16, seed=i) for i in range(3))
    seen = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]], bool)
    lists = np.zeros((3, 3), np.int32)
    for i, row in enumerate(seen):
        lists[i, : row.sum()] = np.flatnonzero(row)
    p = weights(q, k, np.kron(seen, np.ones((64, 64), bool))[:150, :150])
    return [q, k, v, seen.sum(1).astype(np.int32), lists, np.zeros(q.shape, np.float32), SCALE], {5: p @ v.astype(np.float64)}


H3 = "f16[?,?,?;free]"
CASES = {
    "attention, masked in a branch": Plain(causal, (H3, H3, H3, H3, "f32"), _causal, {"pvc": 424, "bmg": 389}, tolerance=2e-3),
    "attention, lists, masked in a branch": Plain(listed, (H3, H3, H3, "i32[?]", "i32[?,?]", "f32[?,?,?;free]", "f32"), _listed,
                                                  {"pvc": 640, "bmg": 627}, tolerance=2e-3),
}  # fmt: skip

"""Kernels that decide: masks in branches, by places and by lists, sums that stand behind the product, and results by a branch."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random
from tests.kernels.plain_attention import SCALE, weights

NEVER = float("-inf")


def by_rows(Q: Any, BM: int) -> tuple[int, int]:
    """Blocks of queries, and heads of Q [Z, N, D]."""
    return xt.cdiv(Q.shape[1], BM), Q.shape[0]


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def doubled(A, B, C, limit, T: xt.constexpr = None, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """C = A @ B, multiplied as T; a branch doubles what lies before a limit of the depth."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        if k < limit:
            if T is None:
                b = b * 2
            else:
                a = a * 2
        acc += a.to(T or A.dtype) @ b.to(T or A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def both_doubled(A, B, C, limit, other, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """C = A @ B; one branch doubles what lies before a limit of the depth in A, another one does so in B."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        if k < limit:
            a = a * 2
        if k < other:
            b = b * 2
        acc += a @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


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


@xt.jit(grid=by_rows)
def sigmoid(Q, K, V, Out, scale, bias, D: xt.constexpr = 128, BM: xt.constexpr = 128, BN: xt.constexpr = 64):
    """Weights that no other key changes."""
    m, z = xt.program_id(0) * BM, xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D)))
    acc = xt.zeros((BM, D), xt.f32)
    for n in range(0, K.shape[1], BN):
        k = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D)))
        p = xt.sigmoid(q @ k.T * scale + bias)
        acc += p.to(V.dtype) @ xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
    xt.store_tile(acc, xt.init_tile(Out[z], (m, 0), (BM, D)))


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def added(A, B, C, alpha, beta, TURNED: xt.constexpr = False, BM: xt.constexpr = 256, BN: xt.constexpr = 256,
          BK: xt.constexpr = 32):  # fmt: skip
    """C = alpha A B + beta C, where C is read only if it counts."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[0] if TURNED else A.shape[1], BK):
        if TURNED:
            a = xt.load_tile(xt.init_tile(A, (k, m), (BK, BM))).T
        else:
            a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        acc += a @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    c = xt.init_tile(C, (m, n), (BM, BN))
    if beta == 0:
        xt.store_tile((alpha * acc).to(C.dtype), c)
    else:
        xt.store_tile((alpha * acc + beta * xt.load_tile(c).to(xt.f32)).to(C.dtype), c)


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


def _sigmoid() -> Made:
    q, k, v = (random(2, 150, 128, dtype=np.float16, seed=i) for i in range(3))
    s = (q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1)) * SCALE - 2
    return [q, k, v, np.zeros(q.shape, np.float32), SCALE, -2.0], {3: 1 / (1 + np.exp(-s)) @ v.astype(np.float64)}


def _added(turned: bool = False) -> Made:
    a, b, c = (random(*shape, dtype=np.float16, seed=i) for i, shape in enumerate(((150, 72), (72, 140), (150, 140))))
    expected = 0.5 * a.astype(np.float64) @ b.astype(np.float64) + 2 * c
    return [a.T.copy() if turned else a, b, c, 0.5, 2.0], {2: expected}


def _both_doubled() -> Made:
    (a, b, *given), _ = _doubled(np.float16)
    depth = np.arange(96)
    times = np.where(depth < 64, 2, 1) * np.where(depth < 32, 2, 1)
    return [a, b, *given, 20], {2: a.astype(np.float64) * times @ b.astype(np.float64)}


def _doubled(kind: Any) -> Made:
    a, b = random(150, 96, dtype=kind, seed=1), random(96, 140, dtype=kind, seed=2)
    twice = np.where(np.arange(96) < 64, 2, 1)
    return [a, b, np.zeros((150, 140), np.float32), 40], {2: a.astype(np.float64) * twice @ b.astype(np.float64)}


H2, H3 = "f16[?,?]", "f16[?,?,?;free]"
ADDED = (H2, H2, H2, "f32", "f32")
CASES = {
    "attention, masked in a branch": Plain(causal, (H3, H3, H3, H3, "f32"), _causal, {"pvc": 424, "bmg": 389}, tolerance=2e-3),
    "attention, lists, masked in a branch": Plain(listed, (H3, H3, H3, "i32[?]", "i32[?,?]", "f32[?,?,?;free]", "f32"), _listed,
                                                  {"pvc": 594, "bmg": 595}, tolerance=2e-3),
    "attention, sigmoid": Plain(sigmoid, (H3, H3, H3, "f32[?,?,?;free]", "f32", "f32"), _sigmoid, {"pvc": 455, "bmg": 315},
                                tolerance=2e-3),
    "operand doubled in a branch": Plain(doubled, (H2, H2, "f32[?,?]", "i32"), partial(_doubled, np.float16),
                                         {"pvc": 127, "bmg": 122, "dg2": 333}, tolerance=1e-3),
    "both operands doubled in branches": Plain(both_doubled, (H2, H2, "f32[?,?]", "i32", "i32"), _both_doubled,
                                               {"pvc": 228, "bmg": 194}, tolerance=1e-3),
    "operand doubled in a branch, tf32": Plain(doubled, ("f32[?,?]",) * 3 + ("i32",), partial(_doubled, np.float32),
                                               {"pvc": 212, "bmg": 198}, {"T": xt.tf32, "BM": 64, "BN": 64}, tolerance=5e-3),
    "GEMM, added in a branch": Plain(added, ADDED, _added, {"pvc": 53, "bmg": 48}, tolerance=1e-3),
    "GEMM, transposed, added in a branch": Plain(added, ADDED, partial(_added, True), {"pvc": 109, "bmg": 79}, {"TURNED": True},
                                                 tolerance=1e-3),
}  # fmt: skip

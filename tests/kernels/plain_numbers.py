"""Kernels of numerical methods, as people write them: clusters, products of split numbers, iterations of matrices."""

from __future__ import annotations

import ml_dtypes
import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_products import by_blocks


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def clusters(X, Centers, Labels, Sums, Counts, K: xt.constexpr = 64, D: xt.constexpr = 64, BM: xt.constexpr = 64):
    """One step of k-means: the nearest of K centers for each row of X, and sums and numbers of the rows of each."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, D)))
    c = xt.load_tile(xt.init_tile(Centers, (0, 0), (K, D)))
    wide_c = c.to(xt.f32)
    far = xt.sum(wide_c * wide_c, axis=1).T - 2.0 * (x @ c.T)
    best = xt.argmin(far, axis=1)
    xt.store_tile(best.to(xt.i32), xt.init_tile(Labels, (m, 0), (BM, 1)))
    member = xt.where((best == xt.arange(K)[None, :]) & (m + xt.arange(BM)[:, None] < X.shape[0]), 1.0, 0.0)
    xt.atomic_rmw_tile("add", member.to(xt.f16).T @ x, xt.init_tile(Sums, (0, 0), (K, D)))
    xt.atomic_rmw_tile("add", xt.sum(member, axis=0), xt.init_tile(Counts, (0, 0), (1, K)))


@xt.jit(grid=by_blocks)
def three_products(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B of f32, as products of what bf16 holds of a number and of the rest."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        high_a, high_b = a.to(xt.bf16), b.to(xt.bf16)
        low_a, low_b = (a - high_a.to(xt.f32)).to(xt.bf16), (b - high_b.to(xt.f32)).to(xt.bf16)
        acc += high_a @ high_b
        acc += high_a @ low_b
        acc += low_a @ high_b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda G: (G.shape[0],))
def orthogonal(G, Out, N: xt.constexpr = 64, STEPS: xt.constexpr = 5):
    """Newton-Schulz: singular values of N x N matrices go to one."""
    z = xt.program_id(0)
    x = xt.load_tile(xt.init_tile(G[z], (0, 0), (N, N)))
    for _ in range(STEPS):
        a = x @ x.T
        b = -4.775 * a + 2.0315 * (a.to(x.dtype) @ a.to(x.dtype))
        x = (3.4445 * x.to(xt.f32) + b.to(x.dtype) @ x).to(x.dtype)
    xt.store_tile(x, xt.init_tile(Out[z], (0, 0), (N, N)))


def _clusters() -> Made:
    centers = random(64, 64, dtype=np.float16)
    x = (centers[np.random.default_rng(1).integers(0, 64, 100)] + 0.25 * random(100, 64, seed=2)).astype(np.float16)
    wx, wc = wide(x, centers)
    best = ((wx[:, None] - wc[None]) ** 2).sum(-1).argmin(1)
    member = (best[:, None] == np.arange(64)).astype(np.float64)
    given = [np.zeros((100, 1), np.int32), np.zeros((64, 64), np.float32), np.zeros((1, 64), np.float32)]
    return [x, centers, *given], {2: best[:, None], 3: member.T @ wx, 4: member.sum(0)[None]}


def _three_products() -> Made:
    a, b = random(72, 80), random(80, 136, seed=1)
    wa, wb = wide(a, b)
    return [a, b, np.zeros((72, 136), np.float32)], {2: wa @ wb}


def _orthogonal() -> Made:
    g = random(2, 64, 64)
    g = (g / np.linalg.norm(g, axis=(1, 2), keepdims=True)).astype(ml_dtypes.bfloat16)
    x = g.astype(np.float64)
    for _ in range(5):
        a = x @ x.swapaxes(1, 2)
        x = 3.4445 * x + (-4.775 * a + 2.0315 * (a @ a)) @ x
    return [g, np.zeros_like(g)], {1: x}


H, F, E3 = "f16[?,?]", "f32[?,?]", "bf16[?,?,?;free]"
CASES = {
    # Numbers that are spread over rows are hidden (`element_orders`).
    "k-means": Plain(clusters, (H, H, "i32[?,?]", F, F), _clusters, {"pvc": 3607, "bmg": 3263}, tolerance=1e-3),
    "f32 by three products of bf16": Plain(
        three_products, (F, F, F), _three_products, {"pvc": 442, "bmg": 288, "dg2": 322}, tolerance=1e-4
    ),
    "Newton-Schulz": Plain(orthogonal, (E3, E3), _orthogonal, {"pvc": 342, "bmg": 283}, tolerance=5e-2),
}

"""Products that numbers of the launch choose: of which operand, for which rows, with which adapter; one decision for a whole loop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda C, T: (xt.cdiv(C.shape[1], T), xt.cdiv(C.shape[0], T)))
def either(A, B, C, turned: xt.i32, T: xt.constexpr = 128):
    """C = A @ B, or A @ B.T."""
    m, n = xt.program_id(1) * T, xt.program_id(0) * T
    acc = xt.zeros((T, T), xt.f32)
    for k in range(0, A.shape[1], 32):
        a = xt.load_tile(A[m : m + T, k : k + 32])
        if turned:
            b = xt.load_tile(B.T[k : k + 32, n : n + T])
        else:
            b = xt.load_tile(B[k : k + 32, n : n + T])
        acc += a @ b
    C[m : m + T, n : n + T] = acc


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[0], BM)))
def adapters(
    X, W, Down, Up, Which, Y, scale, BM: xt.constexpr = 64, BN: xt.constexpr = 128, BK: xt.constexpr = 32, RANK: xt.constexpr = 16
):
    """Y = X @ W, and of each block of rows the product with an adapter's two matrices beside it; -1: with none."""
    m, n, z = xt.program_id(1) * BM, xt.program_id(0) * BN, Which[xt.program_id(1)]
    acc, low = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, RANK), xt.f32)
    for k in range(0, X.shape[1], BK):
        x = xt.load_tile(X[m : m + BM, k : k + BK])
        acc += x @ xt.load_tile(W[k : k + BK, n : n + BN])
        if z >= 0:
            low += x @ xt.load_tile(Down[z][k : k + BK, 0:RANK])
    if z >= 0:
        acc += scale * (low.to(X.dtype) @ xt.load_tile(Up[z][0:RANK, n : n + BN]))
    Y[m : m + BM, n : n + BN] = acc


@xt.jit(grid=(3,))
def walked(A, B, Ends, C, BM: xt.constexpr = 32, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C[Ends[g]:Ends[g + 1]] = A[the same] @ B[g]: few programs walk over the tiles of all groups."""
    t, first, across = xt.program_id(0), 0, xt.cdiv(C.shape[1], BN)
    for g in range(B.shape[0]):
        begin, end = Ends[g], Ends[g + 1]
        count = xt.cdiv(end - begin, BM) * across
        while t < first + count:
            m, n = begin + (t - first) // across * BM, (t - first) % across * BN
            acc = xt.zeros((BM, BN), xt.f32)
            for k in range(0, A.shape[1], BK):
                acc += xt.load_tile(A[m : m + BM, k : k + BK]) @ xt.load_tile(B[g][k : k + BK, n : n + BN])
            row, column = m + xt.arange(BM)[:, None], n + xt.arange(BN)[None, :]
            xt.store_scatter(acc, xt.init_tile(C, row * C.stride(0) + column), (row < end) & (column < C.shape[1]))
            t += xt.num_programs(0)
        first += count


@xt.jit(grid=lambda X: (X.shape[0],))
def balanced(X, Y, Rounds, limit, M: xt.constexpr = 24, N: xt.constexpr = 40):
    """Sinkhorn: rows and columns of exp(X[z]) are scaled in turns until they change by less than a limit."""
    z = xt.program_id(0)
    rows, columns = (xt.arange(M) < X.shape[1])[:, None], (xt.arange(N) < X.shape[2])[None, :]
    k = xt.where(rows & columns, xt.exp(xt.load_tile(X[z][0:M, 0:N])), 0)
    u, v = xt.where(rows, 1.0, 0.0), xt.where(columns, 1.0, 0.0)
    count, change = 0, 1.0
    while change > limit and count < 100:
        new = xt.where(rows, 1 / xt.where(rows, xt.sum(k * v, axis=1), 1), 0)
        v = xt.where(columns, 1 / xt.where(columns, xt.sum(k * new, axis=0), 1), 0) * (X.shape[1] / X.shape[2])
        change, u, count = xt.max(xt.abs(new - u)), new, count + 1
    Y[z][0:M, 0:N] = u * k * v
    Rounds[z] = count


def _either(turned: int) -> Made:
    a, b = random(72, 72, dtype=np.float16), random(72, 72, dtype=np.float16, seed=1)
    wide_a, wide_b = wide(a, b)
    return [a, b, np.zeros((72, 72), np.float32), turned], {2: wide_a @ (wide_b.T if turned else wide_b)}


def _adapters() -> Made:
    x, w = random(150, 72, dtype=np.float16), random(72, 136, dtype=np.float16, seed=1)
    down, up = (
        (random(72, 16, seed=2)[None] * [[[0.1]], [[0.2]]]).astype(np.float16),
        random(2, 16, 136, dtype=np.float16, seed=3),
    )
    which = np.array([1, -1, 0], np.int32)
    wide_x, wide_w, wide_down, wide_up = wide(x, w, down, up)
    y = wide_x @ wide_w
    for block, z in enumerate(which):
        rows = slice(64 * block, 64 * block + 64)
        if z >= 0:
            y[rows] += 0.5 * (wide_x[rows] @ wide_down[z]).astype(np.float16).astype(np.float64) @ wide_up[z]
    return [x, w, down, up, which, np.zeros((150, 136), np.float32), 0.5], {5: y}


def _walked() -> Made:
    ends = np.array([0, 5, 5, 78, 80], np.int32)
    a, b = random(80, 48, dtype=np.float16), random(4, 48, 72, dtype=np.float16, seed=1)
    wide_a, wide_b = wide(a, b)
    c = np.concatenate([wide_a[begin:end] @ wide_b[g] for g, (begin, end) in enumerate(pairwise(ends))])
    return [a, b, ends, np.zeros((80, 72), np.float32)], {3: c}


def _balanced() -> Made:
    x, y, rounds = random(2, 20, 37), np.zeros((2, 20, 37)), np.zeros(2, np.int32)
    for z in range(2):
        k, u, v, change = np.exp(wide(x[z])[0]), np.ones(20), np.ones(37), 1.0
        while change > 1e-3 and rounds[z] < 100:
            new = 1 / (k @ v)
            v = 1 / (k.T @ new) * (20 / 37)
            change, u = np.abs(new - u).max(), new
            rounds[z] += 1
        y[z] = u[:, None] * k * v
    return [x, np.zeros_like(x), np.zeros(2, np.int32), 1e-3], {1: y, 2: rounds}


H, F, BOXES = "f16[?,?]", "f32[?,?]", "f16[?,?,?]"
CASES = {
    "product, one operand or its transpose": Plain(
        either, (H, H, F, "i32"), lambda: _either(1), {"pvc": 34, "bmg": 30, "dg2": 166}
    ),
    "product, the other operand": Plain(either, (H, H, F, "i32"), lambda: _either(0), {}),
    "adapters of blocks of rows": Plain(
        adapters, (H, H, BOXES, BOXES, "i32[?]", F, "f32"), _adapters, {"pvc": 46, "bmg": 41, "dg2": 213}, tolerance=2e-3
    ),
    "groups that programs walk over": Plain(walked, (H, BOXES, "i32[?]", F), _walked, {"pvc": 41, "bmg": 55}),
    "Sinkhorn": Plain(
        balanced, ("f32[?,?,?]", "f32[?,?,?]", "i32[?]", "f32"), _balanced, {"pvc": 298, "bmg": 271}, tolerance=1e-4
    ),
}

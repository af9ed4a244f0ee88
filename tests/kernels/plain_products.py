"""Products as people write them around `a @ b`: sums beside them, masks, packed weights, turned operands, epilogues."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


def by_blocks(C: Any, BM: int, BN: int) -> tuple[int, int]:
    """A program for each block of C."""
    return xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)


@xt.jit(grid=by_blocks)
def sums_beside(A, B, C, R, S, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B, with sums of the rows of A in R and of the columns of B in S: what zero points ask for."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.i32)
    rows, columns = xt.zeros((BM, 1), xt.i32), xt.zeros((1, BN), xt.i32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += a @ b
        rows += xt.sum(a.to(xt.i32), axis=1)
        columns += xt.sum(b.to(xt.i32), axis=0)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))
    xt.store_tile(rows, xt.init_tile(R, (m, 0), (BM, 1)))
    xt.store_tile(columns, xt.init_tile(S, (0, n), (1, BN)))


@xt.jit(grid=by_blocks)
def masked(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = tril(A) @ B."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    rows = m + xt.arange(BM)[:, None]
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        a = xt.where(k + xt.arange(BK)[None, :] <= rows, a, 0.0)
        acc += a @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def bias_first(A, B, Bias, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ B + Bias: the sums begin with the bias."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32) + xt.load_tile(xt.init_tile(Bias, n, (1, BN)))
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def second_turned(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B.T."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (n, k), (BN, BK)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b.T
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def left_out(A, B, Kept, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ B, where some blocks along K are left out."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        if Kept[k // BK] > 0:
            a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
            acc += a @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def a_step_ahead(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B, the next step's tiles loaded before this one's are multiplied."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    a, b = xt.load_tile(A[m : m + BM, 0:BK]), xt.load_tile(B[0:BK, n : n + BN])
    for k in range(BK, A.shape[1], BK):
        next_a, next_b = xt.load_tile(A[m : m + BM, k : k + BK]), xt.load_tile(B[k : k + BK, n : n + BN])
        acc += a @ b
        a, b = next_a, next_b
    xt.store_tile(acc + a @ b, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def two_steps_ahead(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """The same with two steps on the way, by tiles that move."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    ta, tb = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    a0, b0 = xt.load_tile(ta), xt.load_tile(tb)
    ta, tb = xt.update_tile_offset(ta, (0, BK)), xt.update_tile_offset(tb, (BK, 0))
    a1, b1 = xt.load_tile(ta), xt.load_tile(tb)
    for _ in range(0, A.shape[1], BK):
        ta, tb = xt.update_tile_offset(ta, (0, BK)), xt.update_tile_offset(tb, (BK, 0))
        a2, b2 = xt.load_tile(ta), xt.load_tile(tb)
        acc = xt.tile_mma(a0, b0, acc)
        a0, b0, a1, b1 = a1, b1, a2, b2
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def both_turned(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A.T @ B.T."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[0], BK):
        acc += xt.load_tile(xt.init_tile(A, (k, m), (BK, BM))).T @ xt.load_tile(xt.init_tile(B, (n, k), (BN, BK))).T
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gated(A, Gate, Up, C, BM: xt.constexpr = 128, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = silu(A @ Gate) * (A @ Up)."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    gate, up = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        gate += a @ xt.load_tile(xt.init_tile(Gate, (k, n), (BK, BN)))
        up += a @ xt.load_tile(xt.init_tile(Up, (k, n), (BK, BN)))
    xt.store_tile((gate * xt.sigmoid(gate) * up).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def low_rank(A, W, Down, Up, C, R: xt.constexpr = 16, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ W + (A @ Down) @ Up, with Down of R columns (LoRA)."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, thin = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, R), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        acc += a @ xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        thin += a @ xt.load_tile(xt.init_tile(Down, (k, 0), (BK, R)))
    acc += thin.to(A.dtype) @ xt.load_tile(xt.init_tile(Up, (0, n), (R, BN)))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def rank_one(A, B, x, y, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B + x[:, None] * y[None, :]."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    acc += xt.load_tile(xt.init_tile(x, m, BM))[:, None] * xt.load_tile(xt.init_tile(y, n, BN))[None, :]
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda B, Starts, BN, BM, MOST: (xt.cdiv(B.shape[2], BN), xt.cdiv(MOST, BM), Starts.shape[0] - 1))
def grouped(A, B, Starts, C, MOST: xt.constexpr, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """Rows Starts[g] to Starts[g + 1] of C = those of A times B[g]."""
    g, m, n = xt.program_id(2), xt.program_id(1) * BM, xt.program_id(0) * BN
    first, end = Starts[g], Starts[g + 1]
    if m >= end - first:
        return
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A[first:end], (m, k), (BM, BK)))
        acc += a @ xt.load_tile(xt.init_tile(B[g], (k, n), (BK, BN)))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C[first:end], (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def int4_halves(A, W, S, C, HALF: xt.constexpr, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B * S: each byte of W has B's rows k and k + HALF, in its low and its high half."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, HALF, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        low, high = (w & 15).to(xt.i8) - 8, (w >> 4).to(xt.i8) - 8
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ low.to(A.dtype)
        acc += xt.load_tile(xt.init_tile(A, (m, k + HALF), (BM, BK))) @ high.to(A.dtype)
    xt.store_tile(acc * xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


M, N, K = 72, 80, 96


def whole(*shape: int, dtype: Any, low: int = -8, high: int = 8, seed: int = 0) -> np.ndarray:
    """Whole numbers, whose products and sums are exact."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def _sums(first: Any) -> Made:
    a, b = whole(M, K, dtype=np.int8, low=-100, high=100).astype(first), whole(K, N, dtype=np.int8, seed=1)
    wa, wb = a.astype(np.int64), b.astype(np.int64)
    outputs = [np.zeros(shape, np.int32) for shape in ((M, N), (M, 1), (1, N))]
    return [a, b, *outputs], {2: wa @ wb, 3: wa.sum(1, keepdims=True), 4: wb.sum(0, keepdims=True)}


def _masked() -> Made:
    a, b = whole(M, K, dtype=np.float16), whole(K, N, dtype=np.float16, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: np.tril(a.astype(np.float64)) @ b}


def _turned() -> Made:
    a, b = whole(M, K, dtype=np.float16), whole(N, K, dtype=np.float16, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: a.astype(np.float64) @ b.T}


def _left_out() -> Made:
    (a, b, c), _ = _straight()
    kept = np.arange(-(-a.shape[1] // 32), dtype=np.int32) % 3 - 1
    wa, wb = a.astype(np.float64), b.astype(np.float64)
    return [a, b, kept, c], {3: wa * np.repeat(kept > 0, 32)[: a.shape[1]] @ wb}


def _biased() -> Made:
    (a, b, c), expected = _straight()
    bias = random(c.shape[1], seed=9)
    return [a, b, bias, c], {3: expected[2] + bias}


def _straight() -> Made:
    a, b = whole(M, K, dtype=np.float16), whole(K, N, dtype=np.float16, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: a.astype(np.float64) @ b}


def _both() -> Made:
    a, b = whole(K, M, dtype=np.float16), whole(N, K, dtype=np.float16, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: a.astype(np.float64).T @ b.T}


def _gated() -> Made:
    a, g, u = random(M, K, dtype=np.float16), random(K, N, dtype=np.float16, seed=1), random(K, N, dtype=np.float16, seed=2)
    wa, wg, wu = wide(a, g, u)
    gate = wa @ wg
    return [a, g, u, np.zeros((M, N), np.float16)], {3: gate / (1 + np.exp(-gate)) * (wa @ wu)}


def _low_rank() -> Made:
    shapes = ((M, K), (K, N), (K, 16), (16, N))
    given = [whole(*s, dtype=np.float16, low=-2, high=3, seed=i) for i, s in enumerate(shapes)]
    a, w, down, up = wide(*given)
    return [*given, np.zeros((M, N), np.float16)], {4: a @ w + a @ down @ up}


def _rank_one() -> Made:
    a, b = whole(M, K, dtype=np.float16), whole(K, N, dtype=np.float16, seed=1)
    x, y = whole(M, dtype=np.float32, seed=2), whole(N, dtype=np.float32, seed=3)
    return [a, b, x, y, np.zeros((M, N), np.float32)], {4: a.astype(np.float64) @ b + np.outer(x, y)}


def _grouped() -> Made:
    starts = np.array([0, 20, 20, M], np.int32)
    a, b = whole(M, K, dtype=np.float16), whole(3, K, N, dtype=np.float16, seed=1)
    expected = np.concatenate([a[s:e].astype(np.float64) @ b[g] for g, (s, e) in enumerate(itertools.pairwise(starts))])
    return [a, b, starts, np.zeros((M, N), np.float16)], {3: expected}


def _int4() -> Made:
    a, w = whole(M, 2 * K, dtype=np.float16), whole(K, N, dtype=np.uint8, low=0, high=256, seed=1)
    scales = whole(N, dtype=np.float32, low=1, seed=2)
    b = np.concatenate([w & 15, w >> 4]).astype(np.float64) - 8
    return [a, w, scales, np.zeros((M, N), np.float32)], {3: a.astype(np.float64) @ b * scales}


H, F, B8, I32 = "f16[?,?]", "f32[?,?]", "i8[?,?]", "i32[?,?]"
CASES = {
    "sums beside a product": Plain(sums_beside, (B8, B8, I32, I32, I32), lambda: _sums(np.int8), {"pvc": 50, "bmg": 41}),
    "sums beside a product, u8": Plain(
        sums_beside, ("u8[?,?]", B8, I32, I32, I32), lambda: _sums(np.uint8), {"pvc": 50, "bmg": 41}
    ),
    "sums beside a product, one row of ones": Plain(
        sums_beside, (B8, B8, I32, I32, I32), lambda: _sums(np.int8), {"pvc": 57, "bmg": 40}, {"BM": 256}
    ),
    "masked operand": Plain(masked, (H, H, F), _masked, {"pvc": 50, "bmg": 45, "dg2": 306}),
    "product, bias first": Plain(bias_first, (H, H, "f32[?]", F), _biased, {"pvc": 52, "bmg": 46, "dg2": 219}),
    "second operand transposed": Plain(second_turned, (H, H, F), _turned, {"pvc": 64, "bmg": 54, "dg2": 184}),
    "steps left out": Plain(left_out, (H, H, "i32[?]", F), _left_out, {"pvc": 63, "bmg": 56, "dg2": 375}),
    "loaded a step ahead": Plain(a_step_ahead, (H, H, F), _straight, {"pvc": 55, "bmg": 50}),
    "loaded two steps ahead": Plain(two_steps_ahead, (H, H, F), _straight, {"pvc": 53, "bmg": 48}),
    "int4 by halves": Plain(int4_halves, (H, "u8[?,?]", "f32[?]", F), _int4, {"pvc": 177, "bmg": 165, "dg2": 291}, {"HALF": K}),
    "both operands transposed": Plain(both_turned, (H, H, F), _both, {"pvc": 53, "bmg": 48, "dg2": 169}),
    "gated MLP": Plain(gated, (H, H, H, H), _gated, {"pvc": 55, "bmg": 51}, tolerance=1e-3),
    "low rank": Plain(low_rank, (H, H, H, H, H), _low_rank, {"pvc": 47, "bmg": 42, "dg2": 166}, tolerance=1e-3),
    "outer product added": Plain(rank_one, (H, H, "f32[?]", "f32[?]", F), _rank_one, {"pvc": 53, "bmg": 48}),
    "grouped product": Plain(
        grouped, (H, "f16[?,?,?;free]", "i32[?]", H), _grouped, {"pvc": 51, "bmg": 46, "dg2": 164}, {"MOST": 128}, 1e-3
    ),
}

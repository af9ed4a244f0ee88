"""Products as people write them around `a @ b`: sums beside them, masks, packed weights, turned operands, epilogues."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Plain


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
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


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
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


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def second_turned(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B.T."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (n, k), (BN, BK)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b.T
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
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


def _sums(first: Any) -> tuple[list[Any], dict[int, np.ndarray]]:
    a, b = whole(M, K, dtype=np.int8, low=-100, high=100).astype(first), whole(K, N, dtype=np.int8, seed=1)
    wa, wb = a.astype(np.int64), b.astype(np.int64)
    outputs = [np.zeros(shape, np.int32) for shape in ((M, N), (M, 1), (1, N))]
    return [a, b, *outputs], {2: wa @ wb, 3: wa.sum(1, keepdims=True), 4: wb.sum(0, keepdims=True)}


def _masked() -> tuple[list[Any], dict[int, np.ndarray]]:
    a, b = whole(M, K, dtype=np.float16), whole(K, N, dtype=np.float16, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: np.tril(a.astype(np.float64)) @ b}


def _turned() -> tuple[list[Any], dict[int, np.ndarray]]:
    a, b = whole(M, K, dtype=np.float16), whole(N, K, dtype=np.float16, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: a.astype(np.float64) @ b.T}


def _int4() -> tuple[list[Any], dict[int, np.ndarray]]:
    a, w = whole(M, 2 * K, dtype=np.float16), whole(K, N, dtype=np.uint8, low=0, high=256, seed=1)
    scales = whole(N, dtype=np.float32, low=1, seed=2)
    b = np.concatenate([w & 15, w >> 4]).astype(np.float64) - 8
    return [a, w, scales, np.zeros((M, N), np.float32)], {3: a.astype(np.float64) @ b * scales}


H, F, B8, I32 = "f16[?,?]", "f32[?,?]", "i8[?,?]", "i32[?,?]"
CASES = {
    "sums beside a product": Plain(sums_beside, (B8, B8, I32, I32, I32), lambda: _sums(np.int8), {"pvc": 82, "bmg": 73}),
    "sums beside a product, u8": Plain(
        sums_beside, ("u8[?,?]", B8, I32, I32, I32), lambda: _sums(np.uint8), {"pvc": 82, "bmg": 73}
    ),
    "masked operand": Plain(masked, (H, H, F), _masked, {"pvc": 189, "bmg": 189}),
    "second operand turned": Plain(second_turned, (H, H, F), _turned, {"pvc": 90, "bmg": 90}),
    "int4 by halves": Plain(int4_halves, (H, "u8[?,?]", "f32[?]", F), _int4, {"pvc": 507, "bmg": 487}, {"HALF": K}),
}

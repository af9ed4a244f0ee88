"""Products of narrow weights and wide numbers as people write them: scales of groups and blocks, zero points, tables, staged tf32."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain
from tests.kernels.plain_products import by_blocks, whole


@xt.jit(grid=by_blocks)
def fp8_columns(A, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ W * S."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))).to(A.dtype)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ w
    xt.store_tile(acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def fp8_blocks(A, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = A @ (W * S), with a scale for each block of BK rows and BN columns of W."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))).to(A.dtype)
        acc += (xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ w) * S[k // BK, n // BN]
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def int4_groups(A, W, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ (B * S): a byte of W has B's rows k and k + K / 2; G rows of B share a row of scales."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        low = ((w & 15).to(xt.f16) - 8) * xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        high = ((w >> 4).to(xt.f16) - 8) * xt.load_tile(xt.init_tile(S, ((k + half) // G, n), (1, BN)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ low
        acc += xt.load_tile(xt.init_tile(A, (m, k + half), (BM, BK))) @ high
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def table4(A, W, Table, S, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ (Table[W] * S): 4-bit codes of 16 numbers (nf4), a byte of W has rows k and k + K / 2, and a scale for BK rows."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))).to(xt.i32)
        for high in xt.static_range(2):
            row = k + half * high
            codes = w >> 4 if high else w & 15
            b = xt.load_gather(xt.init_tile(Table, codes)) * xt.load_tile(xt.init_tile(S, (row // BK, n), (1, BN)))
            acc += xt.load_tile(xt.init_tile(A, (m, row), (BM, BK))) @ b.to(A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def int4_chosen(A, W, S, C, HOW: xt.constexpr, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128,
                BK: xt.constexpr = 32):  # fmt: skip
    """C = A @ (B * S): a byte of W has B's rows k and k + K / 2; each step of all K takes the half that it is in."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = (HOW(W, k, half, n, (BK, BN)).to(A.dtype) - 8) * xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def by_condition(W, k, half, n, shape):
    """Codes of 4 bits, by a condition."""
    high = k >= half
    w = xt.load_tile(xt.init_tile(W, (xt.where(high, k - half, k), n), shape))
    return xt.where(high, w >> 4, w & 15)


def by_shift(W, k, half, n, shape):
    """Codes of 4 bits, by how far a byte is shifted."""
    return (xt.load_tile(xt.init_tile(W, (k % half, n), shape)) >> (k // half * 4).to(xt.u8)) & 15


@xt.jit(grid=by_blocks)
def table4_halves(A, W, Table, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ (Table[W] * S) of f16: a byte of W has B's rows k and k + K / 2, and a scale for G rows."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        low, high = xt.load_gather(xt.init_tile(Table, w & 15)), xt.load_gather(xt.init_tile(Table, w >> 4))
        low = low * xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        high = high * xt.load_tile(xt.init_tile(S, ((k + half) // G, n), (1, BN)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ low
        acc += xt.load_tile(xt.init_tile(A, (m, k + half), (BM, BK))) @ high
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def zero_points(A, B, za, zb, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = ((A - za) @ (B - zb)) * S, multiplied as bytes: za of rows, zb and S of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.i32)
    rows, columns = xt.zeros((BM, 1), xt.i32), xt.zeros((1, BN), xt.i32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += a @ b
        rows += xt.sum(a.to(xt.i32), axis=1)
        columns += xt.sum(b.to(xt.i32), axis=0)
    a0 = xt.load_tile(xt.init_tile(za, m, BM))[:, None]
    b0 = xt.load_tile(xt.init_tile(zb, n, BN))[None, :]
    exact = acc - rows * b0 - a0 * columns + A.shape[1] * a0 * b0
    xt.store_tile(exact.to(xt.f32) * xt.load_tile(xt.init_tile(S, n, BN))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def as_type(A, B, C, T: xt.constexpr = xt.tf32, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 16):
    """C = A @ B of f32, multiplied as T."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        acc += a.to(T) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(T)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def lower_as_tf32(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = tril(A) @ B of f32, multiplied as tf32: what lies above the diagonal is masked."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        a = xt.where(k + xt.arange(BK)[None, :] <= m + xt.arange(BM)[:, None], a, 0.0)
        acc += a.to(xt.tf32) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(xt.tf32)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def upper_as_tf32(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ triu(B) of f32, multiplied as tf32: what lies below the diagonal is masked."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        b = xt.where(k + xt.arange(BK)[:, None] <= n + xt.arange(BN)[None, :], b, 0.0)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))).to(xt.tf32) @ b.to(xt.tf32)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


M, N, K = 72, 80, 128


def _columns(kind: Any) -> Made:
    a, w = whole(M, K, dtype=np.float16), whole(K, N, dtype=kind, seed=1)
    scales = whole(N, dtype=np.float32, low=1, seed=2)
    return [a, w, scales, np.zeros((M, N), np.float32)], {3: a.astype(np.float64) @ w.astype(np.float64) * scales}


def _blocks(kind: Any) -> Made:
    a, w = whole(M, K, dtype=np.float16), whole(K, N, dtype=kind, seed=1)
    scales = whole(K // 64, 1, dtype=np.float32, low=1, seed=2)
    b = w.astype(np.float64) * np.repeat(scales, 64, 0)
    return [a, w, scales, np.zeros((M, N), np.float32)], {3: a.astype(np.float64) @ b}


def _packed() -> tuple[np.ndarray, np.ndarray]:
    w = whole(K // 2, N, dtype=np.uint8, low=0, high=256, seed=1)
    return w, np.concatenate([w & 15, w >> 4])


def _groups() -> Made:
    a, (w, codes) = whole(M, K, dtype=np.float16), _packed()
    scales = whole(K // 64, N, dtype=np.float16, low=1, seed=2)
    b = (codes.astype(np.float64) - 8) * np.repeat(scales, 64, 0)
    return [a, w, scales, np.zeros((M, N), np.float32)], {3: a.astype(np.float64) @ b}


def _table() -> Made:
    a, (w, codes) = whole(M, K, dtype=np.float16), _packed()
    numbers, scales = np.arange(-8, 8).astype(np.float32) / 8, whole(K // 32, N, dtype=np.float32, low=1, seed=2)
    b = numbers[codes].astype(np.float64) * np.repeat(scales, 32, 0)
    return [a, w, numbers, scales, np.zeros((M, N), np.float32)], {4: a.astype(np.float64) @ b}


def _table_f16() -> Made:
    a, (w, codes) = whole(M, K, dtype=np.float16), _packed()
    numbers, scales = np.arange(-8, 8).astype(np.float16) / 8, whole(K // 64, N, dtype=np.float16, low=1, seed=2)
    b = numbers[codes].astype(np.float64) * np.repeat(scales, 64, 0)
    return [a, w, numbers, scales, np.zeros((M, N), np.float32)], {4: a.astype(np.float64) @ b}


def _zeros() -> Made:
    a, b = (whole(*s, dtype=np.int8, low=-100, high=100, seed=i) for i, s in enumerate([(M, K), (K, N)]))
    za, zb, scales = whole(M, dtype=np.int32, seed=2), whole(N, dtype=np.int32, seed=3), whole(N, dtype=np.float32, seed=4)
    exact = (a.astype(np.int64) - za[:, None]) @ (b.astype(np.int64) - zb) * scales
    return [a, b, za, zb, scales, np.zeros((M, N), np.float32)], {5: exact}


def _lower() -> Made:
    (a, b, c), _ = _as_type()
    return [a, b, c], {2: np.tril(a).astype(np.float64) @ b.astype(np.float64)}


def _upper() -> Made:
    (a, b, c), _ = _as_type()
    return [a, b, c], {2: a.astype(np.float64) @ np.triu(b)}


def _as_type() -> Made:
    a, b = whole(M, K, dtype=np.float32), whole(K, N, dtype=np.float32, seed=1)
    return [a, b, np.zeros((M, N), np.float32)], {2: a.astype(np.float64) @ b}


H, F, B8, LINE = "f16[?,?]", "f32[?,?]", "i8[?,?]", "f32[?]"
CASES = {
    "weights f8e4m3": Plain(
        fp8_columns, (H, "f8e4m3[?,?]", LINE, F), lambda: _columns(ml_dtypes.float8_e4m3fn), {"pvc": 92, "bmg": 84, "dg2": 336}
    ),
    "weights f8e5m2": Plain(
        fp8_columns, (H, "f8e5m2[?,?]", LINE, F), lambda: _columns(ml_dtypes.float8_e5m2), {"pvc": 73, "bmg": 66, "dg2": 194}
    ),
    "weights f8e4m3, steps of 48": Plain(
        fp8_columns, (H, "f8e4m3[?,?]", LINE, F), lambda: _columns(ml_dtypes.float8_e4m3fn), {"pvc": 145, "bmg": 128, "dg2": 531}, {"BK": 48}
    ),
    "weights f8e4m3, deep steps": Plain(
        fp8_columns, (H, "f8e4m3[?,?]", LINE, F), lambda: _columns(ml_dtypes.float8_e4m3fn), {"pvc": 177, "bmg": 163, "dg2": 631}, {"BK": 64}
    ),
    # Two more on PVC than with coordinates in two sums: IGC waits once more until messages have read their headers.
    "weights f8e4m3, scales of blocks": Plain(
        fp8_blocks, (H, "f8e4m3[?,?]", F, F), lambda: _blocks(ml_dtypes.float8_e4m3fn), {"pvc": 256, "bmg": 236, "dg2": 429}
    ),
    "weights f8e5m2, scales of blocks": Plain(
        fp8_blocks, (H, "f8e5m2[?,?]", F, F), lambda: _blocks(ml_dtypes.float8_e5m2), {"pvc": 216, "bmg": 205, "dg2": 297}
    ),
    "weights i8, scales of blocks": Plain(fp8_blocks, (H, B8, F, F), lambda: _blocks(np.int8), {"pvc": 248, "bmg": 235, "dg2": 305}),
    "int4, scales of groups": Plain(int4_groups, (H, "u8[?,?]", H, F), _groups, {"pvc": 220, "bmg": 208, "dg2": 543}),
    "int4, scales of groups, deep steps": Plain(
        int4_groups, (H, "u8[?,?]", H, F), _groups, {"pvc": 455, "bmg": 411, "dg2": 545}, {"BK": 64}
    ),
    "weights f8e5m2, deep steps of 256 rows": Plain(
        fp8_columns, (H, "f8e5m2[?,?]", LINE, F), lambda: _columns(ml_dtypes.float8_e5m2), {"pvc": 145, "bmg": 137, "dg2": 163},
        {"BM": 256, "BK": 64},
    ),
    "int4, halves by a condition": Plain(
        int4_chosen, (H, "u8[?,?]", H, F), _groups, {"pvc": 234, "bmg": 218}, {"HOW": by_condition, "BK": 64}
    ),
    "int4, halves by a shift": Plain(int4_chosen, (H, "u8[?,?]", H, F), _groups, {"pvc": 242, "bmg": 228}, {"HOW": by_shift, "BK": 64}),
    "nf4, f16": Plain(table4_halves, (H, "u8[?,?]", "f16[?]", H, F), _table_f16, {"pvc": 254, "bmg": 244, "dg2": 1640}),
    "nf4": Plain(table4, (H, "u8[?,?]", LINE, F, F), _table, {"pvc": 322, "bmg": 309, "dg2": 1480}, {"BM": 128, "BN": 128}),
    "int8, zero points": Plain(zero_points, (B8, B8, "i32[?]", "i32[?]", LINE, F), _zeros, {"pvc": 82, "bmg": 73}),
    "f32 as tf32": Plain(as_type, (F, F, F), _as_type, {"pvc": 108, "bmg": 98}),
    "f32 as tf32, below the diagonal": Plain(lower_as_tf32, (F, F, F), _lower, {"pvc": 90, "bmg": 84}),
    "f32 as tf32, above the diagonal": Plain(upper_as_tf32, (F, F, F), _upper, {"pvc": 145, "bmg": 141}),
    "f32 as tf32, above the diagonal, 64x64": Plain(upper_as_tf32, (F, F, F), _upper, {"pvc": 146, "bmg": 132}, {"BM": 64, "BN": 64}),
    "f32 as bf16": Plain(as_type, (F, F, F), _as_type, {"pvc": 258, "bmg": 246, "dg2": 206}, {"T": xt.bf16, "BK": 32}),
}  # fmt: skip

"""Sums of operands beside their products, as zero points of groups want them in each step."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, wide
from tests.kernels.plain_products import by_blocks


@xt.jit(grid=by_blocks)
def rows_with_zeros(A, B, Za, Sa, Sb, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, G: xt.constexpr = 64):
    """C = sum over groups of (A - za) @ B * sa * sb: za and sa of groups and rows, sb of groups and columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], G):
        a, b = xt.load_tile(A[m : m + BM, k : k + G]), xt.load_tile(B[k : k + G, n : n + BN])
        za, sa = xt.load_tile(Za[k // G, m : m + BM])[:, None], xt.load_tile(Sa[k // G, m : m + BM])[:, None]
        exact = a @ b - za * xt.sum(b, axis=0)
        acc += exact.to(xt.f32) * sa * xt.load_tile(Sb[k // G, n : n + BN])[None, :]
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def columns_with_zeros(A, B, Zb, Sb, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, G: xt.constexpr = 64):
    """C = sum over groups of A @ (B - zb) * sb: zb and sb of groups and columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], G):
        a, b = xt.load_tile(A[m : m + BM, k : k + G]), xt.load_tile(B[k : k + G, n : n + BN])
        zb, sb = xt.load_tile(Zb[k // G, n : n + BN])[None, :], xt.load_tile(Sb[k // G, n : n + BN])[None, :]
        acc += (a @ b - xt.sum(a, axis=1) * zb).to(xt.f32) * sb
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def columns_with_offsets(A, B, Zb, Sb, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, G: xt.constexpr = 64):
    """C = sum over groups of A @ (B * sb - zb), zb of f32: sums are converted before they are stretched."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], G):
        a, b = xt.load_tile(A[m : m + BM, k : k + G]), xt.load_tile(B[k : k + G, n : n + BN])
        zb, sb = xt.load_tile(Zb[k // G, n : n + BN])[None, :], xt.load_tile(Sb[k // G, n : n + BN])[None, :]
        acc += (a @ b).to(xt.f32) * sb - xt.sum(a, axis=1).to(xt.f32) * zb
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda X: (X.shape[0],))
def sums_of_small(X, W, Y, S):
    """Products of small matrices of bytes less what rows and columns add up to, and the rows' sums."""
    z = xt.program_id(0)
    x, w = xt.load_tile(X[z, 0:19, 0:37]), xt.load_tile(W[0:37, 0:21])
    rows = xt.sum(x, axis=1)
    Y[z, 0:19, 0:21] = ((x @ w) * 2 - rows + 3 * xt.sum(w, axis=0)).to(xt.i32)
    S[z, 0:19, 0:1] = rows


def _codes(*shape: int, dtype: type, seed: int) -> np.ndarray:
    low, high = (0, 256) if dtype is np.uint8 else (-128, 128)
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def _small_floats(*shape: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32) / 64


def _grouped(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both by groups of 64, which they do not fill."""
    depth = -a.shape[1] % 64
    wa, wb = wide(np.pad(a, ((0, 0), (0, depth))), np.pad(b, ((0, depth), (0, 0))))
    return wa.reshape(len(a), -1, 64).transpose(1, 0, 2), wb.reshape(-1, 64, b.shape[1])


def _rows_with_zeros() -> Made:
    a, b = _codes(72, 160, dtype=np.uint8, seed=0), _codes(160, 136, dtype=np.int8, seed=1)
    za = np.random.default_rng(2).integers(0, 256, (3, 72)).astype(np.int32)
    sa, sb = np.abs(_small_floats(3, 72, seed=3)), _small_floats(3, 136, seed=4)
    ga, gb = _grouped(a, b)
    exact = ga @ gb - za[:, :, None] * gb.sum(1)[:, None]
    c = (exact * wide(sa)[0][:, :, None] * wide(sb)[0][:, None]).sum(0)
    return [a, b, za, sa, sb, np.zeros((72, 136), np.float32)], {5: c}


def _columns() -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    a, b = _codes(72, 160, dtype=np.int8, seed=0), _codes(160, 136, dtype=np.uint8, seed=1)
    ga, gb = _grouped(a, b)
    return [a, b], ga @ gb, ga.sum(2)[:, :, None]


def _columns_with_zeros() -> Made:
    given, product, rows = _columns()
    zb = np.random.default_rng(2).integers(0, 256, (3, 136)).astype(np.int32)
    sb = _small_floats(3, 136, seed=3)
    c = ((product - rows * zb[:, None]) * wide(sb)[0][:, None]).sum(0)
    return [*given, zb, sb, np.zeros((72, 136), np.float32)], {4: c}


def _columns_with_offsets() -> Made:
    given, product, rows = _columns()
    zb, sb = _small_floats(3, 136, seed=2), _small_floats(3, 136, seed=3)
    c = (product * wide(sb)[0][:, None] - rows * wide(zb)[0][:, None]).sum(0)
    return [*given, zb, sb, np.zeros((72, 136), np.float32)], {4: c}


def _sums_of_small() -> Made:
    x, w = _codes(3, 19, 37, dtype=np.int8, seed=0), _codes(37, 21, dtype=np.int8, seed=1)
    wx, ww = wide(x, w)
    rows = wx.sum(2, keepdims=True)
    given = [x, w, np.zeros((3, 19, 21), np.int32), np.zeros((3, 19, 1), np.int32)]
    return given, {2: wx @ ww * 2 - rows + 3 * ww.sum(0), 3: rows}


U8, I8, I32, F = "u8[?,?]", "i8[?,?]", "i32[?,?]", "f32[?,?]"
CASES = {
    "u8 rows with zero points of groups": Plain(
        rows_with_zeros, (U8, I8, I32, F, F, F), _rows_with_zeros, {"pvc": 600, "bmg": 586, "dg2": 808}, tolerance=1e-4
    ),
    "u8 columns with zero points of groups": Plain(
        columns_with_zeros, (I8, U8, I32, F, F), _columns_with_zeros, {"pvc": 510, "bmg": 497, "dg2": 680}, tolerance=1e-4
    ),
    "u8 columns with offsets of groups": Plain(
        columns_with_offsets, (I8, U8, F, F, F), _columns_with_offsets, {"pvc": 377, "bmg": 368, "dg2": 575}, tolerance=1e-4
    ),
    "sums of small matrices of bytes": Plain(sums_of_small, ("i8[?,?,?]", I8, "i32[?,?,?]", "i32[?,?,?]"), _sums_of_small, {}),
}

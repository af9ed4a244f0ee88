"""Weights of four bits whose bytes hold neighbours: along rows of W [N, K / 2], as layers keep them, and along the columns of the product."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random
from tests.kernels.plain_products import by_blocks


@xt.jit(grid=by_blocks)
def rows(A, W, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = A @ (W * S).T: W [N, K / 2] of codes less 8, a scale for G of a row."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        w = xt.load_tile(xt.init_tile(W, (n, k // 2), (BN, BK // 2)))
        s = xt.load_tile(xt.init_tile(S, (n, k // G), (BN, 1)))
        acc += a @ ((xt.interleave(w & 15, w >> 4).to(A.dtype) - 8) * s.to(A.dtype)).T
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def rows_by_table(A, W, Table, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = A @ (Table[W] * S).T: the same by a table, the upper half of a byte first (nf4)."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        w = xt.load_tile(xt.init_tile(W, (n, k // 2), (BN, BK // 2)))
        values = xt.load_gather(xt.init_tile(Table, xt.interleave(w >> 4, w & 15).to(xt.i32)))
        s = xt.load_tile(xt.init_tile(S, (n, k // G), (BN, 1)))
        acc += a @ (values * s).to(A.dtype).T
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def columns(A, W, S, C, G: xt.constexpr = 32, BM: xt.constexpr = 64, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ (W * S): W [K, N / 2] of codes less 8, a scale for each column of G rows."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        w = xt.load_tile(xt.init_tile(W, (k, n // 2), (BK, BN // 2)))
        s = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        acc = xt.tile_mma(a, (xt.interleave(w & 15, w >> 4).to(A.dtype) - 8) * s, acc)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


def _bytes(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, (rows, columns)).astype(np.uint8)


def _turns(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack([first, second], 2).reshape(len(first), -1)


def _rows() -> Made:
    a, w, s = random(70, 192, dtype=np.float16), _bytes(136, 96), random(136, 3, seed=1)
    wide = (_turns(w & 15, w >> 4) - 8.0) * np.repeat(s, 64, 1).astype(np.float16)
    return [a, w, s, np.zeros((70, 136), np.float32)], {3: a.astype(np.float64) @ wide.T}


def _rows_by_table() -> Made:
    a, w, s, table = random(70, 192, dtype=np.float16), _bytes(136, 96), random(136, 3, seed=1), random(16, seed=2)
    wide = table[_turns(w >> 4, w & 15)].astype(np.float64) * np.repeat(s, 64, 1)
    return [a, w, table, s, np.zeros((70, 136), np.float32)], {4: a.astype(np.float64) @ wide.T}


def _columns() -> Made:
    a, w, s = random(70, 96, dtype=np.float16), _bytes(96, 68), random(3, 136, dtype=np.float16, seed=1)
    wide = (_turns(w & 15, w >> 4) - 8.0) * np.repeat(s, 32, 0)
    return [a, w, s, np.zeros((70, 136), np.float32)], {3: a.astype(np.float64) @ wide}


H, F, U8, LINE = "f16[?,?]", "f32[?,?]", "u8[?,?]", "f32[?]"
CASES = {
    "int4, rows of W": Plain(rows, (H, U8, F, F), _rows, {"pvc": 242, "bmg": 224, "dg2": 950}, tolerance=2e-3),
    "nf4, rows of W": Plain(
        rows_by_table, (H, U8, LINE, F, F), _rows_by_table, {"pvc": 384, "bmg": 369, "dg2": 1900}, tolerance=2e-3
    ),
    "int4, columns by turns, scales of groups": Plain(columns, (H, U8, H, F), _columns, {"pvc": 185, "bmg": 179}, tolerance=2e-3),
}

"""Products whose operands lie where numbers in memory say: pages, blocks of sparse matrices, matrices of several, every second row."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_products import by_blocks


@xt.jit(grid=by_blocks)
def pages(A, B, T, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ the pages of B [pages, BK, N] that T lists."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for i in range(A.shape[1] // BK):
        acc += xt.load_tile(A[m : m + BM, i * BK : i * BK + BK]) @ xt.load_tile(B[T[i]][0:BK, n : n + BN])
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def listed_rows(A, B, Starts, Blocks, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = S @ B, where row m of blocks of S [BM, BK] has those from Starts[m] to Starts[m + 1] of A, of which Blocks says the columns."""
    m, n = xt.program_id(1), xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for i in range(Starts[m], Starts[m + 1]):
        k = Blocks[i] * BK
        acc += xt.load_tile(A[i * BM : i * BM + BM, 0:BK]) @ xt.load_tile(B[k : k + BK, n : n + BN])
    xt.store_tile(acc, xt.init_tile(C, (m * BM, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def over_matrices(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = the sum of A[z] @ B[z], which are BK deep."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for z in range(A.shape[0]):
        acc += xt.load_tile(A[z, m : m + BM, 0:BK]) @ xt.load_tile(B[z, 0:BK, n : n + BN])
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def second_rows(A, B, C, first, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ every second row of B, from `first` on."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(B[2 * k + first : 2 * k + first + 2 * BK : 2, n : n + BN])
        acc += xt.load_tile(A[m : m + BM, k : k + BK]) @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


M, N = 72, 80


def _pages() -> Made:
    a, b = random(M, 96, dtype=np.float16), random(5, 32, N, dtype=np.float16, seed=1)
    table = np.array([4, 0, 3], np.int32)
    wide_a, wide_b = wide(a, b)
    return [a, b, table, np.zeros((M, N), np.float32)], {3: wide_a @ wide_b[table].reshape(96, N)}


def _listed_rows() -> Made:
    a, b = random(4 * 64, 32, dtype=np.float16), random(130, N, dtype=np.float16, seed=1)
    starts, blocks = np.array([0, 3, 4], np.int32), np.array([3, 0, 4, 1], np.int32)
    padded: Any = np.zeros((160, N))
    padded[:130] = b
    parts = [wide(a[i * 64 : i * 64 + 64])[0] @ padded[k * 32 : k * 32 + 32] for i, k in enumerate(blocks)]
    c = np.concatenate([sum(parts[starts[m] : starts[m + 1]]) for m in range(2)])
    return [a, b, starts, blocks, np.zeros((128, N), np.float32)], {4: c}


def _over_matrices() -> Made:
    a, b = random(5, M, 32, dtype=np.float16), random(5, 32, N, dtype=np.float16, seed=1)
    wide_a, wide_b = wide(a, b)
    return [a, b, np.zeros((M, N), np.float32)], {2: (wide_a @ wide_b).sum(0)}


def _second_rows() -> Made:
    a, b = random(M, 96, dtype=np.float16), random(200, N, dtype=np.float16, seed=1)
    wide_a, wide_b = wide(a, b)
    return [a, b, np.zeros((M, N), np.float32), 1], {2: wide_a @ wide_b[1:193:2]}


H, F, BOXES, LIST = "f16[?,?]", "f32[?,?]", "f16[?,?,?]", "i32[?]"
CASES = {
    "product, pages by number": Plain(pages, (H, BOXES, LIST, F), _pages, {"pvc": 82, "bmg": 78, "dg2": 240}),
    "product, blocks by number": Plain(listed_rows, (H, H, LIST, LIST, F), _listed_rows, {"pvc": 89, "bmg": 85, "dg2": 258}),
    "product, summed over matrices": Plain(over_matrices, (BOXES, BOXES, F), _over_matrices, {"pvc": 77, "bmg": 77, "dg2": 225}),
    "product, every second row from a number on": Plain(
        second_rows, (H, H, F, "i32"), _second_rows, {"pvc": 52, "bmg": 48, "dg2": 305}
    ),
}

"""Products by weights of four bits, eight in a word (GPTQ), as people write them; zero points lie in words, too."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain
from tests.kernels.plain_products import by_blocks, whole


def zeros_of(QZ, g, columns):
    """Zero points of a group: each less one is four bits of a word."""
    words = xt.load_gather(xt.init_tile(QZ, g * QZ.shape[1] + columns // 8), columns // 8 < QZ.shape[1])
    return ((words >> (columns % 8) * 4) & 15) + 1


@xt.jit(grid=by_blocks)
def gptq_rows(X, QW, QZ, S, Group, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = X @ ((B - Z) * S): word (k // 8, n) of QW has rows k to k + 7 of B, and Group the group of each row."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows, acc = xt.arange(BK), xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        g = Group[k]
        words = xt.load_tile(xt.init_tile(QW, (k // 8, n), (BK // 8, BN)))
        w = (words[rows // 8] >> (rows % 8 * 4)[:, None]) & 15
        z, s = zeros_of(QZ, g, (n + xt.arange(BN))[None, :]), xt.load_tile(xt.init_tile(S, (g, n), (1, BN)))
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ ((w - z).to(xt.f16) * s)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gptq_gathered(X, QW, QZ, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """The same by addresses of all elements; G rows share scales and zero points."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    columns, acc = (n + xt.arange(BN))[None, :], xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        rows = (k + xt.arange(BK))[:, None]
        words = xt.load_gather(xt.init_tile(QW, rows // 8 * QW.shape[1] + columns), columns < QW.shape[1])
        z = zeros_of(QZ, k // G, columns)
        s = xt.load_gather(xt.init_tile(S, k // G * S.shape[1] + columns), columns < S.shape[1])
        b = (((words >> rows % 8 * 4) & 15) - z).to(xt.f16) * s
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ b
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gptq_columns(X, QW, QZ, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """The same with a product of every eighth column for each place in the words."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        x, words = xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(QW, (k // 8, n), (BK // 8, BN)))
        z = zeros_of(QZ, k // G, (n + xt.arange(BN))[None, :])
        s = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        for i in xt.static_range(8):
            acc += x[:, i::8] @ ((((words >> 4 * i) & 15) - z).to(xt.f16) * s)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gptq_turns(X, QW, QZ, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """The same with rows by turns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        words = xt.load_tile(xt.init_tile(QW, (k // 8, n), (BK // 8, BN))).T
        c = [(words >> 4 * i) & 15 for i in range(8)]
        even = xt.interleave(xt.interleave(c[0], c[4]), xt.interleave(c[2], c[6]))
        odd = xt.interleave(xt.interleave(c[1], c[5]), xt.interleave(c[3], c[7]))
        z = zeros_of(QZ, k // G, (n + xt.arange(BN))[None, :])
        s = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        b = (xt.interleave(even, odd).T - z).to(xt.f16) * s
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ b
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gptq_order(X, QW, QZ, S, Group, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """The same with a group for each row, in any order (act-order): scales and zero points of rows come from anywhere."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows, columns, acc = xt.arange(BK), (n + xt.arange(BN))[None, :], xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        g = xt.load_tile(xt.init_tile(Group, k, BK))[:, None]
        words = xt.load_tile(xt.init_tile(QW, (k // 8, n), (BK // 8, BN)))
        w = (words[rows // 8] >> (rows % 8 * 4)[:, None]) & 15
        z = zeros_of(QZ, g, columns)
        s = xt.load_gather(xt.init_tile(S, g * S.shape[1] + columns), columns < S.shape[1])
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ ((w - z).to(xt.f16) * s)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


M, N, K, GROUP = 72, 80, 256, 64


def in_words(codes: np.ndarray) -> np.ndarray:
    """Rows of codes of four bits, eight in a word."""
    words = sum(codes[i::8].astype(np.uint32) << np.uint32(4 * i) for i in range(8))
    return np.asarray(words, np.uint32).view(np.int32)


def _weights(groups: bool, *, any_order: bool = False) -> Made:
    x, codes = whole(M, K, dtype=np.float16), whole(K, N, dtype=np.uint8, low=0, high=16, seed=1)
    zeros = whole(K // GROUP, N, dtype=np.uint8, low=0, high=16, seed=2)
    scales = whole(K // GROUP, N, dtype=np.float16, low=1, high=5, seed=3)
    group = np.repeat(np.arange(K // GROUP, dtype=np.int32), GROUP)
    group = np.random.default_rng(4).permutation(group) if any_order else group
    b = (codes.astype(np.float64) - zeros[group] - 1) * scales[group]
    given = [x, in_words(codes), np.ascontiguousarray(in_words(zeros.T).T), scales]
    given += [group] if groups else []
    return [*given, np.zeros((M, N), np.float32)], {len(given): x.astype(np.float64) @ b}


H, F, W = "f16[?,?]", "f32[?,?]", "i32[?,?]"
CASES = {
    "gptq, rows of a tile": Plain(gptq_rows, (H, W, W, H, "i32[?]", F), lambda: _weights(True), {"pvc": 279, "bmg": 260, "dg2": 682}),
    "gptq, gathered": Plain(gptq_gathered, (H, W, W, H, F), lambda: _weights(False), {"pvc": 355, "bmg": 324}),
    "gptq, columns of a tile": Plain(gptq_columns, (H, W, W, H, F), lambda: _weights(False), {"pvc": 246, "bmg": 228, "dg2": 1373}),
    "gptq, rows by turns": Plain(gptq_turns, (H, W, W, H, F), lambda: _weights(False), {"pvc": 246, "bmg": 228, "dg2": 571}),
    "gptq, rows in any order": Plain(
        gptq_order, (H, W, W, H, "i32[?]", F), lambda: _weights(True, any_order=True), {"pvc": 1259, "bmg": 1043}
    ),
}  # fmt: skip

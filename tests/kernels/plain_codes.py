"""Products by weights in few bits as people write them: codes side by side in a byte or a word, scales that are codes themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_products import by_blocks, whole


@xt.jit(grid=by_blocks)
def awq(X, W, S, Z, C, G: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """C = X @ ((B - Z) * S): a byte of W has rows 2 k and 2 k + 1 of B; G rows share scales and zero points."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for g in range(S.shape[0]):
        even = xt.load_tile(X[m : m + BM, g * G : g * G + G : 2])
        odd = xt.load_tile(X[m : m + BM, g * G + 1 : g * G + G : 2])
        w = xt.load_tile(xt.init_tile(W, (g * (G // 2), n), (G // 2, BN)))
        s = xt.load_tile(xt.init_tile(S, (g, n), (1, BN)))
        z = xt.load_tile(xt.init_tile(Z, (g, n), (1, BN)))
        low = ((w & 15).to(xt.f16) - z) * s
        high = ((w >> 4).to(xt.f16) - z) * s
        acc += even @ low
        acc += odd @ high
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def awq_sliced(X, W, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    """The same, with columns of a loaded tile."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], G):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, G)))
        w = xt.load_tile(xt.init_tile(W, (k // 2, n), (G // 2, BN)))
        s = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        low = ((w & 15).to(xt.f16) - 8) * s
        high = ((w >> 4).to(xt.f16) - 8) * s
        acc += x[:, ::2] @ low + x[:, 1::2] @ high
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def interleaved(X, W, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128):
    """The same as one product, with rows by turns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], G):
        w = xt.load_tile(xt.init_tile(W, (k // 2, n), (G // 2, BN)))
        s = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        codes = xt.interleave((w & 15).T, (w >> 4).T).T
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, G))) @ ((codes.to(xt.f16) - 8) * s)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def signed(X, W, S, C, BM: xt.constexpr = 32, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = X @ B * S: codes with a sign, rows by turns, a scale for each column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k // 2, n), (BK // 2, BN)))
        b = xt.interleave(((w << 4) >> 4).T, (w >> 4).T).T
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ b.to(X.dtype)
    xt.store_tile(acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def by_bits(X, W, S, C, BM: xt.constexpr = 32, BN: xt.constexpr = 64, G: xt.constexpr = 64):
    """C = X @ ((B - 8) * S).T: codes are the lowest bits of floats; the even and the odd columns of X are multiplied by themselves."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for g in range(S.shape[1]):
        w = xt.load_tile(xt.init_tile(W, (n, g * G // 2), (BN, G // 2)))
        low, high = (((code.to(xt.u16) | 0x6400).bitcast(xt.f16) - 1032) for code in (w & 15, w >> 4))
        x, s = xt.load_tile(xt.init_tile(X, (m, g * G), (BM, G))), xt.load_tile(xt.init_tile(S, (n, g), (BN, 1)))
        acc += x[:, ::2] @ (low * s).T
        acc += x[:, 1::2] @ (high * s).T
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def columns_by_turns(X, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = X @ B * S: a byte of W has columns 2 n and 2 n + 1 of B; a scale for each column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, n // 2), (BK, BN // 2)))
        codes = xt.interleave(w & 15, w >> 4)
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ (codes.to(X.dtype) - 8)
    xt.store_tile((acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :]).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def nf4_double(X, W, Table, Sq, S2, C, offset, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 64):
    """C = X @ (Table[B] * (Sq * S2 + offset)): scales of BK rows are bytes, with a scale for each column (QLoRA)."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    second = xt.load_tile(xt.init_tile(S2, n, BN))[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))).to(xt.i32)
        s1 = xt.load_tile(xt.init_tile(Sq, (k // BK, n), (1, BN))).to(xt.f32) * second + offset
        s2 = xt.load_tile(xt.init_tile(Sq, ((k + half) // BK, n), (1, BN))).to(xt.f32) * second + offset
        low = xt.load_gather(xt.init_tile(Table, w & 15)) * s1
        high = xt.load_gather(xt.init_tile(Table, w >> 4)) * s2
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ low.to(X.dtype)
        acc += xt.load_tile(xt.init_tile(X, (m, k + half), (BM, BK))) @ high.to(X.dtype)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def ternary(X, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = X @ B * S: four numbers of -1, 0 and 1 in a byte, of rows k, k + K / 4, k + K / 2 and k + 3 K / 4 (BitNet)."""
    m, n, quarter = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.i32)
    for k in range(0, quarter, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        for i in xt.static_range(4):
            b = ((w >> (2 * i)) & 3).to(xt.i8) - 1
            acc += xt.load_tile(xt.init_tile(X, (m, k + i * quarter), (BM, BK))) @ b
    out = acc.to(xt.f32) * xt.load_tile(xt.init_tile(S, n, BN))[None, :]
    xt.store_tile(out, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def zeros_and_scales(X, W, S, Z, C, G: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 128):
    """C = X @ ((W - Z) * S): weights of bytes; G rows share scales and zero points."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], G):
        x = xt.load_tile(xt.init_tile(X, (m, k), (BM, G)))
        w = xt.load_tile(xt.init_tile(W, (k, n), (G, BN))).to(xt.f32)
        s = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN)))
        z = xt.load_tile(xt.init_tile(Z, (k // G, n), (1, BN))).to(xt.f32)
        acc += x @ ((w - z) * s).to(X.dtype)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def zeros_as_words(X, W, S, Z, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """The same: zero points are taken from weights as whole numbers of 32 bits."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        x, w = xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        s, z = xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN))), xt.load_tile(xt.init_tile(Z, (k // G, n), (1, BN)))
        acc += x @ ((w.to(xt.i32) - z.to(xt.i32)).to(X.dtype) * s.to(X.dtype))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def two_of_four(X, V, P, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = X @ B: of four rows of B two are stored, in V; a byte of P has their places, two bits each, for eight rows."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows, acc = xt.arange(BK), xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        v = xt.load_tile(xt.init_tile(V, (k // 2, n), (BK // 2, BN)))
        places = xt.load_tile(xt.init_tile(P, (k // 8, n), (BK // 8, BN)))
        places = places[rows // 8] >> (rows // 4 % 2 * 4)[:, None].to(xt.u8)
        first, second = places & 3, (places >> 2) & 3
        row = (rows % 4)[:, None].to(xt.u8)
        b = xt.where(first == row, v[rows // 4 * 2], xt.where(second == row, v[rows // 4 * 2 + 1], 0.0))
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ b.to(X.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def _even_odd(zero_points: bool) -> Made:
    x, w = random(70, 128, dtype=np.float16), whole(64, 80, dtype=np.uint8, low=0, high=256, seed=1)
    s = np.abs(random(2, 80, dtype=np.float16, seed=2)) / np.float16(8)
    z = whole(2, 80, dtype=np.float16, low=4, high=12, seed=3) if zero_points else np.full((2, 80), 8, np.float16)
    codes = np.stack([w & 15, w >> 4], 1).reshape(128, 80).astype(np.float64)
    b = (codes - np.repeat(z, 64, 0)) * np.repeat(s.astype(np.float64), 64, 0)
    given = [x, w, s, z] if zero_points else [x, w, s]
    return [*given, np.zeros((70, 80), np.float16)], {len(given): x.astype(np.float64) @ b}


def _signed() -> Made:
    x, w = random(70, 128, dtype=np.float16), whole(64, 80, dtype=np.int8, low=-128, high=128, seed=1)
    s = np.abs(random(80, seed=2)) / 8
    b = np.stack([(w << 4) >> 4, w >> 4], 1).reshape(128, 80).astype(np.float64) * s
    return [x, w, s, np.zeros((70, 80), np.float32)], {3: wide(x)[0] @ b}


def _by_bits() -> Made:
    x, w = random(70, 128, dtype=np.float16), whole(80, 64, dtype=np.uint8, low=0, high=256, seed=1)
    s = np.abs(random(80, 2, dtype=np.float16, seed=2)) / np.float16(8)
    b = (np.stack([w & 15, w >> 4], 2).reshape(80, 128).astype(np.float64) - 8) * np.repeat(s.astype(np.float64), 64, 1)
    return [x, w, s, np.zeros((70, 80), np.float32)], {3: wide(x)[0] @ b.T}


def _columns_by_turns() -> Made:
    x, w = random(70, 128, dtype=np.float16), whole(128, 40, dtype=np.uint8, low=0, high=256, seed=1)
    s = np.abs(random(80, seed=2)) / 8
    b = (np.stack([w & 15, w >> 4], 2).reshape(128, 80).astype(np.float64) - 8) * s
    return [x, w, s, np.zeros((70, 80), np.float16)], {3: wide(x)[0] @ b}


def _nf4() -> Made:
    x, w = random(70, 256, dtype=np.float16), whole(128, 80, dtype=np.uint8, low=0, high=256, seed=1)
    table, sq = np.linspace(-1, 1, 16).astype(np.float32), whole(4, 80, dtype=np.int8, low=1, high=100, seed=2)
    s2 = np.abs(random(80, seed=3)) / 100
    codes, scales = np.concatenate([w & 15, w >> 4]), sq * s2.astype(np.float64) + 0.25
    b = table[codes].astype(np.float64) * np.repeat(scales, 64, 0)
    return [x, w, table, sq, s2, np.zeros((70, 80), np.float16), 0.25], {5: x.astype(np.float64) @ b}


def _ternary() -> Made:
    x, s = whole(70, 256, dtype=np.int8, low=-100, high=100), np.abs(random(80, seed=2))
    codes = np.random.default_rng(1).integers(0, 3, (4, 64, 80)).astype(np.uint8)
    w = codes[0] | codes[1] << 2 | codes[2] << 4 | codes[3] << 6
    b = codes.reshape(256, 80).astype(np.float64) - 1
    return [x, w, s, np.zeros((70, 80), np.float32)], {3: x.astype(np.float64) @ b * s}


def _zeros_and_scales() -> Made:
    x, w = random(70, 128, dtype=np.float16), whole(128, 80, dtype=np.uint8, low=0, high=256, seed=1)
    s, z = np.abs(random(2, 80, seed=2)) / 100, whole(2, 80, dtype=np.uint8, low=100, high=150, seed=3)
    b = (w.astype(np.float64) - np.repeat(z, 64, 0)) * np.repeat(s, 64, 0)
    return [x, w, s, z, np.zeros((70, 80), np.float16)], {4: wide(x)[0] @ b}


@xt.jit(grid=by_blocks)
def scales_of_scales(X, W, S, S2, C, BM: xt.constexpr = 32, BN: xt.constexpr = 64, G: xt.constexpr = 32):
    """C = X @ ((B - 8) * S * S2): a byte of W has rows 2 k and 2 k + 1 of B; G rows share a byte of S, eight of these a number of S2."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for b in range(S2.shape[0]):
        second = xt.load_tile(xt.init_tile(S2, (b, n), (1, BN)))
        for g in range(8):
            k = (b * 8 + g) * G
            w = xt.load_tile(xt.init_tile(W, (k // 2, n), (G // 2, BN)))
            s = xt.load_tile(xt.init_tile(S, (b * 8 + g, n), (1, BN))).to(xt.f32) * second
            codes = xt.interleave((w & 15).T, (w >> 4).T).T
            acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, G))) @ ((codes.to(xt.f32) - 8) * s).to(X.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def _scales_of_scales() -> Made:
    rng, depth = np.random.default_rng(2), 512
    x, codes = random(72, depth, dtype=np.float16), rng.integers(0, 16, (depth, 80))
    s, second = rng.integers(0, 64, (depth // 32, 80)).astype(np.uint8), np.abs(random(depth // 256, 80, seed=3)) / 64
    scale = np.repeat(s, 32, axis=0) * np.repeat(second.astype(np.float64), 256, axis=0)
    w = (codes[::2] | codes[1::2] << 4).astype(np.uint8)
    return [x, w, s, second, np.zeros((72, 80), np.float32)], {4: x.astype(np.float64) @ ((codes - 8) * scale)}


def _two_of_four() -> Made:
    x, v = random(70, 128, dtype=np.float16), random(64, 80, dtype=np.float16, seed=1)
    two = np.argsort(np.random.default_rng(2).random((32, 4, 80)), 1)[:, :2]
    b = np.zeros((32, 4, 80))
    np.put_along_axis(b, two, v.reshape(32, 2, 80).astype(np.float64), 1)
    codes = (two[:, 0] | two[:, 1] << 2).astype(np.uint8)
    return [x, v, codes[::2] | codes[1::2] << 4, np.zeros((70, 80), np.float32)], {3: x.astype(np.float64) @ b.reshape(128, 80)}


H, F, U8, LINE = "f16[?,?]", "f32[?,?]", "u8[?,?]", "f32[?]"
CASES: dict[str, Any] = {
    "int4, even and odd columns": Plain(
        awq, (H, U8, H, H, H), lambda: _even_odd(True), {"pvc": 401, "bmg": 395, "dg2": 716}, tolerance=5e-3
    ),
    "int4, even and odd columns, 128 of each": Plain(
        awq, (H, U8, H, H, H), lambda: _even_odd(True), {"pvc": 264, "bmg": 248, "dg2": 782}, {"BM": 128, "BN": 128}, 5e-3
    ),
    "int4, even and odd columns of a tile": Plain(
        awq_sliced, (H, U8, H, H), lambda: _even_odd(False), {"pvc": 329, "bmg": 324, "dg2": 686}, tolerance=5e-3
    ),
    "int4, even and odd columns of a tile, 128 of each": Plain(
        awq_sliced, (H, U8, H, H), lambda: _even_odd(False), {"pvc": 223, "bmg": 212, "dg2": 762}, {"BM": 128, "BN": 128}, 5e-3
    ),
    "int4, rows by turns": Plain(
        interleaved, (H, U8, H, H), lambda: _even_odd(False), {"pvc": 223, "bmg": 212, "dg2": 736}, tolerance=5e-3
    ),
    "int4, rows by turns, 96 columns": Plain(
        interleaved, (H, U8, H, H), lambda: _even_odd(False), {"pvc": 238, "bmg": 220}, {"BN": 96}, 5e-3
    ),
    "int4 with signs, 32 by 64": Plain(
        signed, (H, "i8[?,?]", LINE, F), _signed, {"pvc": 297, "bmg": 292, "dg2": 926}, tolerance=5e-3
    ),
    "int4 by bits of floats": Plain(by_bits, (H, U8, H, F), _by_bits, {"pvc": 301, "bmg": 292, "dg2": 1242}, tolerance=5e-3),
    "int4, columns by turns": Plain(
        columns_by_turns, (H, U8, LINE, H), _columns_by_turns, {"pvc": 126, "bmg": 120}, tolerance=5e-3
    ),
    "int4, columns by turns, 96 columns": Plain(
        columns_by_turns, (H, U8, LINE, H), _columns_by_turns, {"pvc": 129, "bmg": 122}, {"BN": 96}, 5e-3
    ),
    "nf4, scales of bytes": Plain(
        nf4_double,
        (H, U8, LINE, "i8[?,?]", LINE, H, "f32"),
        _nf4,
        {"pvc": 783, "bmg": 692, "dg2": 1618},
        {"BM": 128, "BN": 128},
        5e-3,
    ),
    "weights of three numbers": Plain(ternary, ("i8[?,?]", U8, LINE, F), _ternary, {"pvc": 184, "bmg": 165}),
    "weights u8, zero points as words": Plain(
        zeros_as_words, (H, U8, F, U8, H), _zeros_and_scales, {"pvc": 222, "bmg": 206, "dg2": 430}, tolerance=5e-3
    ),
    "weights u8, scales of groups": Plain(
        zeros_and_scales, (H, U8, F, U8, H), _zeros_and_scales, {"pvc": 265, "bmg": 248, "dg2": 380}, {"BM": 128}, 5e-3
    ),
    "int4, scales of scales": Plain(
        scales_of_scales, (H, U8, U8, F, F), _scales_of_scales, {"pvc": 315, "bmg": 310}, tolerance=5e-3
    ),
    "two of four rows": Plain(two_of_four, (H, H, U8, F), _two_of_four, {"pvc": 512, "bmg": 501}, tolerance=5e-3),
}

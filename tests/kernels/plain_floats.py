"""Products by weights of four-bit floats (MXFP4), with a shared exponent for 32 rows, and of six-bit ones, as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain
from tests.kernels.plain_products import by_blocks, whole


@xt.jit(grid=by_blocks)
def mxfp4(X, W, E, C, DECODE: xt.constexpr, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = X @ (DECODE(B) * 2 ** (E - 127)): a byte of W has rows k and k + K / 2 of B."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        for high in xt.static_range(2):
            row = k + high * half
            exponent = xt.load_tile(xt.init_tile(E, (row // 32, n), (1, BN))).to(xt.f32) - 127.0
            b = DECODE(w >> 4 if high else w & 15) * xt.exp2(exponent)
            acc += xt.load_tile(xt.init_tile(X, (m, row), (BM, BK))) @ b.to(X.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def mxfp4_behind(X, W, E, C, DECODE: xt.constexpr, BM: xt.constexpr = 128, BN: xt.constexpr = 128):
    """The same with two rows of B in a byte, and scales behind products of 32 rows."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], 32):
        w = xt.load_tile(xt.init_tile(W, (k // 2, n), (16, BN)))
        b = DECODE(xt.interleave((w & 15).T, (w >> 4).T).T).to(X.dtype)
        scale = xt.exp2(xt.load_tile(xt.init_tile(E, (k // 32, n), (1, BN))).to(xt.f32) - 127.0)
        acc += (xt.load_tile(xt.init_tile(X, (m, k), (BM, 32))) @ b) * scale
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def by_powers(c):
    """Exponent and digit of a code, by powers of two."""
    c = c.to(xt.i32)
    e, f = (c >> 1) & 3, (c & 1).to(xt.f32)
    size = xt.where(e == 0, 0.5 * f, (1.0 + 0.5 * f) * xt.exp2((e - 1).to(xt.f32)))
    return xt.where(c >= 8, -size, size)


def by_shifts(c):
    """Twice the number as an integer."""
    c = c.to(xt.i32)
    e, f = (c >> 1) & 3, c & 1
    size = xt.where(e == 0, f, (2 + f) << (e - 1))
    return xt.where(c > 7, -size, size).to(xt.f32) * 0.5


def by_choices(c):
    """One choice after the other."""
    c = c.to(xt.i32)
    size, rest = xt.where((c & 7) < 4, (c & 7).to(xt.f32) * 0.5, 0.0), c & 7
    size = xt.where(rest == 4, 2.0, xt.where(rest == 5, 3.0, xt.where(rest == 6, 4.0, xt.where(rest == 7, 6.0, size))))
    return size * xt.where(c & 8 != 0, -1.0, 1.0)


def by_bits(c):
    """The bits of an f16 whose exponent is too small."""
    c = c.to(xt.u16)
    return (xt.bitcast(((c & 8) << 12) | ((c & 7) << 9), xt.f16) * 16384.0).to(xt.f32)


M, N, K = 72, 80, 256
NUMBERS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
NUMBERS = np.concatenate([NUMBERS, -NUMBERS])


def _weights(kind: Any, turns: bool) -> Made:
    x, codes = whole(M, K, dtype=kind), whole(K, N, dtype=np.uint8, low=0, high=16, seed=1)
    low, high = (codes[::2], codes[1::2]) if turns else (codes[: K // 2], codes[K // 2 :])
    exponents = whole(K // 32, N, dtype=np.uint8, low=120, high=134, seed=2)
    b = NUMBERS[codes] * np.repeat(2.0 ** (exponents.astype(np.float64) - 127), 32, 0)
    return [x, low | high << 4, exponents, np.zeros((M, N), np.float32)], {3: x.astype(np.float64) @ b}


H, F, U8 = "f16[?,?]", "f32[?,?]", "u8[?,?]"


@xt.jit(grid=by_blocks)
def six_bits(X, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = X @ B * S: floats of six bits (e3m2), four rows of B in three bytes, which are planes of W."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        w = [xt.load_tile(xt.init_tile(W[i], (k // 4, n), (BK // 4, BN))).to(xt.u16) for i in range(3)]
        codes = [w[0] & 63, (w[0] >> 6) | ((w[1] & 15) << 2), (w[1] >> 4) | ((w[2] & 3) << 4), w[2] >> 2]
        for i in xt.static_range(4):
            b = (((codes[i] & 32) << 10) | ((codes[i] & 31) << 8)).bitcast(xt.f16)
            acc += xt.load_tile(X[m : m + BM, k + i : k + BK : 4]) @ b
    scale = xt.load_tile(xt.init_tile(S, n, BN))[None, :].to(xt.f32) * 4096.0
    xt.store_tile((acc * scale).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


def _six_bits() -> Made:
    x, codes = whole(72, 128, dtype=np.float16), np.random.default_rng(1).integers(0, 64, (128, 80))
    words = sum(codes[i::4] << 6 * i for i in range(4))
    w = np.stack([words >> 8 * i & 255 for i in range(3)]).astype(np.uint8)
    exponent, digits = codes >> 2 & 7, codes & 3
    b = np.where(exponent > 0, (1 + digits / 4) * 2.0 ** (exponent - 3), digits / 16) * np.where(codes & 32, -1, 1)
    s = np.abs(whole(1, 80, dtype=np.float16, seed=2)[0]) + np.float16(0.5)
    return [x, w, s, np.zeros((72, 80), np.float32)], {3: x.astype(np.float64) @ b * s}


CASES = {
    f"mxfp4, {how.__name__}": Plain(mxfp4, (H, U8, U8, F), lambda: _weights(np.float16, False), {"pvc": 256, "bmg": 245}, {"DECODE": how})
    for how in (by_powers, by_shifts, by_choices, by_bits)
} | {
    "floats of six bits": Plain(
        six_bits, (H, "u8[?,?,?]", "f16[?]", F), _six_bits, {"pvc": 623, "bmg": 611}, tolerance=1e-3
    ),
    # Two instructions of arithmetic fewer on BMG than 199 had, and three more that wait.
    "mxfp4, scales behind": Plain(
        mxfp4_behind, (H, U8, U8, F), lambda: _weights(np.float16, True), {"pvc": 205, "bmg": 200}, {"DECODE": by_powers}
    ),
}  # fmt: skip

"""Linear layers of served models as people write them: bf16 beside narrow weights, f32 beside bf16, codes of bytes by rows in turn."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_products import by_blocks, whole

BF16 = ml_dtypes.bfloat16


@xt.jit(grid=by_blocks)
def columns(A, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = (A @ W) * S, W in the type of A."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))).to(A.dtype)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ w
    s = xt.load_tile(xt.init_tile(S, n, BN))
    xt.store_tile((acc * s[None, :]).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def rows(A, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """The same by rows of W, [N, K]."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (n, k), (BN, BK))).to(A.dtype)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ w.T
    s = xt.load_tile(xt.init_tile(S, n, BN))
    xt.store_tile((acc * s[None, :]).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def residual(A, W, S, Bias, R, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = silu((A @ W) * S + Bias) + R."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))).to(xt.bf16)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ w
    y = acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :] + xt.load_tile(xt.init_tile(Bias, n, BN))[None, :]
    y = y * xt.sigmoid(y) + xt.load_tile(xt.init_tile(R, (m, n), (BM, BN))).to(xt.f32)
    xt.store_tile(y.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def gated(A, W1, W2, S1, S2, C, BM: xt.constexpr = 128, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = silu((A @ W1) * S1) * ((A @ W2) * S2)."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    gate, up = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        gate += a @ xt.load_tile(xt.init_tile(W1, (k, n), (BK, BN))).to(A.dtype)
        up += a @ xt.load_tile(xt.init_tile(W2, (k, n), (BK, BN))).to(A.dtype)
    gate *= xt.load_tile(xt.init_tile(S1, n, BN))[None, :]
    up *= xt.load_tile(xt.init_tile(S2, n, BN))[None, :]
    xt.store_tile((gate * xt.sigmoid(gate) * up).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def narrowed(A, B, C, T: xt.constexpr = xt.bf16, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B, A of f32."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))).to(T) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def signed_halves(A, W, S, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = (A @ B) * S: a byte of W has B's rows k and k + K / 2, with their signs."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, W.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN)))
        low = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        high = xt.load_tile(xt.init_tile(A, (m, k + half), (BM, BK)))
        acc += low @ ((w << 4) >> 4).to(A.dtype) + high @ (w >> 4).to(A.dtype)
    xt.store_tile((acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :]).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def stacked(A, W, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 64):
    """C = A @ ((B - 8) * S): a step's bytes of W have the codes of its first rows, and those of its last ones; G rows share scales."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k // 2, n), (BK // 2, BN)))
        b = xt.concatenate([w & 15, w >> 4], axis=0).to(A.dtype) - 8
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ (b * xt.load_tile(xt.init_tile(S, (k // G, n), (1, BN))))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def in_turn(A, W, S, C, BITS: xt.constexpr = 4, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 64):
    """C = (A @ (B - 2)) * S: a byte of W has as many rows of codes as it has room for, the first in its lowest bits."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, row, each = xt.zeros((BM, BN), xt.f32), xt.arange(BK), 8 // BITS
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k // each, n), (BK // each, BN)))
        b = (w[row // each] >> (row % each * BITS).to(xt.u8)[:, None]) & ((1 << BITS) - 1)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ (b.to(A.dtype) - 2)
    xt.store_tile((acc * xt.load_tile(xt.init_tile(S, n, BN))[None, :]).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def looked_up(A, W, T, S, C, G: xt.constexpr = 64, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 64):
    """C = A @ (T[B] * S).T: a byte of W [N, K / 2] has two columns of B, the first in its upper half (bitsandbytes)."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (n, k // 2), (BN, BK // 2))).to(xt.i32)
        high, low = xt.load_gather(xt.init_tile(T, w >> 4)), xt.load_gather(xt.init_tile(T, w & 15))
        b = xt.interleave(high, low) * xt.load_tile(xt.init_tile(S, (n, k // G), (BN, 1)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b.to(A.dtype).T
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


M, N, K = 72, 80, 128


def _scaled(kind: Any, weights: Any, out: Any, *, turned: bool = False) -> Made:
    a, w = random(M, K).astype(kind), random(K, N, seed=1)
    w = whole(K, N, dtype=np.int8, low=-100, high=100, seed=1) if weights is np.int8 else w.astype(weights)
    s = np.abs(random(N, seed=2)) / (50 if weights is np.int8 else 1)
    return [a, w.T.copy() if turned else w, s, np.zeros((M, N), out)], {3: wide(a)[0] @ wide(w)[0] * s}


def _silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def _residual() -> Made:
    (a, w, s, c), expected = _scaled(BF16, np.int8, BF16)
    bias, r = random(N, seed=3), random(M, N, seed=4).astype(BF16)
    return [a, w, s, bias, r, c], {5: _silu(expected[3] + bias) + wide(r)[0]}


def _gated() -> Made:
    (a, w1, s1, c), gate = _scaled(np.float16, np.int8, np.float16)
    w2, s2 = w1[::-1].copy(), s1[::-1].copy()
    return [a, w1, w2, s1, s2, c], {5: _silu(gate[3]) * (wide(a)[0] @ wide(w2)[0] * s2)}


def _narrowed(kind: Any) -> Made:
    a, b = whole(M, K, dtype=np.float32), whole(K, N, dtype=np.float32, seed=1)
    return [a, b.astype(kind), np.zeros((M, N), np.float32)], {2: a.astype(np.float64) @ b.astype(np.float64)}


def _halves() -> Made:
    a, w, s = (
        random(M, K).astype(BF16),
        whole(K // 2, N, dtype=np.int8, low=-128, high=128, seed=1),
        np.abs(random(N, seed=2)) / 8,
    )
    b = np.concatenate([(w << 4) >> 4, w >> 4]).astype(np.float64)
    return [a, w, s, np.zeros((M, N), BF16)], {3: wide(a)[0] @ b * s}


def _stacked(kind: Any) -> Made:
    a, codes = random(M, K).astype(kind), np.random.default_rng(1).integers(0, 16, (K // 64, 2, 32, N))
    w = (codes[:, 0] | codes[:, 1] << 4).reshape(K // 2, N).astype(np.uint8)
    s = (2.0 ** whole(K // 64, N, dtype=np.float32, low=-4, high=0, seed=2)).astype(kind)
    b = (codes.reshape(K, N).astype(np.float64) - 8) * np.repeat(wide(s)[0], 64, 0)
    return [a, w, s, np.zeros((M, N), kind)], {3: wide(a)[0] @ b}


def _in_turn(kind: Any, bits: int) -> Made:
    each = 8 // bits
    a, codes = random(M, K).astype(kind), np.random.default_rng(1).integers(0, 1 << bits, (K // each, each, N))
    w = (codes << (np.arange(each) * bits)[:, None]).sum(1).astype(np.uint8)
    s = np.abs(random(N, seed=2)) / 8
    return [a, w, s, np.zeros((M, N), kind)], {3: wide(a)[0] @ (codes.reshape(K, N).astype(np.float64) - 2) * s}


def _looked_up() -> Made:
    a, w = random(M, K).astype(BF16), whole(N, K // 2, dtype=np.uint8, low=0, high=256, seed=1)
    table, s = (np.arange(-8, 8) / 8).astype(np.float32), 2.0 ** whole(N, K // 64, dtype=np.float32, low=-3, high=1, seed=2)
    b = table[np.stack([w >> 4, w & 15], 2).reshape(N, K)].astype(np.float64) * np.repeat(s, 64, 1)
    return [a, w, table, s, np.zeros((M, N), BF16)], {4: wide(a)[0] @ b.T}


H, B, F, U8, I8, LINE = "f16[?,?]", "bf16[?,?]", "f32[?,?]", "u8[?,?]", "i8[?,?]", "f32[?]"
E4, E5 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
ROUGH = {"tolerance": 1e-2}
CASES: dict[str, Any] = {
    # Sums of numbers that are taken 256 times smaller spilled where they were made as large as they are (512 bytes on PVC).
    "weights f8e4m3, rounded to f16": Plain(
        columns, (H, "f8e4m3[?,?]", LINE, H), lambda: _scaled(np.float16, E4, np.float16), {"pvc": 177, "bmg": 163, "dg2": 631}, tolerance=2e-3
    ),
    "weights f8e4m3 beside bf16": Plain(
        columns, (B, "f8e4m3[?,?]", LINE, B), lambda: _scaled(BF16, E4, BF16), {"pvc": 271, "bmg": 258, "dg2": 695}, **ROUGH
    ),
    "weights f8e5m2 beside bf16": Plain(
        columns, (B, "f8e5m2[?,?]", LINE, B), lambda: _scaled(BF16, E5, BF16), {"pvc": 238, "bmg": 226, "dg2": 482}, **ROUGH
    ),
    "weights f8e4m3 beside bf16, rows": Plain(
        rows, (B, "f8e4m3[?,?]", LINE, B), lambda: _scaled(BF16, E4, BF16, turned=True), {"pvc": 278, "bmg": 260, "dg2": 806}, **ROUGH
    ),
    "weights i8 beside bf16, epilogue": Plain(
        residual, (B, I8, LINE, LINE, B, B), _residual, {"pvc": 98, "bmg": 91, "dg2": 227}, **ROUGH
    ),
    "gated layer of bytes": Plain(gated, (H, I8, I8, LINE, LINE, H), _gated, {"pvc": 124, "bmg": 116, "dg2": 224}, tolerance=2e-3),
    "f32 by bf16": Plain(narrowed, (F, B, F), lambda: _narrowed(BF16), {"pvc": 99, "bmg": 82, "dg2": 202}),
    "f32 by f16": Plain(narrowed, (F, H, F), lambda: _narrowed(np.float16), {"pvc": 99, "bmg": 82, "dg2": 215}, {"T": xt.f16}),
    "int4 with signs, halves beside bf16": Plain(signed_halves, (B, I8, LINE, B), _halves, {"pvc": 207, "bmg": 197, "dg2": 303}, **ROUGH),
    "int4, first and last rows of a step": Plain(
        stacked, (H, U8, H, H), lambda: _stacked(np.float16), {"pvc": 220, "bmg": 204, "dg2": 419}, **ROUGH
    ),
    "int4, first and last rows of a step, bf16": Plain(
        stacked, (B, U8, B, B), lambda: _stacked(BF16), {"pvc": 289, "bmg": 274, "dg2": 491}, **ROUGH
    ),
    "int4, rows of bytes in turn": Plain(
        in_turn, (H, U8, LINE, H), lambda: _in_turn(np.float16, 4), {"pvc": 326, "bmg": 316, "dg2": 570}, tolerance=2e-3
    ),
    "int4, rows of bytes in turn, bf16": Plain(
        in_turn, (B, U8, LINE, B), lambda: _in_turn(BF16, 4), {"pvc": 357, "bmg": 347, "dg2": 638}, **ROUGH
    ),
    "nf4, upper halves first": Plain(looked_up, (B, U8, LINE, F, B), _looked_up, {"pvc": 369, "bmg": 351}, **ROUGH),
}  # fmt: skip

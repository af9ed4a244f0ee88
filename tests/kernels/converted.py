"""Products whose operands are converted in the kernel, as people write them: quantized weights and activations, narrower copies."""

from __future__ import annotations

import xetile as xt


@xt.jit
def int8_scaled(A, B, sa, sb, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 64):
    """C = (A @ B) * sa[:, None] * sb[None, :]: int8 with a scale for each row of A and each column of B."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.i32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    rows, columns = xt.load_tile(xt.init_tile(sa, m, (BM,))), xt.load_tile(xt.init_tile(sb, n, (BN,)))
    xt.store_tile(acc.to(xt.f32) * rows[:, None] * columns[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def narrow_weights(A, B, s, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ (B * s[None, :]): weights of 8 bits, whole or floating, with a scale for each column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b.to(A.dtype)
    xt.store_tile(acc * xt.load_tile(xt.init_tile(s, n, (BN,)))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def zero_points(A, B, z, s, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ ((B - z[None, :]) * s[None, :]): u8 weights with a zero point and a scale for each column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    zero = xt.load_tile(xt.init_tile(z, n, (BN,)))[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(A.dtype) - zero
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b
    xt.store_tile(acc * xt.load_tile(xt.init_tile(s, n, (BN,)))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def narrowed(A, B, C, T: xt.constexpr = xt.bf16, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ B of f32, multiplied in a narrower type."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += a.to(T) @ b.to(T)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


F16, F32 = "f16[?,?]", "f32[?,?]"
TYPES = {
    "int8, scales of rows and columns": (int8_scaled, ("i8[?,?]", "i8[?,?]", "f32[?]", "f32[?]", F32)),
    "weights i8": (narrow_weights, (F16, "i8[?,?]", "f32[?]", F32)),
    "weights u8": (narrow_weights, (F16, "u8[?,?]", "f32[?]", F32)),
    "weights f8e5m2": (narrow_weights, (F16, "f8e5m2[?,?]", "f32[?]", F32)),
    "weights f8e4m3": (narrow_weights, (F16, "f8e4m3[?,?]", "f32[?]", F32)),
    "weights u8, zero points": (zero_points, (F16, "u8[?,?]", "f16[?]", "f32[?]", F32)),
    "f32 as bf16": (narrowed, (F32, F32, F32)),
}

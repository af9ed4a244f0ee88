"""Products whose first operands are worked out in the loop: narrow ones with scales, activations, norms."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_products import by_blocks


@xt.jit(grid=by_blocks)
def narrow(A, B, Sa, Sb, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """Both operands of a byte, as layers have them: a scale for each row of A, and for each row of B, which are columns of C."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))).to(xt.f16)
        acc += a @ xt.load_tile(xt.init_tile(B, (n, k), (BN, BK))).to(xt.f16).T
    rows, columns = xt.load_tile(xt.init_tile(Sa, m, BM))[:, None], xt.load_tile(xt.init_tile(Sb, n, BN))[None, :]
    xt.store_tile((acc * rows * columns).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def by_groups(A, Sa, B, Sb, C, BM: xt.constexpr = 64, BN: xt.constexpr = 128, G: xt.constexpr = 128):
    """The same with a scale for each G columns of a row of A, and for each block of G rows and columns of B; in bf16."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for g in range(xt.cdiv(A.shape[1], G)):
        a = xt.load_tile(A[m : m + BM, g * G : g * G + G]).to(xt.bf16)
        b = xt.load_tile(B[n : n + BN, g * G : g * G + G]).to(xt.bf16)
        acc += (a @ b.T) * (xt.load_tile(Sa[m : m + BM, g : g + 1]) * Sb[n // G, g])
    C[m : m + BM, n : n + BN] = acc.to(C.dtype)


@xt.jit(grid=by_blocks)
def activated(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.maximum(xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), 0.0)
        acc += a @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def by_tokens(A, Sa, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """A is widened by the scale of each row."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows = xt.load_tile(xt.init_tile(Sa, m, BM))[:, None]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = (xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))).to(xt.f32) * rows).to(xt.f16)
        acc += a @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=by_blocks)
def normed(A, Mean, Rstd, G, Beta, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """A layer norm, of which a kernel before has found the rows' means and deviations, and a product with what comes out."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    mean, rstd = (xt.load_tile(xt.init_tile(X, m, BM))[:, None] for X in (Mean, Rstd))
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        gain, more = (xt.load_tile(xt.init_tile(X, k, BK))[None, :] for X in (G, Beta))
        a = (xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))).to(xt.f32) - mean) * rstd * gain + more
        acc += a.to(xt.f16) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


M, N, K = 130, 140, 96


def _narrow(kind: Any) -> Made:
    a, b = (random(rows, K, seed=rows).astype(kind) for rows in (M, N))
    sa, sb = (np.random.default_rng(n).random(n).astype(np.float32) for n in (M, N))
    x, y = wide(a, b)
    return [a, b, sa, sb, np.zeros((M, N), np.float16)], {4: x @ y.T * sa[:, None] * sb}


def _by_groups(kind: Any) -> Made:
    a, b = (random(rows, 256, seed=rows).astype(kind) for rows in (M, N))
    sa, sb = (np.random.default_rng(n).random((n, 2)).astype(np.float32) for n in (M, 2))
    x, y = wide(a, b)
    out = (x * np.repeat(sa, 128, 1)) @ (y * np.repeat(np.repeat(sb, 128, 0)[:N], 128, 1)).T
    return [a, sa, b, sb, np.zeros((M, N), ml_dtypes.bfloat16)], {4: out}


def _activated(kind: Any) -> Made:
    a, b = random(M, K, dtype=kind), random(K, N, dtype=kind, seed=1)
    x, y = wide(a, b)
    return [a, b, np.zeros((M, N), np.float32)], {2: np.maximum(x, 0) @ y}


def _by_tokens() -> Made:
    a, b = np.random.default_rng(2).integers(-127, 128, (M, K)).astype(np.int8), random(K, N, dtype=np.float16, seed=1)
    s = np.random.default_rng(3).random(M).astype(np.float32) / 100
    return [a, s, b, np.zeros((M, N), np.float32)], {3: (a * s[:, None]) @ b.astype(np.float64)}


def _normed() -> Made:
    a, b = random(M, K, dtype=np.float16), random(K, N, dtype=np.float16, seed=1)
    gain, more = random(K, seed=2), random(K, seed=3)
    x, y = wide(a, b)
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
    out = ((x - mean[:, None]) * rstd[:, None] * gain + more) @ y
    return [a, mean.astype(np.float32), rstd.astype(np.float32), gain, more, b, np.zeros((M, N), np.float32)], {6: out}


H, F, LINE = "f16[?,?]", "f32[?,?]", "f32[?]"
CASES = {
    **{
        f"both {name}": Plain(
            narrow, (f"{name}[?,?]", f"{name}[?,?]", LINE, LINE, H), lambda kind=kind: _narrow(kind), bars, tolerance=1e-3
        )
        for name, kind, bars in (
            ("f8e4m3", ml_dtypes.float8_e4m3fn, {"pvc": 219, "bmg": 247}),
            ("f8e5m2", ml_dtypes.float8_e5m2, {"pvc": 158, "bmg": 148}),
        )
    },
    **{
        f"both {name}, 256 by 256": Plain(
            narrow,
            (f"{name}[?,?]", f"{name}[?,?]", LINE, LINE, H),
            lambda kind=kind: _narrow(kind),
            bars,
            {"BM": 256, "BN": 256, "BK": 64},
            tolerance=1e-3,
        )
        for name, kind, bars in (
            ("f8e4m3", ml_dtypes.float8_e4m3fn, {"pvc": 389, "bmg": 491}),
            ("f8e5m2", ml_dtypes.float8_e5m2, {"pvc": 301, "bmg": 290}),
        )
    },
    **{
        f"both {name}, scales of groups": Plain(
            by_groups,
            (f"{name}[?,?]", F, f"{name}[?,?]", F, "bf16[?,?]"),
            lambda kind=kind: _by_groups(kind),
            bars,
            {"BM": 128},
            1e-2,
        )
        for name, kind, bars in (
            ("f8e4m3", ml_dtypes.float8_e4m3fn, {"pvc": 704, "bmg": 288}),
            ("f8e5m2", ml_dtypes.float8_e5m2, {"pvc": 490, "bmg": 455}),
        )
    },
    "activations": Plain(
        activated, (H, H, F), lambda: _activated(np.float16), {"pvc": 95, "bmg": 82, "dg2": 302}, tolerance=1e-3
    ),
    "activations, bf16": Plain(
        activated,
        ("bf16[?,?]", "bf16[?,?]", F),
        lambda: _activated(ml_dtypes.bfloat16),
        {"pvc": 111, "bmg": 98, "dg2": 295},
        tolerance=1e-3,
    ),
    "activations of bytes by rows": Plain(
        by_tokens, ("i8[?,?]", LINE, H, F), _by_tokens, {"pvc": 87, "bmg": 81, "dg2": 310}, tolerance=1e-3
    ),
    "layer norm before": Plain(
        normed, (H, LINE, LINE, LINE, LINE, H, F), _normed, {"pvc": 246, "bmg": 235, "dg2": 450}, tolerance=2e-3
    ),
}

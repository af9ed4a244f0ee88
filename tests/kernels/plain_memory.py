"""Kernels that memory binds, as people write them: vectors, rows, stencils, transposes, tables."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda X, B: (xt.cdiv(X.shape[0], B),))
def add(X, Y, Out, B: xt.constexpr = 1024):
    i = xt.program_id(0) * B
    xt.store_tile(xt.load_tile(xt.init_tile(X, i, B)) + xt.load_tile(xt.init_tile(Y, i, B)), xt.init_tile(Out, i, B))


@xt.jit(grid=lambda P, B: (xt.cdiv(P.shape[0], B),))
def adam(P, G, M, V, rate, B: xt.constexpr = 1024):
    """One step of Adam's, without its correction of the first steps."""
    i = xt.program_id(0) * B
    p, m, v = xt.init_tile(P, i, B), xt.init_tile(M, i, B), xt.init_tile(V, i, B)
    g = xt.load_tile(xt.init_tile(G, i, B))
    mean, square = 0.9 * xt.load_tile(m) + 0.1 * g, 0.99 * xt.load_tile(v) + 0.01 * g * g
    xt.store_tile(mean, m)
    xt.store_tile(square, v)
    xt.store_tile(xt.load_tile(p) - rate * mean / (xt.sqrt(square) + 1e-6), p)


@xt.jit(grid=lambda X: (X.shape[1], X.shape[0]))
def norm_row(X, W, Y, N: xt.constexpr = 1024):
    """RMS norm, a program for each row of rows of at most N numbers."""
    b, r = xt.program_id(1), xt.program_id(0)
    x = xt.load_tile(xt.init_tile(X[b, r], 0, N)).to(xt.f32)
    scale = xt.rsqrt(xt.sum(x * x) / X.shape[2] + 1e-6)
    w = xt.load_tile(xt.init_tile(W, 0, N)).to(xt.f32)
    xt.store_tile((x * scale * w).to(Y.dtype), xt.init_tile(Y[b, r], 0, N))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def row_sums(X, Out, BM: xt.constexpr = 8, BN: xt.constexpr = 128):
    m = xt.program_id(0) * BM
    total = xt.zeros((BM, 1), xt.f32)
    for n in range(0, X.shape[1], BN):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32), axis=1)
    xt.store_tile(total, xt.init_tile(Out, (m, 0), (BM, 1)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def softmax(X, Out, BM: xt.constexpr = 8, BN: xt.constexpr = 256):
    m = xt.program_id(0) * BM
    largest, total = xt.full((BM, 1), float("-inf"), xt.f32), xt.zeros((BM, 1), xt.f32)
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32)
        x = xt.where(n + xt.arange(BN)[None, :] < X.shape[1], x, float("-inf"))
        new = xt.maximum(largest, xt.max(x, axis=1))
        total = total * xt.exp(largest - new) + xt.sum(xt.exp(x - new), axis=1)
        largest = new
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32)
        xt.store_tile((xt.exp(x - largest) / total).to(Out.dtype), xt.init_tile(Out, (m, n), (BM, BN)))


@xt.jit(grid=lambda X, BM, BN: (xt.cdiv(X.shape[1], BN), xt.cdiv(X.shape[0], BM)))
def stencil(X, Out, BM: xt.constexpr = 32, BN: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN

    def near(dy, dx):
        return xt.load_tile(xt.init_tile(X, (m + dy, n + dx), (BM, BN)))

    around = near(-1, 0) + near(1, 0) + near(0, -1) + near(0, 1)
    xt.store_tile(0.5 * near(0, 0) + 0.125 * around, xt.init_tile(Out, (m, n), (BM, BN)))


@xt.jit(grid=lambda X, BM, BN: (xt.cdiv(X.shape[1], BN), xt.cdiv(X.shape[0], BM)))
def transpose(X, Out, BM: xt.constexpr = 64, BN: xt.constexpr = 64):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    xt.store_tile(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).T, xt.init_tile(Out, (n, m), (BN, BM)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM), xt.cdiv(X.shape[0], BM)))
def symmetric(X, Out, BM: xt.constexpr = 32):
    """(X + X.T) / 2."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BM
    here, there = xt.load_tile(xt.init_tile(X, (m, n), (BM, BM))), xt.load_tile(xt.init_tile(X, (n, m), (BM, BM)))
    xt.store_tile((here + there.T) * 0.5, xt.init_tile(Out, (m, n), (BM, BM)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def rotary(X, C, S, Out, D: xt.constexpr = 64, BM: xt.constexpr = 32):
    m, half = xt.program_id(0) * BM, D // 2
    a = xt.load_tile(xt.init_tile(X, (m, 0), (BM, half))).to(xt.f32)
    b = xt.load_tile(xt.init_tile(X, (m, half), (BM, half))).to(xt.f32)
    c, s = xt.load_tile(xt.init_tile(C, (m, 0), (BM, half))), xt.load_tile(xt.init_tile(S, (m, 0), (BM, half)))
    xt.store_tile((a * c - b * s).to(Out.dtype), xt.init_tile(Out, (m, 0), (BM, half)))
    xt.store_tile((b * c + a * s).to(Out.dtype), xt.init_tile(Out, (m, half), (BM, half)))


@xt.jit(grid=lambda X, BM, BN: (xt.cdiv(X.shape[1], BN), xt.cdiv(X.shape[0], BM)))
def gelu(X, Out, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32)
    y = 0.5 * x * (1 + xt.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))
    xt.store_tile(y.to(Out.dtype), xt.init_tile(Out, (m, n), (BM, BN)))


@xt.jit(grid=lambda Ids, D, BD: (xt.cdiv(D, BD), Ids.shape[0]))
def embedding(Ids, W, Out, D: xt.constexpr = 256, BD: xt.constexpr = 256):
    row, c = Ids[xt.program_id(1)], xt.program_id(0) * BD
    xt.store_tile(xt.load_tile(xt.init_tile(W, (row, c), (1, BD))), xt.init_tile(Out, (xt.program_id(1), c), (1, BD)))


@xt.jit(grid=lambda X, B: (xt.cdiv(X.shape[0], B),))
def histogram(X, Counts, low, high, BINS: xt.constexpr = 64, B: xt.constexpr = 256):
    i = xt.program_id(0) * B
    x = xt.load_tile(xt.init_tile(X, i, B))
    place = xt.clamp((x - low) * (BINS / (high - low)), 0.0, BINS - 1.0).to(xt.i32)
    xt.atomic_rmw_tile("add", xt.full((B,), 1, xt.i32), xt.init_tile(Counts, place), i + xt.arange(B) < X.shape[0])


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def top(X, Values, Places, K: xt.constexpr = 4, N: xt.constexpr = 128, BM: xt.constexpr = 16):
    """The K largest of each row of up to N numbers, and where they are."""
    m = xt.program_id(0) * BM
    columns = xt.arange(N)[None, :]
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, N)))
    x = xt.where(columns < X.shape[1], x, float("-inf"))
    for i in range(K):
        place = xt.argmax(x, axis=1)
        xt.store_tile(xt.max(x, axis=1), xt.init_tile(Values, (m, i), (BM, 1)))
        xt.store_tile(place, xt.init_tile(Places, (m, i), (BM, 1)))
        x = xt.where(columns == place, float("-inf"), x)


def _histogram() -> Made:
    x = random(1000)
    places = np.clip((x + np.float32(3)) * np.float32(64 / 6), 0, 63).astype(np.int32)
    return [x, np.zeros(64, np.int32), -3.0, 3.0], {1: np.bincount(places, minlength=64)}


def _top() -> Made:
    x = random(20, 100)
    places = np.argsort(-x, 1)[:, :4]
    return [x, np.zeros((20, 4), np.float32), np.zeros((20, 4), np.int32)], {1: np.take_along_axis(x, places, 1), 2: places}


def _add(dtype: Any, length: int = 2080) -> Made:
    x, y = random(length, dtype=dtype), random(length, dtype=dtype, seed=1)
    return [x, y, np.zeros(length, dtype)], {2: x + y}


def _adam(length: int = 1040) -> Made:
    p, g, m, v = (random(length, seed=i) for i in range(4))
    wp, wg, wm, wv = wide(p, g, m, np.abs(v))
    mean, square = 0.9 * wm + 0.1 * wg, 0.99 * wv + 0.01 * wg * wg
    return [p, g, m, np.abs(v), 0.01], {0: wp - 0.01 * mean / (np.sqrt(square) + 1e-6), 2: mean, 3: square}


def _norm_row() -> Made:
    x, w = random(2, 5, 992, dtype=np.float16), random(992, dtype=np.float16, seed=1)
    wx, ww = wide(x, w)
    return [x, w, np.zeros_like(x)], {2: wx / np.sqrt((wx * wx).mean(2, keepdims=True) + 1e-6) * ww}


def _one(function: Any, *shape: int, dtype: Any = np.float32, out: tuple[int, ...] | None = None, result: Any = None) -> Made:
    x = random(*shape, dtype=dtype)
    return [x, np.zeros(out or shape, result or dtype)], {1: function(x.astype(np.float64))}


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    made: np.ndarray = e / e.sum(1, keepdims=True)
    return made


def _stencil(x: np.ndarray) -> np.ndarray:
    p = np.pad(x, 1)
    made: np.ndarray = 0.5 * x + 0.125 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])
    return made


def _gelu(x: np.ndarray) -> np.ndarray:
    made: np.ndarray = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    return made


def _rotary() -> Made:
    x, c, s = random(40, 64, dtype=np.float16), random(40, 32, seed=1), random(40, 32, seed=2)
    a, b, wc, ws = wide(x[:, :32], x[:, 32:], c, s)
    return [x, c, s, np.zeros_like(x)], {3: np.concatenate([a * wc - b * ws, b * wc + a * ws], 1)}


def _embedding() -> Made:
    ids, w = np.random.default_rng(0).integers(0, 20, 9).astype(np.int32), random(20, 256, dtype=np.float16)
    return [ids, w, np.zeros((9, 256), np.float16)], {2: w[ids]}


F, H, LINES = "f32[?,?]", "f16[?,?]", "f32[?;lines]"
CASES = {
    "vector add": Plain(add, (LINES,) * 3, lambda: _add(np.float32), {"pvc": 73, "bmg": 70}),
    "vector add, f16": Plain(add, ("f16[?;lines]",) * 3, lambda: _add(np.float16), {"pvc": 104, "bmg": 101}, tolerance=1e-3),
    "vector add, any length": Plain(add, ("f32[?]",) * 3, lambda: _add(np.float32, 2083), {"pvc": 151, "bmg": 60}),
    "vector add, more than 16 MB": Plain(
        add, ("f32[?;scattered,lines,long]",) * 3, lambda: _add(np.float32), {"pvc": 73, "bmg": 70}
    ),
    "vector add, any length above 16 MB": Plain(
        add, ("f32[?;scattered,long]",) * 3, lambda: _add(np.float32, 2083), {"pvc": 151, "bmg": 60}
    ),
    "vector add, f16, any length": Plain(
        add, ("f16[?]",) * 3, lambda: _add(np.float16, 2086), {"pvc": 248, "bmg": 128}, tolerance=1e-3
    ),
    "Adam, any length": Plain(adam, ("f32[?]",) * 4 + ("f32",), lambda: _adam(1043), {"pvc": 1029, "bmg": 789}),
    "Adam": Plain(adam, (LINES,) * 4 + ("f32",), _adam, {"pvc": 810, "bmg": 792}),
    "RMS norm, a row each": Plain(
        norm_row, ("f16[?,?,?;free]", "f16[?]", "f16[?,?,?;free]"), _norm_row, {"pvc": 514, "bmg": 308}, tolerance=2e-3
    ),
    "row sums": Plain(row_sums, (F, F), lambda: _one(lambda x: x.sum(1, keepdims=True), 20, 200, out=(20, 1)), {"pvc": 63, "bmg": 49}),
    "row sums, f16": Plain(row_sums, (H, F), lambda: _one(lambda x: x.sum(1, keepdims=True), 20, 200, dtype=np.float16,
                                                          out=(20, 1), result=np.float32), {"pvc": 59, "bmg": 53}),
    "softmax": Plain(softmax, (F, F), lambda: _one(_softmax, 12, 300), {"pvc": 354, "bmg": 347}),
    "softmax, f16": Plain(softmax, (H, H), lambda: _one(_softmax, 12, 304, dtype=np.float16), {"pvc": 371, "bmg": 366}, tolerance=1e-3),
    "stencil": Plain(stencil, (F, F), lambda: _one(_stencil, 40, 72), {"pvc": 172, "bmg": 96}),
    "transpose": Plain(transpose, (F, F), lambda: _one(np.transpose, 72, 96, out=(96, 72)), {"pvc": 64, "bmg": 61}),
    "half of a matrix and its transpose": Plain(symmetric, (F, F), lambda: _one(lambda x: (x + x.T) / 2, 72, 72), {"pvc": 101, "bmg": 98}),
    "rotary positions": Plain(rotary, (H, F, F, H), _rotary, {"pvc": 413, "bmg": 406}, tolerance=2e-3),
    "gelu": Plain(gelu, (H, H), lambda: _one(_gelu, 40, 72, dtype=np.float16), {"pvc": 483, "bmg": 480}, tolerance=2e-3),
    "gelu, f32": Plain(gelu, (F, F), lambda: _one(_gelu, 40, 72), {"pvc": 279, "bmg": 276}),
    "embedding": Plain(embedding, ("i32[?]", H, H), _embedding, {"pvc": 106, "bmg": 61}),
    "histogram": Plain(histogram, ("f32[?]", "i32[?]", "f32", "f32"), _histogram, {"pvc": 254, "bmg": 224}),
    "top k": Plain(top, (F, F, "i32[?,?]"), _top, {"pvc": 245, "bmg": 239}),
}  # fmt: skip

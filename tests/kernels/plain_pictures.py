"""Kernels of the points of a picture or a signal, as people write them: iterations until all have ended, filters, butterflies."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_products import by_blocks


@xt.jit(grid=lambda Out, BM, BN: by_blocks(Out, BM, BN))
def escape(Out, x, y, step, MOST: xt.constexpr = 64, BM: xt.constexpr = 32, BN: xt.constexpr = 64):
    """After how many steps z * z + c leaves the disk of radius two, for c = (x + column * step) + (y + row * step) i; at most MOST."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    re = x + step * (n + xt.arange(BN))[None, :].to(xt.f32) + xt.zeros((BM, 1), xt.f32)
    im = y + step * (m + xt.arange(BM))[:, None].to(xt.f32) + xt.zeros((1, BN), xt.f32)
    a, b, count = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.i32)
    done = 0
    while (done < MOST) & xt.any(a * a + b * b <= 4.0):
        inside = a * a + b * b <= 4.0
        next_a, next_b = a * a - b * b + re, 2.0 * a * b + im
        a, b = xt.where(inside, next_a, a), xt.where(inside, next_b, b)
        count += xt.where(inside, 1, 0)
        done += 1
    xt.store_tile(count, xt.init_tile(Out, (m, n), (BM, BN)))


@xt.jit(grid=lambda Out, BM, BN: by_blocks(Out, BM, BN))
def bilateral(X, Out, R: xt.constexpr = 2, BM: xt.constexpr = 32, BN: xt.constexpr = 32):
    """Means of neighbours, by how near they are and how alike; beside the picture all is zero."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    mid = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    total, weight = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for dy in xt.static_range(-R, R + 1):
        for dx in xt.static_range(-R, R + 1):
            near = xt.load_tile(xt.init_tile(X, (m + dy, n + dx), (BM, BN)))
            w = xt.exp(-(near - mid) * (near - mid) * 8.0 - (dy * dy + dx * dx) / 4.5)
            total += w * near
            weight += w
    xt.store_tile(total / weight, xt.init_tile(Out, (m, n), (BM, BN)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def walsh(X, Out, N: xt.constexpr = 128, LOG: xt.constexpr = 7, BM: xt.constexpr = 16):
    """Walsh-Hadamard transform of rows, by sums and differences of halves."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, N)))
    for _ in xt.static_range(LOG):
        a, b = x[:, ::2], x[:, 1::2]
        x = xt.concatenate((a + b, a - b), 1)
    xt.store_tile(x * N**-0.5, xt.init_tile(Out, (m, 0), (BM, N)))


@xt.jit(grid=lambda Y, BX: (xt.cdiv(Y.shape[2], BX), Y.shape[1], Y.shape[0]))
def every_second(X, W, B, Y, BX: xt.constexpr = 64, CI: xt.constexpr = 64, CO: xt.constexpr = 64):
    """A convolution of 3 x 3 at every second place of every second row, channels last; then relu."""
    n, y, x = xt.program_id(2), xt.program_id(1), xt.program_id(0) * BX
    acc = xt.zeros((BX, CO), xt.f32) + xt.load_tile(B[0:CO])[None, :]
    channels = xt.arange(CI)[None, :]
    for dy in range(3):
        row = 2 * y + dy - 1
        if row >= 0 and row < X.shape[1]:
            for dx in xt.static_range(3):
                columns = (2 * x + dx - 1 + xt.arange(BX) * 2)[:, None]
                inside = (columns >= 0) & (columns < X.shape[2]) & (channels < X.shape[3])
                acc += xt.load_gather(xt.init_tile(X[n, row], columns * X.stride(2) + channels), inside) @ xt.load_tile(
                    W[dy, dx, 0:CI, 0:CO]
                )
    Y[n, y, x : x + BX, 0:CO] = xt.maximum(acc, 0).to(Y.dtype)


def _escape() -> Made:
    x, y, step = -2.0, -1.25, 0.04
    c = (
        np.float32(x)
        + np.float32(step) * np.arange(70, dtype=np.float32)[None]
        + 1j * (np.float32(y) + np.float32(step) * np.arange(40, dtype=np.float32)[:, None])
    )
    z, count = np.zeros((40, 70), complex), np.zeros((40, 70))
    for _ in range(64):
        inside = np.abs(z) <= 2
        z = np.where(inside, z * z + c, z)
        count += inside
    return [np.zeros((40, 70), np.int32), x, y, step], {0: count}


def _bilateral() -> Made:
    x = random(40, 50)
    (w,) = wide(np.pad(x, 2))
    mid, total, weight = w[2:-2, 2:-2], 0.0, 0.0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            near = w[2 + dy : 42 + dy, 2 + dx : 52 + dx]
            each = np.exp(-8 * (near - mid) ** 2 - (dy * dy + dx * dx) / 4.5)
            total, weight = total + each * near, weight + each
    return [x, np.zeros_like(x)], {1: total / weight}


def _walsh() -> Made:
    x = random(20, 128)
    h = np.ones((1, 1))
    for _ in range(7):
        h = np.kron(h, [[1, 1], [1, -1]])
    (w,) = wide(x)
    return [x, np.zeros_like(x)], {1: w @ h * 128**-0.5}


def _every_second() -> Made:
    x, w = random(2, 9, 75, 48, dtype=np.float16), random(3, 3, 48, 64, dtype=np.float16, seed=1) / np.float16(8)
    b, padded = random(64, seed=2), np.pad(wide(x)[0], ((0, 0), (1, 1), (1, 1), (0, 0)))
    out = sum(padded[:, dy : dy + 9 : 2, dx : dx + 75 : 2] @ wide(w[dy, dx])[0] for dy in range(3) for dx in range(3)) + b
    return [x, w, b, np.zeros(out.shape, np.float16)], {3: np.maximum(out, 0)}


F, IMAGES = "f32[?,?]", "f16[?,?,?,?]"
CASES = {
    "escape times": Plain(
        escape, ("i32[?,?]", "f32", "f32", "f32"), _escape, {"pvc": 367, "bmg": 349, "dg2": 323}, tolerance=0.2
    ),
    "bilateral filter": Plain(bilateral, (F, F), _bilateral, {"pvc": 3406, "bmg": 3337}, tolerance=1e-4),
    "Walsh-Hadamard": Plain(walsh, (F, F), _walsh, {"pvc": 951, "bmg": 772, "dg2": 655}, tolerance=1e-4),
    "convolution, every second place": Plain(
        every_second, (IMAGES, IMAGES, "f32[?]", IMAGES), _every_second, {"pvc": 197, "bmg": 178}, tolerance=2e-3
    ),
}

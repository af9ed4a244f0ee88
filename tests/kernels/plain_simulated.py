"""Simulations and numerics that people bring along: systems and eigenvalues in registers, options, spins, rays, filters, recurrent layers."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda D: (xt.cdiv(D.shape[1], 16),))
def tridiagonal(A, B, C, D, X, Cs, Ds):
    """Systems A[i] x[i - 1] + B[i] x[i] + C[i] x[i + 1] = D[i], one in each column; Cs and Ds hold what the way back needs."""
    n, inside = xt.program_id(0) * 16, xt.program_id(0) * 16 + xt.arange(16) < D.shape[1]
    c = d = xt.zeros((16,))
    for i in range(D.shape[0]):
        a, b, own, right = (xt.load_tile(M[i, n : n + 16]) for M in (A, B, C, D))
        pivot = xt.where(inside, b - a * c, 1.0)
        c, d = own / pivot, (right - a * d) / pivot
        Cs[i, n : n + 16], Ds[i, n : n + 16] = c, d
    x = xt.zeros((16,))
    for i in range(D.shape[0] - 1, -1, -1):
        x = xt.load_tile(Ds[i, n : n + 16]) - xt.load_tile(Cs[i, n : n + 16]) * x
        X[i, n : n + 16] = x


@xt.jit(grid=lambda A: (A.shape[0],))
def eigenvalues(A, W, N: xt.constexpr = 8, SWEEPS: xt.constexpr = 8):
    """Of symmetric matrices, by Jacobi's rotations."""
    z, i, j = xt.program_id(0), xt.arange(N)[:, None], xt.arange(N)[None, :]
    a = xt.load_tile(A[z, 0:N, 0:N])
    for _ in range(SWEEPS):
        for p in range(N - 1):
            for q in range(p + 1, N):
                if xt.abs(a[p, q]) > 1e-9:
                    turn = (a[q, q] - a[p, p]) / (2 * a[p, q])
                    t = xt.where(turn >= 0, 1.0, -1.0) / (xt.abs(turn) + xt.sqrt(turn * turn + 1))
                    cos = xt.rsqrt(t * t + 1)
                    sin = t * cos
                    p_row, q_row = a[p : p + 1, :], a[q : q + 1, :]
                    a = xt.where(i == p, cos * p_row - sin * q_row, xt.where(i == q, sin * p_row + cos * q_row, a))
                    p_column, q_column = a[:, p : p + 1], a[:, q : q + 1]
                    a = xt.where(j == p, cos * p_column - sin * q_column, xt.where(j == q, sin * p_column + cos * q_column, a))
    W[z, 0:N] = xt.sum(xt.where(i == j, a, 0.0), axis=0)[0]


@xt.jit(grid=lambda S: (S.shape[0],))
def american(S, K, P, rate, volatility, T, STEPS: xt.constexpr = 31, N: xt.constexpr = 32):
    """Put options that may be exercised at any time, by a binomial tree."""
    p, dt = xt.program_id(0), T / STEPS
    up, fade = xt.exp(volatility * xt.sqrt(dt)), xt.exp(-rate * dt)
    rise = (1 / fade - 1 / up) / (up - 1 / up)
    price = S[p] * xt.exp((2 * xt.arange(N).to(xt.f32) - STEPS) * volatility * xt.sqrt(dt))
    value = xt.maximum(K[p] - price, 0)
    for _ in range(STEPS):
        price = price * up
        value = xt.maximum(fade * (rise * xt.roll(value, -1, 0) + (1 - rise) * value), K[p] - price)
    P[p] = value[0]


@xt.jit
def mixed(x):
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return x ^ (x >> 16)


@xt.jit(grid=lambda S: (S.shape[0],))
def spins(S, Out, beta, colour, seed: xt.u32, B: xt.constexpr = 64):
    """A step of the Ising model over one colour of a checkerboard; rows and columns go round, the row above the first by -1."""
    i, n, j = xt.program_id(0), S.shape[1], xt.arange(B)
    own, above, below = (xt.load_tile(S[row, 0:B]).to(xt.i32) for row in (i, i - 1, (i + 1) % S.shape[0]))
    left, right = (xt.load_gather(xt.init_tile(S[i], k % n), j < n).to(xt.i32) for k in (j + n - 1, j + 1))
    chance = (mixed(seed + (i * n + j).to(xt.u32)) >> 8).to(xt.f32) * 2.0**-24
    energy = (own * (above + below + left + right)).to(xt.f32)
    flips = (chance < xt.exp(-2 * beta * energy)) & ((i + j) % 2 == colour)
    Out[i, 0:B] = xt.where(flips, -own, own).to(xt.i8)


@xt.jit
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@xt.jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@xt.jit
def minus(a, b):
    return tuple(a[k] - b[k] for k in range(3))


@xt.jit(grid=lambda D: (xt.cdiv(D.shape[0], 16),))
def rays(O, D, T, Distance, Which):  # noqa: E741
    """Where rays from O along D hit the first of the triangles T[t, corner], and which that is (Moeller and Trumbore)."""
    m = xt.program_id(0) * 16
    origin, along = (tuple(xt.load_tile(M[m : m + 16, k]) for k in range(3)) for M in (O, D))
    nearest, which = xt.full((16,), 1e30), xt.full((16,), -1, xt.i32)
    for t in range(T.shape[0]):
        a, b, c = (tuple(T[t, corner, k] for k in range(3)) for corner in range(3))
        first, second, start = minus(b, a), minus(c, a), minus(origin, a)
        p, q = cross(along, second), cross(start, first)
        size = dot(first, p)
        u, v, w = dot(start, p) / size, dot(along, q) / size, dot(second, q) / size
        hits = (u >= 0) & (v >= 0) & (u + v <= 1) & (w > 1e-4) & (w < nearest)
        nearest, which = xt.where(hits, w, nearest), xt.where(hits, t, which)
    Distance[m : m + 16], Which[m : m + 16] = nearest, which


@xt.jit(grid=lambda X: (xt.cdiv(X.shape[1], 16),))
def filtered(X, C, Y):
    """A filter with two poles over each column."""
    n = xt.program_id(0) * 16
    b0, b1, b2, a1, a2 = (C[k] for k in range(5))
    first = second = xt.zeros((16,))
    for t in range(X.shape[0]):
        x = xt.load_tile(X[t, n : n + 16])
        y = b0 * x + first
        first, second = b1 * x - a1 * y + second, b2 * x - a2 * y
        Y[t, n : n + 16] = y


@xt.jit(grid=lambda X: (X.shape[0],))
def lstm(X, Wx, Wh, H, backwards, N: xt.constexpr = 16):
    """A layer that goes through its rows in one direction or the other."""
    b, steps = xt.program_id(0), X.shape[1]
    h = c = xt.zeros((1, N))
    wx, wh = xt.load_tile(Wx[0:N, 0 : 4 * N]), xt.load_tile(Wh[0:N, 0 : 4 * N])
    begin, end, step = (steps - 1, -1, -1) if backwards else (0, steps, 1)
    for t in range(begin, end, step):
        x = xt.load_tile(xt.init_tile(X[b], (t, 0), (1, N)))
        z = xt.sum(x.T * wx, axis=0) + xt.sum(h.T * wh, axis=0)
        i, f, g, o = (z[:, k * N : k * N + N] for k in range(4))
        c = xt.sigmoid(f) * c + xt.sigmoid(i) * xt.tanh(g)
        h = xt.sigmoid(o) * xt.tanh(c)
        xt.store_tile(h, xt.init_tile(H[b], (t, 0), (1, N)))


def _tridiagonal() -> Made:
    a, b, c, d = random(4, 15, 21)
    b += 5
    a[0] = c[-1] = 0
    x, cs, ds = np.zeros((3, 15, 21))
    for k, system in enumerate(zip(*(m.T for m in wide(a, b, c, d)))):
        low, own, high, right = system
        x[:, k] = np.linalg.solve(np.diag(own) + np.diag(low[1:], -1) + np.diag(high[:-1], 1), right)
        for i in range(15):
            pivot = own[i] - low[i] * cs[i - 1, k]
            cs[i, k], ds[i, k] = high[i] / pivot, (right[i] - low[i] * ds[i - 1, k]) / pivot
    return [a, b, c, d, *np.zeros((3, 15, 21), np.float32)], {4: x, 5: cs, 6: ds}


def _eigenvalues() -> Made:
    a = random(3, 8, 8)
    a = (a + a.transpose(0, 2, 1)) / 2
    found = a.astype(np.float64)
    for m in found:  # the same rotations, on which the order of the eigenvalues depends
        for _ in range(8):
            for p, q in combinations(range(8), 2):
                if abs(m[p, q]) > 1e-9:
                    turn = (m[q, q] - m[p, p]) / (2 * m[p, q])
                    t = (1 if turn >= 0 else -1) / (abs(turn) + (turn * turn + 1) ** 0.5)
                    cos = (t * t + 1) ** -0.5
                    rotation = np.eye(8)
                    rotation[[p, p, q, q], [p, q, p, q]] = cos, t * cos, -t * cos, cos
                    m[:] = rotation.T @ m @ rotation
    np.testing.assert_allclose(np.sort(m.diagonal()), np.linalg.eigvalsh(a[-1].astype(np.float64)), atol=1e-6)
    return [a, np.zeros((3, 8), np.float32)], {1: np.diagonal(found, axis1=1, axis2=2)}


def _american() -> Made:
    draw = np.random.default_rng(0)
    spot, strike = draw.uniform(80, 120, (2, 5)).astype(np.float32)
    dt, rate, volatility, found = 1 / 31, 0.05, 0.3, []
    up = np.exp(volatility * dt**0.5)
    rise, fade = (np.exp(rate * dt) - 1 / up) / (up - 1 / up), np.exp(-rate * dt)
    for s, k in zip(*wide(spot, strike)):
        price = s * up ** (2 * np.arange(32) - 31.0)
        value = np.maximum(k - price, 0)
        for _ in range(31):
            price = price[:-1] * up
            value = np.maximum(fade * (rise * value[1:] + (1 - rise) * value[:-1]), k - price)
        found.append(value[0])
    return [spot, strike, np.zeros(5, np.float32), rate, volatility, 1.0], {2: np.array(found)}


def _spins() -> Made:
    s = np.where(np.random.default_rng(1).random((10, 44)) < 0.5, 1, -1).astype(np.int8)
    around = sum(np.roll(s.astype(int), by, axis) for by in (1, -1) for axis in (0, 1))
    x = (7 + np.arange(440, dtype=np.uint64)).reshape(10, 44)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor) % np.uint64(1 << 32)
    chance = ((x ^ (x >> np.uint64(16))) >> np.uint64(8)) / 2.0**24
    flips = (chance < np.exp(-0.8 * s * around)) & (np.add(*np.indices((10, 44))) % 2 == 1)
    return [s, np.zeros((10, 44), np.int8), 0.4, 1, 7], {1: np.where(flips, -s, s)}


def _rays() -> Made:
    origin, along = random(45, 3) * np.float32(0.1), random(45, 3, seed=1)
    triangles = random(12, 3, 3, seed=2) + np.float32(1.5) * np.sign(random(12, 1, 3, seed=3))
    nearest, which = np.full(45, 1e30), np.full(45, -1)
    o, d, corners = wide(origin, along, triangles)
    for t, (a, b, c) in enumerate(corners):
        p, q = np.cross(d, c - a), np.cross(o - a, b - a)
        size = p @ (b - a)
        u, v, w = ((o - a) * p).sum(1) / size, (d * q).sum(1) / size, q @ (c - a) / size
        hits = (u >= 0) & (v >= 0) & (u + v <= 1) & (w > 1e-4) & (w < nearest)
        nearest[hits], which[hits] = w[hits], t
    return [origin, along, triangles, np.zeros(45, np.float32), np.zeros(45, np.int32)], {3: nearest, 4: which}


def _filtered() -> Made:
    x, factors, found = random(30, 21), np.float32([0.2, 0.3, 0.1, -0.5, 0.2]), []
    b0, b1, b2, a1, a2 = factors.astype(np.float64)
    first = second = np.zeros(21)
    for row in x.astype(np.float64):
        found.append(b0 * row + first)
        first, second = b1 * row - a1 * found[-1] + second, b2 * row - a2 * found[-1]
    return [x, factors, np.zeros((30, 21), np.float32)], {2: np.array(found)}


def _lstm() -> Made:
    x, wx, wh = random(3, 9, 16), random(16, 64, seed=1) * np.float32(0.3), random(16, 64, seed=2) * np.float32(0.3)
    rows, to_x, to_h = wide(x, wx, wh)
    h, c, found = np.zeros((3, 16)), np.zeros((3, 16)), np.zeros((3, 9, 16))
    for t in range(8, -1, -1):
        i, f, g, o = np.split(rows[:, t] @ to_x + h @ to_h, 4, axis=1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        found[:, t] = h = np.tanh(c) / (1 + np.exp(-o))
    return [x, wx, wh, np.zeros((3, 9, 16), np.float32), True], {3: found}


F, F3, LINE = "f32[?,?]", "f32[?,?,?]", "f32[?]"
CASES = {
    "tridiagonal systems": Plain(tridiagonal, (F,) * 7, _tridiagonal, {"pvc": 61, "bmg": 54, "dg2": 794}),
    "eigenvalues": Plain(eigenvalues, (F3, F), _eigenvalues, {"pvc": 29, "bmg": 23, "dg2": 22}),
    "American options": Plain(
        american, (LINE, LINE, LINE, "f32", "f32", "f32"), _american, {"pvc": 41, "bmg": 32, "dg2": 59}, tolerance=1e-4
    ),
    "spins": Plain(spins, ("i8[?,?]", "i8[?,?]", "f32", "i32", "u32"), _spins, {"pvc": 474, "bmg": 134, "dg2": 880}),
    "rays and triangles": Plain(rays, (F, F, F3, LINE, "i32[?]"), _rays, {"pvc": 168, "bmg": 168, "dg2": 1162}, tolerance=1e-4),
    "filter with two poles": Plain(filtered, (F, LINE, F), _filtered, {"pvc": 21, "bmg": 17, "dg2": 55}),
    "LSTM, backwards": Plain(lstm, (F3, F, F, F3, "bool"), _lstm, {"pvc": 157, "bmg": 143, "dg2": 200}),
}

"""Kernels whose rounds, places and branches depend on what they read, in small odd sizes: joins, moving tiles, updates in place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda X: (xt.cdiv(X.shape[0], 17),))
def by_mode(X, Mode, A, B, C):
    """Blocks of rows treated in four ways: a branch changes two of three values of different shapes and types."""
    i = xt.program_id(0)
    x = xt.load_tile(X[i * 17 : i * 17 + 17, 0:13])
    a, b, c = x, x.to(xt.i32), xt.sum(x, axis=1)
    mode = Mode[i]
    if mode == 0:
        a = a * 2
        c = c + 1
    elif mode == 1:
        a, b = xt.abs(x), b - 7
    elif mode == 2:
        b = b * b
    else:
        c = xt.max(x, axis=1)
        a = xt.roll(x, 1, 1)
    A[i * 17 : i * 17 + 17, 0:13] = a
    B[i * 17 : i * 17 + 17, 0:13] = b + x.to(xt.i32)
    C[i * 17 : i * 17 + 17, 0:1] = c


@xt.jit(grid=1)
def walk(X, Y, Path, M: xt.constexpr = 3, N: xt.constexpr = 5):
    """What a tile sees on a path, which leaves the array: each step moves it in a branch."""
    t = xt.init_tile(X, (0, 0), (M, N))
    acc = xt.zeros((M, N), xt.i32)
    for k in range(Path.shape[0]):
        p = Path[k]
        if p == 0:
            t = xt.update_tile_offset(t, (1, 0))
        elif p == 1:
            t = xt.update_tile_offset(t, (0, 2))
        else:
            t = xt.update_tile_offset(t, (-1, -1))
            continue
        acc = acc * 3 + xt.load_tile(t, padding=1)
    Y[0:M, 0:N] = acc


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 48), xt.cdiv(C.shape[0], 24)))
def products_by_flag(A, B, C, flag):
    """Products that are added, taken away or compared, by branches of a loop whose steps differ."""
    m, n = xt.program_id(1) * 24, xt.program_id(0) * 48
    acc, other = xt.zeros((24, 48), xt.f32), xt.zeros((24, 1), xt.f32)
    k = 0
    while k < A.shape[1]:
        a, b = xt.load_tile(A[m : m + 24, k : k + 16]), xt.load_tile(B[k : k + 16, n : n + 48])
        if flag > k:
            acc = acc + a @ b
            k += 16
        elif flag < -k:
            acc -= a @ b
            other += xt.sum(a.to(xt.f32), axis=1)
            k += 16
        else:
            acc = xt.maximum(acc, a @ b)
            k += 32
    C[m : m + 24, n : n + 48] = acc + other


@dataclass(frozen=True)
class Moments:
    """How many rows there were, their mean, and the squares of what they differ from it."""

    n: object
    mean: object
    squares: object

    def with_row(self, x):
        n = self.n + 1
        d = x - self.mean
        mean = self.mean + d / n
        return replace(self, n=n, mean=mean, squares=self.squares + d * (x - mean))


@xt.jit(grid=1)
def running_moments(X, Mean, Variance, N: xt.constexpr = 19):
    """Welford's mean and variance of the rows that begin with no outlier."""
    s = Moments(0.0, xt.zeros((N,), xt.f32), xt.zeros((N,), xt.f32))
    for i in range(X.shape[0]):
        if X[i, 0] > 2.0:
            continue
        s = s.with_row(xt.load_tile(X[i, 0:N]))
    Mean[0:N] = s.mean
    Variance[0:N] = s.squares / s.n


@xt.jit(grid=lambda Q: (xt.cdiv(Q.shape[0], 20),))
def searched(S, Q, P):
    """Where numbers belong in a sorted array: a binary search of 20 at once."""
    i = xt.program_id(0) * 20
    q = xt.load_tile(Q[i : i + 20])
    low, high = xt.zeros((20,), xt.i32), xt.full((20,), S.shape[0], xt.i32)
    while xt.any(low < high):
        middle, open_ = (low + high) // 2, low < high
        below = xt.load_gather(xt.init_tile(S, middle), mask=open_, padding=0) < q
        low, high = xt.where(open_ & below, middle + 1, low), xt.where(open_ & ~below, middle, high)
    P[i : i + 20] = low


@xt.jit(grid=lambda X: (X.shape[0],))
def odd_even(X, Y, N: xt.constexpr = 15):
    """Sorts rows by comparing neighbours."""
    x, i = xt.load_tile(X[xt.program_id(0), 0:N]), xt.arange(N)
    for step in range(N):
        first = i % 2 == step % 2
        right, left = xt.roll(x, -1), xt.roll(x, 1)
        x = xt.where(first & (i < N - 1), xt.minimum(x, right), xt.where(~first & (i > 0), xt.maximum(x, left), x))
    Y[xt.program_id(0), 0:N] = x


@xt.jit(grid=1)
def by_ranks(X, Y, N: xt.constexpr = 29):
    """Sorts bytes, each put where as many others come before it."""
    x, i = xt.load_tile(X[0:N]), xt.arange(N)
    before = (x[None, :] < x[:, None]) | (x[None, :] == x[:, None]) & (i[None, :] < i[:, None])
    xt.store_scatter(x, xt.init_tile(Y, xt.sum(before, axis=1, keepdims=False)))


@xt.jit(grid=2)
def rippled(X):
    """Windows that overlap: each step reads what the last one wrote, in two columns of three."""
    p = xt.program_id(0)
    for i in range(10):
        w = xt.load_tile(X[p, i : i + 5, 0:9])
        X[p, i + 1 : i + 5, 3:9] = w[0:4, 0:6] + w[1:5, 3:9]


@xt.jit(grid=2, num_subgroups=4)
def stored_in_parts(X, Y):
    """A result that is written in parts, and read again whole: edges from sums, a corner turned in place."""
    p = xt.program_id(0)
    Y[p, 0:20, 0:30] = xt.load_tile(X[p, 0:20, 0:30])
    Y[p, 5:9, 7:20] = xt.full((4, 13), 7, xt.f32)
    Y[p, 0:20, 0:1] = xt.sum(xt.load_tile(Y[p, 0:20, 0:30]), axis=1)
    Y[p, 0:1, 0:30] = xt.max(xt.load_tile(Y[p, 0:20, 0:30]), axis=0)
    Y[p, 0:20, 0:20] = xt.load_tile(Y[p, 0:20, 0:20]).T


@xt.jit
def first_row(X, limit, N: xt.constexpr):
    """The first row with an element above a limit, and its number; none is looked for behind the sixth."""
    for i in range(X.shape[0]):
        r = xt.load_tile(X[i, 0:N])
        if xt.max(r) > limit:
            return r, i
        if i == 5:
            return r * 0 - 1, -5
    return xt.zeros((N,), X.dtype), -1


@xt.jit(grid=lambda Limits: (Limits.shape[0],))
def found_rows(X, Limits, Y, At):
    """The same for each limit: a helper that returns from within its loop."""
    p = xt.program_id(0)
    Y[p, 0:14], At[p] = first_row(X, Limits[p], 14)


@xt.jit(grid=lambda Ids: (xt.cdiv(Ids.shape[0], 6),))
def embedding_back(G, Ids, W, D: xt.constexpr = 22):
    """Gradients of an embedding's rows, added up where rows were taken several times."""
    n, c = xt.program_id(0) * 6, xt.arange(D)
    i, g = xt.load_tile(Ids[n : n + 6], padding=-1), xt.load_tile(G[n : n + 6, 0:D])
    places = i[:, None] * W.stride(0) + c[None, :] * W.stride(1)
    xt.atomic_rmw_tile("add", g, xt.init_tile(W, places), mask=(i >= 0)[:, None] & (c < W.shape[1])[None, :])


def _integers(low: int, high: int, *shape: int, dtype: type = np.int32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def _by_mode() -> Made:
    x, modes = 10 * random(100, 13), np.int32([3, 0, 1, 2, 7, 1])
    a, b, c = np.zeros((100, 13), np.float32), np.zeros((100, 13), np.int32), np.zeros((100, 1), np.float32)
    wa, wb, wc = wide(x)[0], 2 * x.astype(np.int32), wide(x)[0].sum(1, keepdims=True)
    for i, mode in enumerate(modes):
        rows = slice(i * 17, i * 17 + 17)
        if mode == 0:
            wa[rows] *= 2
            wc[rows] += 1
        elif mode == 1:
            wa[rows], wb[rows] = np.abs(wa[rows]), wb[rows] - 7
        elif mode == 2:
            wb[rows] = (wb[rows] // 2) ** 2 + wb[rows] // 2
        else:
            wc[rows], wa[rows] = x[rows].max(1, keepdims=True), np.roll(wa[rows], 1, 1)
    return [x, modes, a, b, c], {2: wa, 3: wb, 4: wc}


def _walk() -> Made:
    x, path = _integers(-9, 9, 6, 9), np.int32([0, 0, 1, 2, 2, 2, 0, 1, 1, 1, 0])
    padded, y, i, j = np.pad(x, 16, constant_values=1), np.zeros((3, 5), np.int64), 16, 16
    for p in path:
        i, j = i + (p == 0) - (p == 2), j + 2 * (p == 1) - (p == 2)
        if p != 2:
            y = y * 3 + padded[i : i + 3, j : j + 5]
    return [x, np.zeros((3, 5), np.int32), path], {1: y}


def _products_by_flag() -> Made:
    a, b = _integers(-3, 4, 50, 70, dtype=np.float16), _integers(-3, 4, 70, 100, dtype=np.float16, seed=1)
    (wa, wb), acc, other, k = wide(a, b), np.zeros((50, 100)), np.zeros((50, 1)), 0
    while k < 70:
        part = wa[:, k : k + 16] @ wb[k : k + 16]
        if k < 20:
            acc, other = acc - part, other + wa[:, k : k + 16].sum(1, keepdims=True)
        else:
            acc, k = np.maximum(acc, part), k + 16
        k += 16
    return [a, b, np.zeros((50, 100), np.float32), -20], {2: acc + other}


def _running_moments() -> Made:
    x = random(40, 19)
    (kept,) = wide(x[x[:, 0] <= 2])
    return [x, np.zeros(19, np.float32), np.zeros(19, np.float32)], {1: kept.mean(0), 2: kept.var(0)}


def _searched() -> Made:
    s, q = np.sort(random(137)), random(45, seed=1)
    return [s, q, np.zeros(45, np.int32)], {2: np.searchsorted(s, q)}


def _odd_even() -> Made:
    x = _integers(-500, 500, 3, 15, dtype=np.int16)
    return [x, np.zeros_like(x)], {1: np.sort(x, 1)}


def _by_ranks() -> Made:
    x = _integers(0, 12, 29, dtype=np.int8)
    return [x, np.zeros_like(x)], {1: np.sort(x)}


def _rippled() -> Made:
    x = _integers(-9, 9, 2, 14, 9)
    y = np.pad(x, ((0, 0), (0, 5), (0, 0)))
    for i in range(10):
        w = y[:, i : i + 5].copy()
        w[:, max(0, 14 - i) :] = 0
        y[:, i + 1 : i + 5, 3:9] = w[:, 0:4, 0:6] + w[:, 1:5, 3:9]
    return [x], {0: y[:, :14]}


def _stored_in_parts() -> Made:
    x = _integers(-9, 9, 2, 20, 30, dtype=np.float32)
    (y,) = wide(x)
    y[:, 5:9, 7:20] = 7
    y[:, :, 0] = y.sum(2)
    y[:, 0] = y.max(1)
    y[:, :, :20] = y[:, :, :20].transpose(0, 2, 1).copy()
    return [x, np.zeros_like(x)], {1: y}


def _found_rows() -> Made:
    x, limits = _integers(0, 50, 9, 14), np.int32([0, 40, 47, 48, 49, 50])
    y, at = np.zeros((6, 14), np.int32), np.full(6, -1, np.int32)
    for p, limit in enumerate(limits):
        above = np.flatnonzero(x[:6].max(1) > limit)
        y[p], at[p] = (x[above[0]], above[0]) if len(above) else (-1, -5)
    return [x, limits, np.zeros_like(y), np.zeros_like(at)], {2: y, 3: at}


def _embedding_back() -> Made:
    g, i, w = _integers(-9, 9, 20, 19, dtype=np.float32), _integers(0, 5, 20), np.zeros((5, 19))
    np.add.at(w, i, g)
    return [g, i, np.zeros((5, 19), np.float32)], {2: w}


F, H, I32, IDS, LINE = "f32[?,?]", "f16[?,?]", "i32[?,?]", "i32[?]", "f32[?]"
CASES = {
    # On DG2 some of these are loops that IGC unrolls, and codes of several versions.
    "rows by modes": Plain(by_mode, (F, IDS, F, I32, F), _by_mode, {"pvc": 953, "bmg": 880, "dg2": 701}),
    "walk of a tile": Plain(walk, (I32, I32, IDS), _walk, {"pvc": 38, "bmg": 38, "dg2": 58}),
    "products by a flag": Plain(products_by_flag, (H, H, F, "i32"), _products_by_flag, {"pvc": 449, "bmg": 443, "dg2": 2558}),
    "running moments": Plain(running_moments, (F, LINE, LINE), _running_moments, {"pvc": 63, "bmg": 63, "dg2": 561}),
    "binary search": Plain(searched, (LINE, LINE, IDS), _searched, {"pvc": 57, "bmg": 56, "dg2": 106}),
    "odd-even sort": Plain(odd_even, ("i16[?,?]", "i16[?,?]"), _odd_even, {"pvc": 45, "bmg": 40, "dg2": 40}),
    "sort by ranks": Plain(by_ranks, ("i8[?]", "i8[?]"), _by_ranks, {"pvc": 834, "bmg": 823, "dg2": 941}),
    "windows in place": Plain(rippled, ("i32[?,?,?]",), _rippled, {"pvc": 45, "bmg": 35, "dg2": 860}),
    "stored in parts": Plain(
        stored_in_parts, ("f32[?,?,?]", "f32[?,?,?]"), _stored_in_parts, {"pvc": 430, "bmg": 381, "dg2": 1676}
    ),
    "first rows above limits": Plain(found_rows, (I32, IDS, I32, IDS), _found_rows, {"pvc": 26, "bmg": 26, "dg2": 44}),
    "embedding, backward": Plain(embedding_back, (F, IDS, F), _embedding_back, {"pvc": 287, "bmg": 227, "dg2": 312}),
}

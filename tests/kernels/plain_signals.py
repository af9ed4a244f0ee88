"""Kernels of signals, pictures and tables: a stencil that walks through planes, reflections, codes of pictures, wavelets, alignment, labels,
trees, states of eight bits, maxima so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda X, BY, BX: (xt.cdiv(X.shape[2], BX), xt.cdiv(X.shape[1], BY)))
def planes(X, Y, a, b, BY: xt.constexpr = 8, BX: xt.constexpr = 32):
    """Each number and its six neighbours; two planes stay in registers from step to step."""
    y, x = xt.program_id(1) * BY, xt.program_id(0) * BX
    below, here = xt.zeros((BY, BX), xt.f32), xt.load_tile(xt.init_tile(X[0], (y, x), (BY, BX)))
    for z in range(X.shape[0]):
        above = xt.zeros((BY, BX), xt.f32)
        if z + 1 < X.shape[0]:
            above = xt.load_tile(xt.init_tile(X[z + 1], (y, x), (BY, BX)))
        beside = below + above
        for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            beside += xt.load_tile(xt.init_tile(X[z], (y + dy, x + dx), (BY, BX)))
        xt.store_tile(a * here + b * beside, xt.init_tile(Y[z], (y, x), (BY, BX)))
        below, here = here, above


@xt.jit(grid=lambda A: (A.shape[0],))
def reflected(A, M: xt.constexpr = 32, N: xt.constexpr = 16):
    """A[z] = the upper triangle of its QR factorization, by reflections."""
    z, i, j = xt.program_id(0), xt.arange(M)[:, None], xt.arange(N)[None, :]
    a = xt.load_tile(A[z, 0:M, 0:N])
    for k in range(N):
        x = xt.where(i >= k, xt.sum(xt.where(j == k, a, 0), axis=1), 0)
        head, length = xt.sum(xt.where(i == k, x, 0)), xt.sqrt(xt.sum(x * x))
        end = -length if head >= 0 else length
        v = xt.where(i == k, x - end, x)
        square = xt.sum(v * v)
        a -= (2.0 / square if square > 0 else 0.0) * v * xt.sum(v * a, axis=0)
    A[z, 0:M, 0:N] = xt.where(i <= j, a, 0)


@xt.jit(grid=lambda X: (X.shape[1] // 8, X.shape[0] // 8))
def coded(X, D, Steps, Order, Z):
    """Each block of eight by eight bytes becomes a row of whole numbers: its cosine transform by steps, in another order."""
    bx, by = xt.program_id(0), xt.program_id(1)
    x = xt.load_tile(X[by * 8 : by * 8 + 8, bx * 8 : bx * 8 + 8]).to(xt.f32) - 128.0
    d = xt.load_tile(D[0:8, 0:8])
    steps = xt.reshape(xt.round(d @ x @ d.T / xt.load_tile(Steps[0:8, 0:8])), (64,))
    Z[by * xt.num_programs(0) + bx, 0:64] = steps[xt.load_tile(Order[0:64])].to(xt.i16)


@xt.jit(grid=lambda X: (X.shape[0],))
def lifted(X, Low, High, N: xt.constexpr = 64):
    """One level of the wavelet of whole numbers with five and three taps."""
    r, half = xt.program_id(0), xt.arange(N // 2)
    x = xt.load_tile(X[r, 0:N])
    even, odd = x[::2], x[1::2]
    high = odd - ((even + xt.where(half == N // 2 - 1, even, xt.roll(even, -1))) >> 1)
    Low[r, 0 : N // 2] = even + ((high + xt.where(half == 0, high, xt.roll(high, 1)) + 2) >> 2)
    High[r, 0 : N // 2] = high


@xt.jit(grid=lambda A: (A.shape[0],))
def aligned(A, B, Score, match, other, gap, N: xt.constexpr = 32):
    """How well two words of N letters go together as a whole, diagonal by diagonal."""
    p, i = xt.program_id(0), xt.arange(N, dtype=xt.i32)
    a, b = xt.load_tile(A[p, 0:N]), xt.load_tile(B[p, 0:N])
    before, last = xt.full((N,), -10000, xt.i32), xt.full((N,), -10000, xt.i32)
    for diagonal in range(2 * N - 1):
        j = diagonal - i
        step = xt.where(a == b[xt.clamp(j, 0, N - 1)], match, other)
        up = xt.where(i == 0, (j + 1) * gap, xt.roll(last, 1))
        left = xt.where(j == 0, (i + 1) * gap, last)
        both = xt.where(i == 0, j * gap, xt.where(j == 0, i * gap, xt.roll(before, 1)))
        new = xt.maximum(both + step, xt.maximum(up, left) + gap)
        before, last = last, xt.where((j >= 0) & (j < N), new.to(xt.i32), last)
    Score[p] = last[N - 1]


@xt.jit(grid=1)
def labels(X, L, Rounds, H: xt.constexpr = 16, W: xt.constexpr = 16):
    """Parts that hang together get their least number, until nothing changes."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (H, W)))
    r, c, none = xt.arange(H, dtype=xt.i32)[:, None], xt.arange(W, dtype=xt.i32)[None, :], 1 << 20
    found, rounds, changed = xt.where(x != 0, r * W + c, none), 0, True
    while changed:
        new = xt.minimum(found, xt.where(r > 0, xt.roll(found, 1, 0), none))
        new = xt.minimum(new, xt.where(r < H - 1, xt.roll(found, -1, 0), none))
        new = xt.minimum(new, xt.where(c > 0, xt.roll(found, 1, 1), none))
        new = xt.where(x != 0, xt.minimum(new, xt.where(c < W - 1, xt.roll(found, -1, 1), none)), none)
        changed, found, rounds = xt.any(new != found), new, rounds + 1
    xt.store_tile(xt.where(found == none, -1, found).to(xt.i32), xt.init_tile(L, (0, 0), (H, W)))
    Rounds[0] = rounds


@xt.jit(grid=lambda X: (xt.cdiv(X.shape[0], 32),))
def trees(X, Features, Limits, Leaves, P, DEPTH: xt.constexpr = 3):
    """The mean of what trees of decisions say of each row."""
    i, acc = xt.program_id(0) * 32 + xt.arange(32), xt.zeros((32,))
    for t in range(Features.shape[0]):
        node = xt.zeros((32,), xt.i32)
        for _ in range(DEPTH):
            feature = xt.load_gather(xt.init_tile(Features, t * Features.stride(0) + node))
            limit = xt.load_gather(xt.init_tile(Limits, t * Limits.stride(0) + node))
            x = xt.load_gather(xt.init_tile(X, i * X.stride(0) + feature), mask=i < X.shape[0])
            node = 2 * node + 1 + (x > limit).to(xt.i32)
        acc += xt.load_gather(xt.init_tile(Leaves, t * Leaves.stride(0) + node - (2**DEPTH - 1)))
    P[xt.program_id(0) * 32 : xt.program_id(0) * 32 + 32] = acc / Features.shape[0]


@xt.jit(grid=lambda P: (xt.cdiv(P.shape[0], 256),))
def narrow_states(P, G, M, Scales, V, Squares, rate):
    """Adam whose states have eight bits and a scale for each block of 256."""
    b, i = xt.program_id(0), xt.program_id(0) * 256
    p, g = xt.load_tile(P[i : i + 256]), xt.load_tile(G[i : i + 256])
    m = 0.9 * (xt.load_tile(M[i : i + 256]).to(xt.f32) * (Scales[b] / 127.0)) + 0.1 * g
    v = 0.99 * (xt.load_tile(V[i : i + 256]).to(xt.f32) * (Squares[b] / 255.0)) + 0.01 * g * g
    P[i : i + 256] = p - rate * m / (xt.sqrt(v) + 1e-8)
    scale, square = xt.max(xt.abs(m)), xt.max(v)
    M[i : i + 256] = xt.round(m * (127.0 / scale)).to(xt.i8)
    V[i : i + 256] = xt.ceil(v * (255.0 / square)).to(xt.u8)
    Scales[b], Squares[b] = scale, square


@xt.jit
def _later(p, q):
    taken = q[0] >= p[0]
    return xt.where(taken, q[0], p[0]), xt.where(taken, q[1], p[1])


@xt.jit(grid=lambda X: (X.shape[0],))
def largest_so_far(X, V, At, BN: xt.constexpr = 32):
    """V = the largest number of each row up to a place, At where the last of those stands."""
    r, top, at = xt.program_id(0), float("-inf"), 0
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(X[r, n : n + BN], padding=float("-inf"))
        v, i = xt.associative_scan(_later, (x, (n + xt.arange(BN)).to(xt.i32)), axis=0)
        kept = v >= top
        v, i = xt.where(kept, v, top), xt.where(kept, i, at)
        V[r, n : n + BN], At[r, n : n + BN] = v, i.to(xt.i32)
        top, at = v[BN - 1], i[BN - 1]


def _planes() -> Made:
    x = random(5, 13, 37)
    p = np.pad(wide(x)[0], 1)
    beside: Any = sum(np.roll(p, by, axis)[1:-1, 1:-1, 1:-1] for axis in range(3) for by in (-1, 1))
    return [x, np.zeros_like(x), 0.5, 0.125], {1: 0.5 * x + 0.125 * beside}


def _reflected() -> Made:
    a = random(2, 32, 16)
    out = wide(a)[0]
    for z in range(2):
        for k in range(16):
            x = out[z, k:, k].copy()
            x[0] += np.linalg.norm(x) * (1 if x[0] >= 0 else -1)
            out[z, k:] -= 2 / (x @ x) * np.outer(x, x @ out[z, k:])
        out[z] = np.triu(out[z])
    return [a], {0: out}


def _coded() -> Made:
    x, (k, n) = np.random.default_rng(0).integers(0, 256, (16, 24)).astype(np.uint8), np.mgrid[0:8, 0:8]
    d = np.cos((2 * n + 1) * k * np.pi / 16) / 2
    d[0] /= np.sqrt(2)
    order = np.int32(sorted(range(64), key=lambda i: (i // 8 + i % 8, i // 8 if (i // 8 + i % 8) % 2 else i % 8)))
    d, steps = d.astype(np.float32), (10 + np.abs(random(8, 8)) * 30).astype(np.float32)
    blocks = wide(x)[0].reshape(2, 8, 3, 8).transpose(0, 2, 1, 3).reshape(6, 8, 8) - 128
    z = np.round(wide(d)[0] @ blocks @ wide(d)[0].T / steps).reshape(6, 64)[:, order]
    return [x, d, steps, order, np.zeros((6, 64), np.int16)], {4: z}


def _lifted() -> Made:
    x = np.random.default_rng(0).integers(-500, 500, (3, 64)).astype(np.int16)
    even, odd = (x[:, i::2].astype(np.int64) for i in (0, 1))
    high = odd - ((even + np.concatenate([even[:, 1:], even[:, -1:]], 1)) >> 1)
    low = even + ((high + np.concatenate([high[:, :1], high[:, :-1]], 1) + 2) >> 2)
    return [x, np.zeros((3, 32), np.int16), np.zeros((3, 32), np.int16)], {1: low, 2: high}


def _aligned() -> Made:
    words, scores = np.random.default_rng(0).integers(0, 4, (2, 3, 32)).astype(np.uint8), []
    for a, b in zip(*words):
        best = np.zeros((33, 33), np.int64)
        best[0] = best[:, 0] = -2 * np.arange(33)
        for i in range(32):
            for j in range(32):
                best[i + 1, j + 1] = max(best[i, j] + (2 if a[i] == b[j] else -1), best[i, j + 1] - 2, best[i + 1, j] - 2)
        scores.append(best[32, 32])
    return [*words, np.zeros(3, np.int32), 2, -1, -2], {2: np.array(scores)}


def _labels() -> Made:
    x, none, rounds = (np.random.default_rng(0).random((16, 16)) < 0.6).astype(np.uint8), 1 << 20, 0
    found, new = np.zeros((16, 16), np.int64), np.where(x != 0, np.arange(256).reshape(16, 16), none)
    while rounds == 0 or (new != found).any():
        found, q, rounds = new, np.pad(new, 1, constant_values=none), rounds + 1
        new = np.minimum.reduce([found, q[:-2, 1:-1], q[2:, 1:-1], q[1:-1, :-2], q[1:-1, 2:]])
        new = np.where(x != 0, new, none)
    return [x, np.zeros((16, 16), np.int32), np.zeros(1, np.int32)], {
        1: np.where(found == none, -1, found),
        2: np.array([rounds]),
    }


def _trees() -> Made:
    x, limits, leaves = random(50, 6), random(5, 7, seed=1), random(5, 8, seed=2)
    features, out = np.random.default_rng(0).integers(0, 6, (5, 7)).astype(np.int32), np.zeros(50)
    for i, t in np.ndindex(50, 5):
        node = 0
        for _ in range(3):
            node = 2 * node + 1 + int(x[i, features[t, node]] > limits[t, node])
        out[i] += leaves[t, node - 7] / 5
    return [x, features, limits, leaves, np.zeros(50, np.float32)], {4: out}


def _narrow_states() -> Made:
    rng, p, g = np.random.default_rng(0), random(512), random(512, seed=1)
    m, v = rng.integers(-127, 128, 512).astype(np.int8), rng.integers(0, 256, 512).astype(np.uint8)
    scales, squares = np.float32([0.25, 0.5]), np.float32([0.5, 1.0])
    wide_m = 0.9 * (m * np.repeat(wide(scales)[0], 256) / 127) + 0.1 * wide(g)[0]
    wide_v = 0.99 * (v * np.repeat(wide(squares)[0], 256) / 255) + 0.01 * wide(g)[0] ** 2
    tops = [np.abs(a).reshape(2, 256).max(1) for a in (wide_m, wide_v)]
    codes = np.round(wide_m * np.repeat(127 / tops[0], 256)), np.ceil(np.round(wide_v * np.repeat(255 / tops[1], 256), 4))
    expected = {0: p - 0.01 * wide_m / (np.sqrt(wide_v) + 1e-8), 2: codes[0], 3: tops[0], 4: codes[1], 5: tops[1]}
    return [p, g, m, scales, v, squares, 0.01], expected


def _largest_so_far() -> Made:
    x = np.random.default_rng(0).integers(0, 9, (4, 80)).astype(np.float32)
    found = np.maximum.accumulate(x, 1)
    at = np.maximum.accumulate(np.where(x == found, np.arange(80), 0), 1)
    return [x, np.zeros_like(x), np.zeros((4, 80), np.int32)], {1: found, 2: at}


LINE, F, BOX, LIST, TABLE, PLACES = "f32[?]", "f32[?,?]", "f32[?,?,?]", "i32[?]", "u8[?,?]", "i32[?,?]"
CASES = {
    "stencil through planes": Plain(planes, (BOX, BOX, "f32", "f32"), _planes, {"pvc": 341, "bmg": 324, "dg2": 507}),
    "QR by reflections": Plain(reflected, (BOX,), _reflected, {"pvc": 1175, "bmg": 1084, "dg2": 985}),
    "blocks of pictures, coded": Plain(coded, (TABLE, F, F, LIST, "i16[?,?]"), _coded, {"pvc": 715, "bmg": 673, "dg2": 1970}),
    "wavelet of whole numbers": Plain(lifted, ("i16[?,?]",) * 3, _lifted, {"pvc": 160, "bmg": 145, "dg2": 326}),
    "words aligned": Plain(aligned, (TABLE, TABLE, LIST, "i32", "i32", "i32"), _aligned, {"pvc": 1372, "bmg": 1190, "dg2": 776}),
    "labels of parts": Plain(labels, (TABLE, PLACES, LIST), _labels, {"pvc": 481, "bmg": 324, "dg2": 300}),
    "trees of decisions": Plain(trees, (F, PLACES, F, F, LINE), _trees, {"pvc": 46, "bmg": 46, "dg2": 99}),
    "Adam, states of eight bits": Plain(
        narrow_states,
        (LINE, LINE, "i8[?]", LINE, "u8[?]", LINE, "f32"),
        _narrow_states,
        {"pvc": 1618, "bmg": 1382},
        tolerance=4e-3,
    ),
    "largest so far": Plain(largest_so_far, (F, F, PLACES), _largest_so_far, {"pvc": 241, "bmg": 216, "dg2": 388}),
}

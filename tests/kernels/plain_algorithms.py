"""Algorithms as people write them for one program each: dynamic programming, factorisations, searches, samplers, recurrences.

They join values in loops and branches, store coordinates, and go on for as long as what they compute says.
"""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide

LOWEST = -1e30


@xt.jit(grid=lambda E: (E.shape[0],))
def viterbi(E, T, Back, Path, S: xt.constexpr = 32):
    """The likeliest path through states of scores E [sequences, steps, states] and transitions T; where each step came from in Back."""
    b, steps = xt.program_id(0), E.shape[1]
    transitions = xt.load_tile(T[0:S, 0:S], padding=LOWEST)
    score = xt.load_tile(xt.init_tile(E[b], (0, 0), (1, S)), padding=LOWEST)
    for t in range(1, steps):
        ways = score.T + transitions
        Back[b, t, 0:S] = xt.argmax(ways, axis=0)[0]
        score = xt.max(ways, axis=0) + xt.load_tile(xt.init_tile(E[b], (t, 0), (1, S)), padding=LOWEST)
    xt.barrier()
    state, t = xt.argmax(score, axis=1)[0, 0], steps - 1
    Path[b, t] = state
    while t > 0:
        state = Back[b, t, state]
        t -= 1
        Path[b, t] = state


@xt.jit
def add_logs(a, b):
    m = xt.maximum(a, b)
    return m + xt.log(xt.exp(a - m) + xt.exp(b - m))


@xt.jit(grid=lambda P: (P.shape[0],))
def ctc(P, Labels, Out, S: xt.constexpr = 16):
    """Connectionist temporal classification: logarithm of the probability of labels with blanks (0) between them, all S of them."""
    b, s = xt.program_id(0), xt.arange(S)
    labels = xt.load_tile(Labels[b, 0:S])
    skips = (s >= 2) & (labels != 0) & (labels != xt.roll(labels, 2, 0))
    a = xt.where(s < 2, xt.load_gather(xt.init_tile(P[b, 0], labels)), LOWEST)
    for t in range(1, P.shape[1]):
        one = xt.where(s >= 1, xt.roll(a, 1, 0), LOWEST)
        two = xt.where(skips, xt.roll(a, 2, 0), LOWEST)
        a = add_logs(add_logs(a, one), two) + xt.load_gather(xt.init_tile(P[b, t], labels))
    Out[b] = add_logs(xt.sum(xt.where(s == S - 1, a, 0.0)), xt.sum(xt.where(s == S - 2, a, 0.0)))


@xt.jit(grid=lambda A: (A.shape[0],))
def levenshtein(A, B, Out, N: xt.constexpr = 32):
    """Edits from each row of A to that of B, of N bytes: a row of the table at once, the edits to its left by a scan."""
    b, j = xt.program_id(0), xt.arange(N) + 1
    to = xt.load_tile(B[b, 0:N])
    row = j.to(xt.i32)
    for i in range(A.shape[1]):
        diagonal = xt.where(j == 1, i, xt.roll(row, 1, 0))
        best = xt.minimum(diagonal + (to != A[b, i]), row + 1)
        left = xt.associative_scan(xt.minimum, best - j, axis=0) + j
        row = xt.minimum(left, i + 1 + j)
    Out[b] = row[N - 1]


@xt.jit(grid=lambda A: (A.shape[0],))
def cholesky(A, L, N: xt.constexpr = 16):
    b, i, j = xt.program_id(0), xt.arange(N)[:, None], xt.arange(N)[None, :]
    a = xt.load_tile(A[b, 0:N, 0:N])
    for k in range(N):
        pivot = xt.sqrt(xt.sum(xt.where((i == k) & (j == k), a, 0.0)))
        column = xt.where(i >= k, xt.sum(xt.where(j == k, a, 0.0), axis=1) / pivot, 0.0)
        a = xt.where(j == k, column, xt.where((i > k) & (j > k), a - column * column.T, a))
    L[b, 0:N, 0:N] = xt.where(i >= j, a, 0.0)


@xt.jit(grid=lambda A: (A.shape[0],))
def gram_schmidt(A, Q, R, M: xt.constexpr = 32, N: xt.constexpr = 16):
    b, i, j = xt.program_id(0), xt.arange(N)[:, None], xt.arange(N)[None, :]
    q, r = xt.load_tile(A[b, 0:M, 0:N]), xt.zeros((N, N))
    for k in range(N):
        v = xt.sum(xt.where(j == k, q, 0.0), axis=1)
        length = xt.sqrt(xt.sum(v * v))
        v = v / length
        along = xt.sum(v * q, axis=0)
        r = xt.where(i == k, xt.where(j > k, along, xt.where(j == k, length, r)), r)
        q = xt.where(j == k, v, xt.where(j > k, q - v * along, q))
    Q[b, 0:M, 0:N] = q
    R[b, 0:N, 0:N] = r


@xt.jit(grid=lambda Z, N: (xt.cdiv(Z.shape[1], N),))
def kalman(Z, X, q, r, N: xt.constexpr = 64):
    """Places and speeds of many targets, of whose places Z [steps, targets] are measured."""
    n = xt.program_id(0) * N
    state = (xt.zeros((N,)), xt.zeros((N,)))
    variance = (xt.full((N,), 1.0), xt.zeros((N,)), xt.full((N,), 1.0))
    for t in range(Z.shape[0]):
        place, speed = state[0] + state[1], state[1]
        p00, p01, p11 = variance[0] + 2 * variance[1] + variance[2] + q, variance[1] + variance[2], variance[2] + q
        gain, drift = p00 / (p00 + r), p01 / (p00 + r)
        off = xt.load_tile(Z[t, n : n + N]) - place
        state = (place + gain * off, speed + drift * off)
        variance = ((1 - gain) * p00, (1 - gain) * p01, p11 - drift * p01)
        X[t, n : n + N] = state[0]


@xt.jit(grid=lambda K, C: (xt.cdiv(K.shape[2], C), K.shape[0]))
def wkv(K, V, W, U, Y, C: xt.constexpr = 64):
    """The recurrence of RWKV-4: averages of values whose weights fade, by exponents of which the largest so far is taken away."""
    b, c = xt.program_id(1), xt.program_id(0) * C
    w, u = xt.load_tile(W[c : c + C]), xt.load_tile(U[c : c + C])
    top, total, most = xt.zeros((C,)), xt.zeros((C,)), xt.full((C,), LOWEST)
    for t in range(K.shape[1]):
        k, v = xt.load_tile(K[b, t, c : c + C]), xt.load_tile(V[b, t, c : c + C])
        q = xt.maximum(most, u + k)
        old, new = xt.exp(most - q), xt.exp(u + k - q)
        Y[b, t, c : c + C] = (old * top + new * v) / (old * total + new)
        q = xt.maximum(most - w, k)
        old, new = xt.exp(most - w - q), xt.exp(k - q)
        top, total, most = old * top + new * v, old * total + new, q


@xt.jit(grid=(1,))
def breadth_first(Edges, Distance, source, N: xt.constexpr = 32):
    """Steps from a node to each other one, -1 where there is no way."""
    edges, far = xt.load_tile(Edges[0:N, 0:N]) > 0, xt.where(xt.arange(N) == source, 0, -1)
    level = 0
    while xt.any(far == level):
        reached = xt.any(edges & (far == level)[:, None], axis=0, keepdims=False)
        far = xt.where(reached & (far < 0), level + 1, far)
        level += 1
    Distance[0:N] = far


@xt.jit(grid=lambda L: (L.shape[0],))
def nucleus(L, U, Out, p, N: xt.constexpr = 64):
    """Samples from the likeliest tokens that have p of the probability together, by a number U of 0 to 1 for each row."""
    b, i = xt.program_id(0), xt.arange(N)
    x = xt.load_tile(xt.init_tile(L[b], (0,), (N,)), padding=float("-inf"))
    e = xt.exp(x - xt.max(x))
    e = e / xt.sum(e)
    above = (e[None, :] > e[:, None]) | ((e[None, :] == e[:, None]) & (i[None, :] < i[:, None]))
    kept = xt.sum(xt.where(above, e[None, :], 0.0), axis=1, keepdims=False) < p
    c = xt.cumsum(xt.where(kept, e, 0.0), axis=0)
    Out[b] = xt.min(xt.where((c >= U[b] * xt.max(c)) & kept, i, N))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def first_largest(X, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 32):
    """The column of the largest number of each row, of any length."""
    m = xt.program_id(0) * BM
    best, at = xt.full((BM, 1), float("-inf")), xt.zeros((BM, 1), xt.i32)
    for n in range(0, X.shape[1], BN):
        x = xt.load_tile(X[m : m + BM, n : n + BN], padding=float("-inf"))
        top = xt.max(x, axis=1)
        at = xt.where(top > best, n + xt.argmax(x, axis=1), at)
        best = xt.maximum(best, top)
    Y[m : m + BM, 0:1] = at


def _viterbi() -> Made:
    e, t = random(3, 9, 19), random(19, 19, seed=1)
    path = np.zeros((3, 9), np.int32)
    for b in range(3):
        score, back = e[b, 0], []
        for k in range(1, 9):
            ways = score[:, None] + t
            back.append(ways.argmax(0))
            score = ways.max(0) + e[b, k]
        path[b, 8] = score.argmax()
        for k in range(8, 0, -1):
            path[b, k - 1] = back[k - 1][path[b, k]]
    came = np.zeros((3, 9, 19), np.int32)
    score = e[:, 0]
    for k in range(1, 9):
        ways = score[:, :, None] + t
        came[:, k], score = ways.argmax(1), ways.max(1) + e[:, k]
    return [e, t, np.zeros_like(came), np.zeros_like(path)], {2: came, 3: path}


def _ctc() -> Made:
    logits = random(3, 12, 7)
    p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    labels = np.zeros((3, 16), np.int32)
    labels[:, 1:15:2] = np.random.default_rng(1).integers(1, 7, (3, 7))
    found = np.zeros(3)
    for b in range(3):
        a = np.where(np.arange(16) < 2, p[b, 0, labels[b]].astype(np.float64), LOWEST)
        for t in range(1, 12):
            one, two = np.append(LOWEST, a[:-1]), np.append([LOWEST] * 2, a[:-2])
            skips = (labels[b] != 0) & (labels[b] != np.roll(labels[b], 2)) & (np.arange(16) >= 2)
            a = np.logaddexp(np.logaddexp(a, one), np.where(skips, two, LOWEST)) + p[b, t, labels[b]]
        found[b] = np.logaddexp(a[15], a[14])
    return [p, labels, np.zeros(3, np.float32)], {2: found}


def _levenshtein() -> Made:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 3, (4, n)).astype(np.uint8) for n in (17, 32))
    found = np.zeros(4, np.int32)
    for z in range(4):
        d = np.add.outer(np.arange(18), np.arange(33))
        for i in range(17):
            for j in range(32):
                d[i + 1, j + 1] = min(d[i, j] + (a[z, i] != b[z, j]), d[i, j + 1] + 1, d[i + 1, j] + 1)
        found[z] = d[17, 32]
    return [a, b, np.zeros(4, np.int32)], {2: found}


def _cholesky() -> Made:
    a = random(3, 16, 16)
    a = a @ a.transpose(0, 2, 1) + 16 * np.eye(16, dtype=np.float32)
    return [a, np.zeros_like(a)], {1: np.linalg.cholesky(a.astype(np.float64))}


def _gram_schmidt() -> Made:
    a = random(3, 32, 16)
    q, r = np.linalg.qr(a.astype(np.float64))
    sign = np.sign(np.diagonal(r, axis1=1, axis2=2))
    return [a, np.zeros_like(a), np.zeros((3, 16, 16), np.float32)], {1: q * sign[:, None], 2: r * sign[..., None]}


def _kalman() -> Made:
    z = random(12, 90)
    move, state, variance, places = np.array([[1, 1], [0, 1.0]]), np.zeros((2, 90)), np.eye(2), []
    for measured in z:
        state, variance = move @ state, move @ variance @ move.T + 0.1 * np.eye(2)
        gain = variance[:, :1] / (variance[0, 0] + 0.5)
        state, variance = state + gain * (measured - state[0]), variance - gain @ variance[:1]
        places.append(state[0])
    return [z, np.zeros_like(z), 0.1, 0.5], {1: np.stack(places)}


def _wkv() -> Made:
    k, v, w, u = random(2, 7, 90), random(2, 7, 90, seed=1), np.abs(random(90, seed=2)), random(90, seed=3)
    wk, wv, ww, wu = wide(k, v, w, u)
    y, top, total = np.zeros(k.shape), np.zeros((2, 90)), np.zeros((2, 90))
    for t in range(7):
        now = np.exp(wu + wk[:, t])
        y[:, t] = (top + now * wv[:, t]) / (total + now)
        top, total = np.exp(-ww) * top + np.exp(wk[:, t]) * wv[:, t], np.exp(-ww) * total + np.exp(wk[:, t])
    return [k, v, w, u, np.zeros_like(k)], {4: y}


def _breadth_first() -> Made:
    edges = (np.random.default_rng(0).random((30, 30)) < 0.08).astype(np.uint8)
    far, level = np.where(np.arange(30) == 2, 0, -1), 0
    while (far == level).any():
        far = np.where(edges[far == level].any(0) & (far < 0), level + 1, far)
        level += 1
    return [edges, np.zeros(30, np.int32), 2], {1: far}


def _nucleus() -> Made:
    x, u = random(6, 50) * 2, np.random.default_rng(1).random(6).astype(np.float32)
    e = np.exp(x.astype(np.float64))
    e /= e.sum(1, keepdims=True)
    found = np.zeros(6, np.int32)
    for b in range(6):
        order = np.argsort(-e[b], kind="stable")
        before = np.zeros(50)
        before[order] = np.cumsum(e[b, order]) - e[b, order]
        c = np.cumsum(np.where(before < 0.8, e[b], 0))
        found[b] = np.nonzero((c >= u[b] * c.max()) & (before < 0.8))[0][0]
    return [x, u, np.zeros(6, np.int32), 0.8], {2: found}


def _first_largest() -> Made:
    x = random(45, 140)
    return [x, np.zeros((45, 1), np.int32)], {1: x.argmax(1)[:, None]}


F, F3, PLACES, TABLE = "f32[?,?]", "f32[?,?,?]", "i32[?]", "i32[?,?]"
CASES = {
    "viterbi": Plain(viterbi, (F3, F, "i32[?,?,?]", TABLE), _viterbi, {"pvc": 248, "bmg": 206}),
    "ctc": Plain(ctc, (F3, TABLE, "f32[?]"), _ctc, {"pvc": 117, "bmg": 113}, tolerance=1e-4),
    # One of them once: the last row of what a message of few rows may read, where places have 64 bits.
    "levenshtein": Plain(levenshtein, ("u8[?,?]", "u8[?,?]", PLACES), _levenshtein, {"pvc": 262, "bmg": 218}),
    "cholesky": Plain(cholesky, (F3, F3), _cholesky, {"pvc": 404, "bmg": 404}, tolerance=1e-4),
    # Roots are hidden from IGC, which would take products of them for what they are of: two instructions.
    "gram schmidt": Plain(gram_schmidt, (F3, F3, F3), _gram_schmidt, {"pvc": 323, "bmg": 316}, tolerance=1e-4),
    "kalman": Plain(kalman, (F, F, "f32", "f32"), _kalman, {"pvc": 306, "bmg": 286}),
    "wkv": Plain(wkv, (F3, F3, "f32[?]", "f32[?]", F3), _wkv, {"pvc": 227, "bmg": 190}, tolerance=1e-4),
    "breadth first": Plain(breadth_first, ("u8[?,?]", PLACES, "i32"), _breadth_first, {"pvc": 875, "bmg": 875}),
    # Numbers that are spread over rows are hidden (`element_orders`).
    "nucleus": Plain(nucleus, (F, "f32[?]", PLACES, "f32"), _nucleus, {"pvc": 583, "bmg": 570}),
    "first largest": Plain(first_largest, (F, TABLE), _first_largest, {"pvc": 323, "bmg": 321}),
}

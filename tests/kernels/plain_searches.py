"""Searches as people write them: dynamic programming along diagonals and over capacities, automata, beams, greedy choices, compaction.

Their places come from memory and from scans, loops end early, and what is found first decides.
"""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda A: (A.shape[0],))
def smith_waterman(A, B, Best, N: xt.constexpr = 32):
    """The best local alignment of each row of A with that of B, of N letters at most: a diagonal of the table at once."""
    p, j = xt.program_id(0), xt.arange(N)
    last = before = xt.zeros((N,), xt.i32)
    b, best = xt.load_tile(B[p, 0:N]), 0
    for d in range(A.shape[1] + B.shape[1] - 1):
        i = d - j
        inside = (i >= 0) & (i < A.shape[1]) & (j < B.shape[1])
        a = xt.load_gather(xt.init_tile(A[p], i), inside)
        diagonal, left = (xt.where(j > 0, xt.roll(x, 1, 0), 0) for x in (before, last))
        found = xt.maximum(diagonal + xt.where(a == b, 3, -2), xt.maximum(left, last) - 1)
        before, last = last, xt.where(inside, xt.maximum(found, 0), 0)
        best = xt.maximum(best, xt.max(last))
    Best[p] = best


@xt.jit(grid=1)
def knapsack(Weights, Values, Best, N: xt.constexpr = 64):
    """The largest value for each capacity below N."""
    c, best = xt.arange(N), xt.zeros((N,), xt.i32)
    for i in range(Weights.shape[0]):
        w = Weights[i]
        best = xt.maximum(best, xt.where(c >= w, xt.gather(best, xt.maximum(c - w, 0), 0) + Values[i], 0))
    Best[0:N] = best


@xt.jit(grid=lambda T: (xt.cdiv(T.shape[0], 16),))
def occurrences(T, Next, Count, length):
    """How often each row of T holds a word, by its automaton."""
    m = xt.program_id(0) * 16
    state = count = xt.zeros((16,), xt.i32)
    for k in range(T.shape[1]):
        letter = xt.load_tile(T[m : m + 16, k]).to(xt.i32)
        state = xt.load_gather(xt.init_tile(Next, state * Next.shape[1] + letter))
        count += state == length
    Count[m : m + 16] = count


@xt.jit(grid=lambda S: (S.shape[0],))
def beams(S, L, Best, From, Token, K: xt.constexpr = 4, V: xt.constexpr = 32):
    """The K best of S[b, k] + L[b, k, v], where each comes from, and its token."""
    b = xt.program_id(0)
    scores = xt.load_tile(S[b, 0:K])[:, None] + xt.load_tile(L[b, 0:K, 0:V], padding=float("-inf"))
    number = xt.arange(K)[:, None] * V + xt.arange(V)[None, :]
    for k in range(K):
        at = xt.argmax(scores)
        Best[b, k], From[b, k], Token[b, k] = xt.max(scores), at // V, at % V
        scores = xt.where(number == at, float("-inf"), scores)


@xt.jit(grid=1)
def runs(X, Values, Places, Count, B: xt.constexpr = 32):
    """Where runs of equal numbers begin, and of what: flags are summed to places."""
    found, last = 0, X[0] - 1
    for n in range(0, X.shape[0], B):
        j, x = xt.arange(B), xt.load_tile(X[n : n + B])
        first = (x != xt.where(j == 0, last, xt.roll(x, 1, 0))) & (n + j < X.shape[0])
        at = found + xt.cumsum(first.to(xt.i32), axis=0) - 1
        xt.store_scatter(x, xt.init_tile(Values, at), first)
        xt.store_scatter((n + j).to(xt.i32), xt.init_tile(Places, at), first)
        found, last = found + xt.sum(first), x[-1]
    Count[0] = found


@xt.jit(grid=lambda P: (P.shape[0],))
def accepted(P, Q, Tokens, U, Count, Rest, V: xt.constexpr = 64):
    """How many of the tokens that Q proposed stand by P, and the distribution of the one behind them."""
    b, count, going = xt.program_id(0), 0, True
    for t in range(Tokens.shape[1]):
        k = Tokens[b, t]
        if going and U[b, t] * Q[b, t, k] <= P[b, t, k]:
            count += 1
        else:
            going = False
    Count[b] = count
    if count < Tokens.shape[1]:
        rest = xt.maximum(xt.load_tile(P[b, count, 0:V]) - xt.load_tile(Q[b, count, 0:V]), 0)
        Rest[b, 0:V] = rest / xt.sum(rest)


@xt.jit(grid=lambda Boxes: (Boxes.shape[0],))
def boxes_kept(Boxes, Kept, limit, N: xt.constexpr = 32):
    """Of N boxes at most, the best first, those that overlap no better one that is kept by more than a limit."""
    b, i = xt.program_id(0), xt.arange(N)
    left, top, right, bottom = (xt.load_tile(Boxes[b, 0:N, k]) for k in range(4))
    area, live, kept = (right - left) * (bottom - top), i < Boxes.shape[1], i < 0
    for k in range(Boxes.shape[1]):
        if xt.any(live & (i == k)):
            own_left, own_top, own_right, own_bottom = (Boxes[b, k, e] for e in range(4))
            width = xt.maximum(xt.minimum(right, own_right) - xt.maximum(left, own_left), 0)
            height = xt.maximum(xt.minimum(bottom, own_bottom) - xt.maximum(top, own_top), 0)
            both = width * height
            union = area + (own_right - own_left) * (own_bottom - own_top) - both
            kept, live = kept | (i == k), live & ~((both > limit * union) & (i > k))
    Kept[b, 0:N] = kept


def _smith_waterman() -> Made:
    draw = np.random.default_rng(0)
    a, b, best = draw.integers(0, 4, (4, 21)).astype(np.uint8), draw.integers(0, 4, (4, 27)).astype(np.uint8), []
    for x, y in zip(a, b):
        table = np.zeros((22, 28), int)
        for i in range(21):
            for j in range(27):
                table[i + 1, j + 1] = max(0, table[i, j] + (3 if x[i] == y[j] else -2), table[i, j + 1] - 1, table[i + 1, j] - 1)
        best.append(table.max())
    return [a, b, np.zeros(4, np.int32)], {2: np.array(best)}


def _knapsack() -> Made:
    draw, best = np.random.default_rng(1), np.zeros(64, int)
    weights, values = draw.integers(1, 20, 9).astype(np.int32), draw.integers(1, 50, 9).astype(np.int32)
    for w, v in zip(weights, values):
        best[w:] = np.maximum(best[w:], best[:-w] + v)
    return [weights, values, np.zeros(64, np.int32)], {2: best}


def _occurrences() -> Made:
    word, states = b"abaab", np.zeros((6, 256), np.int32)
    rows = np.random.default_rng(2).integers(97, 99, (21, 60)).astype(np.uint8)
    for state in range(6):
        for letter in range(256):
            seen = word[:state] + bytes([letter])
            states[state, letter] = next(n for n in range(min(5, state + 1), -1, -1) if seen.endswith(word[:n]))
    count = [sum(bytes(row[i : i + 5]) == word for i in range(56)) for row in rows]
    return [rows, states, np.zeros(21, np.int32), 5], {2: np.array(count)}


def _beams() -> Made:
    s, logs = random(3, 4), random(3, 4, 30, seed=1)
    scores = (s[:, :, None] + logs).reshape(3, -1)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :4]
    made = [s, logs, np.zeros((3, 4), np.float32), np.zeros((3, 4), np.int32), np.zeros((3, 4), np.int32)]
    return made, {2: np.take_along_axis(scores, best, 1), 3: best // 30, 4: best % 30}


def _runs() -> Made:
    draw = np.random.default_rng(3)
    x = np.repeat(draw.integers(0, 5, 40), draw.integers(1, 5, 40)).astype(np.int32)
    at = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    values, places = np.zeros(len(x), int), np.zeros(len(x), int)
    values[: len(at)], places[: len(at)] = x[at], at
    made = [x, np.zeros(len(x), np.int32), np.zeros(len(x), np.int32), np.zeros(1, np.int32)]
    return made, {1: values, 2: places, 3: np.array([len(at)])}


def _accepted() -> Made:
    draw = np.random.default_rng(4)
    p, q = (x / x.sum(-1, keepdims=True, dtype=np.float32) for x in draw.random((2, 5, 4, 50), np.float32))
    tokens, u = draw.integers(0, 50, (5, 4)).astype(np.int32), draw.random((5, 4), np.float32)
    count, rest = np.zeros(5, int), np.zeros((5, 50))
    for b in range(5):
        stand = [u[b, t] * q[b, t, k] <= p[b, t, k] for t, k in enumerate(tokens[b])]
        count[b] = [*stand, False].index(False)
        if count[b] < 4:
            more = np.maximum(p[b, count[b]].astype(np.float64) - q[b, count[b]], 0)
            rest[b] = more / more.sum()
    return [p, q, tokens, u, np.zeros(5, np.int32), np.zeros((5, 50), np.float32)], {4: count, 5: rest}


def _boxes() -> Made:
    draw = np.random.default_rng(5)
    corner = draw.uniform(0, 10, (3, 27, 2))
    boxes, kept = (
        np.concatenate([corner, corner + draw.uniform(1, 6, (3, 27, 2))], -1).astype(np.float32),
        np.zeros((3, 27), bool),
    )
    for found, own in zip(kept, *wide(boxes)):
        area = (own[:, 2] - own[:, 0]) * (own[:, 3] - own[:, 1])
        for k in range(27):
            sides = np.maximum(np.minimum(own[:, 2:], own[k, 2:]) - np.maximum(own[:, :2], own[k, :2]), 0)
            both = sides[:, 0] * sides[:, 1]
            found[k] = not (found[:k] & (both > 0.3 * (area + area[k] - both))[:k]).any()
    return [boxes, np.zeros((3, 27), bool), 0.3], {1: kept}


F, F3, LIST, BYTES = "f32[?,?]", "f32[?,?,?]", "i32[?]", "u8[?,?]"
CASES = {
    "Smith-Waterman": Plain(smith_waterman, (BYTES, BYTES, LIST), _smith_waterman, {"pvc": 103, "bmg": 91, "dg2": 160}),
    "knapsack": Plain(knapsack, (LIST, LIST, LIST), _knapsack, {"pvc": 111, "bmg": 90, "dg2": 146}),
    "occurrences": Plain(occurrences, (BYTES, "i32[?,?]", LIST, "i32"), _occurrences, {"pvc": 33, "bmg": 31, "dg2": 50}),
    "beams": Plain(beams, (F, F3, F, "i32[?,?]", "i32[?,?]"), _beams, {"pvc": 127, "bmg": 115, "dg2": 169}),
    "runs of numbers": Plain(runs, (LIST, LIST, LIST, LIST), _runs, {"pvc": 140, "bmg": 118, "dg2": 218}),
    "tokens accepted": Plain(accepted, (F3, F3, "i32[?,?]", F, LIST, F), _accepted, {"pvc": 58, "bmg": 58, "dg2": 65}),
    "boxes kept": Plain(boxes_kept, (F3, "bool[?,?]", "f32"), _boxes, {"pvc": 26, "bmg": 25, "dg2": 54}),
}

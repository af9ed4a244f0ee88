"""Products beside other work: gradients of a convolution's weights, Winograd's transform, statistics and sums by atomics, hidden layers that
no memory holds, norms and biases of scores, the nearest of many points.
"""

from __future__ import annotations

import numpy as np
from ml_dtypes import bfloat16

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit(grid=lambda X, DY, BC, BO: (xt.cdiv(DY.shape[3], BO), xt.cdiv(X.shape[3], BC), 9))
def convolution_weights(X, DY, DW, BC: xt.constexpr = 64, BO: xt.constexpr = 64, BW: xt.constexpr = 32):
    """DW[3, 3, C, O]: for each place of the filter, pixels times gradients, over the rows of all pictures."""
    o, c, i, j = xt.program_id(0) * BO, xt.program_id(1) * BC, xt.program_id(2) // 3, xt.program_id(2) % 3
    acc = xt.zeros((BC, BO))
    for n in range(X.shape[0]):
        for h in range(X.shape[1]):
            y = h + i - 1
            if y >= 0 and y < X.shape[1]:
                for w in range(0, X.shape[2], BW):
                    x = xt.load_tile(X[n, y, w + j - 1 : w + j - 1 + BW, c : c + BC])
                    acc += x.T @ xt.load_tile(DY[n, h, w : w + BW, o : o + BO])
    DW[i, j, c : c + BC, o : o + BO] = acc


@xt.jit(grid=lambda Y, BO: (xt.cdiv(Y.shape[1], BO), xt.cdiv(Y.shape[0], 32)))
def winograd(X, U, Y, BO: xt.constexpr = 64, BC: xt.constexpr = 32):
    """A filter of three rows by four products for two rows of the result, F(2, 3)."""
    o, t = xt.program_id(0) * BO, xt.program_id(1) * 32
    m = [xt.zeros((16, BO)) for _ in range(4)]
    for c in range(0, X.shape[1], BC):
        d = [xt.load_tile(X[t + i : t + i + 32 : 2, c : c + BC]) for i in range(4)]
        v = [d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]]
        for i in range(4):
            m[i] += v[i] @ xt.load_tile(U[i, c : c + BC, o : o + BO])
    Y[t : t + 32 : 2, o : o + BO] = m[0] + m[1] + m[2]
    Y[t + 1 : t + 33 : 2, o : o + BO] = m[1] - m[2] - m[3]


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[0], BM)))
def squares_added(X, W, Bias, Y, S, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """Y = (X @ U + b) * silu(X @ G + c), W and Bias holding both; S gets the sums of squares of rows."""
    n, m, width = xt.program_id(0) * BN, xt.program_id(1) * BM, W.shape[1] // 2
    up, gate = xt.zeros((BM, BN)), xt.zeros((BM, BN))
    for k in range(0, X.shape[1], BK):
        x = xt.load_tile(X[m : m + BM, k : k + BK])
        up += x @ xt.load_tile(W[k : k + BK, n : n + BN])
        gate += x @ xt.load_tile(W[k : k + BK, width + n : width + n + BN])
    up += xt.load_tile(Bias[n : n + BN])[None, :]
    gate += xt.load_tile(Bias[width + n : width + n + BN])[None, :]
    y = xt.where((n + xt.arange(BN))[None, :] < width, up * gate * xt.sigmoid(gate), 0)
    xt.atomic_rmw_tile("add", xt.sum(y * y, axis=1, keepdims=False), S[m : m + BM])
    Y[m : m + BM, n : n + BN] = y.to(xt.bf16)


@xt.jit(grid=lambda H, W, BM, BN: (xt.cdiv(W.shape[2], BN), H.shape[0] // BM))
def tokens_back(H, Tokens, Gates, Experts, W, Y, BM: xt.constexpr = 64, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """Rows of an expert's tokens, weighted, are added to where the tokens stand; a token below 0 is none."""
    n, t, acc = xt.program_id(0) * BN, xt.program_id(1), xt.zeros((BM, BN))
    e = Experts[t]
    for k in range(0, H.shape[1], BK):
        acc += xt.load_tile(H[t * BM : t * BM + BM, k : k + BK]) @ xt.load_tile(W[e, k : k + BK, n : n + BN])
    tokens, columns = xt.load_tile(Tokens[t * BM : t * BM + BM])[:, None], (n + xt.arange(BN))[None, :]
    acc *= xt.load_tile(Gates[t * BM : t * BM + BM])[:, None]
    mask = (tokens >= 0) & (columns < Y.shape[1])
    xt.atomic_rmw_tile("add", acc, xt.init_tile(Y, tokens * Y.stride(0) + columns), mask=mask)


@xt.jit(grid=lambda C, BM, BN, PARTS: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM), PARTS))
def depth_in_parts(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32, PARTS: xt.constexpr = 3):
    """C += A @ B, every third step by another program."""
    n, m, k = xt.program_id(0) * BN, xt.program_id(1) * BM, xt.program_id(2) * BK
    a, b, acc = xt.init_tile(A, (m, k), (BM, BK)), xt.init_tile(B, (k, n), (BK, BN)), xt.zeros((BM, BN))
    for _ in range(k, A.shape[1], PARTS * BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, PARTS * BK)), xt.update_tile_offset(b, (PARTS * BK, 0))
    xt.atomic_rmw_tile("add", acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def hidden(X, W1, B1, W2, Y, BM: xt.constexpr = 64, BH: xt.constexpr = 64, K: xt.constexpr = 128, N: xt.constexpr = 128):
    """Two layers, the hidden one of which goes by in blocks."""
    m = xt.program_id(0) * BM
    x, acc = xt.load_tile(X[m : m + BM, 0:K]), xt.zeros((BM, N))
    for h in range(0, W1.shape[1], BH):
        t = x @ xt.load_tile(W1[0:K, h : h + BH]) + xt.load_tile(B1[h : h + BH])[None, :]
        acc += (t * xt.sigmoid(1.702 * t)).to(xt.bf16) @ xt.load_tile(W2[h : h + BH, 0:N])
    Y[m : m + BM, 0:N] = acc


@xt.jit
def _normed(x, w, D: xt.constexpr):
    x = x.to(xt.f32)
    return (x * xt.rsqrt(xt.sum(x * x, axis=1) / D + 1e-6) * w).to(xt.f16)


@xt.jit(grid=lambda QKV, BM: (xt.cdiv(QKV.shape[1], BM), QKV.shape[3], QKV.shape[0]))
def normed_scores(QKV, Wq, Wk, Bias, Out, BM: xt.constexpr = 128, BN: xt.constexpr = 64, D: xt.constexpr = 64):
    """Attention of QKV[B, T, 3, H, D]: queries and keys are normed, and scores get a bias by their distance, Bias[H, 16]."""
    m, h, b = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    q, k, v = QKV[b, :, 0, h], QKV[b, :, 1, h], QKV[b, :, 2, h]
    wq, wk = xt.load_tile(Wq[0:D])[None, :], xt.load_tile(Wk[0:D])[None, :]
    queries = _normed(xt.load_tile(q[m : m + BM, 0:D]), wq, D)
    largest, total, acc = xt.full((BM, 1), -1e30), xt.zeros((BM, 1)), xt.zeros((BM, D))
    for n in range(0, QKV.shape[1], BN):
        rows, columns = (m + xt.arange(BM))[:, None], (n + xt.arange(BN))[None, :]
        s = queries @ _normed(xt.load_tile(k[n : n + BN, 0:D]), wk, D).T
        s += xt.load_gather(xt.init_tile(Bias, h * Bias.stride(0) + xt.clamp(rows - columns + 8, 0, 15)))
        s = xt.where(columns < QKV.shape[1], s, -1e30)
        new = xt.maximum(largest, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(xt.f16) @ xt.load_tile(v[n : n + BN, 0:D])
        largest = new
    Out[b, m : m + BM, h, 0:D] = (acc / total).to(xt.f16)


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def nearest(X, C, Norms, At, BM: xt.constexpr = 128, BN: xt.constexpr = 128, D: xt.constexpr = 64):
    """Which row of C is the nearest to each of X; Norms has the squares of C's lengths."""
    m = xt.program_id(0) * BM
    x, best, at = xt.load_tile(X[m : m + BM, 0:D]), xt.full((BM, 1), 3e38), xt.zeros((BM, 1), xt.i32)
    for n in range(0, C.shape[0], BN):
        c = xt.load_tile(C[n : n + BN, 0:D])
        distance = xt.load_tile(Norms[n : n + BN], padding=3e38)[None, :] - 2.0 * (x @ c.T)
        least = xt.min(distance, axis=1)
        at = xt.where(least < best, (xt.argmin(distance, axis=1) + n).to(xt.i32), at)
        best = xt.minimum(least, best)
    At[m : m + BM] = at[:, 0]


def _convolution_weights() -> Made:
    x, dy = random(2, 5, 19, 24, dtype=bfloat16), random(2, 5, 19, 20, dtype=bfloat16, seed=1)
    padded, gradient = np.pad(wide(x)[0], ((0, 0), (1, 1), (1, 1), (0, 0))), wide(dy)[0]
    found = [[np.einsum("nhwc,nhwo->co", padded[:, i : i + 5, j : j + 19], gradient) for j in range(3)] for i in range(3)]
    return [x, dy, np.zeros((3, 3, 24, 20), np.float32)], {2: np.array(found)}


def _winograd() -> Made:
    x, g = random(41, 24, dtype=np.float16), random(3, 24, 40, seed=1) * 0.2
    u = np.stack([g[0], (g[0] + g[1] + g[2]) / 2, (g[0] - g[1] + g[2]) / 2, g[2]]).astype(np.float16)
    (w, full), rows = wide(u, x), 39
    filters = (w[0], w[1] - w[2], w[3])
    return [x, u, np.zeros((rows, 40), np.float32)], {2: sum(full[i : i + rows] @ filters[i] for i in range(3))}  # type: ignore[dict-item]


def _squares_added() -> Made:
    x, w, bias = random(40, 96, dtype=bfloat16), (random(96, 128, seed=1) * 0.2).astype(bfloat16), random(128, seed=2)
    both = np.matmul(*wide(x, w)) + bias
    y = both[:, :64] * both[:, 64:] / (1 + np.exp(-both[:, 64:]))
    return [x, w, bias, np.zeros((40, 64), bfloat16), np.zeros(40, np.float32)], {3: y, 4: (y * y).sum(1)}


def _tokens_back() -> Made:
    tokens = np.int32([*range(14), -1, -1, *range(5, 21)])
    h, w, gates = (
        random(32, 64, dtype=np.float16),
        (random(2, 64, 48, seed=1) * 0.2).astype(np.float16),
        np.abs(random(32, seed=2)),
    )
    experts, out = np.int32([1, 0]), np.zeros((24, 48))
    rows, weights = wide(h, w)
    for i, token in enumerate(tokens):
        if token >= 0:
            out[token] += gates[i] * (rows[i] @ weights[experts[i // 16]])
    return [h, tokens, gates, experts, w, np.zeros((24, 48), np.float32)], {5: out}


def _depth_in_parts() -> Made:
    a, b = random(40, 200, dtype=np.float16), random(200, 50, dtype=np.float16, seed=1)
    return [a, b, np.zeros((40, 50), np.float32)], {2: np.matmul(*wide(a, b))}


def _hidden() -> Made:
    x, bias = random(20, 128, dtype=bfloat16), random(100, seed=1)
    w1, w2 = ((random(*shape, seed=seed) * 0.2).astype(bfloat16) for seed, shape in ((2, (128, 100)), (3, (100, 128))))
    t = np.matmul(*wide(x, w1)) + bias
    return [x, w1, bias, w2, np.zeros((20, 128), np.float32)], {4: t / (1 + np.exp(-1.702 * t)) @ wide(w2)[0]}


def _normed_scores() -> Made:
    qkv, table = random(1, 45, 3, 2, 64, dtype=np.float16), random(2, 16, seed=1)
    wq, wk = np.abs(random(64, seed=2)) * 0.3, np.abs(random(64, seed=3)) * 0.3
    out, far = np.zeros((1, 45, 2, 64)), np.clip(np.arange(45)[:, None] - np.arange(45) + 8, 0, 15)
    for head in range(2):
        q, k, v = (wide(qkv)[0][0, :, i, head] for i in range(3))
        q, k = (x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * w for x, w in ((q, wq), (k, wk)))
        p = np.exp(q @ k.T + table[head][far])
        out[0, :, head] = p / p.sum(1, keepdims=True) @ v
    return [qkv, wq, wk, table, np.zeros((1, 45, 2, 64), np.float16)], {4: out}


def _nearest() -> Made:
    x, c = (np.round(random(n, 64, seed=n) * 2).astype(np.float16) for n in (50, 70))
    rows, points = wide(x, c)
    norms = (points**2).sum(1)
    return [x, c, norms.astype(np.float32), np.zeros(50, np.int32)], {3: (norms - 2 * rows @ points.T).argmin(1)}


H, B, F, LIST, LINE, PICTURES = "f16[?,?]", "bf16[?,?]", "f32[?,?]", "i32[?]", "f32[?]", "bf16[?,?,?,?]"
CASES = {
    "convolution, gradient of weights": Plain(
        convolution_weights, (PICTURES, PICTURES, "f32[?,?,?,?]"), _convolution_weights, {"pvc": 124, "bmg": 118, "dg2": 312}
    ),
    "convolution by Winograd": Plain(winograd, (H, "f16[?,?,?]", F), _winograd, {"pvc": 128, "bmg": 109}, tolerance=5e-3),
    "gated layer, squares added": Plain(
        squares_added, (B, B, LINE, B, LINE), _squares_added, {"pvc": 56, "bmg": 51, "dg2": 188}, tolerance=1e-2
    ),
    "experts, tokens back": Plain(
        tokens_back, (H, LIST, LINE, LIST, "f16[?,?,?]", F), _tokens_back, {"pvc": 38, "bmg": 34, "dg2": 364}, {"BM": 16}, 1e-4
    ),
    "product, depth in parts": Plain(depth_in_parts, (H, H, F), _depth_in_parts, {"pvc": 53, "bmg": 48, "dg2": 166}),
    "two layers, hidden blocks": Plain(hidden, (B, B, LINE, B, F), _hidden, {"pvc": 194, "bmg": 165}, tolerance=1e-2),
    "attention, normed, distances": Plain(
        normed_scores, ("f16[?,?,?,?,?]", LINE, LINE, F, "f16[?,?,?,?]"), _normed_scores, {"pvc": 984, "bmg": 782}, tolerance=3e-3
    ),
    "nearest points": Plain(nearest, (H, H, LINE, LIST), _nearest, {"pvc": 1113, "bmg": 1060}),
}

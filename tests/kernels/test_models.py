"""Kernels as people write them who know the README: against float64 numpy, on each device."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import xetile as xt

CASES = {}


def case(function):
    """A case gives a kernel, its grid, arguments, constants, which of them are outputs, what these hold, and how exactly."""
    CASES[function.__name__] = function
    return function


def R(seed=0):
    return np.random.default_rng(seed)


@xt.jit
def grouped_kernel(A, B, C, offs, BM: xt.constexpr = 16, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """Grouped product: rows offs[e] to offs[e + 1] of A by B[e]; the offsets are 64-bit numbers in memory."""
    e = xt.program_id(1)
    n = xt.program_id(0) * BN
    lo = xt.load_tile(xt.init_tile(offs, e, (1,))).item()
    hi = xt.load_tile(xt.init_tile(offs, e + 1, (1,))).item()
    for m in range(lo, hi, BM):
        acc = xt.zeros((BM, BN), xt.f32)
        for k in range(0, A.shape[1], BK):
            acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B[e], (k, n), (BK, BN)))
        rows = m + xt.arange(BM)[:, None]
        cols = n + xt.arange(BN)[None, :]
        xt.store_scatter(acc, xt.init_tile(C, rows * C.shape[1] + cols), (rows < hi) & (cols < C.shape[1]))


@case
def grouped():
    A = R().standard_normal((50, 64)).astype("f2")
    B = R(1).standard_normal((3, 64, 48)).astype("f2")
    o = np.array([0, 20, 20, 50], "i8")
    C = np.zeros((50, 48), "f4")
    ref = np.concatenate([A[0:20].astype("f8") @ B[0].astype("f8"), A[20:].astype("f8") @ B[2].astype("f8")])
    return (grouped_kernel, (2, 3), [A, B, C, o], {}, [2], [ref], 0.01)


@xt.jit
def varlen_kernel(Q, K, V, cu, Out, D: xt.constexpr = 32, BM: xt.constexpr = 16, BN: xt.constexpr = 16):
    """Causal attention over sequences of any length, packed one after the other."""
    s = xt.program_id(1)
    lo = xt.load_tile(xt.init_tile(cu, s, (1,))).item()
    hi = xt.load_tile(xt.init_tile(cu, s + 1, (1,))).item()
    m = lo + xt.program_id(0) * BM
    if m >= hi:
        return
    q = xt.load_tile(xt.init_tile(Q, (m, 0), (BM, D)))
    mx = xt.full((BM, 1), -1e30, xt.f32)
    total = xt.zeros((BM, 1), xt.f32)
    acc = xt.zeros((BM, D), xt.f32)
    for n in range(lo, hi, BN):
        kk = xt.load_tile(xt.init_tile(K, (n, 0), (BN, D)))
        sc = q @ kk.T * 0.17677669529
        col = n + xt.arange(BN)[None, :]
        row = m + xt.arange(BM)[:, None]
        sc = xt.where((col < hi) & (col <= row), sc, -1e30)
        nm = xt.maximum(mx, xt.max(sc, 1))
        p = xt.exp(sc - nm)
        al = xt.exp(mx - nm)
        total = total * al + xt.sum(p, 1)
        acc = acc * al + p.to(Q.dtype) @ xt.load_tile(xt.init_tile(V, (n, 0), (BN, D)))
        mx = nm
    o = acc / total
    row = m + xt.arange(BM)[:, None]
    xt.store_scatter(o, xt.init_tile(Out, row * D + xt.arange(D)[None, :]), (row < hi) & (xt.arange(D)[None, :] < D))


@case
def varlen():
    cu = np.array([0, 10, 37, 60], "i4")
    Q, K, V = (R(i).standard_normal((60, 32)).astype("f2") for i in range(3))
    Out = np.zeros((60, 32), "f4")
    ref = np.zeros((60, 32))
    for a, b in itertools.pairwise(cu):
        s = Q[a:b].astype("f8") @ K[a:b].astype("f8").T * 0.17677669529
        s = np.where(np.tri(b - a, dtype=bool), s, -np.inf)
        p = np.exp(s - s.max(1, keepdims=True))
        ref[a:b] = p / p.sum(1, keepdims=True) @ V[a:b].astype("f8")
    return (varlen_kernel, (2, 3), [Q, K, V, cu, Out], {}, [4], [ref], 0.02)


@xt.jit
def int4_kernel(A, Bp, s, C, BM: xt.constexpr = 16, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ ((W - 8) * s): 4-bit weights, of which a byte holds rows i and i + K / 2."""
    m, n = (xt.program_id(1) * BM, xt.program_id(0) * BN)
    half = A.shape[1] // 2
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        w = xt.load_tile(xt.init_tile(Bp, (k, n), (BK, BN)))
        lo = ((w & 15).to(xt.i32) - 8).to(xt.f16)
        hi = ((w >> 4).to(xt.i32) - 8).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ lo
        acc += xt.load_tile(xt.init_tile(A, (m, half + k), (BM, BK))) @ hi
    xt.store_tile(acc * xt.load_tile(xt.init_tile(s, n, (BN,)))[None, :], xt.init_tile(C, (m, n), (BM, BN)))


@case
def int4():
    A = R().standard_normal((20, 128)).astype("f2")
    w = R(1).integers(0, 16, (128, 64))
    Bp = (w[:64] | w[64:] << 4).astype("u1")
    s = R(2).random(64).astype("f4")
    C = np.zeros((20, 64), "f4")
    return (int4_kernel, (2, 2), [A, Bp, s, C], {}, [3], [A.astype("f8") @ (w - 8.0) * s], 0.02)


@xt.jit
def topk_kernel(X, V, Places, K: xt.constexpr, N: xt.constexpr):
    """The K largest of each row and where they are."""
    r = xt.program_id(0) * 4
    x = xt.load_tile(xt.init_tile(X, (r, 0), (4, N)), padding=-3e38)
    col = xt.arange(N)[None, :]
    for k in xt.static_range(K):
        m = xt.max(x, 1)
        i = xt.argmax(x, 1)
        xt.store_tile(m, xt.init_tile(V, (r, k), (4, 1)))
        xt.store_tile(i, xt.init_tile(Places, (r, k), (4, 1)))
        x = xt.where(col == i, -3e38, x)


@case
def topk():
    X = R().standard_normal((10, 77)).astype("f4")
    V = np.zeros((10, 5), "f4")
    Places = np.zeros((10, 5), "i4")
    o = np.argsort(-X, 1)[:, :5]
    return (topk_kernel, (3,), [X, V, Places], {"K": 5, "N": 128}, [1, 2], [np.take_along_axis(X, o, 1), o], 0)


@xt.jit
def embgrad_kernel(Places, G, W, D: xt.constexpr):
    """Adds rows of G to the rows of W that Places names."""
    t = xt.program_id(0) * 8
    idx = xt.load_tile(xt.init_tile(Places, t, (8,)))[:, None]
    cols = xt.arange(D)[None, :]
    row = t + xt.arange(8)[:, None]
    g = xt.load_tile(xt.init_tile(G, (t, 0), (8, D)))
    xt.atomic_rmw_tile("add", g, xt.init_tile(W, idx * W.shape[1] + cols), (row < Places.shape[0]) & (cols < W.shape[1]))


@case
def embgrad():
    Places = R().integers(0, 6, 21).astype("i4")
    G = R(1).standard_normal((21, 50)).astype("f4")
    W = np.zeros((6, 50), "f4")
    ref = np.zeros((6, 50))
    np.add.at(ref, Places, G)
    return (embgrad_kernel, (3,), [Places, G, W], {"D": 64}, [2], [ref], 0.0001)


@xt.jit
def paged_kernel(Q, KC, VC, table, lens, Out, D: xt.constexpr, PAGE: xt.constexpr):
    """One query for each sequence over keys and values in pages."""
    b = xt.program_id(0)
    q = xt.load_tile(xt.init_tile(Q, (b, 0), (1, D))).to(xt.f32)
    n = xt.load_tile(xt.init_tile(lens, b, (1,))).item()
    mx = xt.full((1, 1), -1e30, xt.f32)
    total = xt.zeros((1, 1), xt.f32)
    acc = xt.zeros((1, D), xt.f32)
    for p in range(xt.cdiv(n, PAGE)):
        page = xt.load_tile(xt.init_tile(table, (b, p), (1, 1))).item()
        k = xt.load_tile(xt.init_tile(KC[page], (0, 0), (PAGE, D))).to(xt.f32)
        v = xt.load_tile(xt.init_tile(VC[page], (0, 0), (PAGE, D))).to(xt.f32)
        s = xt.sum(q * k, 1)
        s = xt.where(p * PAGE + xt.arange(PAGE)[:, None] < n, s, -1e30)
        nm = xt.maximum(mx, xt.max(s, 0))
        e = xt.exp(s - nm)
        al = xt.exp(mx - nm)
        total = total * al + xt.sum(e, 0)
        acc = acc * al + xt.sum(e * v, 0)
        mx = nm
    xt.store_tile(acc / total, xt.init_tile(Out, (b, 0), (1, D)))


@case
def paged():
    D, P = (64, 16)
    Q = R().standard_normal((4, D)).astype("f2")
    KC, VC = (R(i).standard_normal((10, P, D)).astype("f2") for i in (1, 2))
    table = R(3).permutation(10)[:8].reshape(4, 2).astype("i4")
    lens = np.array([5, 32, 17, 1], "i4")
    ref = []
    for b in range(4):
        k = KC[table[b]].reshape(-1, D)[: lens[b]].astype("f8")
        v = VC[table[b]].reshape(-1, D)[: lens[b]].astype("f8")
        s = k @ Q[b].astype("f8")
        p = np.exp(s - s.max())
        ref.append(p / p.sum() @ v)
    return (paged_kernel, (4,), [Q, KC, VC, table, lens, np.zeros((4, D), "f4")], {"D": D, "PAGE": P}, [5], [np.array(ref)], 0.01)


@xt.jit
def splitk_kernel(A, B, C, S: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """K is distributed over programs, which add up by atomics."""
    m, n, s = (xt.program_id(1) * BM, xt.program_id(0) * BN, xt.program_id(2))
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(s * BK, A.shape[1], BK * S):
        acc = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))) + acc
    xt.atomic_rmw_tile("add", acc, xt.init_tile(C, (m, n), (BM, BN)))


@case
def splitk():
    A = R().standard_normal((50, 200)).astype("f2")
    B = R(1).standard_normal((200, 60)).astype("f2")
    return (
        splitk_kernel,
        (2, 4, 3),
        [A, B, np.zeros((50, 60), "f4")],
        {"S": 3, "BM": 16},
        [2],
        [A.astype("f8") @ B.astype("f8")],
        0.02,
    )


@xt.jit
def persist_kernel(A, B, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """Programs take one tile after the other."""
    nm, nn = (xt.cdiv(C.shape[0], BM), xt.cdiv(C.shape[1], BN))
    tile = xt.program_id(0)
    while tile < nm * nn:
        m, n = (tile // nn * BM, tile % nn * BN)
        acc = xt.zeros((BM, BN), xt.f32)
        for k in range(0, A.shape[1], BK):
            acc = xt.tile_mma(
                xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))), acc
            )
        xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))
        tile += xt.num_programs(0)


@case
def persist():
    A = R().standard_normal((100, 64)).astype("f2")
    B = R(1).standard_normal((64, 90)).astype("f2")
    return (persist_kernel, (5,), [A, B, np.zeros((100, 90), "f4")], {}, [2], [A.astype("f8") @ B.astype("f8")], 0.02)


@xt.jit
def route_kernel(X, W, G, Places, E: xt.constexpr, D: xt.constexpr):
    """The two experts of each token, and their shares."""
    t = xt.program_id(0) * 16
    logits = xt.zeros((16, 16), xt.f32)
    for k in range(0, X.shape[1], D):
        logits += xt.load_tile(xt.init_tile(X, (t, k), (16, D))) @ xt.load_tile(xt.init_tile(W, (k, 0), (D, 16)))
    col = xt.arange(16)[None, :]
    total = xt.where(col < E, logits, -1e30)
    p = xt.exp(total - xt.max(total, 1))
    p = p / xt.sum(p, 1)
    i1 = xt.argmax(p, 1)
    p1 = xt.max(p, 1)
    q = xt.where(col == i1, -1.0, p)
    i2 = xt.argmax(q, 1)
    p2 = xt.max(q, 1)
    xt.store_tile(xt.where(xt.arange(2)[None, :] == 0, p1, p2) / (p1 + p2), xt.init_tile(G, (t, 0), (16, 2)))
    xt.store_tile(xt.where(xt.arange(2)[None, :] == 0, i1, i2), xt.init_tile(Places, (t, 0), (16, 2)))


@case
def route():
    X = R().standard_normal((40, 64)).astype("f2")
    W = R(1).standard_normal((64, 8)).astype("f2")
    total = X.astype("f8") @ W.astype("f8")
    o = np.argsort(-total, 1)[:, :2]
    e = np.exp(np.take_along_axis(total, o, 1) - total.max(1, keepdims=True))
    return (
        route_kernel,
        (3,),
        [X, W, np.zeros((40, 2), "f4"), np.zeros((40, 2), "i4")],
        {"E": 8, "D": 32},
        [2, 3],
        [e / e.sum(1, keepdims=True), o],
        0.01,
    )


@xt.jit
def linattn_kernel(Q, K, V, Out, D: xt.constexpr = 16, B: xt.constexpr = 16):
    """Causal linear attention: a state is carried over blocks."""
    S = xt.zeros((D, D), xt.f32)
    r = xt.arange(B)[:, None]
    c = xt.arange(B)[None, :]
    for t in range(0, Q.shape[0], B):
        q = xt.load_tile(xt.init_tile(Q, (t, 0), (B, D)))
        k = xt.load_tile(xt.init_tile(K, (t, 0), (B, D)))
        v = xt.load_tile(xt.init_tile(V, (t, 0), (B, D)))
        s = xt.where(r >= c, q @ k.T, 0.0)
        o = q @ S.to(xt.f16) + s.to(xt.f16) @ v
        S += k.T @ v
        xt.store_tile(o, xt.init_tile(Out, (t, 0), (B, D)))


@case
def linattn():
    Q, K, V = ((R(i).standard_normal((40, 16)) / 2).astype("f2") for i in range(3))
    s = np.tril(Q.astype("f8") @ K.astype("f8").T)
    return (linattn_kernel, (1,), [Q, K, V, np.zeros((40, 16), "f4")], {}, [3], [s @ V.astype("f8")], 0.03)


@xt.jit
def pingpong_kernel(A, B, C, BM: xt.constexpr = 16, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """Two pairs of tiles, and two sums, change places in each step."""
    m, n = (xt.program_id(1) * BM, xt.program_id(0) * BN)
    a0 = xt.init_tile(A, (m, 0), (BM, BK))
    a1 = xt.init_tile(A, (m, BK), (BM, BK))
    b0 = xt.init_tile(B, (0, n), (BK, BN))
    b1 = xt.init_tile(B, (BK, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    other = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = acc + xt.load_tile(a0) @ xt.load_tile(b0)
        a0, a1 = (a1, xt.update_tile_offset(a0, (0, 2 * BK)))
        b0, b1 = (b1, xt.update_tile_offset(b0, (2 * BK, 0)))
        acc, other = (other, acc)
    xt.store_tile(acc + other, xt.init_tile(C, (m, n), (BM, BN)))


@case
def pingpong():
    A = R().standard_normal((30, 160)).astype("f2")
    B = R(1).standard_normal((160, 64)).astype("f2")
    return (pingpong_kernel, (2, 2), [A, B, np.zeros((30, 64), "f4")], {}, [2], [A.astype("f8") @ B.astype("f8")], 0.02)


@xt.jit
def loopjoin_kernel(A, B, C, n):
    """A value that is a product, turned, or reduced, by the step."""
    v = xt.load_tile(xt.init_tile(C, (0, 0), (32, 32)))
    for i in range(n):
        if i % 3 == 0:
            v = xt.clamp(v.to(xt.f16) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))), -5, 5)
        elif i % 3 == 1:
            v = v.T
        else:
            v = xt.clamp(v - xt.max(v, 0) + xt.min(v, 1), -5, 5)
    xt.store_tile(v, xt.init_tile(C, (0, 0), (32, 32)))


@case
def loopjoin():
    A = R().integers(-3, 4, (32, 32)).astype("f2")
    B = R(1).integers(-3, 4, (32, 32)).astype("f2")
    C = R(2).integers(-3, 4, (32, 32)).astype("f4")
    v = C.astype("f8")
    for i in range(7):
        v = (
            np.clip(v @ B.astype("f8"), -5, 5)
            if i % 3 == 0
            else v.T
            if i % 3 == 1
            else np.clip(v - v.max(0, keepdims=True) + v.min(1, keepdims=True), -5, 5)
        )
    return (loopjoin_kernel, (1,), [A, B, C, 7], {}, [2], [v], 0)


@xt.jit
def lu_kernel(A, Out):
    """LU of a tile, without pivots."""
    a = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16)))
    r = xt.arange(16)[:, None]
    c = xt.arange(16)[None, :]
    for k in range(16):
        pivot = xt.sum(xt.where((r == k) & (c == k), a, 0.0))
        row = xt.sum(xt.where(r == k, a, 0.0), 0)
        col = xt.sum(xt.where(c == k, a, 0.0), 1) / pivot
        a = xt.where((r > k) & (c > k), a - col * row, xt.where((r > k) & (c == k), col, a))
    xt.store_tile(a, xt.init_tile(Out, (0, 0), (16, 16)))


@case
def lu():
    A = (R().standard_normal((16, 16)) + 8 * np.eye(16)).astype("f4")
    a = A.astype("f8")
    for k in range(16):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return (lu_kernel, (1,), [A, np.zeros_like(A)], {}, [1], [a], 0.001)


@pytest.mark.every(15, 10)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("name", CASES)
def test_against_float64(device, name):
    kernel, grid, arguments, constants, outputs, expected, tolerance = CASES[name]()
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with xt.device(device):
        kernel[grid](*arguments, **constants)
    for i, (old, new) in enumerate(zip(before, arguments)):
        if i in outputs:
            wide = np.asarray(expected[outputs.index(i)], np.float64)
            np.testing.assert_allclose(new.astype(np.float64), wide, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(new, old)

"""Kernels of numerics and physics: blocks of a sparse matrix, a factorization, a lattice, a transform, random numbers, a state."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide

X_STEPS, Y_STEPS = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
WEIGHTS = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)


@xt.jit(grid=lambda C, BS, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BS)))
def sparse_rows(Begin, Places, Blocks, X, C, BS: xt.constexpr = 24, BN: xt.constexpr = 40):
    """C = the matrix of Blocks, row by row at Places, times X; in f32."""
    i, n = xt.program_id(1), xt.program_id(0) * BN
    acc = xt.zeros((BS, BN), xt.f32)
    for p in range(Begin[i], Begin[i + 1]):
        j = Places[p] * BS
        acc += xt.load_tile(Blocks[p][0:BS, 0:BS]) @ xt.load_tile(X[j : j + BS, n : n + BN])
    C[i * BS : i * BS + BS, n : n + BN] = acc


@xt.jit(grid=lambda A: (A.shape[0],))
def factored(A, Pivots, N: xt.constexpr = 8):
    """A[z] = its L and U, rows exchanged as Pivots says."""
    z = xt.program_id(0)
    a = xt.load_tile(A[z][0:N, 0:N])
    i, j, rows = xt.arange(N)[:, None], xt.arange(N)[None, :], xt.arange(N)
    for k in xt.static_range(N):
        p = xt.argmax(xt.where(i >= k, xt.abs(a[:, k : k + 1]), -1))
        a = a[xt.where(rows == k, p, xt.where(rows == p, k, rows))]
        Pivots[z, k] = p
        low = a[:, k : k + 1] / a[k, k]
        a = xt.where(i > k, xt.where(j == k, low, xt.where(j > k, a - low * a[k : k + 1, :], a)), a)
    A[z][0:N, 0:N] = a


@xt.jit(grid=lambda F, T: (xt.cdiv(F.shape[2], T), xt.cdiv(F.shape[1], T)))
def lattice(F, G, omega, T: xt.constexpr = 16):
    """One step of the lattice Boltzmann method with nine directions: what streams in, relaxed towards equilibrium."""
    y0, x0, h, w = xt.program_id(1) * T, xt.program_id(0) * T, F.shape[1], F.shape[2]
    y, x = (y0 + xt.arange(T))[:, None], (x0 + xt.arange(T))[None, :]
    rho, ux, uy, streamed = xt.zeros((T, T), xt.f32), xt.zeros((T, T), xt.f32), xt.zeros((T, T), xt.f32), []
    for q in xt.static_range(9):
        at = q * h * w + ((y - Y_STEPS[q] + h) % h) * w + (x - X_STEPS[q] + w) % w
        f = xt.load_gather(xt.init_tile(F, at), (y < h) & (x < w), padding=1)
        streamed.append(f)
        rho, ux, uy = rho + f, ux + X_STEPS[q] * f, uy + Y_STEPS[q] * f
    ux, uy = ux / rho, uy / rho
    square = 1.5 * (ux * ux + uy * uy)
    for q in xt.static_range(9):
        along = 3 * (X_STEPS[q] * ux + Y_STEPS[q] * uy)
        rest = WEIGHTS[q] * rho * (1 + along + 0.5 * along * along - square)
        G[q][y0 : y0 + T, x0 : x0 + T] = streamed[q] + omega * (rest - streamed[q])


@xt.jit(grid=lambda Re: (Re.shape[0],))
def transformed(Re, Im, Cos, Sin, N: xt.constexpr = 64):
    """A row of 64 complex numbers = its Fourier transform, by butterflies."""
    z, i = xt.program_id(0), xt.arange(N)
    turned = ((i & 1) << 5) | ((i & 2) << 3) | ((i & 4) << 1) | ((i & 8) >> 1) | ((i & 16) >> 3) | ((i & 32) >> 5)
    re, im = xt.load_gather(xt.init_tile(Re[z], turned)), xt.load_gather(xt.init_tile(Im[z], turned))
    half = 1
    while half < N:
        at = (i & (half - 1)) * (N // 2 // half)
        cos, sin = xt.load_gather(xt.init_tile(Cos, at)), xt.load_gather(xt.init_tile(Sin, at))
        b_re, b_im = re[i | half], im[i | half]
        t_re, t_im = b_re * cos - b_im * sin, b_re * sin + b_im * cos
        sign = xt.where((i & half) == 0, 1.0, -1.0)
        re, im = re[i & ~half] + sign * t_re, im[i & ~half] + sign * t_im
        half *= 2
    Re[z, 0:N] = re
    Im[z, 0:N] = im


@xt.jit(grid=lambda X, B: (xt.cdiv(X.shape[0], 4 * B),))
def dropped(X, Y, seed: xt.u32, p, B: xt.constexpr = 64):
    """Y = X / (1 - p), or 0 with the chance p: four numbers of each round of Philox."""
    i = xt.program_id(0) * B
    c = [(i + xt.arange(B)).to(xt.u32), *(xt.zeros((B,), xt.u32) for _ in range(3))]
    k0, k1 = seed, xt.cast(0, xt.u32)
    for _ in xt.static_range(10):
        high0, high1 = xt.mulhi(c[0], 0xD2511F53), xt.mulhi(c[2], 0xCD9E8D57)
        c = [high1 ^ c[1] ^ k0, c[2] * 0xCD9E8D57, high0 ^ c[3] ^ k1, c[0] * 0xD2511F53]
        k0, k1 = k0 + 0x9E3779B9, k1 + 0xBB67AE85
    for j, word in enumerate(c):
        x = xt.load_tile(X[4 * i + j : 4 * i + j + 4 * B : 4])
        taken = (word >> 8).to(xt.f32) * (1 / 16777216) >= p
        Y[4 * i + j : 4 * i + j + 4 * B : 4] = xt.where(taken, x / (1 - p), 0)


@xt.jit(grid=lambda Q: (Q.shape[0],))
def delta_rule(Q, K, V, Beta, Gate, Out, D: xt.constexpr = 32):
    """A state that fades, and is corrected towards the value of each key."""
    h, state = xt.program_id(0), xt.zeros((D, D), xt.f32)
    for t in range(Q.shape[1]):
        q, k, v = (xt.load_tile(xt.init_tile(A[h], (t, 0), (1, D))) for A in (Q, K, V))
        state = state * xt.exp(Gate[h, t])
        state += k.T * ((v - xt.sum(state * k.T, axis=0)) * Beta[h, t])
        Out[h][t : t + 1, 0:D] = xt.sum(state * q.T, axis=0)


def _sparse_rows() -> Made:
    there = random(4, 5) > 0.2
    there[1] = False
    begin = np.concatenate([[0], np.cumsum(there.sum(1))]).astype(np.int32)
    blocks, x = random(int(begin[-1]), 24, 24), random(120, 66, seed=1)
    whole = np.zeros((96, 120))
    for p, (i, j) in enumerate(np.argwhere(there)):
        whole[24 * i : 24 * i + 24, 24 * j : 24 * j + 24] = blocks[p]
    places = np.nonzero(there)[1].astype(np.int32)
    return [begin, places, blocks, x, np.zeros((96, 66), np.float32)], {4: whole @ wide(x)[0]}


def _factored() -> Made:
    a = random(4, 8, 8)
    out, pivots = wide(a)[0], np.zeros((4, 8), np.int32)
    for z in range(4):
        for k in range(8):
            p = pivots[z, k] = k + np.abs(out[z, k:, k]).argmax()
            out[z][[k, p]] = out[z][[p, k]]
            out[z, k + 1 :, k] /= out[z, k, k]
            out[z, k + 1 :, k + 1 :] -= np.outer(out[z, k + 1 :, k], out[z, k, k + 1 :])
    return [a, np.zeros_like(pivots)], {0: out, 1: pivots}


def _lattice() -> Made:
    f = (np.array(WEIGHTS)[:, None, None] * (1 + 0.1 * random(9, 20, 37))).astype(np.float32)
    streamed = np.stack([np.roll(wide(f[q])[0], (Y_STEPS[q], X_STEPS[q]), (0, 1)) for q in range(9)])
    rho, ux, uy = (np.tensordot(factors, streamed, 1) for factors in (np.ones(9), X_STEPS, Y_STEPS))
    ux, uy, out = ux / rho, uy / rho, []
    for q in range(9):
        along = 3 * (X_STEPS[q] * ux + Y_STEPS[q] * uy)
        rest = WEIGHTS[q] * rho * (1 + along + 0.5 * along**2 - 1.5 * (ux**2 + uy**2))
        out.append(streamed[q] + 0.6 * (rest - streamed[q]))
    return [f, np.zeros_like(f), 0.6], {1: np.stack(out)}


def _transformed() -> Made:
    re, im, angles = random(3, 64), random(3, 64, seed=1), -2 * np.pi * np.arange(32) / 64
    found = np.fft.fft(re.astype(np.float64) + 1j * im, axis=1)
    tables = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
    return [re, im, *tables], {0: found.real, 1: found.imag}


def _dropped() -> Made:
    x, low, high = random(301), np.uint64(0xFFFFFFFF), np.uint64(32)
    c: list[Any] = [np.arange(76, dtype=np.uint64), *(np.zeros(76, np.uint64) for _ in range(3))]
    k0, k1 = 777, 0
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> high) ^ c[1] ^ np.uint64(k0), b & low, (a >> high) ^ c[3] ^ np.uint64(k1), a & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    chance = (np.stack(c, 1).ravel()[:301] >> np.uint64(8)).astype(np.float64) / 2**24
    return [x, np.zeros_like(x), 777, 0.25], {1: np.where(chance >= 0.25, wide(x)[0] / 0.75, 0)}


def _delta_rule() -> Made:
    q, k, v = (random(2, 13, 32, seed=i) * s for i, s in enumerate((1, 0.2, 1)))
    beta, gate = (1 / (1 + np.exp(-random(2, 13, seed=3)))).astype(np.float32), -np.abs(random(2, 13, seed=4))
    arrays = [a.astype(np.float32) for a in (q, k, v, beta, gate)]
    wide_q, wide_k, wide_v, wide_beta, wide_gate = wide(*arrays)
    out = np.zeros((2, 13, 32))
    for h in range(2):
        state = np.zeros((32, 32))
        for t in range(13):
            state = state * np.exp(wide_gate[h, t])
            state += np.outer(wide_k[h, t], (wide_v[h, t] - wide_k[h, t] @ state) * wide_beta[h, t])
            out[h, t] = wide_q[h, t] @ state
    return [*arrays, np.zeros((2, 13, 32), np.float32)], {5: out}


LIST, LINE, F, BOX = "i32[?]", "f32[?]", "f32[?,?]", "f32[?,?,?]"
CASES = {
    "rows of blocks in f32": Plain(sparse_rows, (LIST, LIST, BOX, F, F), _sparse_rows, {"pvc": 1644, "bmg": 1636, "dg2": 1649}),
    "LU with pivots": Plain(factored, (BOX, "i32[?,?]"), _factored, {"pvc": 1764, "bmg": 1578}, tolerance=1e-3),
    "lattice Boltzmann": Plain(lattice, (BOX, BOX, "f32"), _lattice, {"pvc": 2202, "bmg": 1928}),
    "Fourier transform by butterflies": Plain(
        transformed, (F, F, LINE, LINE), _transformed, {"pvc": 289, "bmg": 275}, tolerance=1e-4
    ),
    "dropout by Philox": Plain(dropped, (LINE, LINE, "u32", "f32"), _dropped, {"pvc": 1142, "bmg": 1097}),
    "gated delta rule": Plain(delta_rule, (BOX, BOX, BOX, F, F, BOX), _delta_rule, {"pvc": 185, "bmg": 162}, tolerance=1e-4),
}

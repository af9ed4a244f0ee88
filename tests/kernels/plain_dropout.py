"""Attention that drops weights by a hash of their places: gradients of keys and values."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide
from tests.kernels.plain_attention import SCALE, weights

SEED, NEVER, KEPT = 20, 1 << 22, 4 / 3
"""Numbers of 24 bits from NEVER on are kept: three of four."""


@xt.jit
def kept(row, column, size, seed):
    """Which weights are, whoever asks: a number of 24 bits is mixed from each place."""
    x = (row * size + column).to(xt.u32) ^ seed
    x = (x ^ (x >> 16)) * xt.cast(0x7FEB352D, xt.u32)
    x = (x ^ (x >> 15)) * xt.cast(0x846CA68B, xt.u32)
    return (x >> 8) >= NEVER


@xt.jit(grid=lambda K, BN: (xt.cdiv(K.shape[1], BN), K.shape[0]))
def gradients(Q, K, V, dOut, L, Dl, dK, dV, scale, seed: xt.u32, D: xt.constexpr = 64, BM: xt.constexpr = 64,
              BN: xt.constexpr = 64):  # fmt: skip
    """L: logarithms of the rows' sums [Z, N]; Dl: the rows' sums of Out * dOut."""
    n, z, queries = xt.program_id(0) * BN, xt.program_id(1), Q.shape[1]
    k, v = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(V[z], (n, 0), (BN, D)))
    dk, dv = xt.zeros((BN, D), xt.f32), xt.zeros((BN, D), xt.f32)
    columns = n + xt.arange(BN)[:, None]
    for m in range(0, queries, BM):
        q, do = xt.load_tile(xt.init_tile(Q[z], (m, 0), (BM, D))), xt.load_tile(xt.init_tile(dOut[z], (m, 0), (BM, D)))
        row = xt.load_tile(xt.init_tile(L[z], m, (1, BM)), padding=float("inf"))
        dl = xt.load_tile(xt.init_tile(Dl[z], m, (1, BM)))
        stays = kept(m + xt.arange(BM)[None, :], columns, K.shape[1], seed)
        p = xt.exp((k @ q.T) * scale - row)
        dv += xt.where(stays, p * KEPT, 0.0).to(dOut.dtype) @ do
        ds = p * (xt.where(stays, (v @ do.T) * KEPT, 0.0) - dl)
        dk += ds.to(Q.dtype) @ q
    xt.store_tile(dv, xt.init_tile(dV[z], (n, 0), (BN, D)))
    xt.store_tile(dk * scale, xt.init_tile(dK[z], (n, 0), (BN, D)))


def _gradients() -> Made:
    q, do = (random(2, 150, 64, dtype=np.float16, seed=i) for i in range(2))
    k, v = (random(2, 140, 64, dtype=np.float16, seed=i) for i in range(2, 4))
    p, (wq, wk, wv, wdo) = weights(q, k), wide(q, k, v, do)
    logs = np.log(np.exp(wq @ wk.swapaxes(1, 2) * SCALE).sum(-1))
    places = np.arange(150, dtype=np.uint32)[:, None] * np.uint32(140) + np.arange(140, dtype=np.uint32) ^ np.uint32(SEED)
    for by, times in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        places = (places ^ (places >> np.uint32(by))) * np.uint32(times)
    stays = (places >> np.uint32(8)) >= NEVER
    dropped = np.where(stays, p * KEPT, 0)
    dl = (dropped @ wv * wdo).sum(-1)
    ds = p * (np.where(stays, wdo @ wv.swapaxes(1, 2) * KEPT, 0) - dl[..., None])
    given: list[Any] = [q, k, v, do, logs.astype(np.float32), dl.astype(np.float32)]
    zeros = [np.zeros(k.shape, np.float32) for _ in range(2)]
    return [*given, *zeros, SCALE, SEED], {6: ds.swapaxes(1, 2) @ wq * SCALE, 7: dropped.swapaxes(1, 2) @ wdo}


H, F, ROWS = "f16[?,?,?;free]", "f32[?,?,?;free]", "f32[?,?]"
CASES = {
    "attention backward, keys, dropout": Plain(gradients, (H, H, H, H, ROWS, ROWS, F, F, "f32", "u32"), _gradients,
                                               {"pvc": 523, "bmg": 456}, tolerance=2e-3),
}  # fmt: skip

"""Attention whose masks and biases are arrays of their own, one element for each score: beyond them no key counts."""

from __future__ import annotations

from typing import Any

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random, wide


@xt.jit
def kept(s, Mask, m, n, BM, BN):
    return xt.where(xt.load_tile(Mask[m : m + BM, n : n + BN]), s, -1e30)


@xt.jit
def biased(s, Bias, m, n, BM, BN):
    return s + xt.load_tile(Bias[m : m + BM, n : n + BN], padding=float("-inf"))


@xt.jit
def by_bits(s, Words, m, n, BM, BN):
    """Bit j of word w is of key 32 w + j."""
    word = xt.load_tile(Words[m : m + BM, n // 32 : n // 32 + BN // 32])
    return xt.where(((word >> xt.arange(BN, dtype=xt.u32)[None, :]) & 1) == 1, s, -1e30)


@xt.jit(grid=lambda Q, BM: (xt.cdiv(Q.shape[1], BM), Q.shape[0]))
def attention(
    Q, K, V, Mask, Out, scale, CHANGE: xt.constexpr, BM: xt.constexpr = 128, BN: xt.constexpr = 64, D: xt.constexpr = 64
):
    """Out[h] = softmax(scale * Q[h] @ K[h].T, changed by Mask) @ V[h]."""
    m, h = xt.program_id(0) * BM, xt.program_id(1)
    q = xt.load_tile(Q[h][m : m + BM, 0:D])
    top, total, acc = xt.full((BM, 1), float("-inf")), xt.zeros((BM, 1), xt.f32), xt.zeros((BM, D), xt.f32)
    for n in range(0, K.shape[1], BN):
        s = CHANGE((q @ xt.load_tile(K[h].T[0:D, n : n + BN])) * scale, Mask, m, n, BM, BN)
        new = xt.maximum(top, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(top - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(V.dtype) @ xt.load_tile(V[h][n : n + BN, 0:D])
        top = new
    Out[h][m : m + BM, 0:D] = (acc / total).to(Out.dtype)


def _attended(mask: Any, changed: Any, keys: int) -> Made:
    q, k, v = (random(2, rows, 64, dtype=np.float16, seed=i) for i, rows in enumerate((72, keys, keys)))
    wide_q, wide_k, wide_v = wide(q, k, v)
    s = changed(wide_q @ np.swapaxes(wide_k, 1, 2) / 8)
    p = np.exp(s - s.max(-1, keepdims=True))
    return [q, k, v, mask, np.zeros_like(q), 0.125], {4: p / p.sum(-1, keepdims=True) @ wide_v}


def _kept() -> Made:
    mask = random(72, 100, seed=3) > 0
    return _attended(mask, lambda s: np.where(mask, s, -1e30), 100)


def _biased() -> Made:
    bias = random(72, 100, dtype=np.float16, seed=3)
    return _attended(bias, lambda s: s + bias.astype(np.float64), 100)


def _by_bits() -> Made:
    mask = random(72, 96, seed=3) > 0
    words = np.packbits(mask, axis=1, bitorder="little").view(np.uint32)
    return _attended(words, lambda s: np.where(mask, s, -1e30), 96)


BOX = "f16[?,?,?]"
CASES = {
    "attention, mask of bool": Plain(
        attention, (BOX, BOX, BOX, "bool[?,?]", BOX, "f32"), _kept, {"pvc": 557, "bmg": 523}, {"CHANGE": kept}, 2e-3
    ),
    # Four of BMG's wait for registers: the same loop took 552 where the one behind it, which pads, took other registers.
    "attention, bias of f16": Plain(
        attention, (BOX, BOX, BOX, "f16[?,?]", BOX, "f32"), _biased, {"pvc": 588, "bmg": 557}, {"CHANGE": biased}, 2e-3
    ),
    "attention, mask of bits": Plain(
        attention,
        (BOX, BOX, BOX, "u32[?,?]", BOX, "f32"),
        _by_bits,
        {"pvc": 392, "bmg": 380},
        {"CHANGE": by_bits, "BN": 32},
        2e-3,
    ),
}

"""One step of attention over caches of narrow keys and values, a row of the heads that share them for each sequence."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random
from tests.kernels.plain_attention import LOWEST, SCALE, weights


@xt.jit(grid=lambda Q: (Q.shape[1], Q.shape[0]))
def cache(
    Q, K, Ks, V, Vs, Lengths, Out, scale, WIDEN: xt.constexpr, G: xt.constexpr = 16, D: xt.constexpr = 64, BN: xt.constexpr = 32
):
    """Q [Z, H, G, D]; K and V [Z, H, N, .] narrow, with a scale for each row, and WIDEN(tile, scales) gives them as f16."""
    h, z = xt.program_id(0), xt.program_id(1)
    length = Lengths[z]
    q = xt.load_tile(xt.init_tile(Q[z, h], (0, 0), (G, D)))
    acc, total, top = xt.zeros((G, D), xt.f32), xt.zeros((G, 1), xt.f32), xt.full((G, 1), LOWEST, xt.f32)
    for n in range(0, length, BN):
        k = WIDEN(xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, D))), 1.0)
        s = (q @ k.T) * (xt.load_tile(xt.init_tile(Ks[z, h], n, BN))[None, :] * scale)
        s = xt.where(n + xt.arange(BN)[None, :] < length, s, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade, p = xt.exp(top - new), xt.exp(s - new)
        v = WIDEN(xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(Vs[z, h], n, BN))[:, None])
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(xt.f16) @ v
        top = new
    xt.store_tile(acc / total, xt.init_tile(Out[z, h], (0, 0), (G, D)))


@xt.jit(grid=lambda Q: (Q.shape[1], Q.shape[0]))
def scaled_cache(Q, K, V, Ks, Vs, Lengths, Out, scale, G: xt.constexpr = 8, D: xt.constexpr = 128, BN: xt.constexpr = 64):
    """Q [Z, H, G, D]; K and V [Z, H, N, D] narrow, with one scale for each of H heads."""
    h, z = xt.program_id(0), xt.program_id(1)
    q = xt.load_tile(xt.init_tile(Q[z, h], (0, 0), (G, D)))
    acc, total, top = xt.zeros((G, D), xt.f32), xt.zeros((G, 1), xt.f32), xt.full((G, 1), LOWEST, xt.f32)
    for n in range(0, Lengths[z], BN):
        k = xt.load_tile(xt.init_tile(K[z, h], (n, 0), (BN, D))).to(xt.f16)
        v = xt.load_tile(xt.init_tile(V[z, h], (n, 0), (BN, D))).to(xt.f16)
        s = xt.where(n + xt.arange(BN)[None, :] < Lengths[z], (q @ k.T) * (scale * Ks[h]), LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade, p = xt.exp(top - new), xt.exp(s - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + (p.to(xt.f16) @ v) * Vs[h]
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z, h], (0, 0), (G, D)))


@xt.jit(grid=lambda Q: (Q.shape[0],))
def latent_cache(Q, R, K, P, Lengths, Out, scale, H: xt.constexpr = 16, D: xt.constexpr = 256, E: xt.constexpr = 64,
                 BN: xt.constexpr = 32):  # fmt: skip
    """Q [Z, H, D], R [Z, H, E]: one query for each of H heads, which share keys K [Z, N, D] and P [Z, N, E]; K is the values too."""
    z = xt.program_id(0)
    q, r = xt.load_tile(xt.init_tile(Q[z], (0, 0), (H, D))), xt.load_tile(xt.init_tile(R[z], (0, 0), (H, E)))
    acc, total, top = xt.zeros((H, D), xt.f32), xt.zeros((H, 1), xt.f32), xt.full((H, 1), LOWEST, xt.f32)
    for n in range(0, Lengths[z], BN):
        k, p = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D))), xt.load_tile(xt.init_tile(P[z], (n, 0), (BN, E)))
        s = xt.where(n + xt.arange(BN)[None, :] < Lengths[z], (q @ k.T + r @ p.T) * scale, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade, w = xt.exp(top - new), xt.exp(s - new)
        total = total * fade + xt.sum(w, axis=1)
        acc = acc * fade + w.to(K.dtype) @ k
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (0, 0), (H, D)))


@xt.jit(grid=lambda Q: (Q.shape[0],))
def joint_cache(
    Q, K, Lengths, Out, scale, H: xt.constexpr = 16, D: xt.constexpr = 256, E: xt.constexpr = 64, BN: xt.constexpr = 32
):
    """The same with Q [Z, H, D + E] and K [Z, N, D + E]: a row is loaded as a whole, of which D are the values."""
    z = xt.program_id(0)
    q = xt.load_tile(xt.init_tile(Q[z], (0, 0), (H, D + E)))
    acc, total, top = xt.zeros((H, D), xt.f32), xt.zeros((H, 1), xt.f32), xt.full((H, 1), LOWEST, xt.f32)
    for n in range(0, Lengths[z], BN):
        k = xt.load_tile(xt.init_tile(K[z], (n, 0), (BN, D + E)))
        s = (q[:, 0:D] @ k[:, 0:D].T + q[:, D : D + E] @ k[:, D : D + E].T) * scale
        s = xt.where(n + xt.arange(BN)[None, :] < Lengths[z], s, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        fade, w = xt.exp(top - new), xt.exp(s - new)
        total = total * fade + xt.sum(w, axis=1)
        acc = acc * fade + w.to(K.dtype) @ k[:, 0:D]
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[z], (0, 0), (H, D)))


def by_f32(x: Any, scales: Any) -> Any:
    return (x.to(xt.f32) * scales).to(xt.f16)


def _cache(kind: Any) -> Made:
    z, h, g, n, d = 2, 3, 16, 100, 64
    q, lengths = random(z, h, g, d, dtype=np.float16), np.array([100, 37], np.int32)
    rng = np.random.default_rng(4)
    if kind is np.int8:
        k, v = (rng.integers(-127, 128, (z, h, n, d)).astype(kind) for _ in range(2))
    else:
        k, v = ((rng.standard_normal((z, h, n, d)) * 60).astype(kind) for _ in range(2))
    ks, vs = ((rng.random((z, h, n)) / 60 + 0.001).astype(np.float32) for _ in range(2))
    wide = [x.astype(np.float32) * s[..., None] for x, s in ((k, ks), (v, vs))]
    out = np.zeros(q.shape)
    for at in np.ndindex(z, h):
        keys, values = (x[at][: lengths[at[0]]] for x in wide)
        out[at] = weights(q[at], keys) @ values.astype(np.float64)
    return [q, k, ks, v, vs, lengths, np.zeros(q.shape, np.float32), SCALE], {6: out}


def _scaled_cache() -> Made:
    z, h, g, n, d = 2, 3, 8, 150, 128
    q, lengths = random(z, h, g, d, dtype=np.float16), np.array([150, 37], np.int32)
    k, v = (random(z, h, n, d, seed=i).astype(ml_dtypes.float8_e4m3fn) for i in (1, 2))
    ks, vs = np.array([0.5, 1, 0.75], np.float32), np.array([1, 0.25, 2], np.float32)
    out = np.zeros(q.shape)
    for a, b in np.ndindex(z, h):
        keys, values = (x[a, b, : lengths[a]].astype(np.float64) * s[b] for x, s in ((k, ks), (v, vs)))
        out[a, b] = weights(q[a, b], keys) @ values
    return [q, k, v, ks, vs, lengths, np.zeros_like(q), SCALE], {6: out}


def _latent_cache(d: int = 256) -> Made:
    z, h, n, e = 2, 16, 70, 64
    q, r = random(z, h, d, dtype=np.float16), random(z, h, e, dtype=np.float16, seed=1)
    k, p = random(z, n, d, dtype=np.float16, seed=2), random(z, n, e, dtype=np.float16, seed=3)
    lengths, out = np.array([70, 33], np.int32), np.zeros(q.shape)
    for i, length in enumerate(lengths):
        both = [np.concatenate(pair, 1) for pair in ((q[i], r[i]), (k[i, :length], p[i, :length]))]
        out[i] = weights(*both) @ k[i, :length].astype(np.float64)
    return [q, r, k, p, lengths, np.zeros_like(q), SCALE], {5: out}


def _joint_cache() -> Made:
    (q, r, k, p, lengths, out, scale), expected = _latent_cache()
    return [np.concatenate([q, r], 2), np.concatenate([k, p], 2), lengths, out, scale], {3: expected[5]}


def _types(kind: str) -> tuple[str, ...]:
    narrow, line = f"{kind}[?,?,?,?;free]", "f32[?,?,?]"
    return ("f16[?,?,?,?;free]", narrow, line, narrow, line, "i32[?]", "f32[?,?,?,?;free]", "f32")


CASES = {
    f"attention, cache of {name}": Plain(cache, _types(name), lambda kind=kind: _cache(kind), bars, {"WIDEN": by_f32}, 2e-3)
    for name, kind, bars in (
        ("i8", np.int8, {"pvc": 791, "bmg": 775}),
        ("f8e4m3", ml_dtypes.float8_e4m3fn, {"pvc": 1087, "bmg": 1074}),
    )
}
H3, H4, E4 = "f16[?,?,?;free]", "f16[?,?,?,?;free]", "f8e4m3[?,?,?,?;free]"
# Numbers that are spread over rows are hidden (`element_orders`).
CASES["attention, scaled cache of f8e4m3"] = Plain(
    scaled_cache, (H4, E4, E4, "f32[?]", "f32[?]", "i32[?]", H4, "f32"), _scaled_cache, {"pvc": 1246, "bmg": 1164}, tolerance=2e-3
)
CASES["attention, latent cache"] = Plain(
    latent_cache, (H3, H3, H3, H3, "i32[?]", H3, "f32"), _latent_cache, {"pvc": 546, "bmg": 457}, tolerance=2e-3
)
CASES["attention, latent cache of 512 columns"] = Plain(
    latent_cache, (H3, H3, H3, H3, "i32[?]", H3, "f32"), lambda: _latent_cache(512), {"pvc": 736, "bmg": 587}, {"D": 512}, 2e-3
)
CASES["attention, joint cache"] = Plain(
    joint_cache, (H3, H3, "i32[?]", H3, "f32"), _joint_cache, {"pvc": 540, "bmg": 455}, tolerance=2e-3
)

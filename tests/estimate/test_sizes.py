"""Kernels in sizes for which the number of subgroups, or what is held twice, decides: nothing spills, and nothing is announced."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.estimate.test_registers import report

LOWEST = -1e30


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def cross_entropy(X, W, Labels, Loss, dX, BM: xt.constexpr = 32, BV: xt.constexpr = 64, D: xt.constexpr = 128):
    """The loss of X @ W.T and its gradient with respect to X: two sweeps over the classes."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, D)))
    labels = xt.load_tile(xt.init_tile(Labels, m, BM))[:, None]
    top, total, hit = xt.full((BM, 1), LOWEST, xt.f32), xt.zeros((BM, 1), xt.f32), xt.zeros((BM, 1), xt.f32)
    for v in range(0, W.shape[0], BV):
        columns = v + xt.arange(BV)[None, :]
        s = xt.where(columns < W.shape[0], x @ xt.load_tile(xt.init_tile(W, (v, 0), (BV, D))).T, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        total = total * xt.exp(top - new) + xt.sum(xt.exp(s - new), axis=1)
        hit += xt.sum(xt.where(columns == labels, s, 0.0), axis=1)
        top = new
    scale = top + xt.log(total)
    xt.store_tile(scale - hit, xt.init_tile(Loss, (m, 0), (BM, 1)))
    gradient = xt.zeros((BM, D), xt.f32)
    for v in range(0, W.shape[0], BV):
        columns = v + xt.arange(BV)[None, :]
        w = xt.load_tile(xt.init_tile(W, (v, 0), (BV, D)))
        p = xt.exp(x @ w.T - scale)
        p = xt.where(columns < W.shape[0], xt.where(columns == labels, p - 1.0, p), 0.0)
        gradient += p.to(W.dtype) @ w
    xt.store_tile(gradient.to(dX.dtype), xt.init_tile(dX, (m, 0), (BM, D)))


@xt.jit(grid=lambda Q: (Q.shape[1], Q.shape[0]))
def pages(Q, Kc, Vc, Table, Lengths, Out, scale, HQ: xt.constexpr = 8, PAGE: xt.constexpr = 16, D: xt.constexpr = 128):
    """Q, Out [B, Hkv, HQ, D]; Kc, Vc [pages, PAGE, Hkv, D]: heads inside of a page."""
    h, b = xt.program_id(0), xt.program_id(1)
    length = Lengths[b]
    q = xt.load_tile(xt.init_tile(Q[b, h], (0, 0), (HQ, D)))
    acc, total, top = xt.zeros((HQ, D), xt.f32), xt.zeros((HQ, 1), xt.f32), xt.full((HQ, 1), LOWEST, xt.f32)
    for i in range(xt.cdiv(length, PAGE)):
        page = Table[b, i]
        k = xt.load_tile(xt.init_tile(Kc[page, :, h], (0, 0), (PAGE, D)))
        v = xt.load_tile(xt.init_tile(Vc[page, :, h], (0, 0), (PAGE, D)))
        s = xt.where(i * PAGE + xt.arange(PAGE)[None, :] < length, (q @ k.T) * scale, LOWEST)
        new = xt.maximum(top, xt.max(s, axis=1))
        p, fade = xt.exp(s - new), xt.exp(top - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(Vc.dtype) @ v
        top = new
    xt.store_tile((acc / total).to(Out.dtype), xt.init_tile(Out[b, h], (0, 0), (HQ, D)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def norm_gradients(X, G, dY, dX, dG, dB, eps, BM: xt.constexpr = 8, N: xt.constexpr = 1024):
    """The gradients of layer_norm(X) * G + B; those of G and B for each block of rows."""
    i, n = xt.program_id(0), X.shape[1]
    m, seen = i * BM, xt.arange(N)[None, :] < n
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, N))).to(xt.f32)
    dy = xt.load_tile(xt.init_tile(dY, (m, 0), (BM, N))).to(xt.f32)
    centered = xt.where(seen, x - xt.sum(x, axis=1) / n, 0.0)
    rstd = xt.rsqrt(xt.sum(centered * centered, axis=1) / n + eps)
    hat, gdy = centered * rstd, dy * xt.load_tile(xt.init_tile(G, 0, N))[None, :]
    c1, c2 = xt.sum(hat * gdy, axis=1) / n, xt.sum(gdy, axis=1) / n
    xt.store_tile((rstd * (gdy - hat * c1 - c2)).to(dX.dtype), xt.init_tile(dX, (m, 0), (BM, N)))
    xt.store_tile(xt.sum(dy * hat, axis=0), xt.init_tile(dG, (i, 0), (1, N)))
    xt.store_tile(xt.sum(dy, axis=0), xt.init_tile(dB, (i, 0), (1, N)))


H, F, H4, LINE, PLACES = "f16[?,?]", "f32[?,?]", "f16[?,?,?,?;free]", "f32[?]", "i32[?]"
CASES = {
    "labels": (cross_entropy, (H, H, PLACES, F, H), {"BV": 128}),
    "pages": (pages, (H4, H4, H4, "i32[?,?]", PLACES, H4, "f32"), {"PAGE": 128, "HQ": 16}),
    "rows and columns": (norm_gradients, (H, LINE, H, H, F, F, "f32"), {}),
}


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("target", ["pvc", pytest.param("bmg", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_nothing_spills(name, target):
    kernel, types, constants = CASES[name]
    compiled = kernel.compile(*types, target=target, **constants)
    assert report(compiled).spill_bytes == 0


@pytest.mark.parametrize("device", ["numpy", pytest.param("cpu", marks=pytest.mark.slow)])
def test_labels(device):
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((rows, 128)).astype(np.float16) / np.float16(4) for rows in (40, 200))
    labels, loss, gradient = rng.integers(0, 200, 40).astype(np.int32), np.zeros((40, 1), np.float32), np.zeros_like(x)
    with xt.device(device):
        cross_entropy(x, w, labels, loss, gradient, BV=128)
    logits = x.astype(float) @ w.astype(float).T
    p = np.exp(logits)
    p /= p.sum(1, keepdims=True)
    np.testing.assert_allclose(loss[:, 0], -np.log(p[np.arange(40), labels]), atol=2e-3)
    p[np.arange(40), labels] -= 1
    np.testing.assert_allclose(gradient, p @ w.astype(float), atol=4e-3)


@pytest.mark.parametrize("device", ["numpy", pytest.param("cpu", marks=pytest.mark.slow)])
def test_rows_and_columns(device):
    rng = np.random.default_rng(1)
    x, dy = (rng.standard_normal((20, 700)).astype(np.float16) for _ in range(2))
    g, dx, dg, db = rng.standard_normal(700).astype(np.float32), np.zeros_like(x), *np.zeros((2, 3, 700), np.float32)
    with xt.device(device):
        norm_gradients(x, g, dy, dx, dg, db, 1e-5)
    wide, d = x.astype(float), dy.astype(float)
    rstd = 1 / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    hat = (wide - wide.mean(1, keepdims=True)) * rstd
    np.testing.assert_allclose(dg.sum(0), (d * hat).sum(0), atol=2e-3)
    np.testing.assert_allclose(db.sum(0), d.sum(0), atol=2e-3)
    gdy = d * g
    expected = (gdy - hat * (hat * gdy).mean(1, keepdims=True) - gdy.mean(1, keepdims=True)) * rstd
    np.testing.assert_allclose(dx, expected, atol=5e-3)

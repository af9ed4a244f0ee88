"""Choices by places in a tile beside products, and numbers made of places, which GPUs compute two registers at a time."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels import plain_variants
from tests.kernels.plain import random
from tests.kernels.plain_variants import SCALE, weights

WHERE = {
    "below the diagonal": lambda r, c, n: c <= r,
    "near it": lambda r, c, n: xt.abs(c - r) < 5,
    "far from it": lambda r, c, n: xt.abs(r - c) > n,
    "a band": lambda r, c, n: (c <= r) & (c > r - n),
    "two bands": lambda r, c, n: ((c < 3) | (c > r - n)) & (c < 37),
    "by an argument": lambda r, c, n: (c < n) & (r + 2 >= c),
    "one diagonal": lambda r, c, n: r - c == n - 9,
    "all but one": lambda r, c, n: c + n != r,
    "rows alone": lambda r, c, n: (r > n) & (c >= 0),
}


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def chosen(A, B, C, n, F: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32):
    """A product where F holds of row and column, and elsewhere how far both are apart."""
    y, x = xt.program_id(1) * BM, xt.program_id(0) * BN
    r, c = y + xt.arange(BM)[:, None], x + xt.arange(BN)[None, :]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], 16):
        s = xt.load_tile(xt.init_tile(A, (y, k), (BM, 16))) @ xt.load_tile(xt.init_tile(B, (k, x), (16, BN)))
        acc += xt.where(F(r, c, n), s, (c - r).to(xt.f32))
    xt.store_tile(acc, xt.init_tile(C, (y, x), (BM, BN)))


def expected(name: str, a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    r, c = np.arange(a.shape[0])[:, None], np.arange(b.shape[1])[None]
    distances = {"near it": np.abs(c - r) < 5, "far from it": np.abs(r - c) > n}
    keeps = distances[name] if name in distances else WHERE[name](r, c, n)
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(0, a.shape[1], 16):
        total += np.where(keeps, a[:, k : k + 16].astype("f8") @ b[k : k + 16].astype("f8"), c - r)
    return total


@pytest.mark.every(30, 3)
@pytest.mark.parametrize("n", [12, 0, -3])
@pytest.mark.parametrize("name", WHERE)
def test_choices_by_places(device, name, n):
    a, b = random(40, 32, dtype=np.float16), random(32, 48, dtype=np.float16, seed=1)
    a[3], c = np.inf, np.zeros((40, 48), np.float32)
    with np.errstate(all="ignore"), xt.device(device):
        chosen(a, b, c, n, F=WHERE[name])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(c, expected(name, a, b, n), rtol=1e-5, atol=1e-4)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", WHERE)
def test_they_are_pieces_of_assembly(name):
    found = chosen.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "i32", F=WHERE[name], target="pvc")
    assert b"// xetile tree" in found.spirv


@pytest.mark.every(3)
@pytest.mark.parametrize("ends", [(72, 0), (1, 41), (65, 64)], ids=str)
def test_attention_of_any_lengths(device, ends):
    """Sequences of no keys, of one, and of whole blocks; rows behind a sequence's end are zeros."""
    q, k, v = (random(2, h, 72, 64, dtype=np.float16, seed=i) for i, h in enumerate((4, 2, 2)))
    k[0, :, 3] = 100 * k[0, :, 3]
    out, found, places = np.zeros(q.shape), np.ones_like(q), np.arange(72)
    for z, n in enumerate(ends):
        near = np.abs(places[:n] - places[:n, None]) < 40
        for h in range(4 if n else 0):
            out[z, h, :n] = weights(q[z, h, :n], k[z, h // 2, :n], near) @ v[z, h // 2, :n].astype(np.float64)
    with np.errstate(all="ignore"), xt.device(device):
        plain_variants.lengths(q, k, v, np.array(ends, np.int32), found, SCALE)
    np.testing.assert_allclose(found, out, rtol=0, atol=4e-3)

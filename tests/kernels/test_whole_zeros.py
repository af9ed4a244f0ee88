"""Weights of bytes less zero points that are bytes, as f16: every byte less every zero point, by one sum on whole registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.kernels.test_packed import NARROW

FORMS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "less bytes": ("u8", lambda w, z: w.to(xt.i32) - z.to(xt.i32)),
    "less bytes and a number": ("u8", lambda w, z: w.to(xt.i16) - (z.to(xt.i16) + 1)),
    "a number less bytes with a sign": ("i8", lambda w, z: w.to(xt.i32) + 100 - z.to(xt.i32)),
    "low halves": ("u8", lambda w, z: (w & 15).to(xt.i32) - ((z & 15).to(xt.i32) + 1)),
    "beyond the largest whole number": ("u8", lambda w, z: w.to(xt.i32) + 400 - (z.to(xt.i32) - 700)),
}


@xt.jit
def less_zeros(A, W, Z, C, FORM: xt.constexpr):
    """C = A @ FORM(W, Z), A of 16 columns."""
    acc = xt.zeros((16, 256), xt.f32)
    for k in range(0, A.shape[1], 16):
        w, z = xt.load_tile(xt.init_tile(W, (k, 0), (16, 256))), xt.load_tile(xt.init_tile(Z, (k // 16, 0), (1, 256)))
        acc += xt.load_tile(xt.init_tile(A, (0, k), (16, 16))) @ FORM(w, z).to(xt.f16)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 256)))


@pytest.mark.every(5)
@pytest.mark.parametrize("name", FORMS)
def test_every_byte_less_every_zero_point(device, name):
    kind, form = FORMS[name]
    w = np.broadcast_to(np.arange(256, dtype=np.uint8)[:, None], (256, 256)).copy().view(NARROW[kind])
    z = np.stack([np.roll(np.arange(256), 16 * k) for k in range(16)]).astype(np.uint8).view(NARROW[kind])
    a, c = np.tile(np.eye(16, dtype=np.float16), 16), np.zeros((16, 256), np.float32)
    with xt.device(device):
        less_zeros[1, 1](a, w, z, c, form)

    class Wide(np.ndarray):
        def to(self, kind: Any) -> Any:
            return self.astype(np.int64).view(Wide)

    b = np.asarray(form(w.view(Wide), np.repeat(z, 16, 0).view(Wide)), np.int64).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b)

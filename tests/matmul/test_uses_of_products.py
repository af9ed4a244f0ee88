"""What every op makes of a product, once, summed over a loop, or joined by an `if`: DPAS holds its results in a form of its own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch

Op = Callable[[Any, Any], Any]

USES: dict[str, tuple[Op, Op]] = {
    "sum rows": (lambda p, x: xt.sum(p, axis=0), lambda p, x: p.sum(0, keepdims=True)),
    "sum columns": (lambda p, x: xt.sum(p, axis=1), lambda p, x: p.sum(1, keepdims=True)),
    "sum": (lambda p, x: x + xt.sum(p), lambda p, x: x + p.sum()),
    "less the largest": (lambda p, x: p - xt.max(p, axis=1), lambda p, x: p - p.max(1, keepdims=True)),
    "cumsum rows": (lambda p, x: xt.cumsum(p, axis=0), lambda p, x: p.cumsum(0)),
    "cumsum columns": (lambda p, x: xt.cumsum(p, axis=1), lambda p, x: p.cumsum(1)),
    "argmax": (lambda p, x: xt.argmax(p, axis=1).to(xt.f32), lambda p, x: p.argmax(1)[:, None]),
    "argmin": (lambda p, x: xt.argmin(p, axis=0).to(xt.f32), lambda p, x: p.argmin(0)[None]),
    "any": (
        lambda p, x: xt.any(p > 0, axis=1).to(xt.f32) + (p > 0).to(xt.f32),
        lambda p, x: (p > 0).any(1, keepdims=True) + 1.0 * (p > 0),
    ),
    "transpose": (lambda p, x: p.T, lambda p, x: p.T),
    "reshape": (lambda p, x: xt.reshape(p, (8, 32)), lambda p, x: p.reshape(8, 32)),
    "concatenate": (lambda p, x: xt.concatenate((p, x), axis=0), lambda p, x: np.concatenate((p, x))),
    "roll": (lambda p, x: xt.roll(p, 3, axis=1), lambda p, x: np.roll(p, 3, 1)),
    "gather": (
        lambda p, x: xt.gather(p, (15 - xt.arange(16))[:, None] + 0 * xt.arange(16)[None, :], axis=0),
        lambda p, x: p[::-1],
    ),
    "a column": (lambda p, x: p[:, 3:4] + x, lambda p, x: p[:, 3:4] + x),
    "a row": (lambda p, x: p[5:6, :] * x, lambda p, x: p[5:6] * x),
    "subtract": (lambda p, x: x - p, lambda p, x: x - p),
    "where": (lambda p, x: xt.where(p > x, p, x), lambda p, x: np.where(p > x, p, x)),
    "arange": (lambda p, x: p + xt.arange(16)[None, :].to(xt.f32) * 2, lambda p, x: p + np.arange(16)[None] * 2),
    "i8": (lambda p, x: p.to(xt.i8).to(xt.f32), lambda p, x: p),
    "xor": (lambda p, x: (p.to(xt.i32) ^ x.to(xt.i32)).to(xt.f32), lambda p, x: p.astype(int) ^ x.astype(int)),
    "A": (lambda p, x: xt.tile_mma(p.to(xt.f16), x.to(xt.f16)), lambda p, x: p @ x),
    "A transposed": (lambda p, x: xt.tile_mma(p.to(xt.f16).T, x.to(xt.f16)), lambda p, x: p.T @ x),
    "B": (lambda p, x: xt.tile_mma(x.to(xt.f16), p.to(xt.f16)), lambda p, x: x @ p),
    "C": (lambda p, x: xt.tile_mma(x.to(xt.f16), x.to(xt.f16), p), lambda p, x: x @ x + p),
    "C transposed": (lambda p, x: xt.tile_mma(x.to(xt.f16), x.to(xt.f16), p.T), lambda p, x: x @ x + p.T),
    "A, C loaded": (lambda p, x: xt.tile_mma(p.to(xt.f16), x.to(xt.f16), x), lambda p, x: p @ x + x),
    "A in f32": (lambda p, x: xt.tile_mma(p, x), lambda p, x: p @ x),
    "B in f32": (lambda p, x: xt.tile_mma(x, p, p + x), lambda p, x: x @ p + p + x),
    "C in f32": (lambda p, x: xt.tile_mma(x, x, p), lambda p, x: x @ x + p),
}


def once(A, B, X, Out, SHAPE: xt.constexpr, USE: xt.constexpr):
    p = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (32, 16))))
    xt.store_tile(USE(p, xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))), xt.init_tile(Out, (0, 0), SHAPE))


def summed(A, B, X, Out, SHAPE: xt.constexpr, USE: xt.constexpr):
    p = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        p += xt.load_tile(xt.init_tile(A, (0, k), (16, 16))) @ xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
    xt.store_tile(USE(p, xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))), xt.init_tile(Out, (0, 0), SHAPE))


def joined(A, B, X, Out, SHAPE: xt.constexpr, USE: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))
    p = x * 0.0
    if A.shape[0] > 3:
        for k in range(0, A.shape[1], 16):
            p = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (16, 16))), xt.load_tile(xt.init_tile(B, (k, 0), (16, 16))), p)
    else:
        p = x + 1.0
    xt.store_tile(USE(p, x), xt.init_tile(Out, (0, 0), SHAPE))


@pytest.mark.covering
@pytest.mark.every(30, 19)
@pytest.mark.parametrize("target", ["dg2", "pvc"])
@pytest.mark.parametrize("num_subgroups", [1, 2])
@pytest.mark.parametrize("kernel", [once, summed, joined], ids=lambda k: k.__name__)
@pytest.mark.parametrize("use", USES)
def test_at_levels(use, kernel, num_subgroups, target):
    kernel_use, numpy_use = USES[use]
    random = np.random.default_rng(1)
    a, b = random.integers(-1, 2, (16, 32)).astype(np.float16), random.integers(-1, 2, (32, 16)).astype(np.float16)
    x = random.integers(-2, 3, (16, 16)).astype(np.float32)
    expected = np.asarray(numpy_use(a.astype(np.float32) @ b.astype(np.float32), x), np.float32)
    arrays = {"A": a, "B": b, "X": x, "Out": np.zeros_like(expected)}
    launch = Launch(
        xt.jit(num_subgroups=num_subgroups)(kernel),
        arrays,
        {"Out": expected},
        grid=(1,),
        constants={"SHAPE": expected.shape, "USE": kernel_use},
    )
    launch.at_levels(target)

"""Products of steps times scalars that a kernel works out, which assembly takes as one number where IGC knows it to be that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_products import by_blocks, whole


@xt.jit(grid=by_blocks)
def scaled(A, B, C, x, y, n, HOW: xt.constexpr, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = the sum over steps of A @ B times a scalar: HOW gives it, and the next step's x."""
    row, column = xt.program_id(1), xt.program_id(0)
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (row * BM, k), (BM, BK)))
        s, x = HOW(k, x, y, n, column)
        acc += (a @ xt.load_tile(xt.init_tile(B, (k, column * BN), (BK, BN)))) * s
    xt.store_tile(acc, xt.init_tile(C, (row * BM, column * BN), (BM, BN)))


def chosen(k, x, y, n, block):
    """One number up to a step, another one behind it."""
    return xt.where(k > n, x, y), x


HOW: dict[str, Callable[..., Any]] = {
    "chosen": chosen,
    "chosen by what is carried": lambda k, x, y, n, block: (xt.where(x > y, x, y), x + 2),
    "the larger": lambda k, x, y, n, block: (xt.maximum(x, y), x),
    "a truth": lambda k, x, y, n, block: ((x > y).to(xt.f32) + 1, x + 2),
    "carried": lambda k, x, y, n, block: (x, x * y),
    "of a number chosen by floats": lambda k, x, y, n, block: (xt.where(x > y, n, 2).to(xt.f32), x + 2),
    "of the block": lambda k, x, y, n, block: (block.to(xt.f32) * x - y, x),
    "of the step": lambda k, x, y, n, block: ((k // n).to(xt.f32) * y, x),
    "a quotient": lambda k, x, y, n, block: (8.0 / y, x),
    "a root": lambda k, x, y, n, block: (xt.sqrt(xt.abs(-y)), x),
    "a power": lambda k, x, y, n, block: (xt.exp2(-xt.floor(y)), x),
}


def scalar(name: str, k: int, x: float, y: float, n: int, block: int) -> tuple[float, float]:
    """The same in numbers."""
    return {
        "chosen": (x if k > n else y, x), "chosen by what is carried": (max(x, y), x + 2), "the larger": (max(x, y), x),
        "a truth": ((x > y) + 1, x + 2), "carried": (x, x * y), "of a number chosen by floats": (n if x > y else 2, x + 2),
        "of the block": (block * x - y, x), "of the step": (k // n * y, x), "a quotient": (8.0 / y, x),
        "a root": (2.0, x), "a power": (0.0625, x),
    }[name]  # fmt: skip


@pytest.mark.every(12, 8)
@pytest.mark.parametrize("name", HOW)
def test_products_times_scalars(device, name):
    a, b = whole(40, 96, dtype=np.float16), whole(96, 80, dtype=np.float16, seed=1)
    x, y, n, c = 1.0, 4.0, 40, np.zeros((40, 80), np.float32)
    with xt.device(device):
        scaled(a, b, c, x, y, n, HOW[name])
    expected = np.zeros((40, 80))
    for block in range(2):
        columns, now = slice(block * 64, block * 64 + 64), x
        for k in range(0, 96, 32):
            s, now = scalar(name, k, now, y, n, block)
            expected[:, columns] += a[:, k : k + 32].astype(np.float64) @ b[k : k + 32, columns] * s
    np.testing.assert_array_equal(c, expected)

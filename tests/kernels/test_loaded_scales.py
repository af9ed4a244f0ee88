"""Products of steps times scalars that a kernel loads: by one number of an array for a step and a block, wherever that lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_products import by_blocks, whole

BLOCK, STEP = 64, 32


@xt.jit(grid=by_blocks)
def scaled(A, W, S, C, first, HOW: xt.constexpr, BM: xt.constexpr = BLOCK, BN: xt.constexpr = BLOCK, BK: xt.constexpr = STEP):
    """C = the sum over steps of A @ W times what HOW gives of S."""
    row, column = xt.program_id(1), xt.program_id(0)
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(first, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, column * BN), (BK, BN))).to(A.dtype)
        acc += (xt.load_tile(xt.init_tile(A, (row * BM, k), (BM, BK))) @ w) * HOW(S, k, row, column)
    xt.store_tile(acc, xt.init_tile(C, (row * BM, column * BN), (BM, BN)))


HOW: dict[str, tuple[Callable[..., Any], Callable[..., float]]] = {
    "of the step and the block": (lambda S, k, m, n: S[k // STEP, n], lambda at, k, m, n: at(k // 32, n)),
    "of two steps": (lambda S, k, m, n: S[k // (2 * STEP), n + m], lambda at, k, m, n: at(k // 64, n + m)),
    "of half of a step": (lambda S, k, m, n: S[k // (STEP // 2), m], lambda at, k, m, n: at(k // 16, m)),
    "of what is before the step": (lambda S, k, m, n: S[(k - STEP) // STEP, n], lambda at, k, m, n: at((k - 32) // 32, n)),
    "of the other column": (lambda S, k, m, n: S[m, k // STEP], lambda at, k, m, n: at(m, k // 32)),
    "a sum": (lambda S, k, m, n: S[k // STEP, n] + S[m, n], lambda at, k, m, n: at(k // 32, n) + at(m, n)),
    "negated": (lambda S, k, m, n: -S[k // STEP, n], lambda at, k, m, n: -at(k // 32, n)),
    "where it is large": (
        lambda S, k, m, n: xt.where(S[k // STEP, n] > 2, S[k // STEP, n], 1.0),
        lambda at, k, m, n: max(at(k // 32, n), 1.0) if at(k // 32, n) > 2 else 1.0,
    ),
    "by a number that is loaded": (
        lambda S, k, m, n: S[S[k // STEP, n].to(xt.i32), m],
        lambda at, k, m, n: at(int(at(k // 32, n)), m),
    ),
}
KINDS = {"f16": np.float16, "f8e4m3": ml_dtypes.float8_e4m3fn, "i8": np.int8}


def given(kind: Any, rows: int = 4) -> list[np.ndarray]:
    a, w = whole(72, 96, dtype=np.float16), whole(96, 80, dtype=kind, seed=1)
    return [a, w, whole(rows, 2, dtype=np.float32, low=1, high=4, seed=2), np.zeros((72, 80), np.float32)]


def expected(arrays: list[np.ndarray], name: str, first: int = 0) -> np.ndarray:
    """By blocks and steps; numbers below zero count from the end, and beyond its edges an array has zeros."""
    a, w, s, c = (each.astype(np.float64) for each in arrays)

    def at(y: int, x: int) -> float:
        return s[y, x] if y < s.shape[0] and x < s.shape[1] else 0.0

    for m in range(0, 72, BLOCK):
        for n in range(0, 80, BLOCK):
            for k in range(first, 96, STEP):
                factor = HOW[name][1](at, k, m // BLOCK, n // BLOCK)
                c[m : m + BLOCK, n : n + BLOCK] += a[m : m + BLOCK, k : k + STEP] @ w[k : k + STEP, n : n + BLOCK] * factor
    return c


def run(device: str, arrays: list[np.ndarray], name: str, first: int = 0) -> np.ndarray:
    with xt.device(device):
        scaled(*arrays, first, HOW[name][0])
    return arrays[3]


@pytest.mark.covering
@pytest.mark.every(20, 3)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HOW)
def test_products_times_what_is_loaded(name, kind, device):
    arrays = given(KINDS[kind])
    np.testing.assert_array_equal(run(device, arrays, name), expected([*arrays[:3], np.zeros((72, 80))], name))


@pytest.mark.every(6)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize(("rows", "first"), [(1, 0), (2, 0), (4, 32), (4, 96), (4, 200)])
def test_beyond_the_scales_are_zeros(rows, first, device):
    """Fewer scales than steps, steps that begin later, and none."""
    arrays, name = given(np.float16, rows), "of the step and the block"
    np.testing.assert_array_equal(run(device, arrays, name, first), expected([*arrays[:3], np.zeros((72, 80))], name, first))


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("kind", ["f8e4m3", "i8"])
def test_all_codes_by_any_scale(kind, device):
    """All 256 bytes, which A's ones and minus ones pick; scales that are negative, infinite, none, and no numbers."""
    a = np.zeros((72, 96), np.float16)
    a[np.arange(72), np.arange(72) % 96] = np.where(np.arange(72) % 3, 1, -1)
    codes = (np.arange(96)[:, None] * 83 + np.arange(80)[None, :] * 29) % 256
    assert len(np.unique(codes[:72])) == 256
    w = codes.astype(np.uint8).view(KINDS[kind])
    for row in ([-0.375, 1e30, -1e-30, 2.0], [0.0, np.inf, -np.inf, np.nan]):
        s = np.array([row[:2], row[2:], row[1:3]], np.float32)
        arrays, name = [a, w, s, np.zeros((72, 80), np.float32)], "of the step and the block"
        with np.errstate(all="ignore"):
            wanted = np.zeros((72, 80), np.float32)
            for k in range(0, 96, STEP):
                part = a[:, k : k + STEP].astype(np.float32) @ w[k : k + STEP].astype(np.float32)
                factor = np.repeat(s[k // STEP], BLOCK)[:80]
                wanted = (part.astype(np.float64) * factor + wanted).astype(np.float32)
        np.testing.assert_allclose(run(device, arrays, name), wanted, rtol=1e-6)

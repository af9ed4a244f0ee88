"""Every pass keeps what matrix kernels compute: all levels, run by the reference interpreter, agree, and agree with numpy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.kernels.matmul import matmul, matmul_bias_relu, matmul_prefetch
from tests.parity.run import assert_levels_agree, request

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
CLOSE = {"rtol": 1e-5, "atol": 1e-4}


def random(rng: np.random.Generator, *shape: int, dtype: type = np.float32) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32).astype(dtype)


def grid(m: int, n: int, bm: int, bn: int) -> tuple[int, int, int]:
    return -(-n // bn), -(-m // bm), 1


@pytest.mark.covering
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "size, tile",
    [
        ((300, 260, 104), (256, 256, 32)),
        ((50, 40, 24), (16, 16, 16)),
        ((130, 70, 64), (64, 64, 32)),
        ((33, 100, 48), (8, 32, 16)),
    ],
    ids=str,
)
def test_matmul(dtype, size, tile):
    rng = np.random.default_rng(1)
    (m, n, k), (bm, bn, bk) = size, tile
    a, b = random(rng, m, k, dtype=TYPES[dtype]), random(rng, k, n, dtype=TYPES[dtype])
    what = request(matmul, {"A": f"{dtype}[?,?]", "B": f"{dtype}[?,?]", "C": "f32[?,?]"}, BM=bm, BN=bn, BK=bk)
    c = assert_levels_agree(what, grid(m, n, bm, bn), {"A": a, "B": b, "C": np.full((m, n), 7, np.float32)}, "C", **CLOSE)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), **CLOSE)


@pytest.mark.every(2)
@pytest.mark.parametrize("scattered", ["A", "B", "C", "AB", "ABC"])
def test_matmul_without_block_messages(scattered):
    rng = np.random.default_rng(2)
    a, b = random(rng, 45, 39, dtype=np.float16), random(rng, 39, 51, dtype=np.float16)
    types = {
        name: f"{dtype}[?,?{';scattered' if name in scattered else ''}]" for name, dtype in zip("ABC", ("f16", "f16", "f32"))
    }
    c = assert_levels_agree(
        request(matmul, types, BM=32, BN=32, BK=16),
        grid(45, 51, 32, 32),
        {"A": a, "B": b, "C": np.zeros((45, 51), np.float32)},
        "C",
        **CLOSE,
    )
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), **CLOSE)


def test_matmul_with_epilogue():
    rng = np.random.default_rng(3)
    a, b, bias = random(rng, 70, 48, dtype=np.float16), random(rng, 48, 90, dtype=np.float16), random(rng, 90)
    types = {"A": "f16[?,?]", "B": "f16[?,?]", "bias": "f32[?]", "C": "f32[?,?]"}
    values = {"A": a, "B": b, "bias": bias, "C": np.zeros((70, 90), np.float32)}
    c = assert_levels_agree(request(matmul_bias_relu, types, BM=64, BN=64, BK=32), grid(70, 90, 64, 64), values, "C", **CLOSE)
    np.testing.assert_allclose(c, np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0), **CLOSE)


def test_matmul_that_prefetches():
    rng = np.random.default_rng(4)
    a, b = random(rng, 64, 200, dtype=np.float16), random(rng, 200, 128, dtype=np.float16)
    types = {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}
    values = {"A": a, "B": b, "C": np.zeros((64, 128), np.float32)}
    c = assert_levels_agree(request(matmul_prefetch, types, BM=64, BN=64, BK=32), grid(64, 128, 64, 64), values, "C", **CLOSE)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), **CLOSE)


@pytest.mark.parametrize("transposed", ["A", "B", "AB"])
def test_matmul_of_column_major_arrays(transposed):
    rng = np.random.default_rng(5)
    a, b = random(rng, 64, 96, dtype=np.float16), random(rng, 96, 64, dtype=np.float16)
    arrays = {"A": np.asfortranarray(a) if "A" in transposed else a, "B": np.asfortranarray(b) if "B" in transposed else b}
    types = {name: f"f16[?,?{';F' if name in transposed else ''}]" for name in "AB"} | {"C": "f32[?,?]"}
    values = {**arrays, "C": np.zeros((64, 64), np.float32)}
    c = assert_levels_agree(request(matmul, types, BM=64, BN=64, BK=32), grid(64, 64, 64, 64), values, "C", **CLOSE)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), **CLOSE)

"""The main job: `matmul(A, B)` is right for any size, dtype and device, and writes nothing but C."""

from __future__ import annotations

import warnings
from itertools import product

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.matmul import matmul, matmul_bias_relu, matmul_prefetch
from xetile.runtime.devices import find_device
from xetile.runtime.specialize import PerformanceWarning, specialize
from xetile.target import get_target

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
SIZES = (1, 7, 16, 100, 256, 300)
# Every pair of sizes meets in each two of M, N and K.
MIXED = [(m, n, SIZES[(i + j) % len(SIZES)]) for (i, m), (j, n) in product(enumerate(SIZES), enumerate(SIZES))]
GUARD = -12345.0

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


def operands(m: int, n: int, k: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(m * 1_000_000 + n * 1_000 + k)
    a, b = rng.standard_normal((m, k), dtype=np.float32), rng.standard_normal((k, n), dtype=np.float32)
    return a.astype(TYPES[dtype]), b.astype(TYPES[dtype])


def assert_product(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """Against float64 of the rounded inputs; products are exact in f32, sums of K of them are rounded K times at most."""
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    error = np.abs(c - exact)
    assert (error <= a.shape[1] * np.finfo(np.float32).eps * bound + 1e-30).all(), f"{a.shape} x {b.shape}: error {error.max()}"


def guarded(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix inside a larger one whose other elements must stay as they are."""
    whole = np.full((m + 6, n + 32), GUARD, np.float32)
    return whole, whole[2 : 2 + m, 16 : 16 + n]


# Each size as M, as N and as K, no two of them twice. All of them, by larger tiles, in the sweep.
SAMPLE = [(m, SIZES[i - 1], SIZES[2 * i % 6 + i // 3]) for i, m in enumerate(SIZES)]


@pytest.mark.every(18)
@pytest.mark.parametrize(
    "sizes, tile",
    [*(([size], 32) for size in SAMPLE), pytest.param(MIXED, 64, marks=pytest.mark.slow)],
    ids=[*map(str, SAMPLE), "all"],
)
@pytest.mark.parametrize("dtype", TYPES)
def test_all_sizes(device, dtype, sizes, tile):
    with xt.device(device):
        for m, n, k in sizes:
            a, b = operands(m, n, k, dtype)
            whole, c = guarded(m, n)
            assert matmul(a, b, c, BM=tile, BN=tile, BK=32) is None
            assert_product(c, a, b)
            c[:] = GUARD
            assert (whole == GUARD).all(), f"{(m, n, k)}: wrote outside of C"


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m, n", list(product(SIZES, SIZES)))
def test_every_mixture_of_sizes_by_default_tiles(device, dtype, m, n):
    with xt.device(device):
        for k in SIZES:
            a, b = operands(m, n, k, dtype)
            assert_product(matmul(a, b), a, b)


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [(512, 512, 512), (300, 272, 256), (16, 256, 304)], ids=str)
def test_default_tiles_and_allocated_result(device, dtype, size):
    a, b = operands(*size, dtype)
    with xt.device(device):
        c = matmul(a, b)
    assert c.shape == size[:2] and c.dtype == np.float32
    assert_product(c, a, b)


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [(100, 96, 64), (7, 300, 100)], ids=str)
def test_epilogue(device, size):
    m, n, k = size
    a, b = operands(m, n, k, "f16")
    bias = np.random.default_rng(0).standard_normal(n, dtype=np.float32)
    with xt.device(device):
        c = matmul_bias_relu(a, b, bias, BM=32, BN=64)
    np.testing.assert_allclose(c, np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0), rtol=1e-5, atol=1e-4)


def test_user_prefetches_change_nothing(device):
    a, b = operands(100, 96, 256, "bf16")
    with xt.device(device):
        assert_product(matmul_prefetch(a, b, BM=64, BN=64), a, b)


def test_empty_operands_give_empty_or_zero_results(device):
    with xt.device(device):
        assert matmul(np.zeros((0, 32), np.float16), np.zeros((32, 64), np.float16), BM=16, BN=16).shape == (0, 64)
        np.testing.assert_array_equal(
            matmul(np.zeros((32, 0), np.float16), np.zeros((0, 64), np.float16), BM=16, BN=16), np.zeros((32, 64), np.float32)
        )


@pytest.mark.parametrize("shape", [(0, 64), (64, 0), (0, 0)])
def test_arrays_without_elements_are_not_for_block_messages(shape):
    """Their payload holds sizes less one.  Nothing is slow about them, so nobody is warned."""
    arrays = {"A": np.zeros(shape, np.float16), "B": np.zeros((64, 64), np.float16)}
    found = specialize("kernel", arrays, find_device("numpy"), "pvc")
    assert [kind.scattered for _, kind in found.types] == [True, False]
    assert not found.slow


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "size, broken, rule",
    [
        ((64, 64, 52), "A", "rows must lie a multiple of 16 bytes apart"),
        ((64, 20, 128), "B", "at least 64 bytes"),
        ((64, 33, 64), "B", "a multiple of 4 bytes long"),
    ],
    ids=str,
)
def test_arrays_that_break_the_block_rules_are_read_otherwise_with_one_warning(size, broken, rule, device):
    a, b = operands(*size, "f16")
    fresh = xt.jit(out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)}, grid=(1,))(matmul.fn)  # has not warned
    with xt.device(device), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PerformanceWarning)
        for _ in range(2):
            assert_product(fresh(a, b, BM=64, BN=64), a, b)
    named = [str(w.message) for w in caught if f" {broken} is accessed" in str(w.message)]
    info = find_device(device)
    if device == "numpy" or get_target(info.target).block2d is None:  # no block messages to miss
        assert not named
    else:
        assert len(named) == 1 and rule in named[0]

"""Columns of tiles that sizes of arrays are added to: compiled for multiples with which they begin at whole words, and for any others."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.frontend import trace
from xetile.passes.analysis.index_ranges import index_ranges
from xetile.passes.analysis.multiples import assume_multiples
from xetile.runtime.specialize import PerformanceWarning
from xetile.signature import Signature
from xetile.target import get_target


@xt.jit
def halves(A, W, C, M: xt.constexpr = 32, N: xt.constexpr = 32, K: xt.constexpr = 32):
    """C = A[:, :half] @ W + A[:, half:] @ W."""
    m, n, half = xt.program_id(1) * M, xt.program_id(0) * N, W.shape[0]
    acc = xt.zeros((M, N), xt.f32)
    for k in range(0, half, K):
        w = xt.load_tile(xt.init_tile(W, (k, n), (K, N)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (M, K))) @ w + xt.load_tile(xt.init_tile(A, (m, k + half), (M, K))) @ w
    xt.store_tile(acc, xt.init_tile(C, (m, n), (M, N)))


@xt.jit
def quarters(A, W, C, M: xt.constexpr = 32):
    moved = xt.init_tile(A, (0, A.shape[1] // 4 * 3), (M, M))
    for k in range(2):
        xt.store_tile(xt.load_tile(moved), xt.init_tile(C, (k * M, 0), (M, M)))
        moved = xt.update_tile_offset(moved, (M, 0))


@xt.jit
def at_any_column(A, W, C, n, M: xt.constexpr = 32):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, n + W.shape[0]), (M, M))), xt.init_tile(C, (0, 0), (M, M)))


TYPES = {"A": "f16[?,?]", "W": "f16[?,?]", "C": "f32[?,?]"}


def traced(kernel: xt.Kernel, types: dict[str, str], bits: int = 32):
    module = trace(kernel, Signature.of(**types), {}, index_bits=bits)
    return assume_multiples(module, get_target("pvc")), module


@pytest.mark.parametrize(("kernel", "types", "noted"), [
    (halves, TYPES, ("W 0 1",)),
    (halves, {**TYPES, "A": "f32[?,?]", "W": "f32[?,?]"}, ()),
    (quarters, {**TYPES, "C": "f16[?,?]"}, ("A 1 3",)),
    (at_any_column, {**TYPES, "C": "f16[?,?]", "n": "index"}, ()),
])  # fmt: skip
def test_the_smallest_power_that_is_enough_is_noted(kernel, types, noted):
    found, module = traced(kernel, types)
    assert (module.kernel.multiples, found) == (noted, noted != ())
    assert not traced(kernel, types, 64)[0]
    assert not index_ranges(module).never_hold


def test_a_launch_checks_it():
    ranges = index_ranges(traced(halves, TYPES)[1])
    arrays = {name: np.zeros((64, 64), np.float16) for name in "AWC"}
    assert ranges.failing((2, 2, 1), arrays) is None
    check = ranges.failing((2, 2, 1), {**arrays, "W": np.zeros((33, 64), np.float16)})
    assert check is not None and ranges.assumed(check) == "W.shape[0] is a multiple of 2"


@pytest.mark.every(3)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("half", [64, 40, 37])
def test_products_of_halves(half, device):
    rng = np.random.default_rng(0)
    a, w = rng.integers(-4, 5, (40, 128)).astype(np.float16), rng.integers(-4, 5, (half, 64)).astype(np.float16)
    a[:, 2 * half :] = 0
    c = np.zeros((40, 64), np.float32)
    with xt.device(device):
        halves[4, 3](a, w, c, 16, 16, 16)
    expected = a[:, :half].astype(np.float32) @ w + a[:, half : 2 * half].astype(np.float32) @ w
    np.testing.assert_array_equal(c, expected)


def test_no_tile_of_even_halves_is_slow(recwarn):
    halves.compile(*TYPES.values(), target="pvc").ir["lane"]
    assert not [w for w in recwarn if issubclass(w.category, PerformanceWarning)]

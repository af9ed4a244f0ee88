"""Numbers from memory as places, ends of slices and of loops: whatever they are, what lies outside of an array is outside of it."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt

TOP = 2**31
FAR = [0, 5, -3, -40, TOP - 1, TOP - 7, TOP - 32, TOP - 64, TOP - 65, -TOP, -TOP + 1, -TOP + 33, 2**30, 2**30 + 5, 2**30 - 32,
       -(2**30), 2**29 + 3, 70, 2**28 + 1, 3 * 2**28, 2**27, -1]  # fmt: skip
STARTS = np.array(FAR, np.int64).astype(np.int32)
GROUPS = len(FAR) - 1


@xt.jit
def product(A, B, Starts, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    g, m = xt.program_id(1), xt.program_id(0) * BM
    place = Starts[g] + m
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (place, k), (BM, BK))) @ xt.load_tile(xt.init_tile(B, (k, place - g * 3), (BK, BN)))
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C[g], (m, 0), (BM, BN)))


@xt.jit
def lines(A, Starts, C, N: xt.constexpr = 32):
    g, m = xt.program_id(1), xt.program_id(0) * N
    x = xt.load_tile(xt.init_tile(A, (Starts[g] + m, Starts[g + 1] + m), (N, N)))
    xt.store_tile(x + xt.load_tile(xt.init_tile(A[5], Starts[g] + m, N))[None, :], xt.init_tile(C[g], (m, 0), (N, N)))


@xt.jit
def stored(A, Starts, C, N: xt.constexpr = 32):
    g, m = xt.program_id(1), xt.program_id(0) * N
    xt.store_tile(
        xt.load_tile(xt.init_tile(A, (m, 3), (N, N))), xt.init_tile(C[g], (Starts[g + 1] * 2 + m, Starts[g] - 2), (N, N))
    )


@xt.jit
def slices(A, Starts, C, N: xt.constexpr = 32):
    g, m = xt.program_id(1), xt.program_id(0) * N
    xt.store_tile(xt.load_tile(xt.init_tile(A[Starts[g] : Starts[g + 1]], (m, 0), (N, N))), xt.init_tile(C[g], (m, 0), (N, N)))


@xt.jit
def counted(A, Starts, C, STEP: xt.constexpr = 1 << 28):
    g, m = xt.program_id(1), xt.program_id(0) * 32
    acc = xt.zeros((32, 32), xt.f32)
    for k in range(0, Starts[g], STEP):
        inside = k + xt.arange(32)[None, :] * (STEP // 64) < Starts[g]
        acc += xt.where(inside, xt.load_tile(xt.init_tile(A, (k + m, Starts[g] + k), (32, 32))).to(xt.f32) + 1, 0.0)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C[g], (m, 0), (32, 32)))


KERNELS = {"product": product, "lines": lines, "stored": stored, "slices": slices, "counted": counted}


def result(name: str, device: str, columns: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (rows, columns)).astype(np.float16) for rows in (72, columns))
    c = np.zeros((GROUPS, 72, columns), np.float16)
    with xt.device(device):
        KERNELS[name][3, GROUPS](*([a, b] if name == "product" else [a]), STARTS, c)
    return c


@pytest.mark.every(8, 1)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize(("name", "columns"), [
    *((name, columns) for name in KERNELS for columns in (128, 70) if (name, columns) != ("product", 70)),
    pytest.param("product", 70, marks=pytest.mark.slow),
])  # fmt: skip
def test_what_lies_far_outside_stays_outside(name, columns, device):
    expected = result(name, "numpy", columns)
    assert np.count_nonzero(expected) > 500
    np.testing.assert_array_equal(result(name, device, columns), expected)


@pytest.mark.parametrize("name", KERNELS)
def test_an_index_of_32_bits_is_enough(name):
    types = ("f16[?,?]",) * (1 + (name == "product"))
    module = KERNELS[name].compile(*types, "i32[?]", "f16[?,?,?]", target="pvc")
    assert "xetile.index_bits = 64" not in str(module.ir["xetile"])

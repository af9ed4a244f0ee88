"""Products of tiles whose depth no DPAS divides: what lies beside the tiles, infinities and NaN among it, changes no sum."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import request, run_levels

DTYPES = {"f16": (np.float16, "f32"), "f32": (np.float32, "f32"), "i8": (np.int8, "i32")}
SHAPES = [(7, 7, 16), (5, 33, 16), (33, 17, 16), (24, 48, 32), (13, 100, 16), (9, 300, 32), (31, 31, 31)]


@xt.jit
def odd_product(A, B, Out, m, k, n, SHAPE: xt.constexpr):
    """Out[1:, 2:] = A[m:, k:] @ B[k:, n:], of as many rows, depths and columns as SHAPE says."""
    M, K, N = SHAPE
    a = xt.load_tile(xt.init_tile(A, (m * 8, k * 16), (M, K)))
    b = xt.load_tile(xt.init_tile(B, (k * 16, n * 16), (K, N)))
    xt.store_tile(a @ b, xt.init_tile(Out, (1, 4), (M, N)))


@xt.jit
def odd_steps(A, B, Out, SHAPE: xt.constexpr):
    """Out[1:, 4:] = A @ B in steps of K columns, each a tile of its own, which the loop makes or moves."""
    M, K, N = SHAPE
    acc = xt.zeros((M, N), Out.dtype)
    for i in range(3):
        b = xt.load_tile(xt.init_tile(B, (i * K, 0), (K, N)))
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, i * K), (M, K))), b, acc)
    xt.store_tile(acc, xt.init_tile(Out, (1, 4), (M, N)))


def problem(shape, dtype, steps=1, at=(1, 1, 1)):
    """Arrays with NaN, or large numbers, wherever no tile lies, and the product in a frame."""
    m, k, n = shape
    kind, out = DTYPES[dtype][0], np.dtype({"f32": np.float32, "i32": np.int32}[DTYPES[dtype][1]])
    rng, beside = np.random.default_rng(7), np.nan if dtype.startswith("f") else 101
    row, depth, column = at[0] * 8, at[1] * 16, at[2] * 16
    a, b = (rng.integers(-4, 5, s) for s in ((m, k * steps), (k * steps, n)))
    wide = {"A": np.full((row + m + 8, -(-(depth + k * steps + 16) // 64) * 64), beside).astype(kind),
            "B": np.full((depth + k * steps + 64, -(-(column + n + 16) // 64) * 64), beside).astype(kind)}  # fmt: skip
    wide["A"][row : row + m, depth : depth + k * steps] = a
    wide["B"][depth : depth + k * steps, column : column + n] = b
    wanted = np.full((m + 9, -(-(n + 8) // 32) * 32), 77, out)
    wanted[1 : 1 + m, 4 : 4 + n] = a @ b
    return wide, wanted


@pytest.mark.covering
@pytest.mark.every(8)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("subgroups", [1, None])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_levels(dtype, shape, subgroups, target):
    wide, wanted = problem(shape, dtype)
    types = {"A": f"{dtype}[?,?]", "B": f"{dtype}[?,?]", "Out": f"{DTYPES[dtype][1]}[?,?]", **dict.fromkeys("mkn", "i32")}
    what = request(odd_product, types, target, num_subgroups=subgroups, SHAPE=shape)
    given = {**wide, "Out": np.full_like(wanted, 77), "m": 1, "k": 1, "n": 1}
    for level, after in run_levels(what, (1,), given):
        np.testing.assert_array_equal(after["Out"], wanted, err_msg=f"level {level}")


@pytest.mark.covering
@pytest.mark.every(60)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_devices(dtype, shape, device):
    wide, wanted = problem(shape, dtype)
    out = np.full_like(wanted, 77)
    with xt.device(device):
        odd_product[(1,)](wide["A"], wide["B"], out, 1, 1, 1, SHAPE=shape)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.covering
@pytest.mark.every(12, 2)
@pytest.mark.parametrize("shape", [(24, 48, 32), (8, 20, 16), (16, 100, 16)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_steps_of_a_loop(dtype, shape, device):
    wide, wanted = problem(shape, dtype, steps=3, at=(0, 0, 0))
    out = np.full_like(wanted, 77)
    with xt.device(device):
        odd_steps[(1,)](wide["A"], wide["B"], out, SHAPE=shape)
    np.testing.assert_array_equal(out, wanted)

"""Gathers and scatters of every n-th row of an array: tiles of as many rows side by side, wherever they begin and end."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.test_gathered_tiles import H, is_tile, layout_of, numbers
from tests.ops.run import Launch
from xetile import errors
from xetile.target.names import is_far

BM, BN = 16, 32


@xt.jit
def picked(X, Y, p, S: xt.constexpr, P: xt.constexpr, BM: xt.constexpr = BM, BN: xt.constexpr = BN):
    """Y[i] = X[S * i + p + P], and 0 for rows that X has not."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows, columns = (S * m + p + P + S * xt.arange(BM))[:, None], n + xt.arange(BN)[None, :]
    inside = (rows >= 0) & (rows < X.shape[0]) & (columns < X.shape[1])
    xt.store_tile(xt.load_gather(xt.init_tile(X, rows * X.stride(0) + columns), inside), xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit
def spread(X, Y, p, S: xt.constexpr, P: xt.constexpr, BM: xt.constexpr = BM, BN: xt.constexpr = BN):
    """Y[S * i + p + P] = X[i]."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    rows, columns = (S * m + p + P + S * xt.arange(BM))[:, None], n + xt.arange(BN)[None, :]
    inside = (rows >= 0) & (rows < Y.shape[0]) & (columns < Y.shape[1])
    xt.store_scatter(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))), xt.init_tile(Y, rows * Y.stride(0) + columns), inside)


KERNELS = {"picked": picked, "spread": spread}


def launch(kernel: Any, step: int, first: int, dtype: Any = np.float16, rows: int = 75, columns: int = 56, p: int = 0) -> Launch:
    """Of `rows` rows of an array every so many-th from p + `first` on, beside others."""
    x, few = numbers(dtype, rows, columns, seed=step + 8), 37
    at = p + first + step * np.arange(few)
    there = (at >= 0) & (at < rows)
    y = np.zeros((few, columns), dtype)
    y[there] = x[at[there]]
    grid = (-(-columns // BN), -(-few // BM))
    constants = {"S": step, "P": first}
    if kernel is picked:
        return Launch(kernel, {"X": x, "Y": np.zeros_like(y), "p": p}, {"Y": y}, grid, constants, 2)
    out = np.zeros_like(x)
    out[at[there]] = y[there]
    return Launch(kernel, {"X": y, "Y": np.zeros_like(x), "p": p}, {"Y": out}, grid, constants, 2)


FIRST = [(2, 0), (2, -1), (2, 1), (3, 2), (4, -3), (5, 11), (16, 7)]


@pytest.mark.every(8)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, ml_dtypes.bfloat16, np.int8, np.float64])
@pytest.mark.parametrize(("step", "first"), FIRST)
@pytest.mark.parametrize("name", KERNELS)
def test_every_nth_row(device, name, step, first, dtype):
    launch(KERNELS[name], step, first, dtype, columns=128 if dtype is np.int8 else 56).on_device(device)


@pytest.mark.every(8)
@pytest.mark.parametrize(
    ("rows", "columns"), [(0, 56), (1, 56), (2, 56), (3, 48), (16, 32), (75, 33), (75, 35), (5, 1), (74, 128)]
)
@pytest.mark.parametrize(("step", "first"), [(2, 1), (4, 3), (16, 0)])
@pytest.mark.parametrize("name", KERNELS)
def test_arrays_that_end_anywhere(device, name, step, first, rows, columns):
    """Some before the first row that is taken, and some that break the rules of block messages."""
    launch(KERNELS[name], step, first, rows=rows, columns=columns).on_device(device)


@pytest.mark.every(6)
@pytest.mark.parametrize("p", [0, 1, 2, 7, -1, -6, 40])
@pytest.mark.parametrize(("step", "first"), [(2, 0), (8, -3), (3, 0)])
@pytest.mark.parametrize("name", KERNELS)
def test_rows_that_begin_where_launches_say(device, name, step, first, p):
    launch(KERNELS[name], step, first, p=p).on_device(device)


@xt.jit
def by_steps(X, Y, S: xt.constexpr, P: xt.constexpr):
    """BM rows of Y, every S-th from P on = those of X."""
    xt.store_tile(xt.load_tile(X[P : P + S * BM : S, 0:BN]), Y[P : P + S * BM : S, 0:BN])


@pytest.mark.every(2)
@pytest.mark.parametrize(("step", "first"), [(2, 0), (2, 1), (3, 2), (5, 11)])
def test_rows_that_lie_backwards(device, step, first):
    """Of a view that begins with the last row the rows in front of the first that is taken lie behind it."""
    x = numbers(np.float16, 40, BN, seed=step)
    backwards, out, expected = x[::-1].copy()[::-1], np.zeros_like(x)[::-1], np.zeros_like(x)
    expected[first::step][:BM] = x[first::step][:BM]
    with xt.device(device):
        by_steps[1](backwards, out, S=step, P=first)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("step", "first"), [(2, -1), (3, 2)])
@pytest.mark.parametrize("name", KERNELS)
def test_levels_agree(name, step, first, target):
    launch(KERNELS[name], step, first).at_levels(target)


@pytest.mark.every(3)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("step", "first", "tile"), [(2, 0, True), (2, 5, True), (16, 3, True), (17, 0, False), (3, 1, True)])
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_a_tile(name, step, first, tile, target):
    """Steps of which launches find out where they begin are powers of two."""
    assert is_tile(layout_of(KERNELS[name], H, H, "i32", target=target, S=step, P=first)) == (tile and step & (step - 1) == 0)


@xt.jit
def shifted(X, Y, M: xt.constexpr, BM: xt.constexpr = BM, BN: xt.constexpr = BN):
    """Y[i, j] = X[2 * i + 1, j - M], and 0 for columns that X has not."""
    rows, columns = (1 + 2 * xt.arange(BM))[:, None], xt.arange(BN)[None, :] - M
    inside = (rows < X.shape[0]) & (columns >= 0) & (columns < X.shape[1])
    xt.store_tile(xt.load_gather(xt.init_tile(X, rows * X.stride(0) + columns), inside), xt.init_tile(Y, (0, 0), (BM, BN)))


def test_columns_in_front_of_a_row_are_no_tile(device):
    """They are those of the row before."""
    assert not is_tile(layout_of(shifted, H, H, M=4)) and is_tile(layout_of(shifted, H, H, M=0))
    x, y = numbers(np.float16, 32, 64), np.zeros((BM, BN), np.float16)
    with xt.device(device):
        shifted[1](x, y, M=4)
    np.testing.assert_array_equal(y, np.pad(x[1::2], ((0, 0), (4, 0)))[:, :BN])


@xt.jit
def summed(X, W, Y, BM: xt.constexpr = 32, BK: xt.constexpr = 64, BN: xt.constexpr = 32):
    """Y[n, i] = sum of X[n, 2 * i + d - 1] @ W[d]: places that a loop moves."""
    n, m = xt.program_id(1), xt.program_id(0) * BM
    acc, channels = xt.zeros((BM, BN), xt.f32), xt.arange(BK)[None, :]
    for d in range(3):
        rows = (2 * m + d - 1 + 2 * xt.arange(BM))[:, None]
        inside = (rows >= 0) & (rows < X.shape[1]) & (channels < X.shape[2])
        x = xt.load_gather(xt.init_tile(X[n], rows * X.stride(1) + channels), inside)
        acc += x @ xt.load_tile(W[d, 0:BK, 0:BN])
    Y[n, m : m + BM, 0:BN] = acc


THREE = ("f16[?,?,?]", "f16[?,?,?]", "f32[?,?,?]")


@pytest.mark.every(2)
@pytest.mark.parametrize("rows", [1, 2, 63, 64, 90])
def test_products_of_rows_that_a_loop_moves(device, rows):
    x, w = (numbers(np.float16, *shape, seed=rows) for shape in ((2, rows, 48), (3, 48, 32)))
    few = -(-rows // 2)
    padded = np.pad(x.astype(np.float32), ((0, 0), (1, 2), (0, 0)))
    wanted = sum(padded[:, d : d + 2 * few : 2] @ w[d].astype(np.float32) for d in range(3))
    y = np.zeros(wanted.shape, np.float32)
    with xt.device(device):
        summed[-(-few // 32), 2](x, w, y)
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_rows_of_products_come_by_messages(target):
    compiled = summed.compile(*THREE, target=target)
    assert "xegpu.load " not in compiled.ir["lane"]


def test_rows_that_lie_far_apart():
    """So many of them are no line of a block message: kernels for others say so, and launches see it."""
    made = summed.compile(*THREE, target="pvc")
    (one,) = made.binary.requires.asserted
    assert one.text == "X.stride(1) < 524288"
    x = np.lib.stride_tricks.as_strided(np.zeros(64, np.float16), (1, 2, 64), (1 << 20, 1 << 20, 2))
    with pytest.raises(errors.ArgumentError, match="without the mark far"):
        made.binary.requires.check("summed", {"X": x, "W": x, "Y": x})
    far = summed.compile("f16[?,?,?;far]", *THREE[1:], target="pvc")
    assert not far.binary.requires.asserted and "xegpu.load " in far.ir["lane"]
    assert [is_far(name, 1 << 20) for name in ("pvc", "bmg", "dg2", "cpu")] == [True, True, False, False]
    assert not is_far("pvc", (1 << 20) - 1)


def test_rows_that_lie_far_apart_are_found(device):
    """32 rows of 600,000 elements, of which each program takes 64 columns."""
    x, y = numbers(np.float16, 20, 600_000), np.zeros((16, 64), np.float16)
    with xt.device(device):
        picked[2, 1](x, y, 0, S=2, P=1)
    np.testing.assert_array_equal(y[:10], x[1::2, :64])
    assert not y[10:].any()

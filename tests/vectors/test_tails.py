"""Tiles larger than their arrays: rows and columns beyond these are not computed, and what is stored, summed or compared is the same."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import uncompiled
from xetile.passes.vectors import ends
from xetile.runtime.settings import override

BM, BN = 8, 256


@xt.jit
def row_sums(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (xt.program_id(0) * BM, 0), (BM, BN)))
    xt.store_tile(xt.sum(x * x, axis=1), xt.init_tile(Y, (xt.program_id(0) * BM, 0), (BM, 1)))


@xt.jit
def column_sums(X, Y, Z):
    n, total = xt.program_id(0) * BN, xt.zeros((1, BN), xt.f32)
    for m in range(0, X.shape[0], BM):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))), axis=0)
    xt.store_tile(total, xt.init_tile(Z, (0, n), (1, BN)))


@xt.jit
def row_extremes(X, Y, Z):
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, BN)), padding=float("-inf"))
    least = xt.min(xt.load_tile(xt.init_tile(X, (m, 0), (BM, BN)), padding=7.0), axis=1)  # which may be the least of all
    xt.store_tile(xt.max(x, axis=1) + least, xt.init_tile(Y, (m, 0), (BM, 1)))


@xt.jit
def masked(X, Y, Z):
    """What a mask leaves out counts where the load's own padding does not."""
    m, c = xt.program_id(0) * BM, xt.arange(BN)[None, :]
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, BN)))
    mean = xt.sum(x, axis=1)
    off = xt.where(c < X.shape[1], x - mean, 0.0)
    some = xt.sum(xt.where(X.shape[1] // 2 >= c + 1, x + 1.0, 0.0), axis=1)
    ones = xt.sum(xt.where(c < X.shape[1] + 3, 1.0, 2.0), axis=1)  # which is no zero
    xt.store_tile(xt.sum(off * off, axis=1) + some + ones, xt.init_tile(Y, (m, 0), (BM, 1)))


@xt.jit
def both_ways(X, Y, Z):
    """A tile of one load that is taken by rows, by columns, and one by one."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, BN)))
    largest, total = xt.max(x, axis=1), xt.sum(x, axis=0)
    xt.store_tile(xt.sum(xt.maximum(x - largest, -3.0), axis=1), xt.init_tile(Y, (m, 0), (BM, 1)))
    xt.store_tile(total * 2.0, xt.init_tile(Z, (xt.program_id(0), 0), (1, BN)))


def sums_of_rows(x):
    return (x * x).sum(1, keepdims=True)


def extremes_of_rows(x):
    least = x.min(1, keepdims=True)
    return x.max(1, keepdims=True) + (np.minimum(least, 7) if x.shape[1] < BN else least)


def masked_sums(x):
    n = x.shape[1]
    off = x - x.sum(1, keepdims=True)
    some = (x[:, : n // 2] + 1).sum(1, keepdims=True)
    return (off * off).sum(1, keepdims=True) + some + min(n + 3, BN) + 2 * max(BN - n - 3, 0)


def clipped_sums(x):
    beyond = BN - x.shape[1]
    largest = np.maximum(x.max(1, keepdims=True), 0) if beyond else x.max(1, keepdims=True)
    return np.maximum(x - largest, -3).sum(1, keepdims=True) + beyond * np.maximum(-largest, -3)


CASES = [
    (row_sums, sums_of_rows),
    (row_extremes, extremes_of_rows),
    (masked, masked_sums),
    (both_ways, clipped_sums),
    (column_sums, None),
]


@pytest.mark.device
@pytest.mark.every(4)
@pytest.mark.parametrize("way", ["vector", "avx2", "numpy"])
@pytest.mark.parametrize("rows, columns", [(1, 1), (8, 256), (5, 64), (8, 65), (11, 130), (16, 200), (19, 255), (3, 192)])
@pytest.mark.parametrize("kernel, wanted", CASES)
def test_what_is_kept_is_the_same(kernel, wanted, rows, columns, way):
    x = np.random.default_rng(rows * columns).integers(-8, 9, (rows, columns)).astype(np.float32)
    programs = -(-rows // BM)
    y, z = np.full((rows, 1), 77, np.float32), np.full((programs, columns), 77, np.float32)
    with override(cpu="vector" if way == "numpy" else way), xt.device("numpy" if way == "numpy" else "cpu"):
        kernel[(1 if kernel is column_sums else programs,)](x, y, z)
    if wanted is not None:
        np.testing.assert_array_equal(y, wanted(x))
    if kernel is column_sums:
        np.testing.assert_array_equal(z[0], x.sum(0))
    if kernel is both_ways:
        np.testing.assert_array_equal(z, 2 * np.add.reduceat(x, range(0, rows, BM)))


@pytest.mark.device
@pytest.mark.parametrize("columns", [BN, BN - 1, 3])
def test_a_sum_of_negative_zeros_has_the_sign_that_its_padding_gives(columns):
    x, y = np.full((BM, columns), -0.0, np.float32), np.empty((BM, 1), np.float32)

    @xt.jit
    def summed(X, Y):
        xt.store_tile(xt.sum(xt.load_tile(xt.init_tile(X, (0, 0), (BM, BN))), axis=1), xt.init_tile(Y, (0, 0), (BM, 1)))

    with override(cpu="vector"), xt.device("cpu"):
        summed[(1,)](x, y)
    assert (np.signbit(y) == (columns == BN)).all()


@pytest.mark.parametrize("kernel", [row_sums, column_sums, row_extremes, masked, both_ways])
def test_which_reductions_end_early(kernel, monkeypatch):
    found = set()
    noted = ends.tail_of

    def tail(op, lower):
        made = noted(op, lower)
        found.add(made is not None)
        return made

    monkeypatch.setattr(ends, "tail_of", tail)
    assert uncompiled(kernel, *["f32[?,?]"] * 3, target="cpu").ir["vectors"]
    assert found == ({True, False} if kernel in (masked, both_ways) else {True})

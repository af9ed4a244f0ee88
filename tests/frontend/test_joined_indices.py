"""Integers that meet sizes of arrays in loops, branches and functions: they become what their sum would be."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError

pytestmark = pytest.mark.device


@xt.jit(grid=(1,))
def bounded(N, X, Y):
    end = N[0]
    if end > X.shape[0]:
        end = X.shape[0]
    total = 0.0
    for i in range(end):
        total += X[i]
    xt.store_tile(xt.full((1,), total), xt.init_tile(Y, 0, (1,)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64])
@pytest.mark.parametrize("count", [0, 5, 100])
def test_a_bound_from_memory_or_a_size(device, dtype, count):
    x, y = np.arange(20, dtype=np.float32), np.zeros(1, np.float32)
    bounded(np.array([count], dtype), x, y)
    assert y[0] == x[:count].sum()


@xt.jit(grid=(1,))
def swapped(N, X, Y, rounds):
    a, b = N[0], X.shape[0]
    for _ in range(rounds):
        a, b = b, a - 1
    xt.store_tile(xt.full((1,), a * 100 + b, xt.i64), xt.init_tile(Y, 0, (1,)))


def test_a_loop_swaps_them(device):
    for rounds in range(4):
        y = np.zeros(1, np.int64)
        swapped(np.int32([-5]), np.zeros(11, np.float32), y, rounds)
        a, b = -5, 11
        for _ in range(rounds):
            a, b = b, a - 1
        assert y[0] == a * 100 + b


@xt.jit
def least(a, b):
    if a < b:
        return a
    return b


@xt.jit(grid=(1,))
def in_a_function(N, X, Y):
    pair = (least(N[0], X.shape[0]), 0)
    while pair[1] < 3:
        pair = (pair[0] if pair[1] > 1 else X.shape[0] - pair[0], pair[1] + 1)
    xt.store_tile(xt.full((1,), pair[0], xt.i64), xt.init_tile(Y, 0, (1,)))


@pytest.mark.parametrize("count", [3, 30])
def test_functions_choices_and_tuples(device, count):
    y = np.zeros(1, np.int64)
    in_a_function(np.int32([count]), np.zeros(11, np.float32), y)
    pair = (min(count, 11), 0)
    while pair[1] < 3:
        pair = (pair[0] if pair[1] > 1 else 11 - pair[0], pair[1] + 1)
    assert y[0] == pair[0]


@xt.jit(grid=(1,))
def doubled(N, X, Y):
    n = N[0]
    for i in range(3):
        n = n * 2 if n < X.shape[0] else X.shape[0] + i
    xt.store_tile(xt.full((1,), n, xt.i64), xt.init_tile(Y, 0, (1,)))


def test_what_became_an_index_does_not_wrap(device):
    """As sums with sizes do not: 3 * 2**30 is no i32."""
    y = np.zeros(1, np.int64)
    for start in (-3 * 2**29, -1, 100):
        doubled(np.int32([start]), np.zeros(11, np.float32), y)
        n = start
        for i in range(3):
            n = n * 2 if n < 11 else 11 + i
        assert y[0] == n


@xt.jit(grid=(1,))
def unsigned(N, X, Y):
    n = N[0]
    if n > 3:
        n = X.shape[0]
    xt.store_tile(xt.full((1,), n, xt.i64), xt.init_tile(Y, 0, (1,)))


def test_u64_and_an_index_have_no_common_type():
    with pytest.raises(CompileError, match="index scalar in one branch and u64 scalar in the other"):
        unsigned.compile("u64[?]", "f32[?]", "i64[?]", target="pvc")

"""An output of `xt.empty` that a kernel adds to before it has stored anything is refused: it would begin as memory is found."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError


def fails_at(kernel, text, *args, **options):
    with xt.device("numpy"), pytest.raises(CompileError, match="reads its output Y before anything is stored to it") as raised:
        kernel(*args, **options)
    assert raised.value.at.text == text, raised.value
    assert "xt.zeros(shape, dtype)" in raised.value.hint


def empty(X):
    return xt.empty((8,), X.dtype)


X = np.ones(32, np.float32)


@xt.jit(out={"Y": empty}, grid=lambda X: X.shape[0] // 8)
def added_atomically(X, Y):
    xt.atomic_rmw_tile("add", xt.load_tile(X[0:8]), Y[0:8])


@xt.jit(out={"Y": empty}, grid=1)
def added_in_a_loop(X, Y):
    for i in range(0, X.shape[0], 8):
        Y[0:8] += xt.load_tile(X[i : i + 8])


@xt.jit(out={"Y": empty}, grid=1)
def added(X, Y):
    Y[0:8] = xt.load_tile(Y[0:8]) + xt.load_tile(X[0:8])


@xt.jit(out={"Y": empty}, grid=1)
def counted(X, Y):
    if X[0] > 0:
        xt.atomic_rmw_tile("add", 1, Y[0:1])


def test_what_reads_first_is_refused():
    fails_at(added_atomically, 'xt.atomic_rmw_tile("add", xt.load_tile(X[0:8]), Y[0:8])', X)
    fails_at(added, "xt.load_tile(Y[0:8])", X)
    fails_at(added_in_a_loop, "Y[0:8]", X)
    fails_at(counted, 'xt.atomic_rmw_tile("add", 1, Y[0:1])', X)


def test_an_array_of_the_caller_may_be_added_to():
    y = np.ones(8, np.float32)
    with xt.device("numpy"):
        added(X, y)
        added_atomically(X, y)
    assert (y == 6).all()


@xt.jit(out={"Y": empty}, grid=1)
def stored_then_added(X, Y):
    Y[0:8] = xt.zeros((8,), xt.f32)
    xt.atomic_rmw_tile("add", xt.load_tile(X[0:8]), Y[0:8])


@xt.jit(out={"Y": empty}, grid=1)
def begun_in_the_first_round(X, Y):
    for i in range(0, X.shape[0], 8):
        x = xt.load_tile(X[i : i + 8])
        if i > 0:
            x += xt.load_tile(Y[0:8])
        Y[0:8] = x


@xt.jit(out={"Y": empty}, grid=1)
def earlier_rounds_added(X, Y):
    for i in range(4):
        x = xt.load_tile(X[0:8])
        for _ in range(xt.minimum(i, 1)):
            x += xt.load_tile(Y[0:8])
        Y[0:8] = x


@xt.jit(out={"Y": lambda X: xt.zeros((8,), X.dtype)}, grid=1)
def of_zeros(X, Y):
    xt.atomic_rmw_tile("add", xt.load_tile(X[0:8]), Y[0:8])


@pytest.mark.parametrize(
    "kernel, found", [(stored_then_added, 1), (begun_in_the_first_round, 4), (earlier_rounds_added, 4), (of_zeros, 1)]
)
def test_what_may_be_right_runs(kernel, found):
    with xt.device("numpy"):
        assert (kernel(X) == found).all()


def test_it_is_said_of_a_kernel_from_the_cache(device):
    for _ in range(2):
        fresh = xt.jit(out={"Y": empty}, grid=1)(added.fn)
        with xt.device(device), pytest.raises(CompileError, match="reads its output Y"):
            fresh(X)

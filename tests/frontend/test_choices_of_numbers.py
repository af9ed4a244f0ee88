"""`n or 5` and `n and m` of numbers give one of the two, as in Python, and not a truth."""

import itertools

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError

X = np.arange(1, 9, dtype=np.float32)


@xt.jit(out={"Y": lambda X: xt.empty((12,), xt.f32)}, grid=1)
def chosen(X, n, m, flag, Y):
    Y[0] = (n or 5).to(xt.f32)
    Y[1] = (n and m).to(xt.f32)
    Y[2] = (n or m or 7).to(xt.f32)
    Y[3] = (n or X[2]).to(xt.f32)  # a load, which runs where it must
    Y[4] = (n and X[2]).to(xt.f32)
    Y[5] = (flag and n).to(xt.f32)
    Y[6] = (flag or n).to(xt.f32)
    Y[7] = (n or flag).to(xt.f32)
    Y[8] = (n and 2.5).to(xt.f32)
    Y[9] = (n > 2 and m > 2).to(xt.f32)
    if n or m:
        Y[10] = 1.0
    else:
        Y[10] = 0.0
    Y[11] = 1.0 if n and X[2] and not flag else 0.0


@pytest.mark.parametrize("name", ["numpy", pytest.param("cpu", marks=pytest.mark.device)])
def test_numbers_are_chosen_as_in_python(name):
    with xt.device(name):
        for n, m, flag in itertools.product((0, 3), (0, 4), (False, True)):
            x = 3.0
            wanted = [n or 5, n and m, n or m or 7, n or x, n and x, flag and n, flag or n, n or flag, n and 2.5, n > 2 and m > 2,
                      bool(n or m), bool(n and x and not flag)]  # fmt: skip
            assert chosen(X, n, m, flag).tolist() == [float(w) for w in wanted], (n, m, flag)


@xt.jit(grid=1)
def compared_by_is(X, n):
    three = 3
    if n is three:
        X[0] = 2.0


@xt.jit(grid=1)
def truth_of_an_array(X, B):
    if B:
        X[0] = 2.0


@xt.jit(out={"Y": lambda X: xt.empty((1,), xt.f32)}, grid=1)
def given(X, B, Y):
    Y[0] = 1.0 if B is not None and B.shape[0] > 2 else 0.0


def test_what_would_be_decided_without_a_word():
    with xt.device("numpy"):
        with pytest.raises(CompileError, match="is compares objects, and i32 scalar is known at run time only"):
            compared_by_is(X.copy(), 3)
        with pytest.raises(CompileError, match="an array, which is neither true nor false") as raised:
            truth_of_an_array(X.copy(), X)
        assert "A is not None" in raised.value.hint
        assert [given(X, None)[0], given(X, X)[0], given(X, X[:2])[0]] == [0, 1, 0]

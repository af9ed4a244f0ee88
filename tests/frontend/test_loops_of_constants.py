"""Loops over constants whose bodies need their counters as constants, or change shapes, are unrolled."""

import itertools

import numpy as np
import pytest

import xetile as xt
from tests.language.running import scalars, traced
from xetile.errors import DtypeError


def in_conditions_of_comprehensions(a, b):
    total = 0
    for s in range(3):
        total += sum([a * k for k in range(4) if k <= s]) + sum([b for _ in range(s)])
    return total


def as_a_name_of_a_part(a, b):
    parts = {"n0": a, "n1": b}
    for s in range(2):
        parts[f"n{s}"] += parts[f"n{1 - s}"] ** (s + 1)
    return parts["n0"] * parts["n1"]


def in_plain_python(a, b):
    factors = np.array([3, 5, 7])
    for s in range(3):
        a += b * int(factors[s]) * s.bit_length()
    return a


def in_loops_within_each_other(a, b):
    for s in range(3):
        t = s
        while t < 3:
            a += len([k for k in range(4) if k < s]) * b
            t += 1
    return a


@pytest.mark.parametrize(
    "function", [in_conditions_of_comprehensions, as_a_name_of_a_part, in_plain_python, in_loops_within_each_other], ids=lambda f: f.__name__
)  # fmt: skip
def test_counters_that_are_needed_as_constants(function):
    for a, b in itertools.product((0, 2, 5), (1, 3)):
        assert scalars(xt.jit(function), a, b) == [function(a, b)], (a, b)


def test_values_may_change_shape_in_loops_over_constants():
    @xt.jit(out={"Y": lambda: xt.empty((3,), xt.f32)}, grid=1)
    def kernel(X, Y):
        v, n, details = xt.load_tile(X[0:32]), 32, []
        for _ in range(2):
            v = v[::2] + v[1::2]
        Y[0] = xt.sum(v * v)
        q = xt.reshape(v, (2, 4))
        for s in range(3):
            q = q.T * (s + 1)
        Y[1] = q[3, 0]
        w = xt.load_tile(X[0:32])
        while n > 4:  # nothing takes it for a size
            details.append(xt.sum(w[::2] - w[1::2]))
            w, n = w[::2] + w[1::2], n // 2
        Y[2] = sum(details) + xt.sum(w[0:2])

    x = np.arange(32, dtype=np.float32) ** 2
    v = x.reshape(8, 4).sum(1)
    details = sum((part[::2] - part[1::2]).sum() for part in (x, x.reshape(16, 2).sum(1), v))
    with xt.device("numpy"):
        assert list(kernel(x)) == [(v * v).sum(), v.reshape(2, 4)[0, 3] * 6, details + v.reshape(4, 2).sum(1)[0:2].sum()]


def test_types_that_change_are_told_in_loops_over_constants():
    def kernel(X):
        total = xt.zeros((16,), xt.f16)
        for _ in range(4):
            total = total + xt.load_tile(X[0:16])
        X[0:16] = total

    with pytest.raises(DtypeError, match="total is f16"):
        traced(kernel, X="f32[?]")

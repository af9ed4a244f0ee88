"""`while` loops that constants decide, and whose bodies need constants, are unrolled."""

import itertools

import numpy as np
import pytest

import xetile as xt
from tests.language.running import scalars, traced
from xetile.errors import CompileError


def list_that_grows_while_constants_say(a, b):
    xs, n = [a], 16
    while len(xs) < 4:
        xs.append(xs[-1] * b + n)
        n //= 2
    return xs[3] + sum(xs)


def list_by_a_number_while_constants_say(a, b):
    xs, k, total = [a, b, a + b, 7], 0, 0
    while k < 4:
        total += xs[k] * k if xs[k] > 1 else 5
        if k == 2:
            break
        k += 1
    return total


@pytest.mark.parametrize(
    "function", [list_that_grows_while_constants_say, list_by_a_number_while_constants_say], ids=lambda f: f.__name__
)
def test_means_what_python_means(function):
    for a, b in itertools.product((0, 2, 4, 7), (1, 2, 3)):
        assert scalars(xt.jit(function), a, b, given=xt.index) == [function(a, b)], (a, b)


def test_values_may_shrink_while_constants_say():
    @xt.jit(out={"Y": lambda: xt.empty((3,), xt.f32)}, grid=1)
    def kernel(X, Y):
        v, n, parts = xt.load_tile(X[0:32]), 32, []
        while v.shape[0] > 8:
            parts.append(v[::2])
            v = v[1::2]
        while n > 4:
            n //= 2
            parts[0] = parts[0][0 : n // 2]
        Y[0] = xt.sum(v)
        Y[1] = xt.sum(parts[0])
        Y[2] = xt.sum(parts[1])

    x = np.arange(32, dtype=np.float32)
    with xt.device("numpy"):
        assert list(kernel(x)) == [x[3::4].sum(), x[0:4:2].sum(), x[1::4].sum()]


def test_what_no_constant_ends_is_no_loop_of_constants():
    def kernel(n):
        xs = [n]
        while len(xs) > 0:
            xs.append(n)
        return xs[3]

    with pytest.raises(CompileError, match="this condition never changes"):
        traced(kernel, n="i32")


def test_conditions_that_come_to_an_end_by_what_they_read():
    """A condition may change by memory, by a variable that only some iterations change, and by a break."""

    @xt.jit(out={"Y": lambda: xt.empty((3,), xt.i32)}, grid=1)
    def kernel(X, Y, n):
        Y[0] = 0
        while Y[0] < n:
            Y[0] = Y[0] + 3
        k, i = 0, 0
        while k < n:
            i += 1
            if i % 2 == 0:
                k += 1
        Y[1] = i
        while n > 0:
            i += 1
            if i > X[0]:
                break
        Y[2] = i

    with xt.device("numpy"):
        assert list(kernel(np.full(1, 30, np.int32), n=5)) == [6, 10, 31]

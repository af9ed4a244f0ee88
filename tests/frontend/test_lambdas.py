"""Lambdas in kernels: what their parameters may be, and what is said where they are given others."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.language.running import ops_of
from xetile.errors import CompileError


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=1)
def of_many_parameters(X, Y):
    x = xt.load_tile(X[0:8])
    first = (lambda *values: values[0] + len(values))(x, 2, 3)
    second = (lambda a, *more, scale=2, **named: (a + sum(more)) * scale + named["b"] - named.get("c", 0))(x, 1, 2, b=5)
    Y[0:8] = first + second + (lambda *, k: k)(k=1) + (lambda **named: len(named))() + sum(map(lambda *v: v[0], [x]))


def test_lambdas_take_any_number_of_arguments():
    x = np.arange(8, dtype=np.float32)
    with xt.device("numpy"):
        np.testing.assert_array_equal(of_many_parameters(x), (x + 3) + ((x + 3) * 2 + 5) + 1 + 0 + x)


def test_lambdas_say_what_they_take():
    def given_few(a):
        return (lambda x, y: x + y)(a)

    def given_many(a):
        return (lambda x, y: x + y)(a, 2, 3)

    def given_twice(a):
        return (lambda x, y: x + y)(a, x=2)

    def given_another(a):
        return (lambda x, y: x + y)(a, z=2)

    def given_none(a):
        return (lambda x, y, *more: x + y)(a)

    for function, given in ((given_few, "1 by place"), (given_many, "3 by place"), (given_twice, "1 by place and x by name"),
                            (given_another, "1 by place and z by name")):  # fmt: skip
        with pytest.raises(CompileError, match=f"the lambda takes x, y; it is given {given}"):
            ops_of(function, a="i32")
    with pytest.raises(CompileError, match="the lambda takes x, y, more; it is given 1 by place"):
        ops_of(given_none, a="i32")

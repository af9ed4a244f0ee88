"""Lambdas in kernels: what their parameters may be, and what is said where they are given others."""

from __future__ import annotations

import pytest

from tests.language.running import ops_of
from xetile.errors import CompileError


def test_lambdas_name_their_parameters():
    def kernel(a):
        return (lambda *x: x[0])(a)

    with pytest.raises(CompileError, match=r"this lambda has \* parameters"):
        ops_of(kernel, a="i32")


def test_lambdas_say_what_they_take():
    def given_few(a):
        return (lambda x, y: x + y)(a)

    def given_many(a):
        return (lambda x, y: x + y)(a, 2, 3)

    def given_twice(a):
        return (lambda x, y: x + y)(a, x=2)

    def given_another(a):
        return (lambda x, y: x + y)(a, z=2)

    for function, given in ((given_few, "1 by place"), (given_many, "3 by place"), (given_twice, "1 by place and x by name"),
                            (given_another, "1 by place and z by name")):  # fmt: skip
        with pytest.raises(CompileError, match=f"the lambda takes x, y; it is given {given}"):
            ops_of(function, a="i32")

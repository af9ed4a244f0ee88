"""Variables that a loop gives their first value, which is read after it: where the loop runs once at least, they have one."""

import pytest

import xetile as xt
from tests.frontend.test_control_flow import PAIRS
from tests.language.running import scalars


def first_value_in_a_loop_without_end(a, b):
    n = 0
    while True:
        n += 1
        x = a * n
        if x > b or n > 4:
            how = n * 2
            break
        y = x  # noqa: F841
        if x == b:
            how = -1
            break
    return x * 100 + how


def first_value_in_a_loop_of_constants(a, b):
    for i in range(4):
        while True:
            x = a * i + 1
            if x > b or i > 7:
                break
            i += 2
        if x > 3:
            y = x + i
            continue
        y = b
    return x * 100 + y


def first_value_before_a_break(a, b):
    for i in range(5):
        x = a * i
        if x > b:
            y = i
            break
        y = -x
    return x * 100 + y


def first_value_in_a_function_that_returns_from_its_loop(a, b):
    def found(n):
        while True:
            x = a + n
            if x % 3 == 1:
                return x * 10
            n += 1
            if n > b + 5:
                break
        return x

    return found(0) * 100 + found(b)


FUNCTIONS = [
    first_value_in_a_loop_without_end, first_value_in_a_loop_of_constants, first_value_before_a_break,
    first_value_in_a_function_that_returns_from_its_loop,
]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_means_what_python_means(function):
    for a, b in PAIRS:
        assert scalars(xt.jit(function), a, b) == [function(a, b)], (a, b)

"""Tuples and dictionaries of numbers mean in kernels what they mean in Python."""

import itertools

import pytest

import xetile as xt
from tests.language.running import scalars


def compared(a, b):
    same = (a, 3, b) == (b, 3, a)
    n = 0
    if (a, (b, 2)) == (2, (3, 2)):
        n = 1
    if (a, b) != (2, 3):
        n += 2
    if (a, b) == (a, b, 1):
        n += 4
    return n, 1 if same else 0, 1 if (a,) != (a, b) else 0


def dictionary_comprehension(a, b):
    table = {(i, j): a * i + b * j for i in range(3) for j in (1, 5) if i != j}
    return table[2, 1], table[1, 5], len(table)


@pytest.mark.parametrize("function", [compared, dictionary_comprehension], ids=lambda f: f.__name__)
def test_means_what_python_means(function):
    for a, b in itertools.product((2, 3, 7), (2, 3)):
        assert scalars(xt.jit(function), a, b, n=3, given=xt.index) == list(function(a, b)), (a, b)

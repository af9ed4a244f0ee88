"""Tuples and dictionaries of numbers mean in kernels what they mean in Python."""

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import xetile as xt
from tests.language.running import scalars
from xetile.errors import CompileError


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


class Softmax(NamedTuple):
    """What an online softmax carries."""

    largest: Any
    total: Any


@dataclass(frozen=True)
class Frozen:
    """The same as a dataclass that cannot be assigned to."""

    largest: Any
    total: Any


@dataclass(slots=True)
class Slots:
    """The same with another default, in slots."""

    largest: Any
    total: Any = None


class Plain:
    """The same as an object of which nothing is known."""

    def __init__(self, largest, total):
        self.largest, self.total = largest, total


@xt.jit(out={"Y": lambda X: xt.empty((X.shape[0], 1), xt.f32)}, grid=1)
def online(X, Y, few, KIND: xt.constexpr = Softmax):
    state = KIND(xt.full((8, 1), float("-inf")), xt.zeros((8, 1)))
    for n in range(0, X.shape[1], 16):
        x = xt.load_tile(X[0:8, n : n + 16], padding=float("-inf"))
        new = xt.maximum(state.largest, xt.max(x, axis=1))
        state = KIND(new, state.total * xt.exp(state.largest - new) + xt.sum(xt.exp(x - new), axis=1))
    if few:
        state = KIND(state.largest, state.total * 2)
    Y[0:8, 0:1] = state.largest + xt.log(state.total)


@pytest.mark.parametrize("kind", [Softmax, Frozen, Slots])
@pytest.mark.parametrize("few", [False, True])
def test_loops_and_branches_carry_named_tuples_and_dataclasses(few, kind):
    x = np.random.default_rng(0).standard_normal((8, 40)).astype(np.float32)
    expected = np.log(np.exp(x.astype(np.float64)).sum(1, keepdims=True) * (1 + few))
    with xt.device("numpy"):
        np.testing.assert_allclose(online(x, few=few, KIND=kind), expected, rtol=1e-5)


def test_other_objects_are_refused_with_what_to_write():
    with xt.device("numpy"), pytest.raises(CompileError) as found:
        online(np.ones((8, 40), np.float32), few=True, KIND=Plain)
    assert "typing.NamedTuple" in found.value.hint

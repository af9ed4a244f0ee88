"""Expressions drawn at random give the same bits by numpy, on the numpy device, at every level and on the CPU."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests import tools
from tests.generators.close import CLOSE
from tests.generators.expressions import Expressions, computed, expressions, names
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device


@pytest.fixture(autouse=True)
def cpu() -> None:
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))


@pytest.mark.every(12, 8)
@pytest.mark.parametrize("seed", range(12))
def test_expressions_have_one_value(seed):
    expressions(Random(seed)).check()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_many_expressions_have_one_value(seed):
    expressions(Random(seed)).check()


def test_only_last_bits_of_functions_may_differ():
    """Where another part is chosen, all bits are told; where a function is, so many as its error has, and its factor of two."""
    made = Expressions((), 3, "pvc")
    inputs, x = made.inputs(), ("in", "f32", 0)
    node = ("where", "f32", ("in", "bool", 0), ("*", "f32", ("tanh", "f32", x), ("number", "f32", 2.0)), x)
    with np.errstate(all="ignore"):
        right = computed(node, inputs)
        unit = np.spacing(right)
    chosen, whole = inputs["bool"][0], np.isfinite(right) & (np.abs(right) > 0.5)
    for units, near in ((4, chosen & whole), (12, np.zeros_like(chosen))):
        other = right + units * unit
        found = made.is_near(node, right, other, inputs) & whole
        assert (found == near).all() and whole.any()
    assert not np.any(made.is_near(("+", "f32", x, x), right, right + unit, inputs))


def test_some_expressions_end_in_each_function():
    programs = [expressions(Random(seed)).program for seed in range(30)]
    found = [names(node) & set(CLOSE) for program in programs for node in program]
    assert 0.1 < sum(map(bool, found)) / len(found) < 0.4 and set().union(*found) == set(CLOSE)

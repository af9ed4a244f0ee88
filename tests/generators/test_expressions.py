"""Expressions drawn at random give the same bits by numpy, on the numpy device, at every level and on the CPU."""

from __future__ import annotations

from random import Random

import pytest

from tests import tools
from tests.generators.expressions import expressions
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

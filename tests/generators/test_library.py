"""Random calls of the library do what numpy does (`library`)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import xetile as xt
from tests.generators.library import Call, LibraryCase, Operand, library

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


@pytest.mark.every(40, 2)
@pytest.mark.parametrize("name", ["numpy", "cpu"])
@pytest.mark.parametrize("seed", range(80))
def test_calls(seed, name):
    case = replace(library(Random(seed)), device=name)
    try:
        case.check()
    except Exception as error:
        raise AssertionError(f"seed {seed}: {case.describe()}: {error}") from error


@pytest.mark.parametrize("out", ["", "sliced"])
def test_the_check_fails_where_it_should(out, monkeypatch):
    case = LibraryCase("numpy", (Call("cumsum", (Operand("backwards", (7, 9), "f32", (0, 4)),), (("axis", 1),), out),), 0)
    case.check()
    right = xt.ops.cumsum
    monkeypatch.setattr(xt.ops, "cumsum", lambda x, axis, **kwargs: np.add(made := right(x, axis, **kwargs), x, out=made))
    with pytest.raises(AssertionError, match="off by"):
        case.check()

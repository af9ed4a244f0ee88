"""Operands of products drawn at random give what numpy gives, on the numpy device, at every level and on the CPU."""

from __future__ import annotations

from random import Random

import pytest

from tests.generators.operands import Operands, operands

pytestmark = pytest.mark.device


@pytest.mark.every(40, 1)
@pytest.mark.parametrize("first", range(0, 80, 2))
def test_operands_have_one_value(first):
    for seed in (first, first + 1):
        case = operands(Random(seed))
        try:
            case.check()
        except Exception as error:
            raise AssertionError(f"seed {seed}: {case.describe()}: {error}") from error


def test_the_check_fails_where_it_should(monkeypatch):
    case = operands(Random(3))
    _, (first, second) = case.arrays()
    monkeypatch.setattr(Operands, "results", lambda self, given: [("nowhere", (first + 1, second))])
    with pytest.raises(AssertionError, match="nowhere"):
        case.check()

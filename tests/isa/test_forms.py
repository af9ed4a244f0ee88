"""The form in which people write the loop of a product makes no difference to its machine code."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks.isa_cases import Case
from tests.isa.test_counts import counts
from tests.kernels.product_forms import FORMS

TYPES = ("f16[?,?]", "f16[?,?]", "f32[?,?]")
# dg2 stages operands of a branch, too; what it makes is moved there in words besides.
PAIRS = [(name, target) for name in FORMS for target in ("pvc", "bmg", "dg2") if (name, target) != ("on_a_condition", "dg2")]


@cache
def step(name, target):
    case = Case(name, FORMS[name], TYPES, {"BN": 128} if target == "dg2" else {}, 32, step_dpas=32)
    found, each = counts(case, target)
    assert found.whole.scratch == found.kernel.spill_size == 0
    return each


@pytest.mark.every(24, 12)
@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_forms_cost_the_same(name, target):
    """As many messages, prefetches among them; a branch takes three instructions of its own, a counter of steps a shift and a sum."""
    best, found = step("moved", target), step(name, target)
    assert (found.loads, found["prefetch"], found.slm) == (best.loads, best["prefetch"], best.slm)
    assert found.total <= best.total + (3 if name == "on_a_condition" else 2)

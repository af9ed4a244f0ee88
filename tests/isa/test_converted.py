"""Products whose operands are converted in each step: subgroups share the work so that few convert the same numbers."""

from __future__ import annotations

import pytest

from benchmarks.isa_cases import Case
from tests.isa.test_counts import counts
from tests.kernels.converted import TYPES

# Instructions of a step of 32 (64 of int8), and the share of dpas in them.
BARS = {
    "int8, scales of rows and columns": {"pvc": 53, "bmg": 48},
    "weights i8": {"pvc": 98, "bmg": 93},
    "weights u8": {"pvc": 98, "bmg": 93},
    "weights f8e5m2": {"pvc": 82, "bmg": 78},
    "weights f8e4m3": {"pvc": 99, "bmg": 94},
    "weights u8, zero points": {"pvc": 114, "bmg": 110},
    "f32 as bf16": {"pvc": 258, "bmg": 246},
}


@pytest.mark.covering
@pytest.mark.every(6, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", BARS)
def test_steps(name, target):
    kernel, types = TYPES[name]
    found, step = counts(Case(name, kernel, types, step_dpas=32), target)
    assert found.whole.scratch == found.kernel.spill_size == 0
    assert step.total <= BARS[name][target]

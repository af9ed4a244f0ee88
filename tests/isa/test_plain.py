"""Kernels in their plainest form: instructions, no scratch, nothing announced that is not so."""

from __future__ import annotations

import pytest

from tests.kernels.test_plain import CASES
from tests.tools import isa_counts, ocloc_compile
from xetile.target import get_target

PAIRS = [(name, target) for name, case in CASES.items() for target in case.bars]


@pytest.mark.covering
@pytest.mark.every(216)
@pytest.mark.parametrize(("name", "target"), PAIRS)
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_machine_code(name, target):
    case = CASES[name]
    compiled = case.kernel.compile(*case.types, target=target, **case.constants)
    device = get_target(target).ocloc_device or target
    found = isa_counts(ocloc_compile(compiled.spirv, device, compiled.build_options), device)
    assert found.whole.scratch == found.kernel.spill_size == 0
    assert (found.hot.counts if found.hot is not None else found.whole).total <= case.bars[target]


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_fast_math_is_no_slower(target):
    """Scores go to maxima and to sums: a product that is computed anyway is joined with no sum."""
    case = CASES["attention"]
    compiled = case.kernel.compile(*case.types, target=target, fast_math=True)
    found = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert found.whole.scratch == 0
    assert found.hot.counts.total <= case.bars[target]

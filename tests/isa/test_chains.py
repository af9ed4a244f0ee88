"""Quotients and functions of a tile's elements: one vector after the other, so that the steps of few are live at one time."""

from __future__ import annotations

import pytest

from tests.kernels.plain_variants import CASES
from tests.tools import isa_counts, ocloc_compile


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize(("target", "bar", "scratch"), [("pvc", 935, 0), ("bmg", 902, 0)])
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_quotients_and_tanh_between_products(target, bar, scratch):
    """Of which none is left but a number's: op by op over all vectors the loop took 4653 and 4217 instructions, and spilled."""
    case = CASES["attention, softcap"]
    compiled = case.kernel.compile(*case.types, target=target)
    found = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert found.hot is not None
    assert found.hot.counts.total <= bar
    assert found.whole.scratch <= scratch

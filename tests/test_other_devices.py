"""Under --on, a module that was made for another target is a skip with the reason, and nothing else is."""

from __future__ import annotations

import pytest

from tests.conftest import skip_if_lacking
from xetile.errors import BuildError

LACK = "xegpu.load_nd: dg2 has no block messages"


@pytest.mark.parametrize("error, printed", [
    (BuildError(LACK), []),
    (AssertionError(f"lane run it; cpu: {LACK}\n  hint: use xegpu.load"), []),
    (AssertionError("assert 1 == 0"), [f"UncoveredError: {LACK}\n  hint: use xegpu.load"]),
], ids=["raised", "asserted", "printed"])  # fmt: skip
def test_what_a_target_lacks_is_a_skip_with_the_reason(error, printed):
    with pytest.raises(pytest.skip.Exception, match="dg2 has no block messages"):
        skip_if_lacking(error, printed)


@pytest.mark.parametrize("error, printed", [
    (AssertionError("assert 1 == 0"), []),
    (AssertionError("A: 3 of 8 differ between lane and cpu"), ["TypeError: no such value"]),
    (AssertionError("assert 1 == 0"), [f"UncoveredError: {LACK}", "error: another command's, later"]),
    (BuildError("a wrong module"), [LACK]),
], ids=["nothing told", "wrong numbers", "an earlier command", "another error"])  # fmt: skip
def test_other_failures_stay_failures(error, printed):
    skip_if_lacking(error, printed)

"""Random flows of values (`flows`)."""

from __future__ import annotations

import pytest

from tests.generators.flows import flows
from tests.generators.program import check_levels


@pytest.mark.parametrize("first", [0, 4])
def test_levels_agree_with_plain_python(first):
    check_levels(flows, range(first, first + 4))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 5))
def test_levels_agree_with_plain_python_on_more(first):
    check_levels(flows, range(first, first + 5))

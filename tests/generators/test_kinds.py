"""Random flows of values in other dtypes than f32, with maps and several axes of programs (`kinds`)."""

from __future__ import annotations

import pytest

from tests.generators.kinds import kinds
from tests.generators.program import check_levels


@pytest.mark.parametrize("first", [0, 2])
def test_levels_agree_with_plain_python(first):
    check_levels(kinds, range(first, first + 2))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 5))
def test_levels_agree_with_plain_python_on_more(first):
    check_levels(kinds, range(first, first + 5))

"""Random places of gathers and scatters (`places`) give what plain Python gives, at every level and for launches of all sizes."""

from __future__ import annotations

import pytest

from tests.generators.places import places
from tests.generators.program import check_levels
from xetile.passes.analysis.hidden_lines import HiddenLines
from xetile.passes.analysis.index_ranges.reader import Reader


@pytest.mark.parametrize("first", [0, 5])
def test_levels_agree_with_plain_python(first):
    check_levels(places, range(first, first + 5))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 400, 10))
def test_levels_agree_with_plain_python_on_more(first):
    check_levels(places, range(first, first + 10))


@pytest.mark.parametrize(("seed", "kind", "method", "answer"), [
    (30, HiddenLines, "hide", True),
    (0, Reader, "must_be_same", None),
    (116, Reader, "must_be_natural", None),
])  # fmt: skip
def test_what_is_taken_for_granted_and_is_not_so_is_found(monkeypatch, seed, kind, method, answer):
    monkeypatch.setattr(kind, method, lambda *given: answer)
    with pytest.raises(AssertionError, match="at level"):
        check_levels(places, range(seed, seed + 1))

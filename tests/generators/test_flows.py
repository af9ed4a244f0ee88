"""Random flows of values (`flows`)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.generators.flows import flows


@pytest.mark.parametrize("first", [0, 4])
def test_levels_agree_with_plain_python(first):
    _check(range(first, first + 4))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 5))
def test_levels_agree_with_plain_python_on_more(first):
    _check(range(first, first + 5))


def _check(seeds: range) -> None:
    for seed in seeds:
        try:
            replace(flows(Random(seed)), way="").check()
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error

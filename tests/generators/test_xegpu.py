"""Random XeGPU modules mean the same at every level and on the CPU device."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests import tools
from tests.generators.xegpu import generate
from tests.mlir.everywhere import generic_forms

SMALL = 128
"""Elements that a subgroup holds of a value: as few as make every op."""


@pytest.fixture(autouse=True, scope="module")
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.mark.every(3)
@pytest.mark.parametrize("first", range(0, 180, 30))
def test_small_random_modules_mean_the_same_at_every_level(first):
    cases = [generate(Random(seed), SMALL) for seed in range(first, first + 30)]
    for case, generic in zip(cases, generic_forms([case.text for case in cases]), strict=True):
        try:
            replace(case, text=generic, cpu=False).check()
        except Exception as error:
            raise AssertionError(f"{error}\n{case.describe()}") from error


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("seed", range(6))
def test_small_random_modules_mean_the_same_on_the_cpu(seed):
    replace(generate(Random(seed), SMALL), cpu=True).check()


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.parametrize("seed", range(1000))
def test_random_modules_mean_the_same_everywhere(seed):
    generate(Random(seed)).check()

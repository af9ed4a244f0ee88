"""Random XeGPU modules mean the same at every level and on the CPU device."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from tests import tools
from tests.generators.generic import generic
from tests.generators.xegpu import generate
from tests.mlir.everywhere import generic_forms
from xetile import mlir
from xetile.ir.printer import print_op

SMALL = 128
"""Elements that a subgroup holds of a value: as few as make every op."""


VALUE = re.compile(r"%\w+")


def _renamed(text):
    """With values named by their order: mlir-opt gives them names of its own."""
    seen = {}
    return VALUE.sub(lambda name: seen.setdefault(name[0], f"%{len(seen)}"), text)


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("elements", [SMALL, 1024])
def test_the_generic_form_is_what_mlir_opt_makes_of_the_text(elements):
    tools.require_tool("mlir-opt")
    cases = [generate(Random(seed), elements) for seed in range(60)]
    for case, expected in zip(cases, generic_forms([case.text for case in cases]), strict=True):
        ours, theirs = (_renamed(print_op(mlir.parse(text, "generic"))) for text in (generic(case.text), expected))
        assert ours == theirs, case.describe()


@pytest.mark.every(6)
@pytest.mark.parametrize("first", range(0, 180, 30))
def test_small_random_modules_mean_the_same_at_every_level(first):
    for case in [generate(Random(seed), SMALL) for seed in range(first, first + 30)]:
        try:
            replace(case, cpu=False).check()
        except Exception as error:
            raise AssertionError(f"{error}\n{case.describe()}") from error


@pytest.mark.every(5, 4)
@pytest.mark.device
@pytest.mark.parametrize("seed", range(6))
def test_small_random_modules_mean_the_same_on_the_cpu(seed):
    replace(generate(Random(seed), SMALL), cpu=True).check()


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.parametrize("seed", range(1000))
def test_random_modules_mean_the_same_everywhere(seed):
    generate(Random(seed)).check()

"""Random XeGPU modules mean the same at every level and on the CPU device.

Seeds are what the command line counts by; hypothesis draws the same programs, and shrinks what fails.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import tools
from tests.generators.xegpu import generate

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True, scope="module")
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@given(st.randoms(use_true_random=False))
def test_a_random_module_means_the_same_everywhere(random):
    generate(random).check()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000))
def test_more_random_modules_mean_the_same_everywhere(seed):
    generate(Random(seed)).check()

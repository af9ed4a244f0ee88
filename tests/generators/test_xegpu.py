"""Random XeGPU modules mean the same at every level and on the CPU device."""

from __future__ import annotations

from random import Random

import pytest

from tests import tools
from tests.generators.xegpu import generate

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.mark.parametrize("seed", range(40))
def test_a_random_module_means_the_same_everywhere(seed):
    generate(Random(seed)).check()

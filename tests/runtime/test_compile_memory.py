"""What a compilation holds when it is over."""

import gc

import pytest

from benchmarks.isa_cases import CASES
from xetile.dialects.gpu import GpuFunc
from xetile.ops.kernels.matmul import matmul
from xetile.runtime import compiler, settings


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _kernels():
    return sum(type(found) is GpuFunc for found in gc.get_objects())


def test_levels_that_nobody_needs_are_freed_without_the_collector_of_cycles(no_collector):
    with settings.override(cache=False):
        matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", BM=64, BN=64, num_subgroups=4).spirv
        before = _kernels()
        for bm in (64, 128):
            matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", BM=bm, BN=64, num_subgroups=4).spirv
    assert _kernels() == before


LEFT = {"matmul f16": 200, "attention D=64": 2000}
"""Objects that are new after a compilation; a module of any level would be thousands."""


@pytest.mark.covering
@pytest.mark.parametrize("ask", [compiler.build, compiler.estimate], ids=lambda ask: ask.__name__)
@pytest.mark.parametrize("name", LEFT)
def test_hardly_anything_is_left_for_the_collector_of_cycles(ask, name):
    """It looks at all that is new once it may run again."""
    request = next(case for case in CASES if case.name == name).compile("pvc").request
    for _ in range(2):  # tables of what has been found out are filled first
        ask(request)
    gc.collect()
    gc.disable()
    try:
        ask(request)
        left = len(gc.get_objects(generation=0))
    finally:
        gc.enable()
    assert left < LEFT[name]

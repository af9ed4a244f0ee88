"""What a compilation holds when it is over."""

import gc

import pytest

from xetile.dialects.gpu import GpuFunc
from xetile.ops.kernels.matmul import matmul
from xetile.runtime import settings


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _kernels():
    return sum(type(found) is GpuFunc for found in gc.get_objects())


def test_levels_that_nobody_needs_are_freed_without_the_collector_of_cycles(no_collector):
    """All but the kernel at lane level, of which the estimate may be asked for next."""
    with settings.override(cache=False):
        matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", BM=64, BN=64, num_subgroups=4).spirv
        before = _kernels()
        for bm in (64, 128):
            matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", BM=bm, BN=64, num_subgroups=4).spirv
    assert _kernels() == before

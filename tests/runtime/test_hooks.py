"""Hooks: who listens is told of compiles and launches."""

import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import matmul
from xetile.errors import XetileError
from xetile.runtime import hooks

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


@pytest.fixture(autouse=True)
def on_device(device):
    with xt.device(device):
        yield


def f32(*shape):
    return np.ones(shape, np.float32)


def test_hooks_see_compiles_and_launches(device):
    @xt.jit(grid=1, num_subgroups=1)
    def kernel(Y):
        xt.store_tile(xt.full((1, 16), 1.0, xt.f32), xt.init_tile(Y, (0, 0), (1, 16)))

    seen = []
    names = ("before_compile", "after_compile", "before_launch", "after_launch")
    with hooks.added(**{name: lambda event, name=name: seen.append((name, event)) for name in names}):
        kernel(f32(1, 16))
        kernel(f32(1, 16))
        kernel.bind(f32(1, 16))()
    kernel(f32(1, 16))
    assert [name for name, _ in seen] == [*names[:2], *names[2:] * 3]
    compiled = seen[1][1]
    assert (compiled.kernel, compiled.signature, compiled.source) == ("kernel", "Y: f32[?,?]", "compiled")
    assert seen[2][1].grid == (1, 1, 1)


def test_hooks_see_failed_compiles(device):
    seen = []
    with hooks.added(after_compile=seen.append), pytest.raises(XetileError):
        matmul(f32(4), f32(4, 4), f32(4, 4))
    assert isinstance(seen[-1].error, XetileError)
    with pytest.raises(XetileError, match="no hook"):
        hooks.add("before_lunch", seen.append)

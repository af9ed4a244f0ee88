"""What a driver is given has a bound: a module that is absurdly large would keep it busy for hours."""

import warnings

import numpy as np
import pytest

import xetile as xt
from benchmarks.kernels.steps import steps
from tests.runtime.sample import scale
from xetile.errors import ResourceError
from xetile.runtime import loading, settings
from xetile.runtime.jit import Kernel

X, Y = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)


def fresh() -> Kernel:
    return Kernel(steps.fn, {}, 1, 1)


@pytest.mark.device
def test_a_module_that_is_too_large_is_refused_before_the_driver_sees_it(cpu):
    builds = xt.stats().builds
    with (
        xt.device(cpu),
        settings.override(code_size=2048),
        pytest.raises(ResourceError, match=r"is \d+ KiB of SPIR-V; .* at most 2"),
    ):
        fresh()(X, Y, N=20)
    assert xt.stats().builds == builds


@pytest.mark.device
def test_a_large_one_warns_with_its_size_and_the_fix(cpu, monkeypatch):
    monkeypatch.setattr(loading, "LARGE", 2048)
    with xt.device(cpu), pytest.warns(loading.CodeSizeWarning, match=r"\d KiB of SPIR-V.*range instead of static_range"):
        fresh()(X, Y, N=20)


@pytest.mark.device
def test_others_are_built_without_a_word(cpu):
    with xt.device(cpu), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (Kernel(scale.fn, scale.head.out, scale.head.grid, 1)(X, alpha=2.0) == 2).all()

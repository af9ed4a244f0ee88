"""What a driver is given has a bound: a module that is absurdly large would keep it busy for hours."""

import warnings

import numpy as np
import pytest

import xetile as xt
from benchmarks.kernels.steps import steps
from tests.generators.generic import generic
from tests.mlir.everywhere import left_by, parser
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


TURNED = """gpu.module @m {
  gpu.func @turned(%A: memref<16x32xi8>, %R: memref<64x8xi8>) kernel attributes {xetile.level = "subgroup"} {
    %c0 = arith.constant 0 : index
    %a = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<16x32xi8> -> !xegpu.tensor_desc<16x32xi8>
    %x = xegpu.load_nd %a : !xegpu.tensor_desc<16x32xi8> -> vector<16x32xi8>
    %y = vector.shape_cast %x : vector<16x32xi8> to vector<2x8x32xi8>
    %z = vector.transpose %y, [0, 2, 1] : vector<2x8x32xi8> to vector<2x32x8xi8>
    %w = vector.shape_cast %z : vector<2x32x8xi8> to vector<64x8xi8>
    %r = xegpu.create_nd_tdesc %R[%c0, %c0] : memref<64x8xi8> -> !xegpu.tensor_desc<64x8xi8>
    xegpu.store_nd %w, %r : vector<64x8xi8>, !xegpu.tensor_desc<64x8xi8>
    gpu.return
  }
}
"""
"""Lanes exchange all elements; bytes one by one, where words are moved between registers."""


@pytest.mark.device
def test_many_shuffles_warn_with_their_number_and_the_fix(cpu, monkeypatch):
    module = parser(generic(TURNED))
    left_by(module(), cpu, (1,), {})  # without a word
    monkeypatch.setattr(loading, "MANY_SHUFFLES", 16)
    found = pytest.warns(loading.CodeSizeWarning, match=r"turned has \d+ shuffles.*: use smaller tiles")
    with found, settings.override(cache=False):  # nothing is built that lies in the cache
        left_by(module(), cpu, (1,), {})


@pytest.mark.device
def test_others_are_built_without_a_word(cpu):
    with xt.device(cpu), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (Kernel(scale.fn, scale.head.out, scale.head.grid, 1)(X, alpha=2.0) == 2).all()

"""Vectors that are told apart from more others than a number has digits: zeros shifted by so many are undefined."""

import warnings

import numpy as np
import pytest
from xetile.backends.spirv.verify.verify import problems

import xetile as xt
from xetile.runtime.settings import override


@xt.jit(grid=(1,), num_subgroups=1)
def either(A, Y, a, TYPE: xt.constexpr):
    """One number in as many vectors as the tile has blocks, or as many vectors of an array."""
    tile = xt.zeros((40, 64), TYPE) + xt.cast(a + 1, TYPE)
    if a < 2:
        tile = xt.load_tile(xt.init_tile(A, (0, 3), (40, 64)))
    xt.store_tile(tile, xt.init_tile(Y, (0, 0), (40, 64)))


@pytest.mark.device
@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["dg2", "pvc"])
@pytest.mark.parametrize(("kind", "name"), [(np.float32, "f32"), (np.int16, "i16")])
def test_one_number_in_forty_vectors(target, kind, name):
    array = np.random.default_rng(0).integers(-9, 9, (48, 128)).astype(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # registers are short, which is not the point
        compiled = either.compile(f"{name}[?,?]", f"{name}[?,?]", "i32", target=target, TYPE=getattr(xt, name))
        assert not [each for each in problems(compiled.spirv) if "shifted" in each.message]
        for number in (1, 3):
            found = np.zeros((40, 64), kind)
            with override(cpu="emulate"), xt.device("cpu"):
                either(array, found, number, getattr(xt, name), target=target)
            np.testing.assert_array_equal(found, array[:40, 3:67] if number < 2 else np.full_like(found, 4))

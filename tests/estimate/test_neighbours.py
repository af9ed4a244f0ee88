"""Kernels of messages of single lanes: with the number of subgroups that is chosen nothing is spilled, with fewer it is told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xetile as xt
from tests.estimate.test_registers import report
from tests.kernels.plain_neighbours import bitonic, gravity, life
from xetile.runtime.specialize import SpillWarning

U8, F32, ROW = "u8[?,?]", "f32[?,?]", "f32[?]"
KERNELS = {
    "life": (life, (U8, U8, "i32")),
    "bitonic": (bitonic, (F32, F32)),
    "gravity": (gravity, (F32, ROW, F32, "f32")),
}
LARGER = {"life": {"N": 128}, "bitonic": {"N": 1024, "LOG": 10}, "gravity": {"B": 128}}
FEW = {"life": 2, "bitonic": 1, "gravity": 4}


def compiled(name, target, **options):
    """The kernel, and whether a spill was announced."""
    kernel, types = KERNELS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = kernel.compile(*types, target=target, **options)
    return found, any(issubclass(warning.category, SpillWarning) for warning in caught)


@pytest.mark.every(3)
@pytest.mark.parametrize("target", ["pvc", pytest.param("bmg", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", KERNELS)
def test_nothing_spills_with_the_number_of_subgroups_that_is_chosen(name, target):
    found, announced = compiled(name, target)
    assert not announced
    assert report(found).spill_bytes == 0


@pytest.mark.every(3, 2)
@pytest.mark.parametrize("name", KERNELS)
def test_nor_of_larger_tiles(name):
    found, announced = compiled(name, "pvc", **LARGER[name])
    assert not announced
    assert report(found).spill_bytes == 0


@pytest.mark.every(3)
@pytest.mark.parametrize("target", ["pvc", pytest.param("bmg", marks=pytest.mark.slow)])
# Without assembly IGC orders the differences of gravity so that 176 registers hold what the estimate counts as 284.
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.xfail(raises=AssertionError, strict=True)] * (name == "gravity"))
                                  for name in KERNELS])  # fmt: skip
def test_a_spill_is_announced_where_the_number_is_given(name, target):
    found, announced = compiled(name, target, num_subgroups=FEW[name])
    assert announced == (report(found).spill_bytes > 0)


@pytest.mark.parametrize("device", ["numpy", pytest.param("cpu", marks=pytest.mark.slow)])
def test_they_are_right(device):
    rng = np.random.default_rng(3)
    cells = (rng.random((64, 64)) < 0.4).astype(np.uint8)
    near = sum(np.roll(cells, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1)) - cells
    after, x = np.zeros_like(cells), rng.standard_normal((2, 256), np.float32)
    places, masses = rng.standard_normal((3, 100), np.float32), rng.random(100, np.float32)
    apart = places[:, None, :].astype(float) - places[:, :, None]
    force, sums = np.zeros_like(places), (masses * apart / ((apart**2).sum(0) + 0.01) ** 1.5).sum(2)
    ordered = np.zeros_like(x)
    with xt.device(device):
        life(cells, after, 1)
        bitonic(x, ordered)
        gravity(places, masses, force, 0.01)
    np.testing.assert_array_equal(after, (near == 3) | ((cells == 1) & (near == 2)))
    np.testing.assert_array_equal(ordered, np.sort(x, axis=1))
    np.testing.assert_allclose(force, sums, rtol=2e-4, atol=2e-4)

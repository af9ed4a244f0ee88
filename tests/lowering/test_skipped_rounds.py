"""Rounds of a loop that a condition skips: what is carried stays as it is, and the loop that looks for the next one carries nothing."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.tools import isa_counts, ocloc_compile
from xetile.dialects import scf
from xetile.runtime.compiler import lowered


@xt.jit(grid=(1,))
def fading(A, B, Taken, Y):
    """Y = Y / 2 + A[i] @ B[i] for each i that is taken."""
    acc = xt.zeros((16, 32), xt.f32)
    for i in range(Taken.shape[0]):
        if Taken[i] > 0:
            a = xt.load_tile(xt.init_tile(A[i], (0, 0), (16, 16)))
            acc = acc * 0.5 + a @ xt.load_tile(xt.init_tile(B[i], (0, 0), (16, 32)))
    xt.store_tile(acc, xt.init_tile(Y, (0, 0), (16, 32)))


@pytest.mark.every(8, 2)
@pytest.mark.parametrize("taken", ["0", "1", "000", "100", "010", "001", "101", "111"])
def test_only_rounds_that_are_taken_change_what_is_carried(device, taken):
    a, b = (np.random.default_rng(i).integers(-3, 4, (len(taken), 16, n)).astype(np.float16) for i, n in enumerate((16, 32)))
    y, expected = np.ones((16, 32), np.float32), np.zeros((16, 32))
    for i, one in enumerate(taken):
        expected = expected / 2 + a[i].astype(np.float64) @ b[i] if one == "1" else expected
    with xt.device(device):
        fading(a, b, np.array(list(taken), np.int32), y)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_sums_stay_in_the_registers_of_products(target):
    """Carried through a branch, each of their registers would be moved, and 145 instructions would be a round."""
    kernel = fading.compile("f16[?,?,?;free]", "f16[?,?,?;free]", "i32[?]", "f32[?,?]", target=target)
    (loop,) = [op for op in lowered(kernel.request).walk() if isinstance(op, scf.For)]
    assert loop.decides is not None
    found = isa_counts(ocloc_compile(kernel.spirv, target, kernel.build_options), target)
    assert found.whole.scratch == 0
    assert found.hot.counts.total <= 106

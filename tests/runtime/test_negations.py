"""Negations that live across a barrier: the CPU's driver keeps one subgroup's for all of them (`emulate_negations`)."""

import numpy as np
import pytest
from xetile.backends.spirv.finished.emulate import emulate

import xetile as xt
from xetile.runtime.settings import override


@xt.jit(grid=(1,))
def negated(A, Y):
    """Four ways to write -u; the least of v is made through shared memory, behind a barrier."""
    u, v = xt.load_tile(A[0:16, 0:16]), xt.load_tile(A[0:16, 16:32])
    ways = (-u, u * -1, u / -1, -0.0 - u)
    least = xt.min(v, 0)
    for i in xt.static_range(len(ways)):
        xt.store_tile(ways[i], Y[16 * i : 16 * i + 16, 0:16])
    xt.store_tile(least, Y[64:65, 0:16])


@xt.jit(grid=(1,))
def reduced(A, Y):
    """The first of these that gave wrong numbers: a row's largest element, negated."""
    u, v = xt.load_tile(A[0:16, 0:16]), xt.load_tile(A[0:16, 16:32])
    most, least = -xt.max(u, 1), xt.min(v, 0)
    xt.store_tile(most, Y[0:16, 0:1])
    xt.store_tile(least, Y[64:65, 0:16])


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize(("target", "subgroups"), [("pvc", 2), ("pvc", 4), ("bmg", 8), ("dg2", 4)])
@pytest.mark.parametrize("kernel", [negated, reduced], ids=["negated", "reduced"])
def test_each_subgroup_keeps_its_own(cpu, kernel, target, subgroups, dtype):
    if dtype is np.float64 and target == "dg2":
        pytest.skip("dg2 has no f64")
    a = np.arange(16 * 32).reshape(16, 32).astype(dtype)
    found, exact = np.zeros((65, 16), dtype), np.zeros((65, 16), dtype)
    if kernel is negated:
        exact[:64] = np.tile(-a[:, :16], (4, 1))
    else:
        exact[:16, 0] = -a[:, 15]
    exact[64] = a[0, 16:]
    with override(cpu="emulate"), xt.device(cpu):
        kernel(a, found, num_subgroups=subgroups, target=target)
    np.testing.assert_array_equal(found, exact)


def test_modules_without_barriers_keep_theirs():
    @xt.jit(grid=(1,))
    def alone(A, Y):
        xt.store_tile(-xt.load_tile(A[0:1, 0:16]), Y[0:1, 0:16])

    spirv = alone.compile("f32[?,?]", "f32[?,?]", target="dg2", num_subgroups=1).spirv
    assert emulate(spirv) == (spirv, "")

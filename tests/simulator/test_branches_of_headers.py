"""Blocks of one array at one place, in branches of a loop and behind them: each message has its place though a branch is passed by."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.facts.branches import parted_by_branches

import xetile as xt
from tests.parity.run import uncompiled
from tests.tools import require_tool
from xetile.dialects import xegpu
from xetile.runtime.compiler import lower

WIDTH = 16


@xt.jit
def at(A, m, n):
    return xt.init_tile(A, (m, n), (8, WIDTH))


@xt.jit(grid=1)
def stored_before(A, B, which):
    """Some blocks are overwritten before all are read."""
    for n in range(0, A.shape[1], WIDTH):
        if n // WIDTH % 2 == which:
            xt.store_tile(xt.full((8, WIDTH), 3.0), at(A, 0, n))
        xt.store_tile(xt.load_tile(at(A, 0, n)) * 2, at(B, 0, n))


@xt.jit(grid=1)
def either_way(A, B, which):
    """A becomes B, or B A."""
    for n in range(0, A.shape[1], WIDTH):
        if n // WIDTH % 2 == which:
            xt.store_tile(xt.load_tile(at(A, 0, n)) * 2, at(B, 0, n))
        else:
            xt.store_tile(xt.load_tile(at(B, 0, n)) + 1, at(A, 0, n))


@xt.jit(grid=1)
def elsewhere(A, B, which):
    """A branch moves blocks at another place, which those behind it have too."""
    for n in range(0, A.shape[1], WIDTH):
        other = A.shape[1] - WIDTH - n
        here = xt.load_tile(at(A, 0, n))
        if n // WIDTH % 2 == which:
            xt.store_tile(xt.full((8, WIDTH), 3.0), at(A, 0, other))
        xt.store_tile(xt.load_tile(at(A, 0, other)) * 2 + here, at(B, 0, n))


@xt.jit(grid=1)
def until(A, B, which):
    """A loop that goes on and stops where branches say."""
    n = 0
    while n < A.shape[1]:
        if n // WIDTH % 2 == which:
            xt.store_tile(xt.full((8, WIDTH), 3.0), at(A, 0, n))
            n += WIDTH
            continue
        xt.store_tile(xt.load_tile(at(A, 0, n)) * 2, at(B, 0, n))
        if n // WIDTH == 3:
            xt.store_tile(xt.full((8, WIDTH), 5.0), at(A, 0, n))
            break
        n += WIDTH


@xt.jit(grid=1)
def without_a_loop(A, B, which):
    """Many messages, which get a loop that runs once."""
    n = which * WIDTH
    if which % 2 == 1:
        for k in xt.static_range(8):
            xt.store_tile(xt.full((8, WIDTH), 3.0), at(A, 0, n + k * WIDTH))
    for k in xt.static_range(8):
        xt.store_tile(xt.load_tile(at(A, 0, n + k * WIDTH)) * 2, at(B, 0, n + k * WIDTH))
    for k in xt.static_range(8):
        xt.store_tile(xt.load_tile(at(A, 0, k * WIDTH)), at(B, 8, k * WIDTH))


KERNELS = [stored_before, either_way, elsewhere, until, without_a_loop]


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("target", ["pvc", pytest.param("bmg", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_blocks_are_moved_where_they_are(kernel, target, which):
    """IGC writes a coordinate for the first of these messages only, which a branch may pass by."""
    require_tool("ocloc")
    rng = np.random.default_rng(which)
    before = [rng.standard_normal((16, 12 * WIDTH)).astype(np.float32) for _ in range(2)]
    expected, found = ([each.copy() for each in before] for _ in range(2))
    with xt.device("numpy"):
        kernel(*expected, which)
    with xt.device(f"sim:{target}"):
        kernel(*found, which)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_only_messages_in_several_branches_are_told_apart():
    """What all have alike from before the loop is left as it is, and so are arrays of one branch, and those that no branch moves."""

    @xt.jit(grid=1)
    def kernel(A, B, C, m, which):
        for n in range(0, A.shape[1], WIDTH):
            c = xt.load_tile(at(C, m, n))
            if n == which:
                xt.store_tile(c, at(A, m, n))
            else:
                xt.store_tile(c + c, at(B, m, n))
            xt.store_tile(xt.load_tile(at(A, m, n)) + xt.load_tile(at(A, m, n + WIDTH)), at(C, m, n))

    *_, (_, module) = lower(uncompiled(kernel, *["f32[?,?]"] * 3, "i32", "i32", target="pvc").request)
    parted = parted_by_branches(module.kernel)
    array = module.kernel.body.args[0]
    assert [(xegpu.surface_of(op)[0], dim, number) for (op, dim), number in parted.items()] == [(array, -1, 1)] * 2

"""Addresses in loops whose sums wrap: IGC joins addresses that differ by a constant without their extensions (spirv/facts/wraps.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests import tools

DEVICES = ("sim:pvc", "sim:bmg", "sim:dg2")
LANES = 32
PLACES = 1 << 8


@xt.jit(num_subgroups=1, grid=(1,))
def rotated(A, Out, N: xt.constexpr, BY: xt.constexpr):
    """Minima of each element and those before and behind it, again and again."""
    v = xt.load_tile(xt.init_tile(A, (0, 0), (1, N)))
    for _ in range(A.shape[1] // N):
        for by in xt.static_range(*BY):
            v = xt.minimum(v, xt.roll(v, by, axis=1) + 1)
    xt.store_tile(v, xt.init_tile(Out, (0, 0), (1, N)))


@xt.jit(num_subgroups=1, grid=(1,))
def circular(A, Out, CUT: xt.constexpr, BITS: xt.constexpr, STEPS: xt.constexpr, SHARED: xt.constexpr, COUNTS: xt.constexpr):
    """Elements that lie some steps on in a ring of 2**BITS, whose places are counted in some way."""
    if SHARED:
        memory = xt.alloc_slm((1, PLACES), A.dtype)
        xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (1, PLACES))), xt.init_tile(memory, (0, 0), (1, PLACES)))
        xt.barrier()
        memory = memory[0]
    else:
        memory = A[0]
    first = xt.load_tile(xt.init_tile(A, (0, 0), (1, LANES)))[0]  # 0, 1, 2, ...: not known to the compiler
    total = xt.zeros((LANES,), xt.i32)
    for k in range(A.shape[1] // 64):
        for step in xt.static_range(len(STEPS)):
            x = first + STEPS[step]
            if COUNTS:
                x = x + k.to(xt.i32)
            if CUT == "mask":
                place = x & (2**BITS - 1)
            elif CUT == "remainder":
                place = x.to(xt.u32) % 2**BITS
            elif CUT == "shifts":
                place = (x.to(xt.u32) << (32 - BITS)) >> (32 - BITS)
            elif CUT == "u8":
                place = (first.to(xt.u8) + STEPS[step] % 256).to(xt.i32)
            else:
                place = xt.minimum((first.to(xt.i8) + (STEPS[step] % 128 - 64)).to(xt.i32) + 128, PLACES - 1)
            total = total * 3 + xt.load_gather(xt.init_tile(memory, place))
    xt.store_tile(total, xt.init_tile(Out, 0, (LANES,)))


def check_circular(device: str, **constants: Any) -> None:
    tools.require_tool("ocloc")
    a = np.arange(PLACES, dtype=np.int32)[None].copy()
    with xt.device("numpy"):
        circular(a, expected := np.zeros(LANES, np.int32), **constants)
    with xt.device(device):
        circular(a, found := np.zeros(LANES, np.int32), **constants)
    np.testing.assert_array_equal(found, expected, str(constants))


@pytest.mark.covering
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("by", [(-1,), (1, 5)])
def test_rows_rotate_in_a_loop(device, by):
    tools.require_tool("ocloc")
    a = np.zeros((1, 64), np.int32)
    a[0, :32] = np.random.default_rng(0).permutation(32) * 2
    with xt.device("numpy"):
        rotated(a, expected := np.zeros((1, 32), np.int32), N=32, BY=by)
    with xt.device(device):
        rotated(a, found := np.zeros((1, 32), np.int32), N=32, BY=by)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shared", [False, True])
def test_rings_are_read_in_a_loop(device, shared):
    check_circular(device, CUT="mask", BITS=5, STEPS=(1, 17, 30, 5), SHARED=shared, COUNTS=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("cut", ["remainder", "shifts", "u8", "i8"])
def test_places_are_cut_in_many_ways(cut):
    check_circular("sim:pvc", CUT=cut, BITS=4, STEPS=(1, 250, 9), SHARED=False, COUNTS=False)


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("seed", range(60))
def test_any_ring(device, seed):
    rng = random.Random(seed)
    steps = tuple(rng.randrange(PLACES) for _ in range(rng.randint(2, 5)))
    cut = rng.choice(["mask", "remainder", "shifts", "u8", "i8"])
    check_circular(device, CUT=cut, BITS=rng.randint(1, 8), STEPS=steps, SHARED=rng.random() < 0.5, COUNTS=rng.random() < 0.4)

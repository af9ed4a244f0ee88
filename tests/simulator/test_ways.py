"""Values that return by several ways, and sums from block to block: what IGC's optimiser and its vectorizer lost (backends/spirv)."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.mlir.test_users import check_on
from tests.mlir.users import User, desc, kernel, load


@xt.jit
def chosen(u, v, a, b):
    if b == (b - a) % 7:
        v = u * v
    else:
        if b % 2 == 0:
            return v, a
        if a % 2 == 0:
            return u, 5
    return u, a


@xt.jit(num_subgroups=1, grid=(1,))
def ways(A, Out, a, b):
    u, v = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(A, (0, 16), (8, 16)))
    u, n = chosen(u, v, b, a)
    xt.store_tile(u + n.to(xt.f32), xt.init_tile(Out, (0, 0), (8, 16)))


@xt.jit(num_subgroups=1, grid=(1,))
def running(A, Out):
    xt.store_tile(xt.cumsum(xt.load_tile(xt.init_tile(A, (0, 0), (40, 32))), 0), xt.init_tile(Out, (0, 0), (40, 32)))


def both(device, kernel, shape, *numbers):
    tools.require_tool("ocloc")
    given, found = np.random.default_rng(1).integers(-4, 5, (40, 32)).astype(np.float32), []
    for where in ("numpy", device):
        out = np.zeros(shape, np.float32)
        with xt.device(where):
            kernel[(1,)](given, out, *numbers)
        found.append(out)
    np.testing.assert_array_equal(*found[::-1])


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
def test_values_of_several_returns(device):
    for a, b in ((-5, 9), (4, 9), (4, 7), (3, 8), (0, 0)):
        both(device, ways, (8, 16), np.int32(a), np.int32(b))


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
def test_sums_down_many_rows(device):
    both(device, running, (40, 32))


def three_ways(narrow: str, more: str) -> User:
    """R: what lanes have by one of three ways, as narrow floats, with nothing or with a product between."""
    lines = [
        load("a", "A", "8x16xf32", "4x16xf32", gives="4xf32"),
        "%lane = gpu.lane_id",
        "%m = arith.cmpi ult, %lane, %c8 : index",
        "%n = arith.cmpi ult, %lane, %c4 : index",
        "%true = arith.constant true",
        "%two = arith.constant dense<2.0> : vector<4xf32>",
        "%v = scf.if %m -> (vector<4xf32>) {",
        "%w = scf.if %n -> (vector<4xf32>) {",
        "%x = arith.addf %a, %a : vector<4xf32>",
        "scf.yield %x : vector<4xf32>",
        "} else {",
        "%y = arith.mulf %a, %a : vector<4xf32>",
        "%b = xegpu.load %B[%lane], %true : memref<16xf32>, index, i1 -> f32",
        "%z = vector.insert %b, %y[1] : f32 into vector<4xf32>",
        "scf.yield %z : vector<4xf32>",
        "}",
        "scf.yield %w : vector<4xf32>",
        "} else {",
        "%b = xegpu.load %B[%lane], %true : memref<16xf32>, index, i1 -> f32",
        "%z = vector.insert %b, %a[2] : f32 into vector<4xf32>",
        "scf.yield %z : vector<4xf32>",
        "}",
        *(["%d = arith.mulf %v, %two : vector<4xf32>"] if more else []),
        f"%h = arith.truncf {'%d' if more else '%v'} : vector<4xf32> to vector<4x{narrow}>",
        f"%t = xegpu.create_nd_tdesc %R : memref<4x64x{narrow}> -> {desc(f'4x16x{narrow}')}",
        f"xegpu.store_nd %h, %t[0, 0] : vector<4x{narrow}>, {desc(f'4x16x{narrow}')}",
    ]

    def meaning(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        a, lane = given["A"][:4], np.arange(16)
        second, third = a * a, a.copy()
        second[1] = third[2] = given["B"]
        chosen = np.where(lane < 4, a + a, np.where(lane < 8, second, third))
        return {"R": np.hstack([chosen * 2 if more else chosen, given["R"][:, 16:]])}

    return User(kernel(f"%A: memref<8x16xf32>, %B: memref<16xf32>, %R: memref<4x64x{narrow}>", "\n".join(lines)), meaning)


@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("more", ["", "times two"])
@pytest.mark.parametrize("narrow", ["f16", "bf16"])
def test_three_ways_that_meet_before_a_conversion(narrow, more, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    check_on(three_ways(narrow, more), device)

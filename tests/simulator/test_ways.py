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


_FOR = """%r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %a, %w = %b) -> ({type}, {type}) {{
{round}
scf.yield {next} : {type}, {type}
}}"""
_WHILE = """%r:3 = scf.while (%j = %c0, %p = %a, %q = %b) : (index, {type}, {type}) -> (index, {type}, {type}) {{
%g = arith.cmpi ult, %j, %c2 : index
scf.condition(%g) %j, %p, %q : index, {type}, {type}
}} do {{
^bb0(%i: index, %u: {type}, %w: {type}):
{round}
%k = arith.addi %i, %c1 : index
scf.yield %k, {next} : index, {type}, {type}
}}"""
_SWAPS = {
    "whole": ([], "%w, %s"),
    "an element": (
        ["%e = vector.extract %w[1] : {element} from {type}", "%v = vector.insert %e, %l[0] : {element} into {type}"],
        "%v, %s",
    ),
    "where they do": (
        ["%f = arith.cmpi ult, %i, %c2 : index", "%v = scf.if %f -> ({type}) {{", "scf.yield %w : {type}", "}} else {{",
         "scf.yield %u : {type}", "}}"], "%v, %s"),
}  # fmt: skip
"""How two values that a loop carries change places, one of them with a block added to it."""


def swapped(loop: str, swap: str, element: str) -> User:
    """R = what a loop of two iterations leaves of the second value, R2 = what the first one began with less a block."""
    kind, block, memory = f"vector<8x{element}>", desc(f"8x16x{element}"), f"8x64x{element}"
    add = "i" if element[0] == "i" else "f"
    made, following = _SWAPS[swap]
    round_ = [
        f"%l = xegpu.load_nd %tc[%i, %c0] : {block} -> {kind}",
        f"%s = arith.add{add} %u, %l : {kind}",
        *(line.format(type=kind, element=element) for line in made),
    ]
    last = 1 if loop == _FOR else 2
    lines = [
        load("y", "A", memory, f"8x16x{element}", gives=f"8x{element}"),
        f"%a = arith.add{add} %y, %y : {kind}",
        load("b", "B", memory, f"8x16x{element}", gives=f"8x{element}"),
        f"%tc = xegpu.create_nd_tdesc %C : memref<16x64x{element}> -> {block}",
        loop.format(type=kind, round="\n".join(round_), next=following),
        f"%l = xegpu.load_nd %tc[%c2, %c0] : {block} -> {kind}",
        f"%x = arith.sub{add} %a, %l : {kind}",
        *(f"%t{array} = xegpu.create_nd_tdesc %{array} : memref<{memory}> -> {block}" for array in ("R", "R2")),
        f"xegpu.store_nd %r#{last}, %tR[%c0, %c0] : {kind}, {block}",
        f"xegpu.store_nd %x, %tR2[%c0, %c0] : {kind}, {block}",
    ]

    def meaning(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        a, b, c = (given[name][:, :16] for name in "ABC")
        u, left = b.copy(), {name: given[name].copy() for name in ("R", "R2")}
        if swap == "an element":
            u = c[:8].copy()
            u[0] = b[1]
        left["R"][:, :16] = u + c[1:9]
        left["R2"][:, :16] = a + a - c[2:10]
        return left

    arrays = [f"%{name}: memref<{memory}>" for name in ("A", "B", "R", "R2")]
    return User(kernel(", ".join([*arrays, f"%C: memref<16x64x{element}>"]), "\n".join(lines)), meaning)


@pytest.mark.simulated
@pytest.mark.covering(2)
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("loop", [pytest.param(_FOR, id="for"), pytest.param(_WHILE, id="while")])
@pytest.mark.parametrize("swap", _SWAPS)
@pytest.mark.parametrize("element", ["f16", "f32", "i16", "i32"])
def test_values_of_loops_that_change_places(element, swap, loop, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    check_on(swapped(loop, swap, element), device)


_BRANCH = """%x = scf.if %g -> ({type}) {{
{made}
scf.yield {value} : {type}
}} else {{
scf.yield {other} : {type}
}}"""
_LOOP = """{made}
%x = scf.for %i = %c0 to %end step %c1 iter_args(%u = {value}) -> ({type}) {{
%n = xegpu.load_nd %ta[%i, %c0] : {block} -> {type}
%m = {add} %u, %n : {type}
scf.yield %m : {type}
}}"""


def of_lanes(element: str, around: str, doubled: bool) -> User:
    """R = the larger of a block and what comes out of a branch or a loop that is given numbers of eight lanes, or of sums of these."""
    kind, block, memory = f"vector<8x{element}>", desc(f"8x16x{element}"), f"8x64x{element}"
    add, larger = ("arith.addi", "arith.maxsi") if element[0] == "i" else ("arith.addf", "arith.maximumf")
    zero = "0" if element[0] == "i" else "0.0"
    made, last = [f"%z = arith.constant dense<{zero}> : {kind}"], "%z"
    for lane in range(8):
        made += [
            f"%k{lane} = arith.constant {lane} : i32",
            f"%b{lane}, %q{lane} = gpu.shuffle idx %s, %k{lane}, %width : {element}",
        ]
        made += [f"%v{lane} = vector.insert %b{lane}, {last}[{lane}] : {element} into {kind}"]
        last = f"%v{lane}"
    made += [f"%d = {add} {last}, {last} : {kind}"] if doubled else []
    value, other = ("%d", "%e") if doubled else (last, "%c")
    lines = [
        load("a", "A", memory, f"8x16x{element}", gives=f"8x{element}"),
        load("c", "C", memory, f"8x16x{element}", gives=f"8x{element}"),
        load("b", "B", f"16x64x{element}", f"1x16x{element}", gives=f"1x{element}"),
        "%width = arith.constant 16 : i32",
        "%bx = gpu.block_id x",
        "%g = arith.cmpi eq, %bx, %c0 : index",
        "%end = arith.addi %bx, %c2 : index",
        f"%t = {add} %b, %b : vector<1x{element}>",
        f"%s = vector.extract %t[0] : {element} from vector<1x{element}>",
        f"%ta = xegpu.create_nd_tdesc %A : memref<{memory}> -> {block}",
        *([f"%e = {add} %c, %c : {kind}"] if doubled and around == _BRANCH else []),
        around.format(type=kind, made="\n".join(made), value=value, other=other, block=block, add=add),
        f"%r = {larger} %a, %x : {kind}",
        f"%tr = xegpu.create_nd_tdesc %R : memref<{memory}> -> {block}",
        f"xegpu.store_nd %r, %tr[%c0, %c0] : {kind}, {block}",
    ]

    def meaning(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        a, left = given["A"][:, :16], given["R"].copy()
        x = np.repeat(2 * given["B"][0, :8, None], 16, axis=1) * (2 if doubled else 1)
        if around == _LOOP:
            below = np.vstack([a, np.zeros((1, 16), a.dtype)])
            x = x + below[:8] + below[1:9]
        left[:, :16] = np.maximum(a, x)
        return {"R": left}

    arrays = [f"%{name}: memref<{memory}>" for name in "ACR"]
    return User(kernel(", ".join([*arrays, f"%B: memref<16x64x{element}>"]), "\n".join(lines)), meaning)


@pytest.mark.simulated
@pytest.mark.covering(2)
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("around", [pytest.param(_BRANCH, id="branch"), pytest.param(_LOOP, id="loop")])
@pytest.mark.parametrize("doubled", [False, True])
@pytest.mark.parametrize("element", ["f16", "f32", "i32"])
def test_numbers_of_lanes_that_ways_bring(element, doubled, around, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    check_on(of_lanes(element, around, doubled), device)


@xt.jit(num_subgroups=1, grid=(1,))
def summed_in_two_loops(A, Out, n, BEGIN: xt.constexpr):
    """The outer loop has one iteration, which a compiler may find: then all parts of the sums begin with one number."""
    total, i, goes_on = xt.full((16, 32), BEGIN, xt.f32), 0, n > 0
    while goes_on:
        i += 1
        goes_on = i < 1
        for k in range(0, A.shape[1], 16):
            a = xt.load_tile(xt.init_tile(A, (0, k), (16, 16))).to(xt.f16)
            total += a @ xt.load_tile(xt.init_tile(A, (k, 0), (16, 32))).to(xt.f16)
        total = xt.maximum(total, -7)
    xt.store_tile(total, xt.init_tile(Out, (0, 0), (16, 32)))


@pytest.mark.every(2)
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("begin", [0, 2])
def test_sums_that_begin_with_one_number(begin, device):
    tools.require_tool("ocloc")
    given, found = np.random.default_rng(1).integers(-4, 5, (40, 32)).astype(np.float32), []
    for where in ("numpy", device):
        out = np.zeros((16, 32), np.float32)
        with xt.device(where):
            summed_in_two_loops[(1,)](given, out, np.int32(3), BEGIN=begin)
        found.append(out)
    np.testing.assert_array_equal(*found[::-1])

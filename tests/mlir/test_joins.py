"""Values, descriptors and subgroups that go through control flow of XeGPU modules mean the same at every level and on each device."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree
from tests.mlir.workgroup import MODULES, PLAIN, SQUARE, kernel, load, store
from xetile.errors import XetileError
from xetile.layout import Layout

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def right(text, grid=(1,), **scalars):
    left = agree(text, grid, scalars)
    assert not isinstance(left, XetileError), str(left)
    return left


def refused(text, message, grid=(2,)):
    left = agree(text, grid)
    assert isinstance(left, XetileError) and message in str(left) and left.at is not None, str(left)


# Values.


def product(rows, join):
    acc, a, b = f"vector<{rows}x32xf32>", f"vector<{rows}x32xf16>", "vector<32x32xf16>"
    da, dc = f"!xegpu.tensor_desc<{rows}x32xf16>", f"!xegpu.tensor_desc<{rows}x32xf32>"
    db = "!xegpu.tensor_desc<32x32xf16>"
    return kernel(f"%A: memref<{rows}x64xf16>, %B: memref<64x32xf16>, %C: memref<{rows}x32xf32>, %R: memref<{rows}x32xf32>", f"""
        %c32 = arith.constant 32 : index
        %c64 = arith.constant 64 : index
        %ta = xegpu.create_nd_tdesc %A : memref<{rows}x64xf16> -> {da}
        %tb = xegpu.create_nd_tdesc %B : memref<64x32xf16> -> {db}
        %tc = xegpu.create_nd_tdesc %C : memref<{rows}x32xf32> -> {dc}
        %tr = xegpu.create_nd_tdesc %R : memref<{rows}x32xf32> -> {dc}
        %c = xegpu.load_nd %tc[0, 0] : {dc} -> {acc}
        {join.format(acc=acc, a=a, b=b, da=da, db=db)}
        xegpu.store_nd %r, %tr[0, 0] : {acc}, {dc}""")  # fmt: skip


CARRIED = """
        %r = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %c) -> ({acc}) {{
          %a = xegpu.load_nd %ta[0, %k] : {da} -> {a}
          %b = xegpu.load_nd %tb[%k, 0] : {db} -> {b}
          %s = xegpu.dpas %a, %b, %acc : {a}, {b}, {acc} -> {acc}
          scf.yield %s : {acc}
        }}"""
JOINED = """
        %x = gpu.block_id x
        %first = arith.cmpi eq, %x, %c0 : index
        %r = scf.if %first -> ({acc}) {{
          scf.yield %c : {acc}
        }} else {{
          %a = xegpu.load_nd %ta[0, 0] : {da} -> {a}
          %b = xegpu.load_nd %tb[0, 0] : {db} -> {b}
          %s = xegpu.dpas %a, %b, %c : {a}, {b}, {acc} -> {acc}
          scf.yield %s : {acc}
        }}"""


@pytest.mark.covering
@pytest.mark.every(3)
@pytest.mark.parametrize("join", [CARRIED, JOINED], ids=["carried", "joined"])
@pytest.mark.parametrize("rows", [8, 24, 64])
def test_loaded_accumulators_keep_their_places(rows, join):
    right(product(rows, join))


WIDE = Layout((2, 1), (64, 64))


def test_loaded_accumulators_of_a_workgroup_keep_their_places():
    desc = f"!xegpu.tensor_desc<128x64xf32, {WIDE}>"
    right(kernel("%A: memref<128x64xf32>, %R: memref<128x64xf32>", load("a", "A", (128, 64), (128, 64), WIDE), f"""
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %t = xegpu.create_nd_tdesc %A : memref<128x64xf32> -> {desc}
        %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%x = %a) -> (vector<128x64xf32>) {{
          %v = xegpu.load_nd %t[%k, 0] <{{layout = {WIDE}}}> : {desc} -> vector<128x64xf32>
          %n = arith.addf %x, %v {{layout_result_0 = {WIDE}}} : vector<128x64xf32>
          scf.yield %n : vector<128x64xf32>
        }} {{layout_result_0 = {WIDE}}}""", store("s", "R", (128, 64), (128, 64), WIDE)))  # fmt: skip


# Descriptors.

BLOCK, LINE = "!xegpu.tensor_desc<16x16xf32>", "!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>"
THREE = "%A: memref<32x32xf32>, %B: memref<32x64xf32>, %R: memref<32x32xf32>"
CHOICE = """
    %x = gpu.block_id x
    %first = arith.cmpi eq, %x, %c0 : index"""
OTHER_ARRAY = "by one of another array"


def chosen(one, other, kind):
    return f"""
    %t = scf.if %first -> ({kind}) {{
      scf.yield {one} : {kind}
    }} else {{
      scf.yield {other} : {kind}
    }}"""


def blocks(name, array, memory, at="0, 0"):
    return f"%{name} = xegpu.create_nd_tdesc %{array}[{at}] : memref<{memory}xf32> -> {BLOCK}\n"


def test_a_branch_that_chooses_an_array_is_right():
    left = right(kernel(THREE, CHOICE, blocks("ta", "A", "32x32"), blocks("tb", "B", "32x64"), blocks("tr", "R", "32x32"),
                        chosen("%tr", "%tb", BLOCK), f"""
        %v = xegpu.load_nd %ta : {BLOCK} -> vector<16x16xf32>
        xegpu.store_nd %v, %t : vector<16x16xf32>, {BLOCK}"""), (2,))  # fmt: skip
    a, b, r = (left[name].reshape(32, -1) for name in "ABR")
    assert (r[:16, :16] == a[:16, :16]).all() and (b[:16, :16] == a[:16, :16]).all() and (r[16:] >= 50).all()


def test_sizes_that_are_computed_are_chosen():
    """They go through the branch as numbers: rows beyond them are zero."""
    sized = f"""
        %n = arith.addi %x, %c0 : index
        %w = arith.constant 32 : index
        %c16 = arith.constant 16 : index
        %one = arith.constant 1 : index
        %row = arith.muli %x, %c16 : index
        %tb = xegpu.create_nd_tdesc %B, shape : [%n, %w], strides : [%w, %one] : memref<32x64xf32> -> {BLOCK}"""
    left = right(kernel(THREE, CHOICE, sized, blocks("tr", "R", "32x32"), chosen("%tr", "%tb", BLOCK), f"""
        %v = xegpu.load_nd %t : {BLOCK} -> vector<16x16xf32>
        %to = xegpu.update_nd_offset %tr, [%row, %c0] : {BLOCK}
        xegpu.store_nd %v, %to : vector<16x16xf32>, {BLOCK}"""), (2,))  # fmt: skip
    b, r = left["B"], left["R"].reshape(32, 32)
    assert (r[16, :16] == b[:16]).all() and (r[17:, :16] == 0).all() and (r[:16] >= 50).all() and (r[16:, 16:] >= 50).all()


def test_a_branch_that_chooses_a_place_is_right():
    left = right(kernel(THREE, CHOICE, blocks("ta", "A", "32x32"), blocks("tb", "R", "32x32", "16, 8"), blocks("tr", "R", "32x32"),
                        chosen("%tr", "%tb", BLOCK), f"""
        %v = xegpu.load_nd %ta : {BLOCK} -> vector<16x16xf32>
        xegpu.store_nd %v, %t : vector<16x16xf32>, {BLOCK}"""), (2,))  # fmt: skip
    a, r = (left[name].reshape(32, 32) for name in "AR")
    assert (r[:16, :16] == a[:16, :16]).all() and (r[16:, 8:24] == a[:16, :16]).all() and (r[16:, :8] >= 50).all()


def turns(first, second):
    """Two descriptors that change places in a loop, the first of which moves."""
    return f"""
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %z = arith.constant dense<0.0> : vector<16x16xf32>
    %r:3 = scf.for %k = %c0 to %c5 step %c1 iter_args(%p = {first}, %q = {second}, %acc = %z) -> ({BLOCK}, {BLOCK}, vector<16x16xf32>) {{
      %v = xegpu.load_nd %p : {BLOCK} -> vector<16x16xf32>
      %s = arith.addf %acc, %acc : vector<16x16xf32>
      %d = arith.addf %s, %v : vector<16x16xf32>
      %n = xegpu.update_nd_offset %p, [%c1, %c1] : {BLOCK}
      scf.yield %q, %n, %d : {BLOCK}, {BLOCK}, vector<16x16xf32>
    }}
    xegpu.store_nd %r#2, %tr : vector<16x16xf32>, {BLOCK}"""


def test_a_loop_that_swaps_arrays_is_right():
    left = right(kernel(THREE, blocks("ta", "A", "32x32"), blocks("tb", "B", "32x64"), blocks("tr", "R", "32x32"),
                        turns("%ta", "%tb")))  # fmt: skip
    a, b, r = (left[name].reshape(32, -1) for name in "ABR")
    total = np.zeros((16, 16), np.float32)
    for array, n in ((a, 0), (b, 0), (a, 1), (b, 1), (a, 2)):
        total = 2 * total + array[n : n + 16, n : n + 16]
    assert (r[:16, :16] == total).all()


def test_a_loop_that_swaps_places_is_right():
    both = blocks("ta", "A", "32x32", "3, 4"), blocks("tb", "A", "32x32", "7, 8")
    a, r = (
        v.reshape(32, 32) for v in map(right(kernel(THREE, *both, blocks("tr", "R", "32x32"), turns("%ta", "%tb"))).get, "AR")
    )
    total = np.zeros((16, 16), np.float32)
    for y, x in ((3, 4), (7, 8), (4, 5), (8, 9), (5, 6)):
        total = 2 * total + a[y : y + 16, x : x + 16]
    assert (r[:16, :16] == total).all()


def test_a_loop_that_swaps_places_of_a_lane_is_right():
    """The same at lane level: eight rows of sixteen, one column for each lane."""
    kind, lane = "!xegpu.tensor_desc<8x16xf32>", "vector<8xf32>"
    right(kernel("%A: memref<32x32xf32>, %R: memref<32x32xf32>", f"""
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %c5 = arith.constant 5 : index
        %ta = xegpu.create_nd_tdesc %A[%c1, %c0] : memref<32x32xf32> -> {kind}
        %tb = xegpu.create_nd_tdesc %A[%c8, %c8] : memref<32x32xf32> -> {kind}
        %z = arith.constant dense<0.0> : {lane}
        %r:3 = scf.for %k = %c0 to %c5 step %c1 iter_args(%p = %ta, %q = %tb, %acc = %z) -> ({kind}, {kind}, {lane}) {{
          %v = xegpu.load_nd %p : {kind} -> {lane}
          %s = arith.addf %acc, %acc : {lane}
          %d = arith.addf %s, %v : {lane}
          %n = xegpu.update_nd_offset %p, [%c1, %c1] : {kind}
          scf.yield %q, %n, %d : {kind}, {kind}, {lane}
        }}
        %tr = xegpu.create_nd_tdesc %R : memref<32x32xf32> -> {kind}
        xegpu.store_nd %r#2, %tr[0, 0] : {lane}, {kind}"""))  # fmt: skip


def lines(name, array, size):
    return f"%{name} = xegpu.create_tdesc %{array}, %o : memref<{size}xf32>, vector<16xindex> -> {LINE}\n"


@pytest.mark.parametrize("array", ["B", "R"])
def test_scattered_descriptors_of_one_array_and_of_two_are_joined(array):
    text = kernel("%A: memref<64xf32>, %B: memref<64xf32>, %R: memref<64xf32>", CHOICE, """
        %o = vector.step : vector<16xindex>
        %by = arith.constant dense<20> : vector<16xindex>
        %m = arith.constant dense<true> : vector<16xi1>""", lines("ta", "A", 64), lines("tb", array, 64), lines("tr", "R", 64), f"""
        %moved = xegpu.update_offset %tb, %by : {LINE}, vector<16xindex>""", chosen("%tr", "%moved", LINE), f"""
        %v = xegpu.load %ta, %m : {LINE}, vector<16xi1> -> vector<16xf32>
        xegpu.store %v, %t, %m : vector<16xf32>, {LINE}, vector<16xi1>""")  # fmt: skip
    left = right(text, (2,))
    assert (left["R"][:16] == left["A"][:16]).all() and (left[array][20:36] == left["A"][:16]).all()


def test_memory_does_not_go_through_control_flow():
    """Arrays do not; which matrix in shared memory is meant becomes a number (users_ranks.py)."""
    memory, block = "memref<16x16xf32>", "!xegpu.tensor_desc<16x16xf32>"
    refused(kernel(f"%B: {memory}, %R: {memory}", CHOICE, chosen("%B", "%R", memory), f"""
        %d = xegpu.create_nd_tdesc %t : {memory} -> {block}
        %v = arith.constant dense<1.0> : vector<16x16xf32>
        xegpu.store_nd %v, %d[0, 0] : vector<16x16xf32>, {block}"""), "passes on memory")  # fmt: skip


# Subgroups.


def test_subgroup_id_is_that_of_the_subgroup_that_holds_an_element():
    left = right(kernel("%A: memref<64x64xf32>, %R: memref<64x64xf32>", load("a", "A", SQUARE, SQUARE, PLAIN), f"""
        %sg = gpu.subgroup_id : index
        %i = arith.index_cast %sg : index to i32
        %f = arith.sitofp %i : i32 to f32
        %b = vector.broadcast %f {{layout_result_0 = {PLAIN}}} : f32 to vector<64x64xf32>
        %s = arith.addf %a, %b {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>""", store("s", "R", SQUARE, SQUARE, PLAIN)))  # fmt: skip
    who = (left["R"] - left["A"]).reshape(64, 64)
    assert (who == np.arange(8).reshape(2, 4).repeat(32, 0).repeat(16, 1)).all()


def test_a_range_of_subgroups_works_by_itself():
    left = right(MODULES["subgroups by range"])
    assert (left["R"] == left["A"]).all()


def test_what_subgroups_cannot_share_is_refused_on_every_device():
    refused(
        kernel(
            "%A: memref<64x64xf32>, %R: memref<64x64xf32>",
            load("a", "A", SQUARE, SQUARE, PLAIN),
            """
        %b = vector.extract %a[5, 40] : f32 from vector<64x64xf32>
        %e = vector.broadcast %b : f32 to vector<64x64xf32>
        %s = arith.addf %a, %e : vector<64x64xf32>""",
            store("s", "R", SQUARE, SQUARE, PLAIN),
        ),
        "other subgroups lack",
    )


def test_each_level_of_a_total_runs():
    """At the level before lanes messages move whole blocks, whatever else asks for the lane."""
    right(
        kernel(
            "%A: memref<64x64xf32>, %R: memref<64x64xf32>",
            load("a", "A", SQUARE, SQUARE, PLAIN),
            """
        %z = arith.constant 1.0 : f32
        %b = vector.multi_reduction <add>, %a, %z [0, 1] : vector<64x64xf32> to f32
        %e = vector.broadcast %b : f32 to vector<64x64xf32>
        %s = arith.addf %a, %e : vector<64x64xf32>""",
            store("s", "R", SQUARE, SQUARE, PLAIN),
        )
    )

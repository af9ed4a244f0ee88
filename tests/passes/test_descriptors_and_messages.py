"""Four passes of xegpu modules alone: what becomes of descriptors that move or are joined, which descriptors and messages are refused."""

from __future__ import annotations

import pytest

from tests import tools
from xetile import mlir
from xetile.errors import CompileError, LayoutError
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.passes.xegpu.check_descriptors import check_descriptors
from xetile.passes.xegpu.check_messages import check_messages
from xetile.passes.xegpu.fold_descriptors import fold_descriptors
from xetile.passes.xegpu.part_descriptors import part_descriptors
from xetile.passes.xegpu.reach_by_lanes import reach_by_lanes
from xetile.target import get_target

D = "!xegpu.tensor_desc<8x16xf16>"


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def module(body, args="%A: memref<64x64xf16>, %B: memref<64x64xf16>"):
    """A kernel of one lane, read from text."""
    return mlir.parse(f"""gpu.module @m {{
  gpu.func @kernel({args}) kernel attributes {{xetile.level = "lane"}} {{
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
{body}
    gpu.return
  }}
}}""")


MADE = f"""
    %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> {D}
    %b = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> {D}"""
MOVING = f"""{MADE}
    %end = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %a) -> ({D}) {{
      %v = xegpu.load_nd %at : {D} -> vector<8xf16>
      xegpu.store_nd %v, %b : vector<8xf16>, {D}
      %next = xegpu.update_nd_offset %at, [%c0, %c16] : {D}
      scf.yield %next : {D}
    }}"""
JOINED = """
    %first = arith.cmpi eq, %c0, %c16 : index
    %one = scf.if %first -> ({kind}) {{
      scf.yield {then} : {kind}
    }} else {{
      scf.yield {other} : {kind}
    }}"""
USED = f"""
    %v = xegpu.load_nd %one : {D} -> vector<8xf16>"""


# fold_descriptors.


def test_descriptors_that_move_become_offsets(golden):
    before = module(MOVING)
    text = print_op(before)
    after = print_op(fold_descriptors(before, get_target("pvc")))
    assert "update_nd_offset" not in after
    golden("passes/fold_descriptors.mlir", f"// before fold_descriptors\n{text}\n\n// after fold_descriptors\n{after}")


def test_descriptors_that_stay_where_they_are_made_are_left_alone():
    before = module(MADE + USED.replace("%one", "%a"))
    text = print_op(before)
    assert fold_descriptors(before, get_target("pvc")) is before and print_op(before) == text


# part_descriptors.


def test_joined_descriptors_of_two_arrays_become_a_choice_between_accesses(golden):
    before = module(MADE + JOINED.format(kind=D, then="%a", other="%b") + USED)
    text = print_op(before)
    made = part_descriptors(before)
    after = print_op(made)
    check_descriptors(made)
    assert after.count("xegpu.load_nd") == 2
    golden("passes/part_descriptors.mlir", f"// before part_descriptors\n{text}\n\n// after part_descriptors\n{after}")


# check_descriptors.


def test_a_branch_may_join_places_of_one_array():
    moved = f"\n    %c = xegpu.update_nd_offset %a, [%c0, %c16] : {D}"
    joined = module(MADE + moved + JOINED.format(kind=D, then="%a", other="%c") + USED)
    check_descriptors(joined)
    assert print_op(fold_descriptors(joined, get_target("pvc"))).count("xegpu.load_nd") == 1


SIZES = "%A: memref<?x?xf16>, %n: index"
SIZED = "\n    {} = xegpu.create_nd_tdesc %A, shape : [%n, %n], strides : [{}, %c1] : memref<?x?xf16> -> " + D
ONE = "\n    %c1 = arith.constant 1 : index"


@pytest.mark.parametrize("check", [check_descriptors, lambda m: fold_descriptors(m, get_target("pvc"))])
def test_a_branch_may_not_join_arrays(check):
    with pytest.raises(CompileError, match="by one of another array") as refused:
        check(module(MADE + JOINED.format(kind=D, then="%a", other="%b") + USED))
    assert refused.value.at is not None and "in each branch" in str(refused.value)


@pytest.mark.parametrize("stride, right", [("%n", True), ("%c64", False)])
def test_a_branch_may_not_join_sizes_or_strides(stride, right):
    both = module(
        ONE + SIZED.format("%a", "%n") + SIZED.format("%b", stride) + JOINED.format(kind=D, then="%a", other="%b") + USED, SIZES
    )
    if right:
        check_descriptors(both)
        return
    with pytest.raises(CompileError, match="of other sizes and strides"):
        check_descriptors(both)


def test_equal_constants_are_equal_sizes():
    sized = SIZED.format("%a", "%c64") + "\n    %d64 = arith.constant 64 : index" + SIZED.format("%b", "%d64")
    check_descriptors(module(ONE + sized + JOINED.format(kind=D, then="%a", other="%b") + USED, SIZES))


def test_a_loop_may_not_carry_one_array_in_the_place_of_another():
    carried = MOVING.replace("scf.yield %next", "scf.yield %b").replace(
        f"%next = xegpu.update_nd_offset %at, [%c0, %c16] : {D}", ""
    )
    with pytest.raises(CompileError, match="another array"):
        check_descriptors(module(carried))


def test_control_flow_passes_on_no_memory():
    with pytest.raises(CompileError, match=r"scf\.if passes on memory, a memref<64x64xf16>"):
        check_descriptors(module(JOINED.format(kind="memref<64x64xf16>", then="%A", other="%B")))


# check_messages.


def block(desc, count, element="f16", operation="load_nd", attributes=""):
    memory = f"memref<64x64x{element}>"
    body = f"\n    %a = xegpu.create_nd_tdesc %A : {memory} -> {desc}"
    if operation == "prefetch_nd":
        body += f"\n    xegpu.prefetch_nd %a : {desc}"
    elif operation == "store_nd":
        body += f"\n    %v = arith.constant dense<0.0> : vector<{count}x{element}>"
        body += f"\n    xegpu.store_nd %v, %a : vector<{count}x{element}>, {desc}"
    else:
        body += f"\n    %v = xegpu.load_nd %a {attributes} : {desc} -> vector<{count}x{element}>"
    return module(body, f"%A: {memory}")


LEGAL = [("32x16xf16", 32, "f16", "load_nd", ""), ("16x16xf16", 16, "f16", "load_nd", "<{packed}>"),
         ("8x16xf16", 8, "f16", "store_nd", ""), ("32x16xf16", 0, "f16", "prefetch_nd", ""),
         ("16x8xf32", 8, "f32", "load_nd", "<{transpose = array<i64: 1, 0>}>")]  # fmt: skip
# One beyond what each of them may be.
ILLEGAL = [("64x16xf16", 64, "f16", "load_nd", "", "16 columns; 2 x 16 columns, of 1 to 32 rows"),
           ("8x16xf16", 8, "f16", "load_nd", "<{packed}>", r"\(transform\)"),
           ("16x16xf16", 16, "f16", "store_nd", "", "16 columns, of 1 to 8 rows"),
           ("64x16xf16", 0, "f16", "prefetch_nd", "", "of 1 to 32 rows"),
           ("32x8xf32", 16, "f32", "load_nd", "<{transpose = array<i64: 1, 0>}>", r"\(transpose\)")]  # fmt: skip


@pytest.mark.parametrize("shape, count, element, operation, attributes", LEGAL)
def test_messages_that_the_target_has(shape, count, element, operation, attributes):
    check_messages(block(f"!xegpu.tensor_desc<{shape}>", count, element, operation, attributes), get_target("pvc"))


@pytest.mark.parametrize("shape, count, element, operation, attributes, said", ILLEGAL)
def test_messages_that_the_target_has_not(shape, count, element, operation, attributes, said):
    with pytest.raises(LayoutError, match="no one message of pvc moves") as refused:
        check_messages(block(f"!xegpu.tensor_desc<{shape}>", count, element, operation, attributes), get_target("pvc"))
    assert refused.value.at is not None and refused.match(said)


@pytest.mark.parametrize("operation", ["load_nd", "store_nd", "prefetch_nd"])
def test_a_target_without_block_messages(operation):
    with pytest.raises(LayoutError, match="dg2 has no block messages"):
        check_messages(block(D, 8, operation=operation), get_target("dg2"))


@pytest.mark.parametrize("operation", ["load_nd", "store_nd"])
def test_a_fragment_is_an_even_share(operation):
    with pytest.raises(LayoutError, match=r"vector<4xf16> in each of 16 lanes is not the 128 elements.*\n.*8 elements"):
        check_messages(block(D, 4, operation=operation), get_target("pvc"))


@pytest.mark.every(8)
@pytest.mark.parametrize("memory, sizes, said", [
    ("64x16xf16", "", "a row must have at least 64 bytes, not 32"),
    ("64x36xf16", "", "rows must lie a multiple of 16 bytes apart, not 72"),
    ("4096xf16", ", shape: [64, 64], strides: [40, 1]", "rows must not overlap: 80 bytes apart, 128 long"),
    ("4096xf16", ", shape: [64, 24], strides: [64, 1]", "a row must have at least 64 bytes, not 48"),
    ("64x64xf16", "", ""),
    ("?x?xf16", ", shape: [64, 64], strides: [%n, 1]", ""),
    ("?x?xf16", ", shape: [64, %n], strides: [%n, 1]", ""),
])  # fmt: skip
@pytest.mark.parametrize("operation", ["load_nd", "store_nd", "prefetch_nd"])
def test_memory_that_block_messages_do_not_reach(memory, sizes, said, operation):
    """As far as constants tell, also where a loop moves the descriptor: lanes access what they have of a block themselves."""
    pvc, desc, share = get_target("pvc"), D, "vector<8xf16>"
    kind = f"memref<{memory}, strided<[?, 1]>>" if "?" in memory else f"memref<{memory}>"
    uses = {"load_nd": f"%v = xegpu.load_nd %at : {desc} -> {share}", "prefetch_nd": f"xegpu.prefetch_nd %at : {desc}",
            "store_nd": f"%v = arith.constant dense<0.0> : {share}\n xegpu.store_nd %v, %at : {share}, {desc}"}  # fmt: skip
    read = module(
        f"""
    %a = xegpu.create_nd_tdesc %A[0, 0]{sizes} : {kind} -> {desc}
    %end = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %a) -> ({desc}) {{
      {uses[operation]}
      %next = xegpu.update_nd_offset %at, [%c16, %c0] : {desc}
      scf.yield %next : {desc}
    }}""",
        f"%A: {kind}, %n: index",
    )
    check_messages(read, pvc)
    left = reach_by_lanes(fold_descriptors(read, pvc), pvc)
    verify(left)
    assert any(op.opname == f"xegpu.{operation}" for op in left.walk()) == (not said)


def test_short_rows_become_accesses_of_each_lane(golden):
    body = """
    %a = xegpu.create_nd_tdesc %A[3, 0] : memref<64x12xf16> -> !xegpu.tensor_desc<2x16xf16>
    %v = xegpu.load_nd %a : !xegpu.tensor_desc<2x16xf16> -> vector<2xf16>
    xegpu.store_nd %v, %a : vector<2xf16>, !xegpu.tensor_desc<2x16xf16>"""
    before = module(body, "%A: memref<64x12xf16>")
    text, after = print_op(before), print_op(reach_by_lanes(before, get_target("pvc")))
    assert "_nd" not in after.replace("create_nd", "")
    golden("passes/reach_by_lanes.mlir", f"// before reach_by_lanes\n{text}\n\n// after reach_by_lanes\n{after}")


def test_blocks_transposed_as_words_are_refused_there():
    """Two elements of a row side by side in each lane: no message reaches the memory, and lanes do not access it themselves."""
    body = """
    %a = xegpu.create_nd_tdesc %A[0, 0] : memref<64x20xf16> -> !xegpu.tensor_desc<16x16xf16>
    %v = xegpu.load_nd %a <{transpose = array<i64: 1, 0>, transpose_bit_width = 32 : i32}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>"""
    with pytest.raises(LayoutError, match="load_nd: block messages of pvc do not reach this memory: a row must have") as refused:
        check_messages(module(body, "%A: memref<64x20xf16>"), get_target("pvc"))
    assert refused.value.at is not None


def test_a_lane_has_its_own_offset():
    kind = "!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>"
    body = f"""
    %places = arith.constant dense<0> : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %a = xegpu.create_tdesc %A, %places : memref<64xf32>, vector<16xindex> -> {kind}
    %v = xegpu.load %a, %m : {kind}, vector<16xi1> -> vector<1xf32>"""
    with pytest.raises(LayoutError, match="has the offsets of several lanes"):
        check_messages(module(body, "%A: memref<64xf32>"), get_target("pvc"))

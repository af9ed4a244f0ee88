"""Parts of arrays (memref.subview), offsets at descriptors and at accesses: the same elements at every level and on every device."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree, numbers, parser
from xetile import mlir
from xetile.cli.mlir_modules import launch
from xetile.errors import LayoutError, MlirTextError, VerifyError
from xetile.passes.named import lower_on, lower_to
from xetile.runtime import devices
from xetile.target import get_target

SG = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"
COPY = """
  %v = xegpu.load_nd %a{inside} : !xegpu.tensor_desc<{shape}xf32{layout}> -> vector<{shape}xf32>
  %r = xegpu.create_nd_tdesc %R : memref<{shape}xf32> -> !xegpu.tensor_desc<{shape}xf32{layout}>
  xegpu.store_nd %v, %r[0, 0] : vector<{shape}xf32>, !xegpu.tensor_desc<{shape}xf32{layout}>
  return
}}"""


def copy(head: str, shape: str = "8x16", inside: str = "[0, 0]", layout: str = "") -> str:
    return head + COPY.format(shape=shape, inside=inside, layout=f", {layout}" if layout else "")


def part(view: str, kind: str, desc: str = "8x16", layout: str = "", at: str = "", whole: str = "64x64xf32") -> str:
    """A kernel that makes a descriptor of a part of A."""
    layout = f", {layout}" if layout else ""
    return f"""
func.func @f(%A: memref<{whole}>, %R: memref<{desc}xf32>, %i: index) {{
  %s = memref.subview %A{view} : memref<{whole}> to memref<{kind}>
  %a = xegpu.create_nd_tdesc %s{at} : memref<{kind}> -> !xegpu.tensor_desc<{desc}xf32{layout}>"""


PARTS = {
    "rows": (part("[16, 0] [32, 64] [1, 1]", "32x64xf32, strided<[64, 1], offset: 1024>"), {}, lambda A, i: A[16:24, :16]),
    "corner": (part("[16, 3] [32, 32] [1, 1]", "32x32xf32, strided<[64, 1], offset: 1027>"), {}, lambda A, i: A[16:24, 3:19]),
    "run-time rows": (part("[%i, 32] [32, 32] [1, 1]", "32x32xf32, strided<[64, 1], offset: ?>"), {}, lambda A, i: A[i : i + 8, 32:48]),
    "run-time columns": (part("[8, %i] [32, 32] [1, 1]", "32x32xf32, strided<[64, 1], offset: ?>"), {},
                         lambda A, i: A[8:16, i : i + 16]),
    "offsets at both places": (
        part("[%i, 0] [32, 64] [1, 1]", "32x64xf32, strided<[64, 1], offset: ?>", at="[8, 16]"), {"inside": "[4, 32]"},
        lambda A, i: A[i + 12 : i + 20, 48:64]),
    "one of a batch": (
        part("[%i, 0, 0] [1, 16, 32] [1, 1, 1]", "16x32xf32, strided<[32, 1], offset: ?>", whole="8x16x32xf32"), {"inside": "[4, 16]"},
        lambda A, i: A[i, 4:12, 16:32]),
    "what is outside of the part": (
        part("[0, 0] [12, 24] [1, 1]", "12x24xf32, strided<[64, 1]>"), {"inside": "[8, 16]"},
        lambda A, i: np.pad(A[8:12, 16:24], ((0, 4), (0, 8)))),
    "what is before the part": (
        part("[16, 32] [16, 16] [1, 1]", "16x16xf32, strided<[64, 1], offset: 1056>"), {"inside": "[-4, 0]"},
        lambda A, i: np.pad(A[16:20, 32:48], ((4, 0), (0, 0)))),
    "every other row": (
        part("[0, 0] [32, 64] [2, 1]", "32x64xf32, strided<[128, 1]>"), {"inside": "[2, 0]"}, lambda A, i: A[4:20:2, :16]),
    "a workgroup's": (
        part("[%i, 16] [32, 32] [1, 1]", "32x32xf32, strided<[64, 1], offset: ?>", "16x32", SG),
        {"shape": "16x32", "layout": SG, "inside": "[8, 0]"}, lambda A, i: A[i + 8 : i + 24, 16:48]),
    "a workgroup's, offsets at both places": (
        part("[%i, 0] [48, 64] [1, 1]", "48x64xf32, strided<[64, 1], offset: ?>", "16x32", SG, "[4, 16]"),
        {"shape": "16x32", "layout": SG, "inside": "[8, 8]"}, lambda A, i: A[i + 12 : i + 28, 24:56]),
}  # fmt: skip

NESTED = """
func.func @f(%A: memref<64x64xf32>, %R: memref<8x16xf32>, %i: index) {
  %s = memref.subview %A[%i, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
  %t = memref.subview %s[4, 16] [16, 32] [1, 1]
    : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<16x32xf32, strided<[64, 1], offset: ?>>
  %a = xegpu.create_nd_tdesc %t : memref<16x32xf32, strided<[64, 1], offset: ?>> -> !xegpu.tensor_desc<8x16xf32>"""

LANES = """
func.func @f(%A: memref<256xf32>, %R: memref<128xf32>, %i: index) {
  %s = memref.subview %A[%i] [100] [2] : memref<256xf32> to memref<100xf32, strided<[2], offset: ?>>
  %t = memref.subview %R[16] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 16>>
  %o = vector.step : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  %v = xegpu.load %s[%o], %m : memref<100xf32, strided<[2], offset: ?>>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  %d = xegpu.create_tdesc %t, %o : memref<64xf32, strided<[1], offset: 16>>, vector<16xindex>
    -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  xegpu.store %v, %d, %m : vector<16xf32>, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>
  return
}"""

SHARED = """
func.func @f(%v: vector<8x16xf32>) -> (vector<8x16xf32>, vector<8x16xf32>) {
  %b = memref.alloca() : memref<2048xi8, 3>
  %c0 = arith.constant 0 : index
  %m = memref.view %b[%c0][] : memref<2048xi8, 3> to memref<16x32xf32, 3>
  %s = memref.subview %m[8, 0] [8, 32] [1, 1] : memref<16x32xf32, 3> to memref<8x32xf32, strided<[32, 1], offset: 256>, 3>
  %d = xegpu.create_mem_desc %s : memref<8x32xf32, strided<[32, 1], offset: 256>, 3>
    -> !xegpu.mem_desc<8x32xf32, #xegpu.mem_layout<stride = [32, 1]>>
  %w = xegpu.create_mem_desc %m : memref<16x32xf32, 3> -> !xegpu.mem_desc<16x32xf32>
  %two = arith.constant dense<2.0> : vector<8x16xf32>
  %p = arith.mulf %v, %two : vector<8x16xf32>
  xegpu.store_matrix %v, %d[0, 16] : vector<8x16xf32>, !xegpu.mem_desc<8x32xf32, #xegpu.mem_layout<stride = [32, 1]>>
  xegpu.store_matrix %p, %w[0, 16] : vector<8x16xf32>, !xegpu.mem_desc<16x32xf32>
  %x = xegpu.load_matrix %w[8, 16] : !xegpu.mem_desc<16x32xf32> -> vector<8x16xf32>
  %y = xegpu.load_matrix %w[0, 16] : !xegpu.mem_desc<16x32xf32> -> vector<8x16xf32>
  return %x, %y : vector<8x16xf32>, vector<8x16xf32>
}"""

ONE_INDEX = """
func.func @f(%A: memref<256xf32>, %m: vector<16xi1>, %i: index) -> vector<16xf32> {
  %v = xegpu.load %A[%i], %m : memref<256xf32>, index, vector<16xi1> -> vector<16xf32>
  %z = arith.constant dense<0.0> : vector<16xf32>
  %r = arith.select %m, %v, %z : vector<16xi1>, vector<16xf32>
  return %r : vector<16xf32>
}"""

THREADS = """
func.func @f(%A: memref<64xf32>, %R: memref<64xf32>) attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = gpu.thread_id x
  %y = gpu.thread_id y
  %true = arith.constant true
  %i = arith.addi %t, %y : index
  %v = xegpu.load %A[%i], %true : memref<64xf32>, index, i1 -> f32
  %n = arith.constant 63 : index
  %j = arith.subi %n, %t : index
  xegpu.store %v, %R[%j], %true : f32, memref<64xf32>, index, i1
  return
}"""


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.mark.every(10, 6)
@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_an_array_is_loaded(name):
    head, rest, meaning = PARTS[name]
    _check(copy(head, **rest), meaning, 5)


def test_parts_of_parts():
    _check(copy(NESTED), lambda A, i: A[i + 4 : i + 12, 16:32], 5)


def _check(text, meaning, i):
    found = agree(text, scalars={"i": i})
    assert isinstance(found, dict), found
    expected = meaning(numbers(mlir.parse(text))["A"], i)
    assert (found["R"].reshape(expected.shape) == expected).all()


def test_lanes_reach_parts_of_arrays():
    given, found = numbers(mlir.parse(LANES)), agree(LANES, scalars={"i": 7})
    assert isinstance(found, dict), found
    assert (found["R"][16:32] == given["A"][7:39:2]).all() and (found["R"][32:] == given["R"][32:]).all()


def test_matrices_over_parts_of_shared_memory():
    given, found = numbers(mlir.parse(SHARED)), agree(SHARED)
    assert isinstance(found, dict), found
    assert (found["result0"].reshape(8, 16) == given["v"]).all() and (found["result1"].reshape(8, 16) == 2 * given["v"]).all()


def test_one_index_for_many_lanes():
    given, found = numbers(mlir.parse(ONE_INDEX)), agree(ONE_INDEX, scalars={"i": 9})
    assert isinstance(found, dict), found
    assert (found["result"] == np.where(given["m"] != 0, given["A"][9], 0)).all()


def test_threads_are_lanes_of_subgroups():
    found = agree(THREADS)
    assert isinstance(found, dict), found
    assert (found["R"] == numbers(mlir.parse(THREADS))["A"][::-1]).all()


@pytest.mark.parametrize("text, message", [
    (copy(PARTS["run-time rows"][0].replace("64x64xf32>", "?x?xf32>").replace("strided<[64, 1]", "strided<[?, 1]")), "run time"),
    (SHARED.replace("[32, 1]>>", "[1, 8]>>"), "does not lie in shared local memory"),
])  # fmt: skip
def test_what_is_not_known_is_refused(text, message):
    with pytest.raises((MlirTextError, VerifyError), match=message):
        mlir.parse(text)


def test_discardable_attributes_change_nothing():
    text = copy(PARTS["rows"][0]).replace(
        "%v = xegpu.load_nd %a[0, 0]", '%v = xegpu.load_nd %a[0, 0] {mine.note = "x", other = 3 : i32}'
    )
    plain = mlir.parse(copy(PARTS["rows"][0]))
    from xetile.ir.printer import print_op

    assert print_op(mlir.parse(text)) == print_op(plain)


ROWS = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"
COLUMNS = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16], order = [0, 1]>"
ONE = "#xegpu.layout<sg_layout = [4, 1], sg_data = [4, 32]>"


@pytest.mark.every(2)
@pytest.mark.parametrize(("layout", "made", "at", "runs"), [
    (ROWS, "[0, 0]", "", True), (COLUMNS, "", "[0, 0]", True), (COLUMNS, "[0, 0]", "", False), (ONE, "", "[0, 0]", False),
])  # fmt: skip
def test_an_access_distributes_as_its_descriptor_does(layout, made, at, runs):
    """Where a descriptor has no place yet, other owners of pieces of its size may use it; else the layouts are one."""
    kind = f"!xegpu.tensor_desc<16x32xf32, {ROWS}>"
    text = f"""
func.func @f(%A: memref<16x32xf32>, %R: memref<16x32xf32>) {{
  %a = xegpu.create_nd_tdesc %A{made} : memref<16x32xf32> -> {kind}
  %r = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> !xegpu.tensor_desc<16x32xf32, {layout}>
  %v = xegpu.load_nd %a{at} <{{layout = {layout}}}> : {kind} -> vector<16x32xf32>
  xegpu.store_nd %v, %r[0, 0] <{{layout = {layout}}}> : vector<16x32xf32>, !xegpu.tensor_desc<16x32xf32, {layout}>
  return
}}"""
    if not runs:
        with pytest.raises(LayoutError, match="in another way than its descriptor"):
            lower_to(mlir.parse(text), get_target("pvc"), "lane")
        return
    given, found = numbers(mlir.parse(text)), agree(text, cpu=False)
    assert isinstance(found, dict), found
    assert (found["R"].reshape(16, 32) == given["A"]).all()


def test_sizes_that_a_launch_passes():
    """memref.dim of an array whose type leaves them open, asked for once or twice."""
    tools.require_tool("mlir-opt")
    text = """
gpu.module @m { gpu.func @k(%A: memref<?x?xf32>, %R: memref<8x16xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %h = memref.dim %A, %c0 : memref<?x?xf32>
  %w = memref.dim %A, %c1 : memref<?x?xf32>
  %again = memref.dim %A, %c0 : memref<?x?xf32>
  %y = arith.subi %again, %c8 : index
  %t = xegpu.create_nd_tdesc %A, shape: [%h, %w], strides: [%w, 1] : memref<?x?xf32> -> !xegpu.tensor_desc<8x16xf32>
  %x = xegpu.load_nd %t[%y, 16] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.store_nd %x, %r[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  gpu.return
} }"""
    parse = parser(text)
    assert [str(arg) for arg in parse().kernel.attributes["args"]] == ["array A f32", "array R f32", "dim A 0", "dim A 1"]
    A = np.arange(40 * 72, dtype=np.float32).reshape(40, 72)
    modules = [("cpu", parse()), *(("numpy", module) for _, module in lower_on(parse(), get_target("pvc")))]
    for device, module in modules:
        R = np.zeros((8, 16), np.float32)
        launch(module, get_target("pvc"), devices.find_device(device), (1, 1, 1), {"A": A, "R": R})
        assert (A[32:, 16:32] == R).all()

"""Constants whose elements differ, packed operands that no load made, layouts of lanes that messages lack: at every level."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree, numbers
from xetile import mlir
from xetile.errors import LayoutError
from xetile.passes.named import lower_to
from xetile.target import get_target

WG1 = "layout_result_0 = #xegpu.layout<sg_layout = [4], sg_data = [8]>"
WG2 = "layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [4, 8]>"


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def dense(array) -> str:
    if array.ndim:
        return f"[{', '.join(map(dense, array))}]"
    return str(bool(array)).lower() if array.dtype == bool else repr(array.item())


RNG = np.random.default_rng(3)
ROWS = np.arange(8)[:, None] * 64 + np.arange(16) * 2 + 5
TABLES = {
    "rows of offsets": (ROWS, "i32"),
    "choices": (RNG.integers(-3, 3, (8, 16)), "i32"),
    "floats with zeros of both signs": (np.where(RNG.integers(0, 2, (8, 16)) == 0, -0.0, 1.5).astype(np.float32), "f32"),
    "a line": (RNG.integers(0, 100, 32), "i32"),
    "an even line": (7 - 3 * np.arange(32), "i32"),
    "three dimensions": (RNG.integers(0, 3, (2, 4, 16)), "i32"),
}


@pytest.mark.covering
@pytest.mark.every(6)
@pytest.mark.parametrize("level", ["subgroup", "workgroup"])
@pytest.mark.parametrize("name", TABLES)
def test_each_element_is_its_own(name, level):
    array, element = TABLES[name]
    if level == "workgroup" and array.ndim > 2:
        pytest.skip("the layouts here are of one and two dimensions")
    layout = "" if level == "subgroup" else f" {{{WG1 if array.ndim == 1 else WG2}}}"
    shape = "x".join(map(str, array.shape))
    text = f"""
func.func @f() -> vector<{shape}x{element}> {{
  %t = arith.constant{layout} dense<{dense(array)}> : vector<{shape}x{element}>
  return %t : vector<{shape}x{element}>
}}"""
    found = agree(text)
    assert isinstance(found, dict), found
    assert (found["result"].reshape(array.shape).view(np.int32) == array.astype(found["result"].dtype).view(np.int32)).all()


def test_masks_are_tables_too():
    mask = RNG.integers(0, 2, (8, 16)) == 1
    text = f"""
func.func @f(%v: vector<8x16xf32>) -> vector<8x16xf32> {{
  %m = arith.constant dense<{dense(mask)}> : vector<8x16xi1>
  %z = arith.constant dense<0.0> : vector<8x16xf32>
  %r = arith.select %m, %v, %z : vector<8x16xi1>, vector<8x16xf32>
  return %r : vector<8x16xf32>
}}"""
    found = agree(text)
    assert isinstance(found, dict), found
    assert (found["result"].reshape(8, 16) == np.where(mask, numbers(mlir.parse(text))["v"], 0)).all()


LARGE = {
    "lines": ("1", (8, 64), "f32"),
    "a row of three": ("1", (400,), "f32"),
    "a block for each of four": ("sg_layout = [2, 2], sg_data = [16, 16]", (32, 32), "i32"),
    "two rounds": ("sg_layout = [2, 1], sg_data = [8, 16]", (32, 16), "i32"),
    "shared by two": ("sg_layout = [2, 2], sg_data = [16, 32]", (32, 32), "i32"),
}


@pytest.mark.every(6, 3)
@pytest.mark.parametrize("name", LARGE)
def test_a_table_without_a_rule_is_made_in_parts(name):
    said, shape, element = LARGE[name]
    array = RNG.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32 if element == "f32" else np.int32)
    layout = "" if said == "1" else f"{{layout_result_0 = #xegpu.layout<{said}>}}"
    kind = f"vector<{'x'.join(map(str, shape))}x{element}>"
    found = agree(
        f"func.func @f() -> {kind} {{ %t = arith.constant {layout} dense<{dense(array)}> : {kind} return %t : {kind} }}"
    )
    assert isinstance(found, dict), found
    assert (found["result"].reshape(shape) == array).all()


def test_a_table_that_is_too_large_goes_to_memory():
    array = RNG.permutation(8192).reshape(64, 128)
    kind = "vector<64x128xi32>"
    module = mlir.parse(f"func.func @f() -> {kind} {{ %t = arith.constant dense<{dense(array)}> : {kind} return %t : {kind} }}")
    with pytest.raises(LayoutError, match="at most 4096 elements"):
        lower_to(module, get_target("pvc"), "lane")


PRODUCT = """
func.func @f(%a: vector<{a}xf16>, %b: vector<{b}xf16>) -> vector<8x16xf32> {{
  %c = xegpu.dpas %a, %b : vector<{a}xf16>, vector<{b}xf16> -> vector<8x16xf32>
  return %c : vector<8x16xf32>
}}"""


@pytest.mark.every(2)
@pytest.mark.parametrize("b", ["16x16", "8x16x2"])
def test_operands_of_products_that_no_load_made(b):
    text = PRODUCT.format(a="8x16", b=b)
    given, found = numbers(mlir.parse(text)), agree(text)
    assert isinstance(found, dict), found
    plain = given["b"].astype(np.float32)
    if b == "8x16x2":
        plain = plain.transpose(0, 2, 1).reshape(16, 16)
    assert (found["result"].reshape(8, 16) == given["a"].astype(np.float32) @ plain).all()


@pytest.mark.parametrize("lanes", ["[2, 8], lane_data = [1, 1]", "[1, 16], lane_data = [4, 1]", "[16, 1], lane_data = [1, 4]"])
def test_layouts_of_lanes_that_messages_lack(lanes):
    kind = f"!xegpu.tensor_desc<16x16xf32, #xegpu.layout<lane_layout = {lanes}>>"
    text = f"""
func.func @f(%A: memref<16x16xf32>, %R: memref<16x16xf32>) {{
  %a = xegpu.create_nd_tdesc %A : memref<16x16xf32> -> {kind}
  %r = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> {kind}
  %v = xegpu.load_nd %a[0, 0] : {kind} -> vector<16x16xf32>
  xegpu.store_nd %v, %r[0, 0] : vector<16x16xf32>, {kind}
  return
}}"""
    given, found = numbers(mlir.parse(text)), agree(text, cpu=False)
    assert isinstance(found, dict), found
    assert (found["R"].reshape(16, 16) == given["A"]).all()


@pytest.mark.every(4)
@pytest.mark.parametrize("inst", [(16, 8), (8, 16), (8, 8), (32, 16)])
def test_instructions_of_transposed_loads(inst):
    """The transpose folds into the load, whose inst_data turns with it."""
    kind = f"!xegpu.tensor_desc<32x16xf32, #xegpu.layout<inst_data = {list(inst)}>>"
    text = f"""
func.func @f(%A: memref<32x16xf32>) -> vector<16x32xf32> {{
  %a = xegpu.create_nd_tdesc %A : memref<32x16xf32> -> {kind}
  %v = xegpu.load_nd %a[0, 0] : {kind} -> vector<32x16xf32>
  %t = vector.transpose %v, [1, 0] : vector<32x16xf32> to vector<16x32xf32>
  return %t : vector<16x32xf32>
}}"""
    given, found = numbers(mlir.parse(text)), agree(text, cpu=False)
    assert isinstance(found, dict), found
    assert (found["result"].reshape(16, 32) == given["A"].T).all()


def test_layouts_of_fewer_subgroups_repeat():
    """Four subgroups load and scale, groups of two hold each row: the same numbers, whoever holds them."""
    text = """
func.func @f(%A: memref<16x32xf32>, %R: memref<16x32xf32>, %S: memref<32xf32>) {
  %a = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>>
  %r = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>>
  %b = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 1], sg_data = [8, 32]>>
  %s = xegpu.create_nd_tdesc %S : memref<32xf32> -> !xegpu.tensor_desc<32xf32, #xegpu.layout<sg_layout = [2], sg_data = [16]>>
  %v = xegpu.load_nd %a[0, 0] : !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>> -> vector<16x32xf32>
  %w = xegpu.load_nd %b[0, 0] : !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 1], sg_data = [8, 32]>> -> vector<16x32xf32>
  %c = xegpu.convert_layout %w <{input_layout = #xegpu.layout<sg_layout = [2, 1], sg_data = [8, 32]>,
    target_layout = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>}> : vector<16x32xf32>
  %p = arith.mulf %v, %c : vector<16x32xf32>
  xegpu.store_nd %p, %r[0, 0] : vector<16x32xf32>, !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>>
  %o = arith.constant {layout_result_0 = #xegpu.layout<sg_layout = [2], sg_data = [16]>} dense<2.5> : vector<32xf32>
  xegpu.store_nd %o, %s[0] : vector<32xf32>, !xegpu.tensor_desc<32xf32, #xegpu.layout<sg_layout = [2], sg_data = [16]>>
  return
}"""
    module = mlir.parse(text)
    given, found = numbers(module), agree(text)
    assert isinstance(found, dict), found
    assert module.kernel.attributes["num_subgroups"] == 4
    assert (found["R"].reshape(16, 32) == given["A"] ** 2).all() and (found["S"] == 2.5).all()

"""Functions as others write them: called by kernels, taking and giving vectors and descriptors, beside ops of other dialects."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree, generic_forms, numbers
from xetile import mlir
from xetile.errors import LayoutError, MlirTextError, VerifyError

LANES = "#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>"
SUBGROUPS = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"

CALLED = """
func.func private @scaled(%v: vector<8x16xf32>, %by: f32) -> (vector<8x16xf32>, vector<8x16xf32>) {
  %s = vector.broadcast %by : f32 to vector<8x16xf32>
  %p = arith.mulf %v, %s : vector<8x16xf32>
  return %p, %s : vector<8x16xf32>, vector<8x16xf32>
}
func.func private @twice(%v: vector<8x16xf32>) -> vector<8x16xf32> {
  %two = arith.constant 2.0 : f32
  %p:2 = func.call @scaled(%v, %two) : (vector<8x16xf32>, f32) -> (vector<8x16xf32>, vector<8x16xf32>)
  %q = arith.addf %p#0, %p#1 : vector<8x16xf32>
  return %q : vector<8x16xf32>
}
func.func @kernel(%A: memref<8x16xf32>, %R: memref<8x16xf32>) {
  %a = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[0, 0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %w = func.call @twice(%v) : (vector<8x16xf32>) -> vector<8x16xf32>
  %x = func.call @twice(%w) : (vector<8x16xf32>) -> vector<8x16xf32>
  %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.store_nd %x, %r[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}
"""

ALONE = {
    "subgroup": ("""
func.func @f(%v: vector<8x16xf32>, %m: vector<8x16xi1>, %by: f32) -> (vector<8x16xf32>, f32, vector<8x16xi1>) {
  %s = vector.broadcast %by : f32 to vector<8x16xf32>
  %p = arith.mulf %v, %s : vector<8x16xf32>
  %q = arith.select %m, %p, %v : vector<8x16xi1>, vector<8x16xf32>
  %n = arith.cmpf ogt, %q, %s : vector<8x16xf32>
  return %q, %by, %n : vector<8x16xf32>, f32, vector<8x16xi1>
}""", lambda v, m, by: (np.where(m != 0, v * by, v), np.full(16, by), np.where(m != 0, v * by, v) > by)),
    "lane": ("""
func.func @f(%v: vector<4x2xf32>, %i: vector<1xindex>) -> (vector<4x2xf32>, index) {
  %lane = gpu.lane_id
  %k = arith.index_cast %lane : index to i32
  %f = arith.sitofp %k : i32 to f32
  %s = vector.broadcast %f : f32 to vector<4x2xf32>
  %p = arith.addf %v, %s : vector<4x2xf32>
  %j = vector.extract %i[0] : index from vector<1xindex>
  return %p, %j : vector<4x2xf32>, index
}""", lambda v, i: (v + np.arange(16, dtype=np.float32)[:, None, None], i[:, 0])),
    "workgroup": (f"""
func.func @f(%v: vector<16x32xf32>, %d: !xegpu.tensor_desc<16x32xf32, {SUBGROUPS}>) -> vector<16x32xf32> {{
  %w = xegpu.load_nd %d[0, 0] : !xegpu.tensor_desc<16x32xf32, {SUBGROUPS}> -> vector<16x32xf32>
  %s = arith.addf %v, %w : vector<16x32xf32>
  return %s : vector<16x32xf32>
}}""", lambda v, d: (v + d,)),
    "descriptor": ("""
func.func @f(%d: !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2>>) -> vector<2x8x16xf16> {
  %v = xegpu.load_nd %d : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2>> -> vector<2x8x16xf16>
  return %v : vector<2x8x16xf16>
}""", lambda d: (np.stack([d[:, :16], d[:, 16:]]),)),
    "scattered descriptor": ("""
func.func @f(%d: !xegpu.tensor_desc<16x2xf32, #xegpu.scatter_tdesc_attr<chunk_size = 2>>, %m: vector<16xi1>, %w: vector<16x2xf32>) {
  xegpu.store %w, %d, %m : vector<16x2xf32>, !xegpu.tensor_desc<16x2xf32, #xegpu.scatter_tdesc_attr<chunk_size = 2>>, vector<16xi1>
  return
}""", lambda d, m, w: ()),
    "matrix": ("""
func.func @f(%m: !xegpu.mem_desc<16x32xf32>, %v: vector<8x16xf32>) -> vector<8x16xf32> {
  xegpu.store_matrix %v, %m[8, 16] : vector<8x16xf32>, !xegpu.mem_desc<16x32xf32>
  %w = xegpu.load_matrix %m[8, 16] : !xegpu.mem_desc<16x32xf32> -> vector<8x16xf32>
  return %w : vector<8x16xf32>
}""", lambda v: (v,)),
    "barrier": ("""
func.func @f(%n: !xegpu.nbarrier, %v: vector<16xf32>) -> vector<16xf32> {
  xegpu.nbarrier_arrive %n : !xegpu.nbarrier
  xegpu.nbarrier_wait %n : !xegpu.nbarrier
  return %v : vector<16xf32>
}""", lambda v: (v,)),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.mark.every(9)
@pytest.mark.parametrize("name", ALONE)
def test_a_function_alone_is_a_kernel_on_arrays(name):
    text, meaning = ALONE[name]
    module = mlir.parse(text)
    given = numbers(module)
    scalars = {} if "by" not in text else {"by": 3.0}
    found = agree(text, scalars=scalars)
    assert isinstance(found, dict), found
    named = [spec.param for spec in module.kernel.args]
    expected = meaning(*(given.get(n, scalars.get(n)) for n in named if not n.startswith("result")))
    results = [found[n] for n in named if n.startswith("result")]
    assert len(results) == len(expected)
    for result, wanted in zip(results, expected, strict=True):
        assert (result.reshape(np.shape(wanted)) == wanted).all()


def test_a_scattered_descriptor_that_is_passed_lies_in_its_array():
    text, _ = ALONE["scattered descriptor"]
    given, found = numbers(mlir.parse(text)), agree(text)
    assert isinstance(found, dict)
    mask = given["m"] != 0
    assert (found["d"].reshape(16, 2) == np.where(mask[:, None], given["w"], given["d"].reshape(16, 2))).all()
    assert mask.any() and not mask.all()


def test_what_a_kernel_calls_becomes_part_of_it():
    given, found = numbers(mlir.parse(CALLED)), agree(CALLED)
    assert isinstance(found, dict), found
    assert (found["R"].reshape(8, 16) == (given["A"] * 2 + 2) * 2 + 2).all()


def test_other_functions_and_ops_of_other_dialects_are_left_alone():
    text = f"""module attributes {{gpu.container_module}} {{
memref.global "private" @table : memref<4xf32> = dense<1.0>
llvm.func @printf(!llvm.ptr, ...) -> i32
func.func @main(%A: memref<8x16xf32>) {{
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<8x16xf32>)
  return
}}
gpu.module @kernels {{
  gpu.func @kernel(%A: memref<8x16xf32>) kernel {{
    gpu.return
  }}
}}
{CALLED.replace("@kernel", "@another")}}}"""
    assert mlir.parse(text).kernel.sym_name == "kernel"
    assert mlir.parse(text, kernel="another").kernel.sym_name == "another"


PRODUCT = "%p = arith.mulf %v, %s : vector<8x16xf32>"


@pytest.mark.parametrize("change, message", [
    (("%two) : (vector<8x16xf32>, f32)", "%v) : (vector<8x16xf32>, vector<8x16xf32>)"), "type mismatch"),
    ((PRODUCT, "%p = func.call @twice(%v) : (vector<8x16xf32>) -> vector<8x16xf32>"), "@twice calls itself"),
    (("@twice(%w)", "@absent(%w)"), "does not reference a valid function"),
])  # fmt: skip
def test_calls_that_cannot_be_are_refused(change, message):
    assert change[0] in CALLED
    with pytest.raises(MlirTextError, match=message):
        mlir.parse(CALLED.replace(*change))


@pytest.mark.parametrize("ops", [(0, 1), (0, 1, 2, 2)], ids=["no return", "two returns"])
def test_a_called_function_ends_with_its_return(ops):
    tools.require_tool("mlir-opt")
    lines = generic_forms([CALLED])[0].splitlines()
    end = next(i for i, line in enumerate(lines) if '"func.return"' in line)
    body = lines[end - 2 : end + 1]
    text = "\n".join([*lines[: end - 2], *(body[i] for i in ops), *lines[end + 1 :]])
    with pytest.raises(MlirTextError, match="@scaled has a return that is not its last op, or none"):
        mlir.parse(text)


def test_several_kernels_ask_for_a_name():
    with pytest.raises(MlirTextError, match="has 2 kernels: kernel, other"):
        mlir.parse(CALLED + "func.func @other() { return }")
    with pytest.raises(MlirTextError, match="has no kernel absent"):
        mlir.parse(CALLED, kernel="absent")


SHARES = """
func.func @f(%A: memref<256xf32>) -> vector<2xf32> {
  %o = arith.constant dense<[0, 8, 16, 24]> : vector<4xindex>
  %m = arith.constant dense<true> : vector<4xi1>
  %d = xegpu.create_tdesc %A, %o : memref<256xf32>, vector<4xindex>
    -> !xegpu.tensor_desc<4x2xf32, #xegpu.scatter_tdesc_attr<chunk_size = 2>>
  %v = xegpu.load %d, %m : !xegpu.tensor_desc<4x2xf32, #xegpu.scatter_tdesc_attr<chunk_size = 2>>, vector<4xi1> -> vector<2xf32>
  return %v : vector<2xf32>
}"""
MIXED = """
func.func @f(%A: memref<8x16xf16>, %v: vector<8x16xf16>) -> vector<8xf16> {
  %a = xegpu.create_nd_tdesc %A : memref<8x16xf16> -> !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %v, %a[0, 0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  %w = xegpu.load_nd %a[0, 0] : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
  return %w : vector<8xf16>
}"""


def test_a_lane_has_offsets_of_its_own():
    refused = agree(SHARES, cpu=False)
    assert isinstance(refused, LayoutError) and "offsets of several lanes" in str(refused) and refused.at is not None


def test_a_kernel_is_of_one_level():
    with pytest.raises(
        VerifyError, match=r"load_nd: this one is of one lane, but xegpu\.store_nd is of a whole subgroup"
    ) as error:
        mlir.parse(MIXED)
    assert error.value.at is not None and error.value.at.line == 5

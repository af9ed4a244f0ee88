"""Addresses of arrays, and bytes behind them: the same elements at every level and on every device as by the array itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree, numbers
from xetile import mlir
from xetile.errors import MlirTextError

ROWS = """
func.func @f(%A: memref<64x64xf32>, %R: memref<64x16xf32>, %i: index) {
  %p = memref.extract_aligned_pointer_as_index %A : memref<64x64xf32> -> index
  %row = arith.constant 256 : index
  %bytes = arith.muli %i, %row : index
  %q = arith.addi %p, %bytes : index
  %a = arith.index_cast %q : index to i64
  %more = arith.constant 512 : i64
  %b = arith.addi %a, %more : i64
  %d = xegpu.create_nd_tdesc %b, shape: [32, 64], strides: [64, 1] : i64 -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %d[4, 16] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %base, %start, %sizes:2, %strides:2 = memref.extract_strided_metadata %R
    : memref<64x16xf32> -> memref<f32>, index, index, index, index, index
  %rp = memref.extract_aligned_pointer_as_index %base : memref<f32> -> index
  %ri = arith.index_castui %rp : index to i64
  %r = xegpu.create_nd_tdesc %ri, shape: [%sizes#0, %sizes#1], strides: [%strides#0, %strides#1] : i64
    -> !xegpu.tensor_desc<8x16xf32>
  xegpu.store_nd %v, %r[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}"""

WORDS = """
func.func @f(%A: memref<32x64xf16>, %R: memref<16x8xf32>) {
  %p = memref.extract_aligned_pointer_as_index %A : memref<32x64xf16> -> index
  %a = arith.index_cast %p : index to i64
  %d = xegpu.create_nd_tdesc %a, shape: [32, 32], strides: [32, 1] : i64 -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %d[8, 0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<8x16xf32> -> vector<16x8xf32>
  %r = xegpu.create_nd_tdesc %R : memref<16x8xf32> -> !xegpu.tensor_desc<16x8xf32>
  xegpu.store_nd %v, %r[0, 0] : vector<16x8xf32>, !xegpu.tensor_desc<16x8xf32>
  return
}"""

SCATTERED = """
func.func @f(%A: memref<16x16xf32>, %R: memref<64xf32>, %i: index) {
  %part = memref.subview %A[2, 0] [8, 16] [1, 1] : memref<16x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 32>>
  %p = memref.extract_aligned_pointer_as_index %part : memref<8x16xf32, strided<[16, 1], offset: 32>> -> index
  %base, %start, %s:2, %t:2 = memref.extract_strided_metadata %part
    : memref<8x16xf32, strided<[16, 1], offset: 32>> -> memref<f32>, index, index, index, index, index
  %four = arith.constant 4 : index
  %bytes = arith.muli %start, %four : index
  %q = arith.addi %p, %bytes : index
  %odd = arith.muli %i, %four : index
  %moved = arith.addi %odd, %q : index
  %a = arith.index_cast %moved : index to i64
  %o = vector.step : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  xegpu.prefetch %a[%o] <{offset_align_byte = 4}> : i64, vector<16xindex>
  %v = xegpu.load %a[%o], %m : i64, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  %rp = memref.extract_aligned_pointer_as_index %R : memref<64xf32> -> index
  %ra = arith.index_cast %rp : index to i64
  %d = xegpu.create_tdesc %ra, %o : i64, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  xegpu.store %v, %d, %m : vector<16xf32>, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>
  return
}"""

LANES = """
func.func @f(%A: memref<4x16xf32>, %R: memref<16xf32>) {
  %p = memref.extract_aligned_pointer_as_index %A : memref<4x16xf32> -> index
  %a = arith.index_cast %p : index to i64
  %lane = gpu.lane_id
  %m = arith.constant true
  %v = xegpu.load %a[%lane], %m : i64, index, i1 -> f32
  xegpu.store %v, %R[%lane], %m : f32, memref<16xf32>, index, i1
  return
}"""

MODULES = {
    "a block behind so many rows": (ROWS, lambda A: A[11:19, 16:32], {"i": 5}),
    "an array of halves as words": (WORDS, lambda A: A.view(np.float32)[8:16, :16].T, {}),
    "lanes of a subgroup behind a part": (SCATTERED, lambda A: A.ravel()[35:51], {"i": 3}),
    "lanes": (LANES, lambda A: A[0], {}),
}


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("name", MODULES)
def test_addresses_are_places_in_arrays(name):
    text, meaning, scalars = MODULES[name]
    found = agree(text, scalars=scalars)
    assert isinstance(found, dict), found
    expected = meaning(numbers(mlir.parse(text))["A"])
    assert (found["R"][: expected.size].reshape(expected.shape) == expected).all()


@pytest.mark.every(2)
@pytest.mark.parametrize("text, message", [
    (ROWS.replace("%bytes = arith.muli %i, %row", "%bytes = arith.muli %p, %row"), "only the device knows"),
    (ROWS.replace("constant 512", "constant 510"), "510 bytes behind"),
    (ROWS.replace("%R: memref<64x16xf32>", "%R: memref<?x16xf32>").replace("%R\n    : memref<64x16xf32>", "%R\n    : memref<?x16xf32>"),
     "known only at run time"),
    (LANES.replace("memref<16xf32>, index, i1\n", "memref<16xf32>, index, i1\n  vector.print %a : i64\n"), "vector.print"),
    ("func.func @f(%A: memref<64xi64>, %i: index) {\n  %p = memref.extract_aligned_pointer_as_index %A : memref<64xi64> -> index\n"
     "  %a = arith.index_cast %p : index to i64\n  memref.store %a, %A[%i] : memref<64xi64>\n  return\n}", "takes no address"),
    ("func.func @f(%A: memref<64xf32>, %c: i1) -> index {\n  %p = memref.extract_aligned_pointer_as_index %A : memref<64xf32> -> index\n"
     "  %n = arith.constant 64 : index\n"
     "  %q = scf.if %c -> index {\n    scf.yield %p : index\n  } else {\n    scf.yield %n : index\n  }\n  return %q : index\n}",
     "an address and a number"),
    ("func.func @f(%A: memref<64xf32>, %B: memref<64xf32>, %n: index) {\n"
     "  %p = memref.extract_aligned_pointer_as_index %A : memref<64xf32> -> index\n"
     "  %o = memref.extract_aligned_pointer_as_index %B : memref<64xf32> -> index\n"
     "  %q:2 = scf.for %i = %n to %n step %n iter_args(%a = %p, %b = %o) -> (index, index) {\n    scf.yield %b, %a : index, index\n  }\n"
     "  return\n}", "addresses of several arrays"),
])  # fmt: skip
def test_what_no_address_can_be_is_refused(text, message):
    with pytest.raises(MlirTextError, match=message):
        mlir.parse(text)

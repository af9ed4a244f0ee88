"""Blocks that are loaded, and that lanes take on one way of a branch of their own (backends/spirv/emit/flow)."""

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import left_by, parser

BLOCK, DESC = "vector<8xi32>", "!xegpu.tensor_desc<8x16xi32>"
# The message for %b goes where %b is taken, as IGC sees it; what moves in the loop keeps it from taking two iterations for one.
TEXT = f"""gpu.module @m {{
  gpu.func @k(%A: memref<64x64xi32>, %B: memref<64x64xi32>, %C: memref<64x64xi32>, %D: memref<64x64xi32>, %R: memref<24x64xi32>)
      kernel attributes {{xetile.level = "lane"}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.lane_id
    %block = gpu.block_id x
    %ta = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<64x64xi32> -> {DESC}
    %a = xegpu.load_nd %ta : {DESC} -> {BLOCK}
    %first = arith.cmpi eq, %block, %c0 : index
    %tb = scf.if %first -> ({DESC}) {{
      %t = xegpu.create_nd_tdesc %B[%c0, %c16] : memref<64x64xi32> -> {DESC}
      scf.yield %t : {DESC}
    }} else {{
      %t = xegpu.create_nd_tdesc %B[%c8, %c0] : memref<64x64xi32> -> {DESC}
      scf.yield %t : {DESC}
    }}
    %b = xegpu.load_nd %tb : {DESC} -> {BLOCK}
    %td = xegpu.create_nd_tdesc %D[%c0, %c0] : memref<64x64xi32> -> {DESC}
    %d = xegpu.load_nd %td : {DESC} -> {BLOCK}
    %p = xegpu.create_nd_tdesc %C[%c0, %c16] : memref<64x64xi32> -> {DESC}
    %q = xegpu.create_nd_tdesc %C[%c0, %c0] : memref<64x64xi32> -> {DESC}
    %r:4 = scf.for %i = %c0 to %c2 step %c1 iter_args(%pi = %p, %qi = %q, %u = %a, %w = %d) -> ({DESC}, {DESC}, {BLOCK}, {BLOCK}) {{
      %loaded = xegpu.load_nd %pi : {DESC} -> {BLOCK}
      %twice = arith.addi %a, %a : {BLOCK}
      %x = vector.extract %a[7] : i32 from {BLOCK}
      %y = vector.extract %a[6] : i32 from {BLOCK}
      %less = arith.cmpi slt, %x, %y : i32
      %v = scf.if %less -> ({BLOCK}) {{
        %s:2 = scf.for %j = %c1 to %lane step %c1 iter_args(%f = %twice, %g = %b) -> ({BLOCK}, {BLOCK}) {{
          scf.yield %g, %f : {BLOCK}, {BLOCK}
        }}
        scf.yield %s#1 : {BLOCK}
      }} else {{
        %s:2 = scf.for %j = %c0 to %lane step %c2 iter_args(%f = %twice, %g = %a) -> ({BLOCK}, {BLOCK}) {{
          scf.yield %g, %f : {BLOCK}, {BLOCK}
        }}
        scf.yield %s#1 : {BLOCK}
      }}
      %n = xegpu.update_nd_offset %pi, [%c8, %c0] : {DESC}
      scf.yield %qi, %n, %a, %v : {DESC}, {DESC}, {BLOCK}, {BLOCK}
    }}
    %row = arith.muli %block, %c8 : index
    %tr = xegpu.create_nd_tdesc %R[%row, %c0] : memref<24x64xi32> -> {DESC}
    xegpu.store_nd %r#3, %tr : {BLOCK}, {DESC}
    gpu.return
  }}
}}"""


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
def test_lanes_on_the_other_way_keep_their_numbers(device):
    """The message wrote to what both ways give, for lanes of the other way too."""
    tools.require_tool("ocloc")
    tools.require_tool("mlir-opt")
    parse = parser(TEXT)
    expected, found = (left_by(parse(), where, (2,), {}) for where in ("numpy", device))
    np.testing.assert_equal(found, expected)

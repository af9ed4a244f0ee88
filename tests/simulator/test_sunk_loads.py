# ruff: noqa: E501 (lines of MLIR text)
"""Block loads whose results only some lanes take: IGC (2.40.14) moves them to the branch, where the lane that sends the message may not be."""

from __future__ import annotations

import pytest
from xetile.backends.spirv.module.binary import Binary

from tests import tools
from tests.mlir.everywhere import left_by, parser
from xetile.cli import mlir_modules
from xetile.target import get_target

LANES_OF_A_LOOP = """gpu.module @m {
  gpu.func @k(%A2: memref<64x64xf32>, %A12: memref<64x64xf16>, %A19: memref<64x64xf16>, %A24: memref<64x64xf32>, %A30: memref<64x64xf32>, %A32: memref<64x64xf32>, %A59: memref<64x64xf32>, %R78: memref<24x64xf32>, %R83: memref<24x64xf32>, %R88: memref<24x64xf32>) kernel attributes {xetile.level = "lane"} {
    %block = gpu.block_id x
    %c4 = arith.constant 60 : index
    %c5 = arith.constant 4 : index
    %c6 = arith.constant 0 : index
    %c7 = arith.constant 0 : index
    %t3 = xegpu.create_nd_tdesc %A2[%c4, %c5] : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %t8 = xegpu.update_nd_offset %t3, [%c6, %c7] : !xegpu.tensor_desc<8x16xf32>
    %v1 = xegpu.load_nd %t8 : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %v9 = vector.shuffle %v1, %v1 [2, 2, 2, 3, 6, 0, 5, 2] : vector<8xf32>, vector<8xf32>
    %c26 = arith.constant 16 : index
    %c27 = arith.constant 16 : index
    %c28 = arith.constant 0 : index
    %c29 = arith.constant 0 : index
    %t25 = xegpu.create_nd_tdesc %A24[%c26, %c27] : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v23 = xegpu.load_nd %t25[%c28, %c29] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %c34 = arith.constant 16 : index
    %c35 = arith.constant 4 : index
    %c36 = arith.constant 16 : index
    %c37 = arith.constant 0 : index
    %t33 = xegpu.create_nd_tdesc %A32[%c34, %c35] : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %t38 = xegpu.update_nd_offset %t33, [%c36, %c37] : !xegpu.tensor_desc<8x16xf32>
    %v31 = xegpu.load_nd %t38[%c36, %c37] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %c48 = arith.constant 8 : index
    %c49 = arith.constant 16 : index
    %p39 = xegpu.create_nd_tdesc %A30[%c48, %c49] : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %c50 = arith.constant 0 : index
    %c51 = arith.constant 16 : index
    %q40 = xegpu.create_nd_tdesc %A30[%c50, %c51] : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %c52 = arith.constant 0 : index
    %c53 = arith.constant 2 : index
    %c54 = arith.constant 1 : index
    %c55 = arith.constant 0 : index
    %c56 = arith.constant 16 : index
    %r41:4 = scf.for %i47 = %c52 to %c53 step %c54 iter_args(%p39i = %p39, %q40i = %q40, %u44 = %v23, %w45 = %v31) -> (!xegpu.tensor_desc<8x16xf32>, !xegpu.tensor_desc<8x16xf32>, vector<8xf32>, vector<8xf32>) {
    %t43 = xegpu.load_nd %p39i : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %s42 = arith.addf %u44, %t43 : vector<8xf32>
    %c61 = arith.constant 60 : index
    %c62 = arith.constant 16 : index
    %c63 = arith.constant 4 : index
    %c64 = arith.constant 60 : index
    %t60 = xegpu.create_nd_tdesc %A59[%c61, %c62] : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %t65 = xegpu.update_nd_offset %t60, [%c63, %c64] : !xegpu.tensor_desc<8x16xf32>
    %v58 = xegpu.load_nd %t65 : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %e66 = vector.extract %s42[3] : f32 from vector<8xf32>
    %e67 = vector.extract %v58[3] : f32 from vector<8xf32>
    %c57 = arith.cmpf olt, %e66, %e67 : f32
    %v76 = scf.if %c57 -> (vector<8xf32>) {
    scf.yield %s42 : vector<8xf32>
    } else {
    %e69 = vector.extract %s42[1] : f32 from vector<8xf32>
    %e70 = vector.extract %v9[1] : f32 from vector<8xf32>
    %c68 = arith.cmpf olt, %e69, %e70 : f32
    %v75 = scf.if %c68 -> (vector<8xf32>) {
    %v71 = arith.addf %s42, %v1 : vector<8xf32>
    %v72 = arith.addf %v71, %v31 : vector<8xf32>
    scf.yield %v72 : vector<8xf32>
    } else {
    scf.yield %s42 : vector<8xf32>
    }
    scf.yield %v75 : vector<8xf32>
    }
    %n46 = xegpu.update_nd_offset %p39i, [%c55, %c56] : !xegpu.tensor_desc<8x16xf32>
    scf.yield %q40i, %n46, %w45, %v76 : !xegpu.tensor_desc<8x16xf32>, !xegpu.tensor_desc<8x16xf32>, vector<8xf32>, vector<8xf32>
    }
    %c85 = arith.constant 8 : index
    %b86 = arith.muli %block, %c85 : index
    %c87 = arith.constant 16 : index
    %t84 = xegpu.create_nd_tdesc %R83[%b86, %c87] : memref<24x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %r41#2, %t84 : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
"""
"""Seed 17080576 of `tests.generators.xegpu`: a branch of a branch, in which lanes diverge, takes the first load alone."""


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_lanes_take_what_all_have_loaded(target):
    tools.require_tool("ocloc")
    parse = parser(LANES_OF_A_LOOP)
    exact, found = (left_by(parse(), device, (2,), {}, target) for device in ("numpy", f"sim:{target}"))
    assert {name: (found[name] == array).all() for name, array in exact.items()} == dict.fromkeys(exact, True)


def test_what_all_lanes_take_is_not_held():
    """The load that a branch alone takes is held; where all lanes take it besides, it is not."""
    text = LANES_OF_A_LOOP.replace(
        "%s42 = arith.addf %u44, %t43", "%s41 = arith.addf %u44, %v1 : vector<8xf32>\n    %s42 = arith.addf %s41, %t43"
    )
    counts = [_barriers(text) for text in (LANES_OF_A_LOOP, text)]
    assert counts[0] == counts[1] + 1


def _barriers(text):
    made = mlir_modules.compile_module(parser(text)(), get_target("pvc"))
    return sum(i.name == "OpControlBarrier" for i in Binary(made.spirv).instructions)

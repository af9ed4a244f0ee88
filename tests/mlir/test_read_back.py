"""Every level of XeGPU modules as text: what is read back leaves the same in memory as the module that was written."""

from __future__ import annotations

import pytest
from xetile.backends.reference.interpret import _prepared

from tests import tools
from tests.mlir.everywhere import left_by, parser
from tests.mlir.workgroup import MODULES
from xetile import mlir
from xetile.ir.printer import print_op
from xetile.passes.named import lower_on, run_named
from xetile.target import get_target

HINTS = """gpu.module @m {
  gpu.func @k(%A: memref<64x64xf32>, %I: memref<16xf32>, %R: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %r = xegpu.create_nd_tdesc %R : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %off = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    xegpu.prefetch_nd %d[%c0, %c0] <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>}>
      : !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %d[%c0, %c0] <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>}>
      : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %g = xegpu.load %I[%off], %m <{l1_hint = #xegpu.cache_hint<cached>}> : memref<16xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    %b = vector.broadcast %g : vector<16xf32> to vector<8x16xf32>
    %s = arith.addf %v, %b : vector<8x16xf32>
    xegpu.store %g, %I[%off], %m <{l1_hint = #xegpu.cache_hint<write_back>}> : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>
    xegpu.store_nd %s, %r[%c0, %c0] <{l3_hint = #xegpu.cache_hint<write_back>}> : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
"""

TEXTS = {**MODULES, "cache hints": HINTS}


@pytest.mark.every(30, 18)
@pytest.mark.parametrize("name", TEXTS)
def test_each_level_is_read_back_and_means_the_same(name: str) -> None:
    tools.require_tool("mlir-opt")
    levels = []
    for level, module in lower_on(parser(TEXTS[name])(), get_target("pvc")):
        read = mlir.parse(print_op(module))
        ran = [left_by(each, "numpy", (1,), {}) for each in (module, read)]
        _prepared.clear()  # passes change kernels in place
        assert isinstance(ran[0], dict) and isinstance(ran[1], dict), (level, ran)
        for array, values in ran[0].items():
            assert values.tobytes() == ran[1][array].tobytes(), (level, array)
        levels.append(level)
    assert levels[-4:] == ["subgroup", "blocked", "xegpu", "lane"]


@pytest.mark.every(12, 3)
@pytest.mark.parametrize("name", TEXTS)
def test_each_pass_leaves_a_valid_module(name: str) -> None:
    tools.require_tool("mlir-opt")
    run_named(parser(TEXTS[name])(), get_target("pvc"), ["lane"])  # verifies behind each pass

"""Values of rank 3 that move between subgroups: how many matrices a piece is stored as, and that its elements arrive."""

from __future__ import annotations

import pytest

from tests.generators.generic import generic
from tests.mlir.everywhere import compare, everywhere
from xetile import mlir
from xetile.dialects import xetile
from xetile.errors import XetileError
from xetile.passes.named import lower_to
from xetile.target import get_target


def exchanged(perm, shape, held, gathered):
    """16x128 of A as 2x8x128, permuted, and stored as rows; `held`: what subgroups have of the permuted one, `gathered` of its rows."""
    a = "#xegpu.layout<sg_layout = [2, 1], sg_data = [8, 128]>"
    cube = "#xegpu.layout<sg_layout = [2, 1, 1], sg_data = [1, 8, 128]>"
    permuted, rows = f"#xegpu.layout<sg_layout = {held}>", f"#xegpu.layout<sg_layout = [2, 1], sg_data = {gathered}>"
    cast = "x".join(map(str, (shape[0] * shape[1], shape[2])))
    dims = "x".join(map(str, shape))
    return f"""gpu.module @m {{
  gpu.func @k(%A: memref<16x128xf16>, %R: memref<{cast}xf16>) kernel {{
    %zero = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<16x128xf16> -> !xegpu.tensor_desc<16x128xf16, {a}>
    %a = xegpu.load_nd %t[%zero, %zero] <{{layout = {a}}}> : !xegpu.tensor_desc<16x128xf16, {a}> -> vector<16x128xf16>
    %b = vector.shape_cast %a {{layout_result_0 = {cube}}} : vector<16x128xf16> to vector<2x8x128xf16>
    %c = vector.transpose %b, {list(perm)} {{layout_result_0 = {permuted}}} : vector<2x8x128xf16> to vector<{dims}xf16>
    %d = vector.shape_cast %c {{layout_result_0 = {rows}}} : vector<{dims}xf16> to vector<{cast}xf16>
    %u = xegpu.create_nd_tdesc %R : memref<{cast}xf16> -> !xegpu.tensor_desc<{cast}xf16, {rows}>
    xegpu.store_nd %d, %u[%zero, %zero] : vector<{cast}xf16>, !xegpu.tensor_desc<{cast}xf16, {rows}>
    gpu.return
  }}
}}"""


CASES = {
    "columns that others have": ((2, 1, 0), (128, 8, 2), "[1, 1, 2], sg_data = [128, 8, 1]", "[512, 2]"),
    "parts of two inner dimensions": ((2, 1, 0), (128, 8, 2), "[1, 2, 1], sg_data = [128, 4, 1]", "[512, 2]"),
    "rows of a part": ((2, 0, 1), (128, 2, 8), "[1, 1, 2], sg_data = [128, 2, 4]", "[128, 8]"),
    "inner rows whole": ((2, 0, 1), (128, 2, 8), "[1, 2, 1], sg_data = [128, 1, 8]", "[128, 8]"),
    "in the order of memory": ((1, 0, 2), (8, 2, 128), "[1, 2, 1], sg_data = [8, 1, 128]", "[8, 128]"),
}


@pytest.mark.every(8)
@pytest.mark.parametrize("name", CASES)
def test_elements_arrive_however_a_piece_is_split(name):
    text = generic(exchanged(*CASES[name]))
    found = everywhere(text, (1,), cpu=False)
    assert not any(isinstance(left, XetileError) for left in found.values())
    compare(found)


@pytest.mark.parametrize("name", CASES)
def test_a_piece_with_many_outer_elements_is_few_matrices(name):
    """128 matrices of 8x1 were 256 masked messages; the columns of a longer row are 8 of 128x1."""
    module = lower_to(mlir.parse(generic(exchanged(*CASES[name]))), get_target("pvc"), "subgroup")
    stores = [op for op in module.kernel.body.walk() if isinstance(op, xetile.StoreTile)]
    assert len(stores) <= 17

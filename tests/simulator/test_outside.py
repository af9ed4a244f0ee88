"""Loads that are outside of an array of known size, which compilers know to be zeros: `0 - x` is no negation."""

from __future__ import annotations

import pytest

from tests.mlir.everywhere import compare, everywhere, left_by, parser

DESC = "!xegpu.tensor_desc<16x16xf16, #xegpu.layout<sg_layout = [2, 1], sg_data = [8, 16]>>"
TEXT = """gpu.module @m {{
  gpu.func @k(%A: memref<{rows}x{columns}xf16>, %B: memref<16x16xf16>, %R: memref<16x16xf16>) kernel {{
    %t = xegpu.create_nd_tdesc %A : memref<{rows}x{columns}xf16> -> {desc}
    %x = xegpu.load_nd %t[{row}, {column}] : {desc} -> vector<16x16xf16>
    %u = xegpu.create_nd_tdesc %B : memref<16x16xf16> -> {desc}
    %y = xegpu.load_nd %u[{other}, 0] : {desc} -> vector<16x16xf16>
    %d = arith.subf %x, %y : vector<16x16xf16>
    %r = xegpu.create_nd_tdesc %R : memref<16x16xf16> -> {desc}
    xegpu.store_nd %d, %r[0, 0] : vector<16x16xf16>, {desc}
    gpu.return
  }}
}}"""


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize(("rows", "columns", "row", "column"), [(48, 16, 0, 16), (16, 64, 16, 0), (16, 16, 0, 0)])
@pytest.mark.parametrize("other", [0, 16])
def test_less_what_is_loaded(target, rows, columns, row, column, other):
    text = TEXT.format(rows=rows, columns=columns, row=row, column=column, other=other, desc=DESC)
    found = everywhere(text, cpu=False, target=target)
    found[target] = left_by(parser(text)(), f"sim:{target}", (1,), {}, target)
    compare(found)

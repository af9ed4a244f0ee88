"""Numbers of one lane that all lanes take, on both ways of a branch (backends/spirv/emit/gpu)."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.mlir.everywhere import left_by, parser

DEVICES = ("sim:pvc", "sim:bmg")


@xt.jit
def column(row):
    return xt.tile_broadcast(row.T, (16, 16))


@xt.jit(num_subgroups=1, grid=(1,))
def turned(A, Out, n):
    """Rows of A as columns, on both ways: a row's elements are in lanes of their own."""
    x, y, z, u = (xt.load_tile(xt.init_tile(A, (i, 0), (1, 16))) for i in range(4))
    made = xt.load_tile(xt.init_tile(Out, (0, 0), (16, 16)))
    if n > 2:
        made = ((made + column(x)) * 2 + column(y)) * 2 + (column(z) - made) * column(u)
    else:
        made = ((made - column(x)) * 2 - column(y)) * 2 - (column(z) + made) * column(u)
    xt.store_tile(made, xt.init_tile(Out, (0, 0), (16, 16)))


def check(device, kind):
    tools.require_tool("ocloc")
    a = np.random.default_rng(0).integers(-3, 3, (4, 16)).astype(kind.numpy)
    x, y, z, u = a[:, :, None]
    tile = (np.arange(256, dtype=kind.numpy) % 5).reshape(16, 16)
    for n, expected in ((2, ((tile - x) * 2 - y) * 2 - (z + tile) * u), (3, ((tile + x) * 2 + y) * 2 + (z - tile) * u)):
        out = tile.copy()
        with xt.device(device):
            turned(a, out, n)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.every(4)
@pytest.mark.parametrize("device", DEVICES)
def test_both_ways_of_a_branch_take_numbers_of_the_same_lanes(device):
    """IGC moves what both ways take of one lane in front of the branch, and in front of where some of the rows are loaded."""
    check(device, xt.f32)


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", [xt.f16, xt.f64, xt.i64, xt.i32, xt.i8], ids=str)
def test_both_ways_take_numbers_of_other_types(device, kind):
    check(device, kind)


def turned_product(rows, columns, subgroups, element):
    """R = A transposed times B, in one iteration; sizes are known, so A is loaded eight elements at once."""
    wg_map = f"wg_map = <sg_layout = [1, {subgroups}], sg_data = [{rows}, {columns // subgroups}]>"
    acc = f"vector<{rows}x{columns}xf32>"
    return f"""gpu.module @m {{
  gpu.func @k(%A: memref<32x{rows}x{element}>, %B: memref<32x{columns}x{element}>, %R: memref<{rows}x{columns}xf32>)
      kernel attributes {{xetile.level = "xetile", xetile.num_subgroups = {subgroups} : i64}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = arith.constant {rows} : index
    %columns = arith.constant {columns} : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : {acc}
    %sum = scf.for %k = %c0 to %c32 step %c32 iter_args(%s = %zero) -> ({acc}) {{
      %ta = xetile.init_tile %A[%k, %c0], [%c32, %rows], [%rows, %c1] : memref<32x{rows}x{element}> -> !xetile.tile<32x{rows}x{element}>
      %a = xetile.load_tile %ta : !xetile.tile<32x{rows}x{element}> -> vector<32x{rows}x{element}>
      %t = xetile.tile_transpose %a, [1, 0] : vector<32x{rows}x{element}> -> vector<{rows}x32x{element}>
      %tb = xetile.init_tile %B[%k, %c0], [%c32, %columns], [%columns, %c1]
        : memref<32x{columns}x{element}> -> !xetile.tile<32x{columns}x{element}>
      %b = xetile.load_tile %tb : !xetile.tile<32x{columns}x{element}> -> vector<32x{columns}x{element}>
      %d = xetile.tile_mma %t, %b, %s {{{wg_map.replace("= <", "= #xetile.wg_map<")}}}
        : vector<{rows}x32x{element}>, vector<32x{columns}x{element}>, {acc} -> {acc}
      scf.yield %d : {acc}
    }}
    %tr = xetile.init_tile %R[%c0, %c0], [%rows, %columns], [%columns, %c1]
      : memref<{rows}x{columns}xf32> -> !xetile.tile<{rows}x{columns}xf32, #xetile.tile_attr<{wg_map}>>
    xetile.store_tile %sum, %tr : {acc}, !xetile.tile<{rows}x{columns}xf32, #xetile.tile_attr<{wg_map}>>
    gpu.return
  }}
}}
"""


def check_turned(*case):
    tools.require_tool("ocloc")
    parse = parser(turned_product(*case))
    expected, found = (left_by(parse(), device, (1,), {}, "dg2") for device in ("numpy", "sim:dg2"))
    np.testing.assert_equal(found, expected)


def test_halves_of_one_lane_are_chosen_into_their_own_registers():
    """IGC writes choices of two halves that lie in one loaded vector into the registers of other values as well."""
    check_turned(8, 16, 2, "f16")


@pytest.mark.slow
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize(("rows", "columns", "subgroups"), [(16, 16, 1), (16, 32, 4), (32, 16, 1), (32, 32, 2)])
def test_halves_of_one_lane_in_larger_products(rows, columns, subgroups, element):
    check_turned(rows, columns, subgroups, element)


ALIKE = {
    "less": lambda x, column: x - column,
    "more": lambda x, column: x + column * 3,
    "times": lambda x, column: column * x,
    "below": lambda x, column: xt.minimum(x, column),
    "where": lambda x, column: xt.where(column > 1, x, column),
}
"""What a tile meets: a column of which all rows, and so all lanes, have the same number."""


@xt.jit(grid=(1,), num_subgroups=8)
def beside(X, Y, s, HOW: xt.constexpr, BM: xt.constexpr = 8, BN: xt.constexpr = 128):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (BM, BN))).to(Y.dtype)
    xt.store_tile(HOW(x, xt.zeros((BM, 1), Y.dtype) + xt.cast(s, Y.dtype)), xt.init_tile(Y, (0, 0), (BM, BN)))


@pytest.mark.every(48)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(8, 128), (6, 70)])
@pytest.mark.parametrize(("element", "computed"), [*((e, "f32") for e in ("bf16", "f16", "i8", "f32", "u16")), ("i32", "i32"),
                                                   ("i8", "i32"), ("f16", "f16"), ("i16", "i16"), ("i64", "i64"), ("f64", "f64")])  # fmt: skip
@pytest.mark.parametrize("how", ALIKE)
def test_columns_of_one_number(device, how, element, computed, shape):
    """IGC ended by an internal error."""
    tools.require_tool("ocloc")
    wide = xt.dtypes.dtype(computed).numpy
    x = np.random.default_rng(4).integers(0, 9, shape).astype(xt.dtypes.dtype(element).numpy)
    y, s = np.zeros(shape, wide), 2
    with xt.device(device):
        beside(x, y, s, ALIKE[how])
    given = x.astype(wide), np.full((shape[0], 1), s, wide)
    expected = {"below": np.minimum, "where": lambda x, column: x}.get(how, ALIKE[how])(*given)
    np.testing.assert_array_equal(y, expected)

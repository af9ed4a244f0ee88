"""What lies beside a tile is replaced in whole registers (spirv/assembly/lane_masks), alike on simulated GPUs and where they are emulated."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.assembly.call import call_of
from xetile.backends.spirv.assembly.lane_masks import MaskCall, RowMaskCall
from xetile.backends.spirv.module.binary import Binary

import xetile as xt
from tests import tools


@xt.jit(num_subgroups=1, grid=(1,))
def multiplied(A, B, Out, SHAPE: xt.constexpr):
    """Out = A @ B"""
    a = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (SHAPE[1], 32)))
    xt.store_tile(a @ b, xt.init_tile(Out, (0, 0), (SHAPE[0], 32)))


@xt.jit(num_subgroups=1, grid=(1,))
def highest(A, Out, SHAPE: xt.constexpr):
    """Out[:, 0] = A.max(1)"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(xt.max(x, 1), xt.init_tile(Out, (0, 0), (SHAPE[0], 1)))


@xt.jit(grid=(1,))
def summed(A, Out, SHAPE: xt.constexpr):
    """Out[0] = A.sum(0), by as many subgroups as like"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(xt.sum(x, 0), xt.init_tile(Out, (0, 0), (1, SHAPE[1])))


@pytest.mark.parametrize("piece, instructions", [(MaskCall(8), 4), (RowMaskCall(8), 8), (RowMaskCall(4, 12), 4)])
def test_a_piece_says_what_it_does(piece, instructions):
    assert call_of(piece.text(16)) == piece
    assert call_of("vdpbf16ps $3, $2, $0") is None
    assert piece.text(16).count("bfn") == instructions


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_no_number_beside_a_product_is_replaced_by_itself(target, dtype):
    types = f"{dtype}[?,?]", f"{dtype}[?,?]", "f32[?,?]"
    module = Binary(multiplied.compile(*types, SHAPE=(31, 31), target=target).spirv)
    assert "OpAsmCallINTEL" in {i.name for i in module.instructions}


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_no_row_below_a_sum_is_compared_by_itself(target):
    module = summed.compile("f32[?,?]", "f32[?,?]", SHAPE=(33, 17), target=target).spirv
    assert b"xetile rows 8" in module and module.count(b"xetile lanes") == 0


def check(device, dtype, shape):
    """Beside the tiles there are only NaN; sums of nothing but -0 stay -0."""
    rng, kind = np.random.default_rng(3), getattr(xt, dtype).numpy
    (rows, depth), nan = shape, float("nan")
    a, b = np.full((64, 64), nan).astype(kind), np.full((64, 64), nan).astype(kind)
    a[:rows, :depth], b[:depth, :32] = rng.integers(-3, 4, shape), rng.integers(-3, 4, (depth, 32))
    a[0, :depth], b[:depth, :4] = -0.0, 1
    product, out = np.full((64, 64), 77, np.float32), np.full((64, 64), 77).astype(kind)
    with xt.device(device):
        multiplied(a, b, product, SHAPE=shape)
        highest(a, out, SHAPE=shape)
    wanted = a[:rows, :depth].astype(np.float32) @ b[:depth, :32].astype(np.float32)
    np.testing.assert_array_equal(product[:rows, :32], wanted)
    np.testing.assert_array_equal(out[:rows, 0].astype(np.float32), a[:rows, :depth].astype(np.float32).max(1))
    assert (product[rows:] == 77).all() and (product[:, 32:] == 77).all()


SHAPES = [(31, 31), pytest.param((5, 33), marks=pytest.mark.slow), (33, 17), pytest.param((8, 1), marks=pytest.mark.slow)]


@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("device", ["sim:bmg", *(pytest.param(d, marks=pytest.mark.slow) for d in ("sim:pvc", "sim:dg2"))])
def test_products_and_maxima_on_simulated_gpus(device, shape, dtype):
    tools.require_tool("ocloc")
    check(device, dtype, shape)


@pytest.mark.every(4, 3)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_and_maxima_where_gpus_are_emulated(monkeypatch, shape, dtype):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check("cpu", dtype, shape)


@xt.jit(num_subgroups=4, grid=(1,))
def chosen(A, Out, n: xt.i32):
    """Rows of a subgroup of their own choice, some lanes of all, in branches and of several constants."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), (64, 32)))
    rows, columns = xt.arange(0, 64, dtype=xt.i32)[:, None], xt.arange(0, 32, dtype=xt.i32)[None, :]
    y = xt.where(rows < 33, x, 5)
    z = xt.where(rows < 33, x + 1, -2) + xt.where(columns < 13, x, 7)
    if n > 3:
        y = xt.where(rows < 21, y, columns.to(x.dtype)) + xt.where(columns < 13, x, rows.to(x.dtype))
    xt.store_tile(y, xt.init_tile(Out[0], (0, 0), (64, 32)))
    xt.store_tile(z, xt.init_tile(Out[1], (0, 0), (64, 32)))


def check_sums(device, shape):
    """Below the tile there are only NaN; sums of nothing but -0 stay -0."""
    rows, columns = shape
    a, out = np.full((128, 128), np.nan, np.float32), np.full((8, 128), 77, np.float32)
    a[:rows, :columns] = np.random.default_rng(3).integers(-3, 4, shape)
    a[:rows, 0] = -0.0
    with xt.device(device):
        summed(a, out, SHAPE=shape)
    np.testing.assert_array_equal(out[0, :columns], a[:rows, :columns].sum(0))
    assert np.signbit(out[0, 0])
    assert (out[1:] == 77).all() and (out[:, columns:] == 77).all()


HEIGHTS = [(33, 17), pytest.param((70, 40), marks=pytest.mark.slow), pytest.param((100, 100), marks=pytest.mark.slow)]


@pytest.mark.parametrize("shape", HEIGHTS, ids=str)
@pytest.mark.parametrize("device", ["sim:bmg", *(pytest.param(d, marks=pytest.mark.slow) for d in ("sim:pvc", "sim:dg2"))])
def test_column_sums_on_simulated_gpus(device, shape):
    tools.require_tool("ocloc")
    check_sums(device, shape)


@pytest.mark.parametrize("shape", HEIGHTS, ids=str)
def test_column_sums_where_gpus_are_emulated(monkeypatch, shape):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check_sums("cpu", shape)


def check_chosen(device, dtype, n):
    a = np.random.default_rng(3).integers(-3, 4, (64, 32)).astype(getattr(xt, dtype).numpy)
    rows, columns = np.indices(a.shape)
    one, two = np.where(rows < 33, a, 5), np.where(rows < 33, a + 1, -2) + np.where(columns < 13, a, 7)
    if n > 3:
        one = np.where(rows < 21, one, columns) + np.where(columns < 13, a, rows)
    out = np.zeros((2, 64, 32), a.dtype)
    with xt.device(device):
        chosen(a, out, n)
    np.testing.assert_array_equal(out, np.stack([one, two]))


@pytest.mark.every(12)
@pytest.mark.parametrize("dtype", ["f32", "i32", "f16", "i16"])
@pytest.mark.parametrize("n", [1, 9])
def test_choices_where_gpus_are_emulated(monkeypatch, dtype, n):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check_chosen("cpu", dtype, n)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f32", "i32", "f16", "i16"])
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg", "sim:dg2"])
def test_choices_on_simulated_gpus(device, dtype):
    tools.require_tool("ocloc")
    check_chosen(device, dtype, 9)

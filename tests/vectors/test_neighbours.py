"""Rows of tables by gathers and scatters: moved by whole vectors, whatever their masks, and what lies around stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import uncompiled
from xetile.runtime.settings import override

B = 4


@xt.jit
def taken(Table, Places, Y, D: xt.constexpr):
    m, c = xt.program_id(0) * B, xt.arange(D)[None, :]
    row = xt.load_tile(xt.init_tile(Places, m, (B,)))[:, None]
    there = (row >= 0) & (c < Table.shape[1])
    x = xt.load_gather(xt.init_tile(Table, row * Table.stride(0) + c), there, padding=1)
    xt.store_tile(x, xt.init_tile(Y, (m, 0), (B, D)))


@xt.jit
def put(Table, Places, Y, D: xt.constexpr):
    m, c = xt.program_id(0) * B, xt.arange(D)[None, :]
    row = xt.load_tile(xt.init_tile(Places, m, (B,)))[:, None]
    there = (row >= 0) & (c < Table.shape[1]) & (m + xt.arange(B)[:, None] < Y.shape[0])
    xt.store_scatter(xt.load_tile(xt.init_tile(Y, (m, 0), (B, D))), xt.init_tile(Table, row * Table.stride(0) + c), there)


@xt.jit
def turned(Table, Places, Y, D: xt.constexpr):
    """Each row from its last column to its first, scattered so that the last comes first again, one further down."""
    m, c = xt.program_id(0) * B, xt.arange(D)[None, :]
    r, last = m + xt.arange(B)[:, None], Table.shape[1] - 1
    there = (r < Y.shape[0]) & (c <= last)
    x = xt.load_gather(xt.init_tile(Table, r * Table.stride(0) + (last - c)), there)
    xt.store_scatter(x + x, xt.init_tile(Y, (r + 1) * Y.stride(0) - 1 - c), there)


@xt.jit
def apart(Table, Places, Y, D: xt.constexpr):
    """Every other column: no neighbours."""
    m, c = xt.program_id(0) * B, xt.arange(D)[None, :]
    r = m + xt.arange(B)[:, None]
    x = xt.load_gather(xt.init_tile(Table, r * Table.stride(0) + c * 2), (r < Y.shape[0]) & (c * 2 < Table.shape[1]))
    xt.store_tile(x, xt.init_tile(Y, (m, 0), (B, D)))


@xt.jit(grid=1)
def wrapped(Table, Places, Y, D: xt.constexpr):
    """Places worked out in bytes and words of 16 bits: one is the largest number, the next one the smallest."""
    c = xt.arange(D)[None, :]
    for row, places in enumerate(((c.to(xt.i8) + 100).to(xt.i32) + 128, (c.to(xt.u8) + 100).to(xt.i32),
                                  (c.to(xt.i16) + xt.load_tile(Places[0:1])[None, :].to(xt.i16)).to(xt.i32) + 32768)):  # fmt: skip
        Y[row : row + 1, 0:D] = xt.load_gather(xt.init_tile(Table, places), c >= 0)


@pytest.mark.device
@pytest.mark.parametrize("first", [0, 32767, 32700])
def test_narrow_places_wrap(first):
    found = []
    for device in ("numpy", "cpu"):
        found.append(np.zeros((3, 256), np.float32))
        with override(cpu="vector"), xt.device(device):
            wrapped(np.arange(70_000, dtype=np.float32), np.array([first], np.int32), found[-1], D=256)
    np.testing.assert_array_equal(*found)


@pytest.mark.device
@pytest.mark.every(3)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.float16, np.int64, np.bool_])
@pytest.mark.parametrize("columns, wide", [(64, 64), (100, 128), (33, 64), (150, 256), (7, 16)])
@pytest.mark.parametrize("way", ["vector", "avx2"])
def test_rows_of_tables(columns, wide, dtype, way):
    rng = np.random.default_rng(columns)
    table = rng.integers(0, 2 if dtype is np.bool_ else 100, (20, columns)).astype(dtype)
    places = np.array([3, -1, 19, 0, 3, 7, 8, -1, 11, 12], np.int32)
    y = np.zeros((10, columns), dtype)
    with override(cpu=way), xt.device("cpu"):
        taken[(3,)](table, places, y, D=wide)
        np.testing.assert_array_equal(y, np.where(places[:, None] >= 0, table[places], np.array(1).astype(dtype)))
        rows = np.arange(10 * columns).reshape(10, columns).astype(dtype)
        wanted = table.copy()
        places[4] = 5  # no two programs write one row
        for place, row in zip(places, rows):
            wanted[place] = row if place >= 0 else wanted[place]
        put[(3,)](table, places, rows, D=wide)
        np.testing.assert_array_equal(table, wanted)


@pytest.mark.device
@pytest.mark.parametrize("columns, wide", [(64, 64), (100, 128), (33, 64), (7, 16)])
@pytest.mark.parametrize("way", ["vector", "avx2"])
def test_rows_turned_and_columns_apart(columns, wide, way):
    table = np.random.default_rng(columns).integers(-9, 9, (10, columns)).astype(np.float32)
    y, z = np.full((10, columns), 77, np.float32), np.zeros((10, -(-columns // 2)), np.float32)
    with override(cpu=way), xt.device("cpu"):
        turned[(3,)](table, np.zeros(1, np.int32), y, D=wide)
        apart[(3,)](table, np.zeros(1, np.int32), z, D=wide)
    np.testing.assert_array_equal(y, 2 * table)
    np.testing.assert_array_equal(z, table[:, ::2])


@pytest.mark.parametrize("kernel, whole", [(taken, True), (put, True), (turned, True), (apart, False)])
def test_which_are_moved_by_vectors(kernel, whole):
    text = uncompiled(kernel, "f32[?,?]", "i32[?]", "f32[?,?]", D=64, target="cpu").ir["vectors"]
    assert ("vector.multi_reduction <and>" in text) == whole

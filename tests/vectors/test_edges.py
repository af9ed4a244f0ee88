"""Tiles that arrays end in, on any side: vectors that are not all inside go by a padded buffer, the others do not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import xetile as xt
from xetile.runtime.settings import override

DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "bool": np.bool_, "f16": np.float16}
PADDING = 1


@xt.jit
def moved(X, Y, Rows, Columns, row, column, M: xt.constexpr, N: xt.constexpr):
    """The tile of X at a place to the same place of Y, and its sums."""
    x = xt.load_tile(xt.init_tile(X, (row, column), (M, N)), padding=PADDING)
    xt.store_tile(x, xt.init_tile(Y, (row, column), (M, N)))
    xt.store_tile(xt.sum(x.to(xt.f32), axis=1), xt.init_tile(Rows, (0, 0), (M, 1)))
    xt.store_tile(xt.sum(x.to(xt.f32), axis=0), xt.init_tile(Columns, (0, 0), (1, N)))


def place_of(size: int, extent: int, at: int) -> tuple[slice, slice]:
    """Of an axis the part of the array that a tile has, and where in the tile it lies."""
    low, high = min(max(at, 0), extent), max(min(at + size, extent), 0)
    return slice(low, max(low, high)), slice(low - at, max(low, high) - at)


@pytest.mark.device
@pytest.mark.every(4)
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("lies", ["rows", "columns", "rows to columns"])
@pytest.mark.parametrize("tile", [(3, 80), (20, 24), (17, 129)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_tiles_at_all_edges(dtype, tile, lies, way):
    extent = (19, 133)
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2 if dtype == "bool" else 9, extent).astype(DTYPES[dtype], order="F" if lies == "columns" else "C")
    for row, column in product((-25, -2, 0, 5, 30), (-200, -70, -3, 0, 7, 53, 60, 119, 150)):
        y = np.full(extent, 7, np.float32).astype(x.dtype, order="C" if lies == "rows" else "F")
        rows, columns = np.zeros((tile[0], 1), np.float32), np.zeros((1, tile[1]), np.float32)
        with override(cpu=way), xt.device("cpu"):
            moved[(1,)](x, y, rows, columns, row, column, M=tile[0], N=tile[1])
        (r, tile_r), (c, tile_c) = (place_of(*found) for found in zip(tile, extent, (row, column)))
        expected, whole = np.full(extent, 7, np.float32).astype(x.dtype), np.full(tile, PADDING, np.float32)
        expected[r, c], whole[tile_r, tile_c] = x[r, c], x[r, c]
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_array_equal(rows, whole.sum(1, keepdims=True))
        np.testing.assert_array_equal(columns, whole.sum(0, keepdims=True))

"""Parts of tiles that block messages store, wherever they begin in the registers: IGC tells a message where a part begins in a vector, which
must be a whole register (backends/spirv/emit/xegpu.py, `_at_register`).
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools

DEVICES = ("sim:pvc", "sim:bmg", "sim:dg2")
DTYPES = (np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int16, np.float32)


@xt.jit(num_subgroups=1, grid=(1,))
def parts(A, Out, COLUMNS: xt.constexpr, FIRST: xt.constexpr, ROWS: xt.constexpr, HOW: xt.constexpr):
    """Rows of a tile, one part below the other."""
    if HOW == "transposed":
        x = xt.load_tile(xt.init_tile(A.T, (0, 0), (16, COLUMNS)))
    else:
        x = xt.load_tile(xt.init_tile(A, (0, 0), (16, COLUMNS)))
    if HOW == "computed":
        x = (x + x) - x
    if HOW == "by one":
        x = xt.maximum(x * 1, x)
    if HOW == "carried":
        for _ in range(A.shape[0] // 32):
            x = xt.load_tile(xt.init_tile(A, (0, 0), (16, COLUMNS)))
    for i in xt.static_range(len(FIRST)):
        part = x[FIRST[i] : FIRST[i] + ROWS, :]
        if HOW == "seen as integers" and x.dtype.bits == 16:
            xt.store_tile(part.bitcast(xt.i16), xt.init_tile(Out, (ROWS * i, 0), (ROWS, COLUMNS)))
        else:
            xt.store_tile(part, xt.init_tile(Out, (ROWS * i, 0), (ROWS, COLUMNS)))


@xt.jit(num_subgroups=1, grid=(1,))
def at_a_row(A, Out, n, COLUMNS: xt.constexpr, MORE: xt.constexpr):
    """A column-major tile that begins inside of a word of memory: it is brought from the word on."""
    tile = xt.init_tile(A.T, (n * 4 + MORE, 0), (16, COLUMNS))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out, (0, 0), (16, COLUMNS)))


def numbers(dtype):
    return np.random.default_rng(3).integers(0, 100, (64, 64)).astype(dtype)


@pytest.mark.every(100)
@pytest.mark.parametrize("how", ["as they are", "transposed", "seen as integers", "computed", "by one", "carried"])
@pytest.mark.parametrize("rows", [1, 2, 4, 8])
@pytest.mark.parametrize("columns", [16, 32, 64])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", DEVICES)
def test_rows_of_tiles(device, dtype, columns, rows, how):
    tools.require_tool("ocloc")
    a, firsts = numbers(dtype), (1, 2, 3, 5, 7)
    kind = np.int16 if how == "seen as integers" and np.dtype(dtype).itemsize == 2 else dtype
    out = np.zeros((rows * len(firsts), columns), kind)
    with xt.device(device):
        parts(a, out, COLUMNS=columns, FIRST=firsts, ROWS=rows, HOW=how)
    whole = (a.T if how == "transposed" else a)[:, :columns]
    expected = np.concatenate([whole[first : first + rows] for first in firsts])
    np.testing.assert_array_equal(out.view(dtype), expected)


@pytest.mark.every(12)
@pytest.mark.parametrize("more", [1, 2, 3])
@pytest.mark.parametrize("columns", [16, 32, 64])
@pytest.mark.parametrize("dtype", DTYPES[:4])
@pytest.mark.parametrize("device", DEVICES)
def test_tiles_from_inside_of_a_word(device, dtype, columns, more):
    tools.require_tool("ocloc")
    a, out = numbers(dtype), np.zeros((16, columns), dtype)
    with xt.device(device):
        at_a_row(a, out, 1, COLUMNS=columns, MORE=more)
    np.testing.assert_array_equal(out, a.T[4 + more : 20 + more, :columns])

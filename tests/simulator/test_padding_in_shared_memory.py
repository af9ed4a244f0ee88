"""What subgroups load from shared memory beyond their rows, as blocks are whole, lies in memory of the workgroup, behind the last row too."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.tools import require_tool


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def both_ways(X, Pick, Other, C, C2, turned: xt.i32, BM: xt.constexpr = 16, BN: xt.constexpr = 48, BK: xt.constexpr = 32):
    """C = Pick @ X, C2 = X.T @ Other by bytes; subgroups hand each other X.T, 24 rows of 48 for each of two."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, acc2 = xt.zeros((BM, BN), xt.i32), xt.zeros((BN, 32), xt.i32)
    for k in range(0, Pick.shape[1], BK):
        if turned != 0:
            x = xt.load_tile(xt.init_tile(X.T, (k, n), (BK, BN)))
        else:
            x = xt.load_tile(xt.init_tile(X, (k, n), (BK, BN)))
        x = x.to(xt.i8)
        acc += xt.load_tile(xt.init_tile(Pick, (m, k), (BM, BK))) @ x
        acc2 += x.T @ xt.load_tile(xt.init_tile(Other, (k, 0), (BK, 32)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))
    xt.store_tile(acc2, xt.init_tile(C2, (n, 0), (BN, 32)))


@pytest.mark.parametrize("target", ["bmg", "pvc"])
@pytest.mark.parametrize("turned", [False, True])
def test_values(turned, target):
    require_tool("ocloc")
    rng = np.random.default_rng(5)
    x = rng.integers(0, 128, (64, 64)).astype(np.uint8)
    pick, other = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((16, 64), (64, 32)))
    c, c2 = np.zeros((16, 64), np.int32), np.zeros((64, 32), np.int32)
    with xt.device(f"sim:{target}"):
        both_ways(np.ascontiguousarray(x.T) if turned else x, pick, other, c, c2, int(turned))
    np.testing.assert_array_equal(c, pick.astype(np.int32) @ x)
    np.testing.assert_array_equal(c2, x.T.astype(np.int32) @ other)


def test_memory_goes_on_behind_the_last_row():
    bytes_, sums = "i8[?,?]", "i32[?,?]"
    compiled = both_ways.compile("u8[?,?]", bytes_, bytes_, sums, sums, "i32", target="bmg")
    assert "memref<104x32xi8" in compiled.ir["lane"]
    assert compiled.slm_bytes >= 104 * 32


@xt.jit(grid=(1,))
def kept_in_a_row(C, SIZE: xt.constexpr = 40):
    row = xt.init_tile(xt.alloc_slm((SIZE,), xt.f32), 0, (SIZE,))
    xt.store_tile(xt.arange(SIZE).to(xt.f32), row)
    xt.barrier()
    xt.store_tile(xt.load_tile(row) * 2, xt.init_tile(C, 0, (SIZE,)))


@xt.jit(grid=(1,))
def kept_in_planes(C, ROWS: xt.constexpr = 5, COLUMNS: xt.constexpr = 40):
    planes = xt.alloc_slm((3 * ROWS, COLUMNS), xt.f32)
    tile = xt.arange(ROWS)[:, None] * COLUMNS + xt.arange(COLUMNS)[None, :]
    for i in xt.static_range(3):
        xt.store_tile((tile + i * 1000).to(xt.f32), xt.init_tile(planes, (i * ROWS, 0), (ROWS, COLUMNS)))
    xt.barrier()
    for i in xt.static_range(3):
        xt.store_tile(
            xt.load_tile(xt.init_tile(planes, ((2 - i) * ROWS, 0), (ROWS, COLUMNS))), xt.init_tile(C[i], (0, 0), (ROWS, COLUMNS))
        )


@pytest.mark.parametrize("target", ["bmg", "pvc", "dg2"])
@pytest.mark.parametrize("size", [20, 40, 48, 200])
def test_rows_of_any_size(size, target):
    require_tool("ocloc")
    c = np.zeros(size + 8, np.float32)
    with xt.device(f"sim:{target}"):
        kept_in_a_row(c, SIZE=size)
    np.testing.assert_array_equal(c, np.pad(np.arange(size) * 2, (0, 8)))


@pytest.mark.parametrize("target", ["bmg", "dg2"])
@pytest.mark.parametrize("rows,columns", [(5, 40), (3, 20)])
def test_planes_of_any_size(rows, columns, target):
    require_tool("ocloc")
    c = np.zeros((3, rows, columns), np.float32)
    with xt.device(f"sim:{target}"):
        kept_in_planes(c, ROWS=rows, COLUMNS=columns)
    plane = np.arange(rows * columns).reshape(rows, columns)
    np.testing.assert_array_equal(c, np.stack([plane + i * 1000 for i in (2, 1, 0)]))

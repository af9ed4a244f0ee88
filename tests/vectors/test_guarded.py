"""Products whose operands end where a page ends that nobody may read behind: nothing beyond an array is read, at any edge."""

from __future__ import annotations

import ctypes
import mmap
import sys

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from xetile.runtime.settings import override

pytestmark = [pytest.mark.device, pytest.mark.skipif(sys.platform != "linux", reason="pages are protected by mprotect")]
PAGE = mmap.PAGESIZE


@xt.jit
def product(A, B, C, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr, ACC: xt.constexpr):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), ACC)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


def guarded(values, pitch=0):
    """A copy of a matrix, its rows `pitch` elements apart, whose last element is the last of a page before one that is no one's."""
    rows, columns = values.shape
    pitch = pitch or columns
    size = ((rows - 1) * pitch + columns) * values.itemsize
    pages = -(-size // PAGE) + 1
    memory = mmap.mmap(-1, pages * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(start + (pages - 1) * PAGE), PAGE, 0) == 0
    flat = np.frombuffer(memory, np.uint8)[: (pages - 1) * PAGE][-size:].view(values.dtype)
    made = np.lib.stride_tricks.as_strided(flat, values.shape, (pitch * values.itemsize, values.itemsize))
    made[...] = values
    return made


TYPES = {"f4": (np.float32, xt.f32), "f8": (np.float64, xt.f64), "i1": (np.int8, xt.i32),
         "bf16": (ml_dtypes.bfloat16, xt.f32)}  # fmt: skip


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("tile", [(32, 64, 32), (24, 96, 16), (2, 128, 16), (64, 1, 32)])
@pytest.mark.parametrize("size", [(32, 64, 64), (29, 61, 37), (3, 130, 17), (65, 66, 33), (40, 1, 50)])
@pytest.mark.parametrize("pitch", [0, 1024])
@pytest.mark.parametrize("kind", TYPES)
def test_nothing_beyond_is_read(kind, pitch, size, tile, way):
    (m, n, k), (dtype, acc) = size, TYPES[kind]
    rng = np.random.default_rng(m)
    a, b = (guarded(rng.integers(-4, 5, shape).astype(dtype), pitch) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), acc.numpy)
    with override(cpu=way), xt.device("cpu"):
        product[-(-n // tile[1]), -(-m // tile[0])](a, b, c, *tile, acc)
    np.testing.assert_array_equal(c, a.astype("f8") @ b.astype("f8"))

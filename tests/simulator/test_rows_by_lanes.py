"""Numbers of rows that are the same in all lanes: masks of rows that lanes load element by element, and conversions to fewer bits."""

import numpy as np
import pytest

import xetile as xt
from tests import tools


@xt.jit(grid=(1,))
def counted(A, Y, n, m):
    rows = xt.init_tile(A, (0, 0), (32, 32), base_shape=(min(n, m), A.shape[1]), base_strides=(A.shape[1], 1))
    xt.store_tile(xt.load_tile(rows).to(xt.f32) + 1, xt.init_tile(Y, (0, 0), (32, 32)))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_as_many_rows_as_there_are(target):
    """IGC took the first of several choices for all, and loaded what lies behind the array."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a = np.random.default_rng(0).integers(-9, 10, (12, 32)).astype(np.float16)
    found, expected = np.zeros((32, 32), np.float32), np.ones((32, 32), np.float32)
    expected[:12] += a
    with xt.device(f"sim:{target}"):
        counted(a, found, 12, 20, num_subgroups=2)
    np.testing.assert_array_equal(found, expected)


@xt.jit(grid=(1,))
def converted(A, Y, BETWEEN: xt.constexpr):
    tops = xt.max(xt.load_tile(xt.init_tile(A, (0, 3), (16, 16))), axis=1)
    xt.store_tile(xt.tile_broadcast(tops, (16, 16)).to(BETWEEN).to(Y.dtype), xt.init_tile(Y, (0, 0), (16, 16)))


@xt.jit(grid=(1,))
def shifted(A, Y):
    tops = xt.max(xt.load_tile(xt.init_tile(A, (0, 3), (16, 16))), axis=1)
    xt.store_tile((xt.tile_broadcast(tops, (16, 16)) << 24) >> 28, xt.init_tile(Y, (0, 0), (16, 16)))


def tops_on(target, kernel, *options):
    """What a kernel makes of the largest number in each row, and these numbers."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a = np.random.default_rng(0).integers(0, 40, (24, 48)).astype(np.int32)
    found = np.zeros((16, 16), np.int32)
    with xt.device(f"sim:{target}"):
        kernel(a, found, *options)
    return found, np.broadcast_to(a[:16, 3:19].max(axis=1, keepdims=True), (16, 16))


@pytest.mark.parametrize("between", [xt.i8, xt.u8, xt.i16])
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_rows_of_one_number_are_cut_to_fewer_bits(target, between):
    """IGC took the byte of the first lane's number for each row's."""
    found, tops = tops_on(target, converted, between)
    np.testing.assert_array_equal(found, tops)


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_bytes_of_rows_of_one_number_are_shifted(target):
    """The same of a byte that a kernel shifts up, and down with its sign."""
    found, tops = tops_on(target, shifted)
    np.testing.assert_array_equal(found, tops << 24 >> 28)


@xt.jit(grid=(1,))
def from_twenty_on(K, A, Y, n):
    y = xt.zeros((16, 32), xt.f32)
    if n == 20:
        a = xt.init_tile(A, (0, n), (32, 32), base_shape=(13, 18), base_strides=(2 * A.stride(0), 1))
        columns = xt.clamp(xt.load_tile(a, padding=1).to(xt.bf16), -3, 3).to(xt.bf16)
        y = xt.tile_mma(xt.load_tile(xt.init_tile(K, (0, 0), (16, 32))), columns.T)
    xt.store_tile(y, xt.init_tile(Y, (0, 0), (16, 32)))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_padding_in_bf16_that_a_branch_decides_about(target):
    """IGC knows in the branch that no column is there, and clamped the first of eight such numbers alone: of a constant in bf16."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    rng = np.random.default_rng(0)
    k = rng.integers(-3, 4, (16, 32)).astype(xt.bf16.numpy)
    found = np.zeros((16, 32), np.float32)
    with xt.device(f"sim:{target}"):
        from_twenty_on(k, rng.integers(-9, 9, (40, 72)).astype(np.float32), found, np.int32(20), num_subgroups=2)
    np.testing.assert_array_equal(found, np.broadcast_to(k.astype(np.float32).sum(1, keepdims=True), (16, 32)))


@xt.jit(grid=(1,))
def decided(F, B, Y):
    xt.store_tile(xt.load_tile(xt.init_tile(F, (0, 0), (4, 32))).to(xt.i8), xt.init_tile(B, (0, 0), (4, 32)))
    small = xt.full((4, 32), -0.5703125, xt.bf16).to(xt.i8)
    chosen = xt.where(small <= 7, xt.full((4, 32), 24, xt.i32), xt.full((4, 32), 7, xt.i32))
    xt.store_tile(chosen, xt.init_tile(Y, (0, 0), (4, 32)))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_constants_of_other_types_that_decide(target):
    """IGC compared the first of four rows of a constant in bytes for all: beside conversions to bytes that are none."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    f = np.random.default_rng(0).normal(0, 9, (4, 32)).astype(np.float32)
    found, bytes_ = np.zeros((4, 32), np.int32), np.zeros((4, 32), np.int8)
    with xt.device(f"sim:{target}"):
        decided(f, bytes_, found)
    np.testing.assert_array_equal(found, 24)
    np.testing.assert_array_equal(bytes_, f.astype(np.int8))

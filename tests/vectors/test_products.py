"""Products on CPUs of every depth: even, odd, less than a tile's."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.module.disassemble import disassemble

import xetile as xt
from tests.parity.run import uncompiled
from xetile.runtime.settings import override


@xt.jit
def product(A, B, C, BK: xt.constexpr, ACC: xt.constexpr):
    a, b = xt.init_tile(A, (0, 0), (16, BK)), xt.init_tile(B, (0, 0), (BK, 64))
    xt.store_tile(xt.tile_mma(xt.load_tile(a), xt.load_tile(b), xt.zeros((16, 64), ACC)), xt.init_tile(C, (0, 0), (16, 64)))


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize(("depth", "tile"), [(8, 8), (7, 8), (7, 7), (1, 8), (2, 1), (13, 16)])
@pytest.mark.parametrize(("dtype", "acc"), [("f4", xt.f32), ("f8", xt.f64), ("f2", xt.f32), ("i1", xt.i32)])
def test_every_depth(way, depth, tile, dtype, acc):
    rng = np.random.default_rng(depth)
    a, b = rng.integers(-8, 8, (16, depth)).astype(dtype), rng.integers(-8, 8, (depth, 64)).astype(dtype)
    c = np.zeros((16, 64), acc.numpy)
    with override(cpu=way), xt.device("cpu"):
        product[(1,)](a, b, c, BK=tile, ACC=acc)
    used = min(depth, tile)
    np.testing.assert_array_equal(c, a[:, :used].astype("f8") @ b[:used].astype("f8"))


BYTES = ("i1", "u1")


@pytest.mark.device
@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize(("depth", "tile"), [(32, 32), (16, 16), (48, 48), (37, 48), (5, 16), (70, 80)])
@pytest.mark.parametrize("right", BYTES)
@pytest.mark.parametrize("left", BYTES)
@pytest.mark.parametrize("way", ["vector", "avx2"])
def test_bytes_of_both_signs_are_multiplied_by_fours_or_pairs(way, left, right, depth, tile):
    """All bytes, the extreme ones among them; 0 where the arrays end."""
    rng = np.random.default_rng(depth)
    a, b = (rng.integers(*extremes(t), shape, t, endpoint=True) for t, shape in ((left, (16, depth)), (right, (depth, 64))))
    a[0], b[:, 0] = extremes(left)[0], extremes(right)[0]
    a[1], b[:, 1] = extremes(left)[1], extremes(right)[1]
    c = np.zeros((16, 64), np.int32)
    with override(cpu=way), xt.device("cpu"):
        product[(1,)](a, b, c, BK=tile, ACC=xt.i32)
    np.testing.assert_array_equal(c, a.astype("i4") @ b.astype("i4"))


def extremes(dtype):
    info = np.iinfo(dtype)
    return info.min, info.max


def test_what_bytes_are_multiplied_by():
    made = product.compile("i8[?,?]", "i8[?,?]", "i32[?,?]", BK=32, ACC=xt.i32, target="cpu")
    assert "xetile.dot_quads" in made.ir["vectors"]
    text = disassemble(made.spirv)
    assert "vpdpbusd" in text
    assert not re.search(r"OpLoad %v4\w+ .* Aligned 1$", text, re.MULTILINE)  # a left operand's four are one word
    pairs, single = "xetile.dot_pairs", "arith.muli"
    for depth, target, op in ((8, "cpu", pairs), (32, "avx512", pairs), (32, "avx2", pairs), (31, "avx512", single)):
        text = uncompiled(product, "i8[?,?]", "i8[?,?]", "i32[?,?]", BK=depth, ACC=xt.i32, target=target).ir["vectors"]
        assert op in text and "dot_quads" not in text
    for target, instruction in (("cpu", "vpdpwssd"), ("avx512", "vpmaddwd"), ("avx2", "vpmaddwd")):
        assert instruction in disassemble(
            product.compile("i8[?,?]", "i8[?,?]", "i32[?,?]", BK=8, ACC=xt.i32, target=target).spirv
        )


@xt.jit
def by_columns(A, W, C, BK: xt.constexpr, ACC: xt.constexpr):
    """C = A @ W.T: one tile of 32 rows, 96 columns and several steps of the depth."""
    acc = xt.zeros((32, 96), ACC)
    for k in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (32, BK))), xt.load_tile(xt.init_tile(W.T, (k, 0), (BK, 96))), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 96)))


@pytest.mark.device
@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("columns", [96, 70])
@pytest.mark.parametrize(("depth", "pitch"), [(128, 128), (128, 131), (100, 104), (64, 66)])
@pytest.mark.parametrize("dtype", ["i1", "u1", "bf16", "f4"])
def test_right_operands_that_lie_by_columns(dtype, depth, pitch, columns):
    """Whole words change places where columns are whole words inside of the array; elements elsewhere."""
    rng, kind = np.random.default_rng(depth), ml_dtypes.bfloat16 if dtype == "bf16" else np.dtype(dtype)
    low, high = extremes(dtype) if dtype in BYTES else (-8, 8)
    a, w = rng.integers(low, high, (32, depth)).astype(kind), rng.integers(low, high, (columns, pitch)).astype(kind)[:, :depth]
    acc = xt.f32 if dtype in ("bf16", "f4") else xt.i32
    c = np.zeros((32, columns), acc.numpy)
    with override(cpu="vector"), xt.device("cpu"):
        by_columns[(1,)](a, w, c, BK=64, ACC=acc)
    np.testing.assert_array_equal(c, a.astype("f8") @ w.T.astype("f8"))


@xt.jit(fast_math=True)
def to_bf16(X, Y):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (16, 64))).to(xt.bf16), xt.init_tile(Y, (0, 0), (16, 64)))


@pytest.mark.device
def test_fast_rounding_to_bf16():
    """Ties, infinities and NaN as without `fast_math`; what is below 2^-126 may be 0."""
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 1 << 32, (16, 64), np.uint32)
    bits[0] = (bits[0] & 0xFFFF0000) | 0x8000
    bits[1, :4] = 0x7F800000, 0xFF800000, 0x7FC00001, 0x7F7FFFFF
    x = bits.view(np.float32)
    x = np.where(np.abs(x) < 2.0**-126, np.float32(0), x)
    y = np.zeros((16, 64), ml_dtypes.bfloat16)
    with xt.device("cpu"):
        to_bf16[(1,)](x, y)
    with np.errstate(invalid="ignore"):
        expected = x.astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(y.astype(np.float32), expected.astype(np.float32))


@xt.jit
def plus_operands(A, B, Y, N: xt.constexpr, STEPS: xt.constexpr):
    """Sums that begin with an operand of the product, which nothing reads later: as the left one, as the right one, as both, in a loop."""
    a, b = xt.load_tile(A[0:N, 0:N]), xt.load_tile(B[0:N, 0:N])
    left, right, both, walked = a + 1, b - 1, a - b, a + b
    Y[0, 0:N, 0:N] = xt.tile_mma(left, b, left)
    Y[1, 0:N, 0:N] = xt.tile_mma(a, right, right)
    Y[2, 0:N, 0:N] = both @ both + both
    for _ in range(STEPS):
        walked = xt.tile_mma(walked, b, walked)
    Y[3, 0:N, 0:N] = walked
    Y[4, 0:N, 0:N] = xt.tile_mma(a, b, a)


@pytest.mark.device
@pytest.mark.covering
@pytest.mark.parametrize("size", [8, 40, 64])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_sum_that_begins_with_an_operand_does_not_overwrite_it(dtype, size):
    a, b = np.random.default_rng(size).integers(-2, 3, (2, size, size)).astype(dtype)
    left, right, both, walked = a + 1, b - 1, a - b, a + b
    for _ in range(2):
        walked = walked @ b + walked
    y = np.zeros((5, size, size), dtype)
    with override(cpu="vector"), xt.device("cpu"):
        plus_operands[(1,)](a, b, y, N=size, STEPS=2)
    expected = np.stack([left @ b + left, a @ right + right, both @ both + both, walked, a @ b + a])
    np.testing.assert_array_equal(y, expected)


@xt.jit
def deep(A, B, C, BK: xt.constexpr, ACC: xt.constexpr):
    """C = A @ B of 40 rows: three strips of registers and a rest."""
    acc = xt.zeros((40, 96), ACC)
    for k in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (40, BK))), xt.load_tile(xt.init_tile(B, (k, 0), (BK, 96))), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (40, 96)))


@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("rows", [40, 37])
@pytest.mark.parametrize("pitch", [4096, 2048, 1000, 96])
@pytest.mark.parametrize(("dtype", "acc"), [("f4", xt.f32), ("f8", xt.f64), ("i1", xt.i32), (ml_dtypes.bfloat16, xt.f32)])
def test_rows_on_the_same_lines_of_a_cache(way, rows, pitch, dtype, acc):
    """Whatever the pitch: where it is a multiple of 4096 bytes, rows are copied before they are multiplied, else they are read in place."""
    rng = np.random.default_rng(rows)
    a, b = (rng.integers(-8, 8, shape).astype(dtype) for shape in ((rows, pitch), (80, 96)))
    a, c = a[:, :80], np.zeros((rows, 96), acc.numpy)
    with override(cpu=way), xt.device("cpu"):
        deep[(1,)](a, b, c, BK=32, ACC=acc)
    np.testing.assert_array_equal(c, a.astype("f8") @ b.astype("f8"))


@xt.jit
def one_column(A, B, C, BK: xt.constexpr, ACC: xt.constexpr):
    """C += A @ B of one column."""
    acc = xt.load_tile(xt.init_tile(C, (0, 0), (40, 1)))
    for k in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (40, BK))), xt.load_tile(xt.init_tile(B, (k, 0), (BK, 1))), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (40, 1)))


@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("rows", [40, 3])
@pytest.mark.parametrize(("depth", "tile"), [(64, 32), (70, 32), (5, 32), (33, 24), (1024, 512)])
@pytest.mark.parametrize(("dtype", "acc"), [("f4", xt.f32), ("f8", xt.f64), ("i1", xt.i32), ("f2", xt.f32)])
def test_one_column(way, rows, depth, tile, dtype, acc):
    rng = np.random.default_rng(depth)
    a, b = rng.integers(-8, 8, (rows, depth)).astype(dtype), rng.integers(-8, 8, (depth, 1)).astype(dtype)
    c = rng.integers(-8, 8, (rows, 1)).astype(acc.numpy)
    wanted = c + a.astype("f8") @ b.astype("f8")
    with override(cpu=way), xt.device("cpu"):
        one_column[(1,)](a, b, c, BK=tile, ACC=acc)
    np.testing.assert_array_equal(c, wanted)


@xt.jit
def few_rows(A, B, C, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr, ACC: xt.constexpr):
    n = xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), ACC)
    for k in range(0, A.shape[1], BK):
        a, b = xt.init_tile(A, (0, k), (BM, BK)), xt.init_tile(B, (k, n), (BK, BN))
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, n), (BM, BN)))


@pytest.mark.device
@pytest.mark.covering
@pytest.mark.every(3)
@pytest.mark.parametrize("way", ["vector", "avx2"])
@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "bf16", "i1"])
@pytest.mark.parametrize(
    "rows, columns, depth, tile",
    [(1, 50, 100, (1, 32, 64)), (3, 70, 64, (4, 32, 32)), (2, 33, 7, (2, 32, 32)), (4, 100, 31, (4, 128, 32)), (3, 17, 129, (4, 16, 64)),
     (1, 64, 1, (1, 64, 32)), (4, 40, 160, (4, 32, 128))],
)  # fmt: skip
def test_few_rows_by_columns_that_lie_in_lines(way, dtype, rows, columns, depth, tile):
    """What lies around the arrays is NaN: a vector that goes over an end takes nothing of it; infinities are taken once."""
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bf16" else dtype)
    acc = xt.i32 if kind == np.int8 else xt.f64 if kind == np.float64 else xt.f32
    rng = np.random.default_rng(depth)
    a, b = (rng.integers(-4, 5, shape).astype(kind) for shape in ((rows, depth), (columns, depth)))
    if kind != np.int8:
        b[0, -1], a[:, -1] = np.inf, 2
        a, b = (around(x) for x in (a, b))
    c = np.zeros((rows, columns), acc.numpy)
    with override(cpu=way), xt.device("cpu"):
        few_rows[(xt.cdiv(columns, tile[1]),)](a, b.T, c, **dict(zip(("BM", "BN", "BK"), tile)), ACC=acc)
    np.testing.assert_array_equal(c, a.astype("f8") @ b.astype("f8").T)


def around(x):
    whole = np.full((x.shape[0] + 2, x.shape[1] + 9), np.nan).astype(x.dtype)
    whole[1:-1, 3:-6] = x
    return whole[1:-1, 3:-6]

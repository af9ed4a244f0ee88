"""Matrix products at workgroup level: right for all sizes, element types and edges."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

from tests.reference.build import Kernel, matmul, passed
from xetile.dialects import xetile
from xetile.dialects.types import BF16, F8E4M3FN, F16, F32, F64, I8, I32, TF32, VectorType
from xetile.ir.core import UNIT

GUARD = 7777.0


def guarded(rows, columns, dtype):
    """An array inside a larger one, to see writes outside."""
    whole = np.full((rows + 6, columns + 10), GUARD).astype(dtype)
    return whole, whole[3 : 3 + rows, 5 : 5 + columns]


def cdiv(n, size):
    return -(-n // size)


@pytest.mark.parametrize("m,n,k", [(1, 1, 1), (7, 16, 100), (64, 64, 32), (100, 300, 256), (256, 7, 300), (128, 128, 128)])
@pytest.mark.parametrize(
    "element,dtype", [(F16, np.float16), (BF16, ml_dtypes.bfloat16), (F32, np.float32), (F8E4M3FN, ml_dtypes.float8_e4m3fn)]
)
def test_matmul_matches_float64_and_leaves_the_rest_alone(m, n, k, element, dtype):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    whole, c = guarded(m, n, np.float32)
    interpret(matmul(element, F32, 32, 64, 16), (cdiv(n, 64), cdiv(m, 32)), passed(a, b, c))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(c - exact).max() <= 1e-6 * np.sqrt(k) * max(1, np.abs(exact).max())
    c[...] = GUARD
    assert (whole == GUARD).all()


def test_small_chunks_of_the_grid_give_the_same():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((90, 70)).astype(np.float32), rng.standard_normal((70, 130)).astype(np.float32)
    whole, parts = np.zeros((90, 130), np.float32), np.zeros((90, 130), np.float32)
    module = matmul(F32, F32, 16, 16, 16)
    interpret(module, (9, 6), passed(a, b, whole))
    interpret(module, (9, 6), passed(a, b, parts), budget_bytes=20000)
    assert np.allclose(whole, parts, rtol=1e-5, atol=1e-5) and np.allclose(whole, a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("left,right", [(True, True), (False, True), (True, False), (False, False)])
@pytest.mark.parametrize("k", [40, 1200])
def test_integers_are_exact_for_all_signs(left, right, k):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 256, (20, k)).astype(np.uint8)
    b = rng.integers(0, 256, (k, 24)).astype(np.uint8)
    a[0], b[:, 0] = 255, 255  # the largest products, and -1 where signed
    c = np.zeros((20, 24), np.int32)
    signs = {name: UNIT for name, signed in (("lhs_unsigned", left), ("rhs_unsigned", right)) if not signed}
    interpret(matmul(I8, I32, 16, 16, k, **signs), (2, 2), passed(a, b, c))
    assert (c == (a.view(np.int8) if left else a).astype(np.int64) @ (b.view(np.int8) if right else b).astype(np.int64)).all()


def test_integer_accumulators_wrap_around():
    a, b = np.full((8, 32), -128, np.int8), np.full((32, 8), -128, np.int8)
    c = np.zeros((8, 8), np.int32)
    k = Kernel({"A": I8, "B": I8, "C": I32})
    zero = k.const(0)
    tiles = [k.tile("A", (zero, zero), (8, 32)), k.tile("B", (zero, zero), (32, 8)), k.tile("C", (zero, zero), (8, 8))]
    acc = k.const(2**31 - 1, VectorType((8, 8), I32))
    product = k.build(xetile.TileMma, k.build(xetile.LoadTile, tiles[0]), k.build(xetile.LoadTile, tiles[1]), acc)
    k.build(xetile.StoreTile, product, tiles[2])
    interpret(k.done(), (1,), passed(a, b, c))
    assert (c == np.int64(2**31 - 1 + 32 * 2**14 - 2**32)).all()


def test_narrow_accumulators_are_rounded_after_each_product():
    a, b = np.ones((8, 64), np.float16), np.full((64, 16), 0.3, np.float16)
    c = np.zeros((8, 16), np.float16)
    interpret(matmul(F16, F16, 8, 16, 16), (1, 1), passed(a, b, c))
    expected = np.float16(0)
    for _ in range(4):
        expected = np.float16(np.float32(expected) + np.float32(16) * np.float32(np.float16(0.3)))
    assert (c == expected).all()


def test_tf32_operands_are_rounded_and_f32_is_not():
    x = np.float32(1 + 2**-11 + 2**-20)
    a, b = np.full((8, 8), x, np.float32), np.eye(8, 16, dtype=np.float32)
    rounded, kept = np.zeros((8, 16), np.float32), np.zeros((8, 16), np.float32)
    interpret(matmul(TF32, F32, 8, 16, 8), (1, 1), passed(a, b, rounded))
    interpret(matmul(F32, F32, 8, 16, 8), (1, 1), passed(a, b, kept))
    assert rounded[0, 0] == np.float32(1 + 2**-10) and kept[0, 0] == x


def test_f64():
    rng = np.random.default_rng(4)
    a, b, c = rng.standard_normal((30, 50)), rng.standard_normal((50, 20)), np.zeros((30, 20))
    interpret(matmul(F64, F64, 16, 16, 16), (2, 2), passed(a, b, c))
    assert np.allclose(c, a @ b, rtol=1e-14, atol=1e-13)


@pytest.mark.parametrize("order", ["columns"])
def test_strides_may_be_any(order):
    """A column-major A: strides (1, pitch)."""
    rng = np.random.default_rng(5)
    a, b = np.asfortranarray(rng.standard_normal((40, 24)).astype(np.float32)), rng.standard_normal((24, 8)).astype(np.float32)
    k = Kernel({"A": F32, "C": F32})
    zero, one = k.const(0), k.const(1)
    base, pitch = k.args["A"], k.args["A_pitch"]
    tile = k.build(xetile.InitTile, base, (zero, zero), (k.args["A_rows"], k.args["A_columns"]), (one, pitch),
                   result=xetile.TileType((40, 24), F32, order=(0, 1)))  # fmt: skip
    k.build(xetile.StoreTile, k.build(xetile.LoadTile, tile), k.tile("C", (zero, zero), (40, 24)))
    c = np.zeros((40, 24), np.float32)
    interpret(k.done(), (1,), [a, 40, 24, 40, *passed(c)])
    assert (c == a).all() and b.shape == (24, 8)

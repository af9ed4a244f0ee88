"""Matrix products: dtypes, accumulators, marks of unsigned operands."""

import numpy as np
import pytest

import xetile as xt
from tests.language.running import apply, body_of, ops_of
from xetile.errors import DtypeError, TileShapeError

RNG = np.random.default_rng(9)
PRODUCTS = [
    (xt.f16, xt.f16, xt.f32), (xt.bf16, xt.bf16, xt.f32), (xt.f32, xt.f32, xt.f32), (xt.f64, xt.f64, xt.f64),
    (xt.i8, xt.i8, xt.i32), (xt.u8, xt.u8, xt.i32), (xt.i8, xt.u8, xt.i32), (xt.u8, xt.i8, xt.i32),
]  # fmt: skip


def random(dtype, shape):
    return RNG.integers(-5 if dtype.is_signed else 200, 6 if dtype.is_signed else 256, shape).astype(dtype.numpy)


@pytest.mark.every(2)
@pytest.mark.parametrize("a,b,result", PRODUCTS, ids=str)
def test_products(a, b, result):
    x, y = random(a, (8, 32)), random(b, (32, 16))
    expected = x.astype(np.float64) @ y.astype(np.float64)
    np.testing.assert_array_equal(apply(lambda x, y: x @ y, x, y, result=result, shape=(8, 16)), expected)
    np.testing.assert_array_equal(apply(lambda x, y: xt.tile_mma(x, y, 7), x, y, result=result, shape=(8, 16)), expected + 7)
    acc = random(result, (8, 16))
    np.testing.assert_array_equal(apply(xt.tile_mma, x, y, acc, result=result, shape=(8, 16)), expected + acc)


def test_f32_is_exact_and_tf32_is_asked_for():
    x, y = np.full((8, 8), 1 + 2**-20, np.float32), np.eye(8, 16, dtype=np.float32)
    np.testing.assert_array_equal(apply(lambda x, y: x @ y, x, y, result=xt.f32, shape=(8, 16))[0, 0], x[0, 0])
    got = apply(lambda x, y: x.to(xt.tf32) @ y.to(xt.tf32), x, y, result=xt.f32, shape=(8, 16))
    assert got[0, 0] == 1


@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16], ids=str)
def test_narrow_accumulators(dtype):
    def function(x, y):
        result = xt.tile_mma(x, y, dtype=dtype)
        assert result.dtype is dtype and xt.tile_mma(x, y, result).dtype is dtype
        return result

    x, y = random(dtype, (8, 16)), random(dtype, (16, 16))
    got = apply(function, x, y, result=dtype, shape=(8, 16))
    np.testing.assert_array_equal(got.astype(np.float64), x.astype(np.float64) @ y.astype(np.float64))


def test_unsigned_operands_are_marked():
    def kernel(A, B):
        a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (32, 16)))
        product = a @ b  # noqa: F841

    for a, b, marks in (("i8", "i8", ""), ("u8", "i8", "{lhs_unsigned} "), ("i8", "u8", "{rhs_unsigned} "),
                        ("u8", "u8", "{lhs_unsigned, rhs_unsigned} ")):  # fmt: skip
        (line,) = [x for x in body_of(kernel, A=f"{a}[?,?]", B=f"{b}[?,?]") if "tile_mma" in x]
        assert f"%b {marks}:" in line


def test_f8_multiplies_as_f16():
    a = np.resize(np.array([1, -2, 0.5, 3, -0.25], xt.f8e4m3.numpy), (16, 16))
    np.testing.assert_array_equal(apply(lambda x: x @ x, a, result=xt.f32), a.astype(np.float32) @ a.astype(np.float32))


def test_shared_operands_and_transposes():
    x = random(xt.f32, (8, 16))
    np.testing.assert_array_equal(apply(lambda x: x @ x.T, x, result=xt.f32, shape=(8, 8)), x @ x.T)


@pytest.mark.parametrize("function,kind,message", [
    (lambda x, i: x @ i, DtypeError, "f16 and i32 cannot be multiplied"),
    (lambda x, i: i @ i, DtypeError, "i32 and i32 cannot be multiplied"),
    (lambda x, i: x @ 3, TileShapeError, "b is 3, not a 2-D value"),
    (lambda x, i: xt.tile_mma(x, x, xt.zeros((16, 8))), TileShapeError, "a @ b is f32\\[16,16\\]"),
    (lambda x, i: xt.tile_mma(x, x, xt.zeros((16, 16), xt.bf16)), DtypeError, "summed in f32 or f16"),
    (lambda x, i: xt.tile_mma(x, x, xt.zeros((16, 16)), dtype=xt.f16), DtypeError, "leave dtype out"),
    (lambda x, i: xt.tile_mma(x, x, dtype=xt.f64), DtypeError, "the result is to be f64"),
])  # fmt: skip
def test_refused(function, kind, message):
    with pytest.raises(kind, match=message):
        ops_of(call, {"F": function}, A="f16[?,?]", INTS="i32[?,?]")


def call(A, INTS, F: xt.constexpr):
    F(xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(INTS, (0, 0), (16, 16))))

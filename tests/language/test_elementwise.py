"""Operators and functions of elements give numpy's numbers."""

import math
import operator

import numpy as np
import pytest

import xetile as xt
from tests.language.running import apply, body_of, ops_of, scalars
from xetile.errors import CompileError, DtypeError, TileShapeError

RNG = np.random.default_rng(5)
DTYPES = [xt.i8, xt.i16, xt.i32, xt.i64, xt.u8, xt.u16, xt.u32, xt.u64, xt.f16, xt.bf16, xt.f32, xt.f64]
INTEGERS = [d for d in DTYPES if not d.is_float]
SIGNED = [d for d in INTEGERS if d.is_signed]
FLOATS = [d for d in DTYPES if d.is_float]
SHAPE = (4, 16)


def random(dtype, shape=SHAPE, low=-100):
    low = low if dtype.is_signed else 0
    if dtype.is_float:
        return (RNG.standard_normal(shape) * 4).astype(dtype.numpy)
    return RNG.integers(low, 100, shape).astype(dtype.numpy)


def same(got, expected, tolerance=0.0):
    np.testing.assert_allclose(got.astype(np.float64), np.asarray(expected, np.float64), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arithmetic(op, dtype):
    a, b = random(dtype), random(dtype)
    with np.errstate(over="ignore"):
        same(apply(op, a, b, result=dtype), op(a, b))


@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("dtype", [xt.i8, xt.u8, xt.u64, xt.f16, xt.f32], ids=str)
def test_comparisons(op, dtype):
    op = getattr(operator, op)
    a, b = random(dtype, low=-2) // 40, random(dtype, low=-2) // 40
    if dtype.is_float:
        a[0, 0] = b[1, 1] = math.nan
    same(apply(op, a, b, result=xt.bool), op(a, b))


@pytest.mark.every(2)
@pytest.mark.parametrize("op", [operator.and_, operator.or_, operator.xor], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [*INTEGERS, xt.bool], ids=str)
def test_bits(op, dtype):
    a, b = random(dtype), random(dtype)
    same(apply(op, a, b, result=dtype), op(a, b))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shifts(dtype):
    a, b = random(dtype), (random(dtype) % 5).astype(dtype.numpy)
    same(apply(operator.lshift, a, b, result=dtype), a << b)
    same(apply(operator.rshift, a, b, result=dtype), a >> b)
    same(apply(lambda x: ~x, a, result=dtype), ~a)


@pytest.mark.parametrize("kind", SIGNED, ids=str)
def test_unsigned_numbers_of_64_bits_are_shifted_by_signed_ones(kind):
    """Where sums have no type that holds both: a count below 0 is one beyond the width."""
    a, by = random(xt.u64), np.resize(np.array([0, 1, 5, 31, 32, 63, 64, 100, -1, -64, -128]), SHAPE).astype(kind.numpy)
    inside, places = (by >= 0) & (by < 64), np.clip(by, 0, 63).astype(np.uint64)
    same(apply(operator.lshift, a, by, result=xt.u64), np.where(inside, a << places, 0))
    same(apply(operator.rshift, a, by, result=xt.u64), np.where(inside, a >> places, 0))
    counts, b = np.where(by < 0, np.uint64(2**64 - 1), by.astype(np.uint64)), random(kind).astype(np.int64)
    places = places.astype(np.int64)
    same(apply(operator.lshift, b.astype(kind.numpy), counts, result=xt.i64), np.where(inside, b << places, 0))
    same(
        apply(operator.rshift, b.astype(kind.numpy), counts, result=xt.i64), np.where(inside, b >> places, np.where(b < 0, -1, 0))
    )


def by_constant(op, divisor):
    return lambda x: op(x, divisor)


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_integer_division_has_pythons_rules(dtype):
    a, b = random(dtype), random(dtype)
    b[b == 0] = 3
    same(apply(operator.floordiv, a, b, result=dtype), a // b)
    same(apply(operator.mod, a, b, result=dtype), a % b)
    for divisor in (1, 3, 8, -5, 16, -4):
        same(apply(by_constant(operator.floordiv, divisor), a, result=dtype), a // divisor)
        same(apply(by_constant(operator.mod, divisor), a, result=dtype), a % divisor)


@pytest.mark.parametrize("dtype", [xt.u8, xt.u32, xt.u64], ids=str)
def test_unsigned_division(dtype):
    a, b = random(dtype) + np.asarray(150, dtype.numpy), random(dtype)
    b[b == 0] = 3
    same(apply(operator.floordiv, a, b, result=dtype), a // b)
    same(apply(operator.mod, a, b, result=dtype), a % b)
    same(apply(lambda x: x // 8, a, result=dtype), a // 8)
    same(apply(lambda x: x % 8, a, result=dtype), a % 8)


@pytest.mark.parametrize("dtype", [xt.f32, xt.f64], ids=str)
def test_float_division(dtype):
    a, b = random(dtype), random(dtype)
    same(apply(operator.truediv, a, b, result=dtype), a / b, 1e-6)
    same(apply(operator.floordiv, a, b, result=dtype), np.floor(a / b), 1e-6)
    same(apply(operator.mod, a, b, result=dtype), a % b, 1e-5)


def test_powers_of_two_need_no_division():
    def kernel(A, n):
        xt.store_tile((n // 8 + n % 8).to(xt.i32), xt.init_tile(A, 0, (1,)))

    assert not {"arith.floordivsi", "arith.remsi"} & set(ops_of(kernel, A="i32[?]", n="i32"))


def test_dividing_integers_gives_floats():
    a, b = random(xt.i32), np.maximum(random(xt.i32), 1)
    same(apply(operator.truediv, a, b, result=xt.f32), a / b, 1e-6)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, 10, 2.0, 3.0, 0.5, -0.5, -1, -2.0, -3, -1.5])
def test_powers(exponent):
    a = np.abs(random(xt.f32)) + np.float32(0.5)
    same(apply(lambda x: x**exponent, a, result=xt.f32) / a**exponent, np.ones(SHAPE), 1e-5)


def test_powers_at_the_ends():
    a = np.resize(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-19, -1e19, 3.0], np.float32), SHAPE)
    for exponent in (2.0, 3.0, -1, -1.0, -2, -3.0):
        with np.errstate(all="ignore"):
            expected = np.float32(a.astype(np.float64) ** exponent)
        got = apply(lambda x, e=exponent: x**e, a, result=xt.f32)
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-38)  # some devices have no subnormal numbers
        assert (np.signbit(got) == np.signbit(expected))[~np.isnan(a)].all()


@pytest.mark.parametrize("power", [lambda x: x**2.0, lambda x: x**-1, lambda x: x**-0.5, lambda x: 2**x, lambda x: 2.0**x])
def test_powers_of_known_numbers_need_no_general_function(power):
    @xt.jit(grid=1)
    def example(X):
        X[0:16] = power(xt.load_tile(X[0:16]))

    assert "powf" not in str(example.compile("f32[?]", target="pvc").ir["xetile"])


@pytest.mark.parametrize("dtype", [xt.i32, xt.u8, xt.i64], ids=str)
def test_square_roots_of_integers_are_floats(dtype):
    a = random(dtype, low=0)
    same(apply(lambda x: x**0.5, a, result=xt.f32), a**0.5, 1e-6)
    same(apply(lambda x, n: x * n**0.5 + x.shape[1] ** 0.5, a, 3, result=xt.f32), a * 3**0.5 + a.shape[1] ** 0.5, 1e-6)
    same(apply(lambda x: x.to(xt.f32) * xt.num_programs(0) ** 0.5, a, result=xt.f32), a, 1e-6)


def test_integer_powers():
    a = random(xt.i32, low=-5) % 7
    same(apply(lambda x: x**3, a, result=xt.i32), a**3)
    with pytest.raises(DtypeError, match="constant exponents from 0 to 16"):
        apply(lambda x: x**x, a, result=xt.i32)
    with pytest.raises(DtypeError) as found:
        apply(lambda x: 2**x, a, result=xt.i32)
    assert "1 << n" in found.value.hint


FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "erf": np.vectorize(math.erf), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "floor": np.floor, "ceil": np.ceil, "round": np.round, "trunc": np.trunc, "abs": np.abs,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype,tolerance", [(xt.f32, 2e-6), (xt.f16, 2e-3), (xt.bf16, 2e-2)], ids=str)
def test_functions(name, dtype, tolerance):
    a = random(dtype)
    if name in ("log", "log2", "sqrt", "rsqrt"):
        a = (np.abs(a) + np.asarray(0.1, dtype.numpy)).astype(dtype.numpy)
    expected = FUNCTIONS[name](a.astype(np.float64)).astype(np.float64)
    got = apply(getattr(xt, name), a, result=dtype).astype(np.float64)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def test_functions_of_integers_are_f32():
    a = random(xt.i32) % 5
    same(apply(xt.exp, a, result=xt.f32), np.exp(a.astype(np.float32)), 1e-6)
    same(apply(xt.floor, a, result=xt.i32), a)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", [xt.i8, xt.u8, xt.f16, xt.f32], ids=str)
def test_extremes_and_their_nan_rules(name, dtype):
    a, b = random(dtype), random(dtype)
    if dtype.is_float:
        a[0], b[1] = math.nan, math.nan
    np.testing.assert_array_equal(apply(getattr(xt, name), a, b, result=dtype), getattr(np, name)(a, b))


def test_clamp_fma_where_isnan():
    a, b, c = (random(xt.f32) for _ in range(3))
    same(apply(lambda x: xt.clamp(x, -1, 1.5), a, result=xt.f32), np.clip(a, -1, 1.5))
    exact = (a.astype(np.float64) * b + c).astype(np.float32)
    same(apply(xt.fma, a, b, c, result=xt.f32), exact, 1e-6)
    same(apply(lambda x, y: xt.where(x < y, x, 0), a, b, result=xt.f32), np.where(a < b, a, 0))
    a[0, 3], a[2, 5] = math.nan, math.inf
    same(apply(xt.isnan, a, result=xt.bool), np.isnan(a))
    same(apply(xt.isinf, a, result=xt.bool), np.isinf(a))
    with pytest.raises(DtypeError, match="fma is for floats"):
        apply(xt.fma, *(random(xt.i32) for _ in range(3)), result=xt.i32)


@pytest.mark.parametrize("shapes", [((4, 16), (16,)), ((4, 16), (1, 16)), ((4, 16), (4, 1)), ((4, 1), (1, 16)), ((4, 1), (16,)),
                                    ((1, 1), (4, 16)), ((16,), (16,))])  # fmt: skip
def test_broadcasting(shapes):
    a, b = (random(xt.f32, shape) for shape in shapes)
    expected = a - b
    same(apply(operator.sub, a, b, result=xt.f32, shape=expected.shape), expected)


def test_scalars_and_numbers_fill_values():
    a = random(xt.i32)
    same(apply(lambda x, s: 3 - x * s, a, 7, result=xt.i32), 3 - a * 7)
    same(apply(lambda x: np.int32(4) - x, a, result=xt.i32), 4 - a)
    same(apply(lambda x: np.float32(0.5) * x, a, result=xt.f32), np.float32(0.5) * a)


def test_indices_and_rows():
    def function(x):
        return (xt.arange(16) * 2 + 1)[None, :] + x * (5 + xt.arange(4))[:, None].to(xt.i32)

    a = random(xt.i32)
    same(apply(lambda x: function(x).to(xt.i32), a, result=xt.i32), np.arange(16) * 2 + 1 + a * (5 + np.arange(4))[:, None])


def test_axes_of_computed_values_cost_no_transpose():
    """Coordinates, constants and scalars are computed again in the other orientation; loaded data has to move."""

    def computed(A, n):
        xt.store_tile(((n + xt.arange(8) * 3)[:, None] < 5).to(xt.i32), xt.init_tile(A, (0, 0), (8, 1)))

    def loaded(A, n):
        row = xt.load_tile(xt.init_tile(A[0], 0, (8,)))
        xt.store_tile((row * 2)[:, None], xt.init_tile(A, (0, 0), (8, 1)))

    assert "xetile.tile_transpose" not in ops_of(computed, A="i32[?,?]", n="i32")
    assert "xetile.tile_transpose" in ops_of(loaded, A="i32[?,?]", n="i32")


def test_min_and_max_of_python():
    assert scalars(xt.jit(extremes), 4, 9, n=4) == [4, 9, 3, 12]


def extremes(a, b):
    return min(a, b), max(a, b), min(3, 8), max((a, b, 12))


def test_numbers_of_python_convert():
    assert scalars(xt.jit(conversions), 7, 2, n=4) == [7, 1, 3, 3]


def conversions(a, b):
    q, r = divmod(a, b)
    return int(float(a)), r, q, round(a / b - 0.01)


@pytest.mark.parametrize("function,message", [
    (lambda x: x & 1.5, "& works on integers"),
    (lambda x: x + "a", "unsupported operand"),
    (lambda x: x[1.5], "subscript"),
    (lambda x: x[:, None], "no place for another axis"),
    (lambda x: x.to(np.complex64), "no element type like"),
    (lambda x: x.bitcast(xt.i16), "choose a dtype of 32 bits"),
    (lambda x: x.item(), "the only element"),
    (lambda x: list(x), "cannot loop over the elements"),
    (lambda x: x if x > 0 else -x, "is ambiguous"),
    (lambda x: range(x), "a number is needed while the kernel is compiled"),
])  # fmt: skip
def test_refused(function, message):
    kinds = (CompileError, DtypeError, TileShapeError)
    with pytest.raises(kinds, match=message):
        apply(function, random(xt.f32), result=xt.f32)


def test_constants_fold_into_vectors():
    def kernel(A):
        xt.store_tile(xt.zeros((4, 4), xt.i32) + 3, xt.init_tile(A, (0, 0), (4, 4)))

    lines = body_of(kernel, A="i32[?,?]")
    assert not any("vector.broadcast" in line for line in lines)

"""Each op of arith and math against plain numpy or plain Python, on values that matter."""

from __future__ import annotations

import math as pymath

import ml_dtypes
import numpy as np
import pytest
from build import apply, element_like

from xetile.dialects import arith, math
from xetile.dialects.types import BF16, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64, INDEX, TF32, VectorType

INTEGERS = [np.int8, np.int16, np.int32, np.int64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


def interesting(dtype, seed=0):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(seed)
    edges = np.array([0, 1, 2, 3, 7, -1, -2, -3, info.min, info.max, info.min + 1, info.max - 1], dtype)
    return np.concatenate([edges, rng.integers(info.min, info.max, 52, dtype=dtype)]).reshape(8, 8)


def pairs(dtype):
    x, y = interesting(dtype), interesting(dtype, 1)
    y.ravel()[:12] = np.roll(y.ravel()[:12], 5)
    return x, y


def wrapped(value, dtype):
    bits = np.iinfo(dtype).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def as_unsigned(value, dtype):
    return value & ((1 << np.iinfo(dtype).bits) - 1)


def trunc_div(x, y):
    return 0 if y == 0 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)


def by_signed(f):
    return lambda x, y, dtype: wrapped(f(x, y), dtype)


def by_unsigned(f):
    return lambda x, y, dtype: wrapped(f(as_unsigned(x, dtype), as_unsigned(y, dtype)), dtype)


INTEGER_OPS = {
    arith.AddI: by_signed(lambda x, y: x + y),
    arith.SubI: by_signed(lambda x, y: x - y),
    arith.MulI: by_signed(lambda x, y: x * y),
    arith.AndI: by_signed(lambda x, y: x & y),
    arith.OrI: by_signed(lambda x, y: x | y),
    arith.XOrI: by_signed(lambda x, y: x ^ y),
    arith.DivSI: by_signed(trunc_div),
    arith.DivUI: by_unsigned(lambda x, y: x // y if y else 0),
    arith.RemSI: by_signed(lambda x, y: x - trunc_div(x, y) * y if y else 0),
    arith.RemUI: by_unsigned(lambda x, y: x % y if y else 0),
    arith.FloorDivSI: by_signed(lambda x, y: x // y if y else 0),
    arith.CeilDivSI: by_signed(lambda x, y: -(-x // y) if y else 0),
    arith.CeilDivUI: by_unsigned(lambda x, y: -(-x // y) if y else 0),
    arith.MaxSI: by_signed(max),
    arith.MinSI: by_signed(min),
    arith.MaxUI: by_unsigned(max),
    arith.MinUI: by_unsigned(min),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("kind", INTEGER_OPS, ids=lambda k: k.opname)
def test_integers_wrap_around(kind, dtype):
    x, y = pairs(dtype)
    expected = [[INTEGER_OPS[kind](int(a), int(b), dtype) for a, b in zip(r, s)] for r, s in zip(x, y)]
    assert apply(lambda k, a, b: k.build(kind, a, b), x, y).tolist() == expected


@pytest.mark.parametrize("kind,expected", [
    (arith.ShLI, lambda x, n, d: wrapped(x << n, d)),
    (arith.ShRSI, lambda x, n, d: x >> n),
    (arith.ShRUI, lambda x, n, d: wrapped(as_unsigned(x, d) >> n, d)),
])  # fmt: skip
@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(kind, expected, dtype):
    x = interesting(dtype)
    n = np.resize(np.arange(np.iinfo(dtype).bits), x.shape).astype(dtype)
    found = apply(lambda k, a, b: k.build(kind, a, b), x, n)
    assert found.tolist() == [[expected(int(a), int(b), dtype) for a, b in zip(r, s)] for r, s in zip(x, n)]


@pytest.mark.parametrize("kind,table", [
    (arith.AddI, [0, 1, 1, 0]), (arith.SubI, [0, 1, 1, 0]), (arith.MulI, [0, 0, 0, 1]), (arith.AndI, [0, 0, 0, 1]),
    (arith.OrI, [0, 1, 1, 1]), (arith.XOrI, [0, 1, 1, 0]), (arith.MaxUI, [0, 1, 1, 1]), (arith.MinUI, [0, 0, 0, 1]),
    (arith.MaxSI, [0, 0, 0, 1]), (arith.MinSI, [0, 1, 1, 1]),
])  # fmt: skip
def test_one_bit_integers(kind, table):
    """In one bit true is 1 unsigned and -1 signed, and sums are modulo 2."""
    x, y = np.array([[0, 0, 1, 1]], np.bool_), np.array([[0, 1, 0, 1]], np.bool_)
    assert apply(lambda k, a, b: k.build(kind, a, b), x, y).tolist() == [[bool(t) for t in table]]


@pytest.mark.parametrize("predicate", arith.CMPI)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_comparisons(predicate, dtype):
    x, y = pairs(dtype)
    y[::2] = x[::2]
    u = (lambda v: v) if predicate[0] != "u" else (lambda v: v.view(f"u{v.dtype.itemsize}"))
    compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
    expected = compare[predicate[-2:]](u(x), u(y))
    found = apply(lambda k, a, b: k.build(arith.CmpI, a, b, predicate=predicate), x, y, dtype=np.bool_)
    assert (found == expected).all()


@pytest.mark.parametrize("predicate", arith.CMPF)
@pytest.mark.parametrize("dtype", FLOATS)
def test_float_comparisons(predicate, dtype):
    nan = float("nan")
    x, y = np.array([[1, 2, 2, nan, 1, nan]]).astype(dtype), np.array([[2, 1, 2, 1, nan, nan]]).astype(dtype)
    relation = {"lt": [1, 0, 0], "le": [1, 0, 1], "gt": [0, 1, 0], "ge": [0, 1, 1], "eq": [0, 0, 1], "ne": [1, 1, 0]}
    special = {"ord": [1] * 3 + [0] * 3, "uno": [0] * 3 + [1] * 3, "true": [1] * 6, "false": [0] * 6}
    expected = special.get(predicate) or relation[predicate[1:]] + [int(predicate[0] == "u")] * 3
    found = apply(lambda k, a, b: k.build(arith.CmpF, a, b, predicate=predicate), x, y, dtype=np.bool_)
    assert found.astype(int).tolist() == [expected]


def floats(dtype, seed=0):
    rng = np.random.default_rng(seed)
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 3.5, -2.5, float("inf"), float("-inf"), float("nan"), 1e-3]
    return np.concatenate([edges, rng.standard_normal(52) * 3]).astype(dtype).reshape(8, 8)


FLOAT_OPS = {
    arith.AddF: np.add, arith.SubF: np.subtract, arith.MulF: np.multiply, arith.DivF: np.divide, arith.RemF: np.fmod,
    arith.MaximumF: np.maximum, arith.MinimumF: np.minimum, arith.MaxNumF: np.fmax, arith.MinNumF: np.fmin, math.PowF: np.power,
}  # fmt: skip
FUNCTIONS = {
    arith.NegF: np.negative, math.Exp: np.exp, math.Exp2: np.exp2, math.Log: np.log, math.Log2: np.log2, math.Sqrt: np.sqrt,
    math.Rsqrt: lambda x: 1 / np.sqrt(x), math.Sin: np.sin, math.Cos: np.cos, math.Tan: np.tan, math.Tanh: np.tanh,
    math.Erf: np.vectorize(pymath.erf, otypes=[float]), math.AbsF: np.abs, math.Floor: np.floor, math.Ceil: np.ceil,
    math.RoundEven: np.rint, math.Trunc: np.trunc,
}  # fmt: skip


def check_rounded(found, exact, dtype, ulps=1):
    """Within so many units in the last place of the exact value rounded to the type; NaN and infinities in the same places."""
    with np.errstate(all="ignore"):
        expected = exact.astype(dtype)
        step = np.abs(np.nextafter(expected, np.array(np.inf, dtype)).astype(float) - expected.astype(float))
    found, expected = found.astype(float), expected.astype(float)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        distance = np.abs(found - expected)
    assert (same | (distance <= ulps * np.where(np.isfinite(step), step, 0) * 1.01)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", FLOAT_OPS, ids=lambda k: k.opname)
def test_float_ops_are_rounded_once(kind, dtype):
    x, y = floats(dtype), floats(dtype, 1)[::-1].copy()
    with np.errstate(all="ignore"):
        exact = FLOAT_OPS[kind](x.astype(np.float64), y.astype(np.float64))
    check_rounded(apply(lambda k, a, b: k.build(kind, a, b), x, y), exact, dtype, 4 if kind is math.PowF else 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", FUNCTIONS, ids=lambda k: k.opname)
def test_float_functions(kind, dtype):
    x = floats(dtype)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[kind](x.astype(np.float64))
    check_rounded(apply(lambda k, a: k.build(kind, a), x), exact, dtype, 2)


@pytest.mark.parametrize("dtype", FLOATS)
def test_fma_is_rounded_once(dtype):
    x, y, z = (floats(dtype, i) for i in range(3))
    with np.errstate(all="ignore"):
        exact = x.astype(np.float64) * y.astype(np.float64) + z.astype(np.float64)
    check_rounded(apply(lambda k, a, b, c: k.build(math.Fma, a, b, c), x, y, z), exact, dtype, 1 if dtype == np.float64 else 0)


def cast(kind, x, element, dtype):
    return apply(lambda k, a: k.build(kind, a, result=VectorType(x.shape, element)), x, dtype=dtype, element=element)


@pytest.mark.parametrize("source,target,element", [
    (np.float32, np.float16, F16), (np.float32, ml_dtypes.bfloat16, BF16), (np.float64, np.float32, F32),
    (np.float32, ml_dtypes.float8_e5m2, F8E5M2),
])  # fmt: skip
def test_narrowing_rounds_ties_to_even(source, target, element):
    x = np.concatenate([floats(source).ravel(), source([1 + 2**-11, 1 + 3 * 2**-11, 65504, 65520, 1e-8, 3.0625])]).reshape(10, 7)
    with np.errstate(all="ignore"):
        expected = x.astype(target)
    assert cast(arith.TruncF, x, element, target).tobytes() == expected.tobytes()


@pytest.mark.parametrize("source", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_widening_is_exact(source):
    x = floats(np.float32).astype(source)
    assert cast(arith.ExtF, x, F32, np.float32).tobytes() == x.astype(np.float32).tobytes()


def test_tf32_keeps_ten_fraction_bits():
    x = np.array([[1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-20, -1 - 2**-11, np.inf, np.nan, 1e-30, 3.4e38]], np.float32)
    found = cast(arith.TruncF, x, TF32, np.float32)
    assert found[0, :6].tolist()[:5] == [1, 1 + 2**-9, 1 + 2**-10, -1, np.inf] and np.isnan(found[0, 5])
    assert (found.view(np.uint32)[0, [0, 1, 2, 3, 4, 6]] & 0x1FFF == 0).all()


@pytest.mark.parametrize("dtype,element", [(np.int8, I8), (np.int16, I16), (np.int32, I32), (np.int64, I64)])
def test_floats_to_integers_saturate(dtype, element):
    info = np.iinfo(dtype)
    x = np.array([[0.9, -0.9, 2.5, -2.5, 1e30, -1e30, np.nan, np.inf, -np.inf, 100.7]], np.float32)
    signed = [0, 0, 2, -2, info.max, info.min, 0, info.max, info.min, 100]
    assert cast(arith.FPToSI, x, element, dtype).tolist() == [signed]
    top = np.iinfo(f"u{np.dtype(dtype).itemsize}").max
    found = cast(arith.FPToUI, x, element, dtype).view(f"u{np.dtype(dtype).itemsize}")
    assert found.tolist() == [[0, 0, 2, 0, top, 0, 0, top, 0, 100]]


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("dtype,element", [(np.float16, F16), (ml_dtypes.bfloat16, BF16), (np.float32, F32), (np.float64, F64)])
def test_integers_to_floats(source, dtype, element):
    x = interesting(source)
    wide = dtype if dtype in (np.float32, np.float64) else np.float32
    with np.errstate(all="ignore"):
        signed, unsigned = x.astype(wide).astype(dtype), x.view(f"u{x.itemsize}").astype(wide).astype(dtype)
    assert cast(arith.SIToFP, x, element, dtype).tobytes() == signed.tobytes()
    assert cast(arith.UIToFP, x, element, dtype).tobytes() == unsigned.tobytes()


def test_extension_and_truncation():
    x = np.array([[-1, 127, -128, 5]], np.int8)
    assert cast(arith.ExtSI, x, I32, np.int32).tolist() == [[-1, 127, -128, 5]]
    assert cast(arith.ExtUI, x, I32, np.int32).tolist() == [[255, 127, 128, 5]]
    wide = np.array([[-1, 300, 128, 1 << 20]], np.int32)
    assert cast(arith.TruncI, wide, I8, np.int8).tolist() == [[-1, 44, -128, 0]]
    assert cast(arith.TruncI, wide, I1, np.bool_).tolist() == [[True, False, False, False]]
    bits = np.array([[True, False]])
    assert cast(arith.ExtSI, bits, I32, np.int32).tolist() == [[-1, 0]]
    assert cast(arith.ExtUI, bits, I32, np.int32).tolist() == [[1, 0]]
    assert cast(arith.UIToFP, bits, F32, np.float32).tolist() == [[1, 0]]
    assert cast(arith.SIToFP, bits, F32, np.float32).tolist() == [[-1, 0]]


def test_index_casts_and_bitcasts():
    x = np.array([[-1, 7]], np.int32)
    for kind, expected in ((arith.IndexCast, -1), (arith.IndexCastUI, 2**32 - 1)):

        def there_and_back(k, a, kind=kind):
            index = k.build(kind, a, result=VectorType((1, 2), INDEX))
            return k.build(arith.IndexCast, index, result=VectorType((1, 2), I64))

        assert apply(there_and_back, x, dtype=np.int64).tolist() == [[expected, 7]]
    f = np.array([[1.0, -0.0]], np.float32)
    assert cast(arith.Bitcast, f, I32, np.int32).tolist() == [[0x3F800000, -(2**31)]]


def test_select():
    c, x, y = np.array([[True, False]]), np.array([[1, 2]], np.int16), np.array([[3, 4]], np.int16)
    picked = apply(lambda k, c, a, b: k.build(arith.Select, c, a, b), c, x, y, dtype=np.int16)
    assert picked.tolist() == [[1, 4]]
    whole = apply(lambda k, a, b: k.build(arith.Select, k.const(False, I1), a, b), x, y)
    assert whole.tolist() == y.tolist()


def test_constants():
    x = np.zeros((2, 2), np.float32)
    listed = apply(lambda k, a: k.const((1.0, 2.0, 3.0, float("-inf")), VectorType((2, 2), F32)), x)
    assert listed.tolist() == [[1, 2], [3, float("-inf")]]
    assert apply(lambda k, a: k.const(255, VectorType((2, 2), I8)), x, dtype=np.int8).tolist() == [[-1, -1], [-1, -1]]
    assert element_like(x) is F32

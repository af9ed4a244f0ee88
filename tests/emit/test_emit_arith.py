"""arith and math, executed on the CPU device and compared with numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.emit.kernels import apply, apply_each
from tests.spirv.device import Device
from xetile.dialects import arith, math
from xetile.dialects.types import I1, SCALARS, VectorType
from xetile.ir.core import OPS

INTS = (np.int8, np.int16, np.int32, np.int64)
FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
TOLERANCE = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6, "float64": 1e-14}
BF16 = ml_dtypes.bfloat16


def integers(kind: type) -> tuple[np.ndarray, np.ndarray]:
    """Pairs with every sign and the extremes; no divisor is zero and no quotient overflows."""
    info = np.iinfo(kind)
    a = np.array([0, 1, -1, 5, -5, 7, -7, 100, -100, info.max, info.min + 1, 6, -6, 3], kind)
    b = np.array([3, -2, 2, 2, 2, -2, -3, 7, 7, 5, 5, 3, 3, info.max], kind)
    return a, b


def floats(kind: type) -> tuple[np.ndarray, np.ndarray]:
    nan, inf = np.nan, np.inf
    a = np.array([0.5, -1.25, 3.75, 100.0, nan, 2.0, inf, -7.5, 1.5, nan, -0.0, 6.0], kind)
    b = np.array([2.0, 3.0, -1.5, 0.25, 1.0, nan, 2.0, 2.0, -inf, nan, 1.0, 4.0], kind)
    return a, b


def unsigned(function, kind: type):
    wide = np.dtype(kind).str.replace("i", "u")
    return lambda a, b: function(a.view(wide), b.view(wide))


INTEGER = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or,
    "xori": np.bitwise_xor, "floordivsi": np.floor_divide, "ceildivsi": lambda a, b: -np.floor_divide(-a, b),
    "divsi": lambda a, b: (np.sign(a) * np.sign(b)) * (np.abs(a) // np.abs(b)), "remsi": lambda a, b: np.fmod(a, b),
    "maxsi": np.maximum, "minsi": np.minimum,
}  # fmt: skip
UNSIGNED = {
    "divui": np.floor_divide, "remui": np.mod, "maxui": np.maximum, "minui": np.minimum,
    "ceildivui": lambda a, b: a // b + (a % b != 0),
}  # fmt: skip


def binary(names: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """The ops of arith with two operands, and no more."""
    return {name: lambda e, x, y, op=OPS[f"arith.{name}"]: e(op, x, y) for name in names}


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("kind", INTS)
def test_signed_integers_match_numpy(cpu: Device, kind: type) -> None:
    a, b = integers(kind)
    for name, got in apply_each(cpu, binary(INTEGER), [a, b], kind).items():
        with np.errstate(over="ignore"):
            assert (got == INTEGER[name](a, b).astype(kind)).all(), name


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("kind", INTS)
def test_unsigned_integers_match_numpy(cpu: Device, kind: type) -> None:
    a, b = integers(kind)
    for name, got in apply_each(cpu, binary(UNSIGNED), [a, b], kind).items():
        expected = unsigned(UNSIGNED[name], kind)(a, b)
        assert (got.view(expected.dtype) == expected).all(), name


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", INTS)
def test_shifts_match_numpy(cpu: Device, kind: type) -> None:
    a, b = np.array([-8, 7, 100, -1], kind), np.array([1, 2, 3, 5], kind)
    got = apply_each(cpu, binary(("shli", "shrsi", "shrui")), [a, b], kind)
    assert (got["shli"] == a << b).all()
    assert (got["shrsi"] == a >> b).all()
    assert (got["shrui"] == unsigned(np.right_shift, kind)(a, b).view(kind)).all()


BOOLEAN = {
    "addi": np.logical_xor, "subi": np.logical_xor, "muli": np.logical_and, "andi": np.logical_and, "ori": np.logical_or,
    "xori": np.logical_xor, "maxui": np.logical_or, "minui": np.logical_and, "maxsi": np.logical_and, "minsi": np.logical_or,
}  # fmt: skip


def test_booleans_count_modulo_two_and_signed_true_is_minus_one(cpu: Device) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for name, got in apply_each(cpu, binary(BOOLEAN), [a, b], bool).items():
        assert (got == BOOLEAN[name](a, b)).all(), name


def propagate(function):
    return lambda a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, function(a, b))


FLOAT = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide, "remf": np.fmod,
    "maxnumf": np.fmax, "minnumf": np.fmin, "maximumf": propagate(np.fmax), "minimumf": propagate(np.fmin),
}  # fmt: skip


@pytest.mark.every(3, 2)
@pytest.mark.parametrize("kind", FLOATS)
def test_floats_match_numpy(cpu: Device, kind: type) -> None:
    a, b = floats(kind)
    for name, got in apply_each(cpu, binary(FLOAT), [a, b], kind).items():
        with np.errstate(all="ignore"):
            expected = FLOAT[name](a.astype(np.float64), b.astype(np.float64))
        np.testing.assert_allclose(got.astype(np.float64), expected, rtol=TOLERANCE[np.dtype(kind).name], err_msg=name)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", FLOATS)
def test_negation_changes_the_sign_alone(cpu: Device, kind: type) -> None:
    a, _ = floats(kind)
    np.testing.assert_array_equal(apply(cpu, lambda e, x: e(arith.NegF, x), [a], kind).astype(float), -a.astype(float))


COMPARE_INT = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def comparisons(op: Any, predicates: Iterable[str]) -> dict[str, Callable[..., Any]]:
    return {name: lambda e, x, y, name=name: e(op, x, y, predicate=name) for name in predicates}


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64])
def test_integer_comparison_matches_numpy(cpu: Device, kind: type) -> None:
    a, b = integers(kind)
    b[:5] = a[:5]
    for predicate, got in apply_each(cpu, comparisons(arith.CmpI, arith.CMPI), [a, b], bool).items():
        function = COMPARE_INT[predicate if len(predicate) == 2 and predicate in COMPARE_INT else predicate[1:]]
        assert (got == (unsigned(function, kind)(a, b) if predicate[0] == "u" else function(a, b))).all(), predicate


def test_boolean_comparison_is_that_of_one_bit(cpu: Device) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for predicate, got in apply_each(cpu, comparisons(arith.CmpI, arith.CMPI), [a, b], bool).items():
        sign = -1 if predicate[0] == "s" else 1
        function = COMPARE_INT[predicate if predicate in ("eq", "ne") else predicate[1:]]
        assert (got == function(sign * a.astype(int), sign * b.astype(int))).all(), predicate


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", [np.float16, BF16, np.float32])
def test_float_comparison_says_what_nan_gives(cpu: Device, kind: type) -> None:
    a, b = floats(kind)
    b[0] = a[0]
    strange = np.isnan(a.astype(float)) | np.isnan(b.astype(float))
    known = {"false": strange & False, "true": strange | True, "ord": ~strange, "uno": strange}
    for predicate, got in apply_each(cpu, comparisons(arith.CmpF, arith.CMPF), [a, b], bool).items():
        if predicate in known:
            expected = known[predicate]
        else:
            plain = COMPARE_INT[predicate[1:]](a.astype(float), b.astype(float))
            expected = plain & ~strange if predicate[0] == "o" else plain | strange
        assert (got == expected).all(), predicate


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("kind", [bool, np.int8, np.int64, np.float16, BF16, np.float32])
def test_select_picks_element_by_element(cpu: Device, kind: type) -> None:
    c = np.array([True, False, False, True, True])
    a, b = np.arange(5).astype(kind), (np.arange(5) + 5).astype(kind)
    got = apply(cpu, lambda e, c, x, y: e(arith.Select, c, x, y), [c, a, b], kind)
    assert (got == np.where(c, a, b)).all()


MATH = {
    "exp": np.exp, "exp2": np.exp2, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "absf": np.abs, "floor": np.floor,
    "ceil": np.ceil, "roundeven": np.rint, "trunc": np.trunc, "log": np.log, "log2": np.log2, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "erf": lambda x: np.vectorize(__import__("math").erf)(x),
}  # fmt: skip


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("kind", [np.float16, BF16, np.float32])
def test_functions_match_numpy(cpu: Device, kind: type) -> None:
    a = np.array([0.5, 1.5, 2.5, 0.01, 3.7, 7.25, 1.0], kind)
    positive = ("log", "log2", "sqrt", "rsqrt")
    tolerance = max(TOLERANCE[np.dtype(kind).name], 1e-5)
    for given, names in ((a, positive), (np.concatenate([a, -a]), set(MATH).difference(positive))):
        table = {name: lambda e, x, op=OPS[f"math.{name}"]: e(op, x) for name in sorted(names)}
        for name, got in apply_each(cpu, table, [given], kind).items():
            expected = MATH[name](given.astype(np.float64))
            np.testing.assert_allclose(got.astype(np.float64), expected, rtol=tolerance, atol=1e-7, err_msg=name)


def test_power_fma_and_integer_absolute(cpu: Device) -> None:
    a, b = np.array([2.0, 3.0, 0.5], np.float32), np.array([3.0, -1.0, 2.0], np.float32)
    np.testing.assert_allclose(apply(cpu, lambda e, x, y: e(math.PowF, x, y), [a, b], np.float32), a**b, rtol=1e-5)
    np.testing.assert_allclose(apply(cpu, lambda e, x, y: e(math.Fma, x, y, x), [a, b], np.float32), a * b + a, rtol=1e-6)
    i = np.array([-3, 4, -128], np.int8)
    assert (apply(cpu, lambda e, x: e(math.AbsI, x), [i], np.int8) == np.array([3, 4, -128], np.int8)).all()


# Conversions.

CASTS = [
    ("extsi", np.int8, np.int32), ("extsi", np.int16, np.int64), ("extsi", bool, np.int32),
    ("trunci", np.int32, np.int8), ("trunci", np.int64, np.int16), ("trunci", np.int32, bool),
    ("sitofp", np.int32, np.float32), ("sitofp", np.int8, np.float16), ("sitofp", np.int16, BF16), ("sitofp", bool, np.float32),
    ("fptosi", np.float32, np.int32), ("fptosi", np.float16, np.int8), ("fptosi", BF16, np.int64),
    ("extf", np.float16, np.float32), ("extf", BF16, np.float32), ("extf", np.float32, np.float64), ("extf", BF16, np.float64),
    ("truncf", np.float32, np.float16), ("truncf", np.float64, np.float32), ("truncf", np.float32, BF16),
]  # fmt: skip


@pytest.mark.every(5)
@pytest.mark.parametrize(("name", "source", "target"), CASTS)
def test_conversions_match_numpy(cpu: Device, name: str, source: type, target: type) -> None:
    if source is bool:
        a = np.array([True, False])
    elif name in ("extf", "truncf", "fptosi"):
        a = np.array([0.1, -1.7, 100.5, -0.0, 3.14159265, 1e-3, 65504.0 if name != "fptosi" else 12.0], source)
    else:
        a = np.array([0, 1, -1, 77, -100, 120], source)
    result = VectorType((11,), SCALARS["i1"] if target is bool else _ir(target))
    got = apply(cpu, lambda e, x: e(OPS[f"arith.{name}"], x, result=result), [a], target)
    expected = (a & 1).astype(bool) if target is bool else a.astype(target)
    expected = -expected if source is bool else expected  # signed true is -1
    assert (got == expected).all(), (got, expected)


@pytest.mark.parametrize(("source", "target"), [(np.int8, np.int32), (np.int32, np.int64), (bool, np.int32)])
def test_zero_extension(cpu: Device, source: type, target: type) -> None:
    a = np.array([1, 0, -1]).astype(source)
    got = apply(cpu, lambda e, x: e(arith.ExtUI, x, result=VectorType((11,), _ir(target))), [a], target)
    wide = a if source is bool else a.view(np.dtype(source).str.replace("i", "u"))
    assert (got == wide.astype(target)).all()


@pytest.mark.parametrize("target", [np.float32, np.float16])
def test_unsigned_to_float_and_back(cpu: Device, target: type) -> None:
    a = np.array([0, 200, 255], np.uint8).view(np.int8)

    def there_and_back(e, x):
        real = e(arith.UIToFP, x, result=VectorType((11,), _ir(target)))
        return e(arith.FPToUI, real, result=VectorType((11,), SCALARS["i8"]))

    assert (apply(cpu, there_and_back, [a], np.int8) == a).all()


F8 = (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)


@pytest.mark.covering
@pytest.mark.parametrize("target", [np.float16, BF16, np.float32])
@pytest.mark.parametrize("kind", F8)
def test_every_f8_widens_exactly(cpu: Device, kind: type, target: type) -> None:
    a = np.arange(256, dtype=np.uint8).view(kind)
    got = apply(cpu, lambda e, x: e(arith.ExtF, x, result=VectorType((16,), _ir(target))), [a], target, count=16)
    np.testing.assert_array_equal(got.astype(np.float64), a.astype(target).astype(np.float64))


@pytest.mark.covering
@pytest.mark.every(3, 2)
@pytest.mark.parametrize("source", [np.float16, BF16, np.float32])
@pytest.mark.parametrize("kind", F8)
def test_f8_rounds_to_nearest_even(cpu: Device, kind: type, source: type) -> None:
    exact = np.arange(256, dtype=np.uint8).view(kind).astype(np.float32)
    exact = np.sort(exact[np.isfinite(exact)])
    between = (exact[1:] + exact[:-1]) / 2  # ties
    a = np.concatenate([exact, between, between * 1.001, [1e9, -1e9, np.inf, np.nan, 449.0, 465.0, 61440.0]]).astype(source)
    got = apply(cpu, lambda e, x: e(arith.TruncF, x, result=VectorType((64,), _ir(kind))), [a], kind, count=64)
    np.testing.assert_array_equal(got.astype(np.float64), a.astype(np.float32).astype(kind).astype(np.float64))


def test_tf32_keeps_ten_bits_of_fraction(cpu: Device) -> None:
    a = np.array([1.0 + 2.0**-10, 1.0 + 2.0**-11, 1.0 + 3 * 2.0**-11, -3.14159265, 1e20], np.float32)

    def rounded(e, x):
        small = e(arith.TruncF, x, result=VectorType((11,), SCALARS["tf32"]))
        return e(arith.ExtF, small, result=VectorType((11,), SCALARS["f32"]))

    bits = a.view(np.uint32).astype(np.uint64)
    expected = ((bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000).astype(np.uint32).view(np.float32)
    assert (apply(cpu, rounded, [a], np.float32) == expected).all()


def test_bits_as_other_elements(cpu: Device) -> None:
    a = np.array([1.0, -2.5, 0.0], np.float32)
    got = apply(cpu, lambda e, x: e(arith.Bitcast, x, result=VectorType((11,), SCALARS["i32"])), [a], np.int32)
    assert (got == a.view(np.int32)).all()


def _ir(kind: type):
    from xetile.dtypes import from_numpy

    return from_numpy(np.dtype(kind)).ir


assert I1 is SCALARS["i1"]


@pytest.mark.every(6)
@pytest.mark.parametrize("name", ["exp", "exp2", "tanh", "log2", "log"])
def test_functions_keep_five_digits_everywhere(cpu: Device, name: str) -> None:
    """Over the whole range, near zero, at the ends, and for infinities and NaN."""
    small = np.logspace(-6, 0, 200)
    a = np.concatenate([small, np.linspace(0.3, 0.4, 50), np.linspace(1, 80, 300), [np.inf, np.nan, 0.0]])
    a = (a if "log" in name else np.concatenate([a, -a])).astype(np.float32)
    with np.errstate(all="ignore"):
        expected = MATH[name](a.astype(np.float64))
    got = apply(cpu, lambda e, x: e(OPS[f"math.{name}"], x), [a], np.float32, count=80)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-35)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_reciprocals_are_precise(cpu: Device, kind: type) -> None:
    a = np.array([3.0, -0.1, 1e4, 7e-5, np.inf, np.nan, 0.0], kind)

    def reciprocal(e, x):
        return e(arith.DivF, e(arith.Constant, value=1.0, result=x.type), x)

    with np.errstate(all="ignore"):
        expected = (1 / a.astype(np.float64)).astype(kind)
    np.testing.assert_allclose(apply(cpu, reciprocal, [a], kind), expected, rtol=TOLERANCE[np.dtype(kind).name])

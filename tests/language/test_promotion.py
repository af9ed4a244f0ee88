"""Dtypes of operations: numpy's wherever numpy stays off f64, and the documented differences."""

import itertools

import numpy as np
import pytest

import xetile as xt
from tests.language.running import ops_of
from xetile import dtypes
from xetile.errors import DtypeError
from xetile.language.promote import check_fits, limits, promote, promote_weak

INTEGERS = [xt.i8, xt.i16, xt.i32, xt.i64, xt.u8, xt.u16, xt.u32, xt.u64]
FLOATS = [xt.f16, xt.bf16, xt.f32, xt.f64]
NUMPYS_OWN = [*INTEGERS, xt.f16, xt.f32, xt.f64, xt.bool]


@pytest.mark.parametrize("a,b", list(itertools.combinations_with_replacement(NUMPYS_OWN, 2)), ids=str)
def test_as_numpy_where_numpy_stays_off_f64(a, b):
    expected = np.promote_types(a.numpy, b.numpy)
    if a.is_float != b.is_float:
        assert promote(a, b) is (a if a.is_float else b)  # the float's dtype, where numpy takes a wider one
    elif expected == np.float64 and not (a.is_float and b.is_float):
        with pytest.raises(DtypeError, match="no common type"):
            promote(a, b)
    else:
        assert promote(a, b).numpy == expected


@pytest.mark.parametrize("a,b", list(itertools.product(dtypes.DTYPES.values(), repeat=2)), ids=str)
def test_order_does_not_matter(a, b):
    def result(x, y):
        try:
            return promote(x, y)
        except DtypeError:
            return None

    assert result(a, b) is result(b, a)


@pytest.mark.parametrize(
    "a,b,result",
    [
        (xt.f16, xt.bf16, xt.f32), (xt.tf32, xt.f16, xt.tf32), (xt.tf32, xt.f32, xt.f32), (xt.bf16, xt.f64, xt.f64),
        (xt.index, xt.i32, xt.index), (xt.index, xt.u32, xt.index), (xt.index, xt.i64, xt.i64), (xt.index, xt.f16, xt.f16),
        (xt.bool, xt.index, xt.index), (xt.bool, xt.f16, xt.f16), (xt.i64, xt.f16, xt.f16),
    ],
)  # fmt: skip
def test_what_numpy_does_not_have(a, b, result):
    assert promote(a, b) is result


@pytest.mark.parametrize("storage", [xt.f8e4m3, xt.f8e5m2])
def test_f8_takes_no_part(storage):
    with pytest.raises(DtypeError, match="is a storage type"):
        promote(storage, xt.f32)
    with pytest.raises(DtypeError, match="is a storage type"):
        promote_weak(1.0, storage)


@pytest.mark.parametrize(
    "number,dtype,result",
    [
        (1, xt.i8, xt.i8), (1, xt.f16, xt.f16), (1, xt.index, xt.index), (1, xt.bool, xt.i32), (200, xt.u8, xt.u8),
        (1.5, xt.f16, xt.f16), (1.5, xt.bf16, xt.bf16), (1.5, xt.i8, xt.f32), (1.5, xt.i64, xt.f32), (1.5, xt.bool, xt.f32),
        (1.5, xt.index, xt.f32), (True, xt.i8, xt.i8), (True, xt.bool, xt.bool), (10**9, xt.f16, xt.f16),
    ],
)  # fmt: skip
def test_numbers_are_weak(number, dtype, result):
    assert promote_weak(number, dtype) is result


@pytest.mark.parametrize("dtype", [*INTEGERS, xt.index])
def test_numbers_must_fit(dtype):
    low, high = limits(dtype)
    check_fits(low, dtype)
    check_fits(high, dtype)
    for outside in (low - 1, high + 1):
        with pytest.raises(DtypeError, match=f"{outside} does not fit"):
            promote_weak(outside, dtype)


def test_wide_indices_hold_more():
    promote_weak(2**40, xt.index, index_bits=64)
    with pytest.raises(DtypeError, match="32-bit index"):
        promote_weak(2**40, xt.index)


@pytest.mark.parametrize("a,b", [("i32", "i32"), ("i32", "f16"), ("u8", "i8"), ("bf16", "f16"), ("index_", "i32")])
def test_operations_have_the_promoted_dtype(a, b):
    """Checked where kernels can see it: while they are traced."""

    def kernel(A, x, y, expected: xt.constexpr):
        for value in (x + y, y + x, x * y, xt.maximum(x, y), xt.where(x > y, x, y)):
            assert value.dtype is expected
        assert (x < y).dtype is xt.bool and (x == y).dtype is xt.bool
        assert (x / y).dtype is (expected if expected.is_float else xt.f32)

    a, b = (xt.index if n == "index_" else dtypes.dtype(n) for n in (a, b))
    ops_of(kernel, {"expected": promote(a, b)}, A="i32[?]", x=str(a), y=str(b))

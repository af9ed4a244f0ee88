"""Texts of parameter types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xetile as xt
from xetile import dtypes
from xetile.errors import ArgumentError, DtypeError
from xetile.signature import ArrayType, ScalarParam, Signature, parse

DTYPES = st.sampled_from([d for d in dtypes.DTYPES.values() if d is not dtypes.index])
ARRAYS = st.builds(
    lambda d, shape, f, s: ArrayType(d, tuple(shape), "F" if f and len(shape) > 1 else "C", s),
    DTYPES, st.lists(st.none() | st.integers(0, 9999), min_size=1, max_size=4), st.booleans(), st.booleans(),
)  # fmt: skip


@given(ARRAYS | st.builds(ScalarParam, DTYPES))
def test_text_and_back(given_type):
    assert parse(str(given_type)) == given_type


@pytest.mark.parametrize(
    "text,memref",
    [
        ("f16[?,?]", "memref<?x?xf16, strided<[?, 1]>>"),
        ("f16[?,?;F]", "memref<?x?xf16, strided<[1, ?]>>"),
        ("f32[?]", "memref<?xf32, strided<[1]>>"),
        ("f16[4096,4096]", "memref<4096x4096xf16, strided<[4096, 1]>>"),
        ("f16[64,32;F]", "memref<64x32xf16, strided<[1, 64]>>"),
        ("i8[2,64,32;F]", "memref<2x64x32xi8, strided<[2048, 1, 64]>>"),
        ("u8[2,64,32]", "memref<2x64x32xi8, strided<[2048, 32, 1]>>"),
        ("f16[?,32]", "memref<?x32xf16, strided<[?, 1]>>"),
        ("f8e4m3[?,?]", "memref<?x?xf8E4M3FN, strided<[?, 1]>>"),
    ],
)
def test_memory_of_arrays(text, memref):
    assert str(parse(text).memref()) == memref


@pytest.mark.parametrize("text", ["f16[", "f16[a,b]", "f16[?,?;X]", "", "f16[,]", "f16 ?"])
def test_other_texts_are_refused(text):
    with pytest.raises(ArgumentError, match="is not a parameter type"):
        parse(text)


def test_unknown_dtypes_are_refused():
    with pytest.raises(DtypeError, match="there is no dtype 'f17'"):
        parse("f17[?]")


def test_column_major_needs_two_axes():
    with pytest.raises(ArgumentError, match="no column-major form"):
        parse("f16[?;F]")


def test_signatures_are_keys():
    a, b = (Signature.of(A="f16[?,?]", n="i32") for _ in range(2))
    assert a == b and hash(a) == hash(b) and str(a) == "A: f16[?,?], n: i32"
    assert a["A"].dtype is xt.f16 and list(a) == ["A", "n"] and len(a) == 2
    assert a != Signature.of(n="i32", A="f16[?,?]")

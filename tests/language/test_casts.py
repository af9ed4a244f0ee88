"""Conversions between all dtypes, and between bits."""

import itertools

import numpy as np
import pytest

import xetile as xt
from tests.language.running import apply, body_of, ops_of
from xetile import dtypes
from xetile.errors import CompileError, DtypeError

STORED = [d for d in dtypes.DTYPES.values() if d not in (dtypes.index, dtypes.tf32)]
COMPUTED = [d for d in STORED if d not in (xt.f8e4m3, xt.f8e5m2)]
# Exact in every dtype; unsigned ones and bool get absolute values.
NUMBERS = np.array([0, 1, -1, 2, -3, 7, 12, -14])


def numbers(dtype):
    return (NUMBERS if dtype.is_signed else np.abs(NUMBERS)).astype(dtype.numpy)


def expected(values, target):
    if target.kind == "b":
        return values != 0
    if target.kind == "u":
        return values.astype(np.int64).astype(target.numpy)
    return values.astype(np.float64).astype(target.numpy)


@pytest.mark.every(8)
@pytest.mark.parametrize("source,target", list(itertools.product(COMPUTED, STORED)), ids=str)
def test_every_pair(source, target):
    values = numbers(source)
    if source.is_float and target.kind == "u":
        values = np.abs(values)  # negative floats have no unsigned number
    got = apply(lambda x: x.to(target), values, result=target)
    np.testing.assert_array_equal(got, expected(values, target))


@pytest.mark.parametrize("storage", [xt.f8e4m3, xt.f8e5m2], ids=str)
def test_f8_arrives_as_f16(storage):
    values = np.array([0, 0.5, -1.5, 448, 2**-6, -3], np.float32).astype(storage.numpy)

    def function(x):
        assert x.dtype is xt.f16
        return x * 2

    np.testing.assert_array_equal(apply(function, values, result=xt.f16), values.astype(np.float16) * 2)


def test_index_converts_both_ways():
    def function(x):
        offsets = x.to(xt.index) + xt.arange(8)
        return offsets.to(xt.f32) + offsets.to(xt.f32).to(xt.index).to(xt.i64).to(xt.f32)

    np.testing.assert_array_equal(apply(function, np.arange(8, dtype=np.int32), result=xt.f32), np.arange(8) * 4.0)


def test_tf32_keeps_eleven_bits():
    values = np.array([1 + 2**-10, 1 + 2**-12, 3.14159], np.float32)
    got = apply(lambda x: x.to(xt.tf32).to(xt.f32), values, result=xt.f32)
    assert got[0] == values[0] and got[1] == 1 and abs(got[2] - values[2]) < 2**-9


@pytest.mark.parametrize(
    "a,b", [(xt.f32, xt.i32), (xt.f16, xt.u16), (xt.bf16, xt.i16), (xt.i8, xt.u8), (xt.f64, xt.u64), (xt.f16, xt.bf16)]
)
def test_bits_read_as_another_dtype(a, b):
    values = numbers(a)
    np.testing.assert_array_equal(apply(lambda x: xt.bitcast(x, b), values, result=b).view(a.numpy), values)


def test_signs_cost_nothing():
    def kernel(A):
        tile = xt.init_tile(A, 0, (8,))
        xt.store_tile(xt.load_tile(tile).to(xt.u32).to(xt.i32), tile)

    assert ops_of(kernel, A="i32[?]")[-4:] == ["xetile.init_tile", "xetile.load_tile", "xetile.store_tile", "gpu.return"]


def test_16_bit_floats_convert_through_f32():
    def kernel(A, B):
        xt.store_tile(xt.load_tile(xt.init_tile(A, 0, (8,))).to(xt.bf16), xt.init_tile(B, 0, (8,)))

    lines = [line for line in body_of(kernel, A="f16[?]", B="bf16[?]") if "arith" in line and "constant" not in line]
    assert [line.split(" = ")[1].split()[0] for line in lines] == ["arith.extf", "arith.truncf"]


def test_what_is_no_dtype():
    for wrong in ("f32", float, None):
        with pytest.raises(DtypeError, match="not a dtype of kernels"):
            apply(lambda x: x.to(wrong), numbers(xt.f32), result=xt.f32)  # noqa: B023


@pytest.mark.parametrize("number,dtype", [(1.5, xt.i32), (-1, xt.u8), (300, xt.i8), (2**31, xt.i32)])
def test_numbers_that_a_dtype_does_not_hold(number, dtype):
    with pytest.raises(CompileError, match=r"not a number of dtype|does not fit"):
        apply(lambda x: xt.full((8,), number, dtype), numbers(dtype), result=dtype)


@pytest.mark.parametrize("kind", COMPUTED, ids=str)
def test_to_the_same_type_in_numpys_name_is_nothing(kind):
    """`x.to(np.float32)` of f32 is x, as `x.to(xt.f32)` is: no conversion through a narrower type."""
    named = (kind, kind.numpy, kind.numpy.type)

    def kernel(A):
        tile = xt.init_tile(A, 0, (8,))
        x = xt.load_tile(tile)
        for each in named:
            x = xt.cast(x.to(each), each)
        xt.store_tile(x, tile)

    conversions = [op for op in ops_of(kernel, A=f"{kind}[?]") if op.startswith("arith.") and "constant" not in op]
    assert not conversions


@xt.jit(grid=1)
def cast_numbers(U, S, B, D, N):
    U[0], U[1] = xt.cast(14695981039346656037, xt.u64), xt.cast(-1, xt.u64)
    S[0], S[1], S[2], S[3] = xt.cast(2**40, xt.i64), xt.cast(1e300, xt.i64), xt.cast(-2.9, xt.i64), xt.cast(float("nan"), xt.i64)
    B[0], B[1], B[2], B[3] = xt.cast(300, xt.u8), xt.cast(-1, xt.u8), xt.cast(1e9, xt.u8), xt.cast(0.5, xt.bool).to(xt.u8)
    D[0], D[1] = xt.cast(0.1, xt.f16).bitcast(xt.i16), xt.cast(True, xt.f16).bitcast(xt.i16)
    hashed = xt.cast(14695981039346656037, xt.u64)
    for _ in range(N.shape[0]):
        hashed = (hashed ^ 5) * 1099511628211
    N[0] = hashed


def test_python_numbers_are_cast_exactly(device):
    u, i, b = np.zeros(2, np.uint64), np.zeros(4, np.int64), np.zeros(4, np.uint8)
    d, n = np.zeros(2, np.float16), np.zeros(3, np.uint64)
    with xt.device(device):
        cast_numbers(u, i, b, d.view(np.int16), n)
    assert u.tolist() == [14695981039346656037, 2**64 - 1] and i.tolist() == [2**40, 2**63 - 1, -2, 0]
    assert b.tolist() == [44, 255, 255, 1] and d.tolist() == [np.float16(0.1), 1] and n[0] == 12542142436661894574


@xt.jit(grid=1)
def narrowed(X, Half, Short, Long, Wide):
    x = xt.load_tile(X[0:64])
    Half[0:64], Short[0:64] = x.to(xt.bf16), x.to(xt.f16)
    Long[0:64], Wide[0:64] = x.to(xt.f8e4m3), x.to(xt.f8e5m2)


@pytest.mark.parametrize("where", ["numpy", "cpu", "emulated", "sim:pvc"])
def test_f64_is_rounded_once(where, monkeypatch):
    """Beside ties of shorter types by less than an f32 holds."""
    types = [t.numpy for t in (xt.bf16, xt.f16, xt.f8e4m3, xt.f8e5m2)]
    draw = np.random.default_rng(86300001)
    ties = np.concatenate([[1 + 2.0**-8, 1 + 2.0**-11, 1.0625, 1.125, 3 * 2.0**-11, 464, 2.0**-10, 1 + 3 * 2.0**-8],
                           1 + draw.integers(0, 256, 8) / 256 + 2.0**-9])  # fmt: skip
    x = np.concatenate([ties * (1 + 2.0**-50), -ties * (1 - 2.0**-50), ties * (1 - 2.0**-51), ties])
    x[-4:] = 1e300, -np.inf, np.nan, 1e-300
    outs = [np.zeros(64, t) for t in types]
    if where == "emulated":
        monkeypatch.setenv("XETILE_CPU", "emulate")
    with xt.device("cpu" if where == "emulated" else where):
        narrowed(x, *outs)
    for kind, out in zip(types, outs):
        with np.errstate(invalid="ignore"):
            every = np.arange(1 << (8 * kind.itemsize), dtype=f"u{kind.itemsize}").view(kind).astype(np.float64)
        every = every[np.isfinite(every)]
        for number, got in zip(x, out.astype(np.float64)):
            if np.isfinite(number) and np.isfinite(got):
                distance = np.abs(every - number)
                assert abs(got - number) == distance.min(), (kind, number, got)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(outs[1], x.astype(np.float16))

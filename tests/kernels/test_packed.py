"""Second operands that are worked out of bytes, two numbers to a word: every byte, each operation, against numpy in f16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.byte_steps import ByTurnsCall, StepCall, TwiceCall
from backends.spirv.assembly.call import call_of
from backends.spirv.assembly.packed import OPERATIONS, PackedCall
from backends.spirv.assembly.singles import NarrowCall, NarrowRowsCall, RaiseBytesCall, RaiseCall, TableCall
from xetile.dtypes import dtype as get_dtype


@xt.jit
def worked_out(A, B, S, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ HOW(B, S): S of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        s = xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :]
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))), s)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def turned(A, B, S, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ HOW(B.T, S): as layers of models keep their weights, a row for each output."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        s = xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :]
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(xt.load_tile(xt.init_tile(B, (n, k), (BN, BK))).T, s)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def same(x: Any, kind: Any) -> Any:
    """An array or a tile in another type."""
    return x.astype(get_dtype(kind.name).numpy) if isinstance(x, np.ndarray) else x.to(kind)


def largest(x: Any, y: float) -> Any:
    return np.maximum(x, np.asarray(y, x.dtype)) if isinstance(x, np.ndarray) else xt.maximum(x, y)


def smallest(x: Any, y: float) -> Any:
    return np.minimum(x, np.asarray(y, x.dtype)) if isinstance(x, np.ndarray) else xt.minimum(x, y)


HOW: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "numbers": ("i8", lambda b, s: same(b, xt.f16)),
    "without sign": ("u8", lambda b, s: same(b, xt.f16)),
    "times scales": ("i8", lambda b, s: same(b, xt.f16) * s),
    "less zero points": ("u8", lambda b, s: same(b, xt.f16) - s),
    "less a number, times scales": ("u8", lambda b, s: (same(b, xt.f16) - 8) * s + s),
    "a fraction more": ("i8", lambda b, s: same(b, xt.f16) + 0.5),
    "times a number": ("i8", lambda b, s: same(b, xt.f16) * 0.1),
    "low halves": ("u8", lambda b, s: same(b & 15, xt.f16) - 8),
    "high halves": ("u8", lambda b, s: (same(b >> 4, xt.f16) - 8) * s),
    "low halves as i8": ("u8", lambda b, s: same(same(b & 15, xt.i8) - 8, xt.f16) * s),
    "low halves with sign": ("i8", lambda b, s: same((b << 4) >> 4, xt.f16) * s),
    "high halves with sign": ("i8", lambda b, s: same(b >> 4, xt.f16)),
    "a sum that wraps": ("u8", lambda b, s: same(b + 100, xt.f16)),
    "bits": ("u8", lambda b, s: same(((b ^ 0x88) | 3) & 0xF7, xt.f16)),
    "numbers by way of f32": ("i8", lambda b, s: same(same(b, xt.f32) * 1.0, xt.f16)),
    "less a number by way of f32": ("u8", lambda b, s: same(same(b, xt.f32) - 200, xt.f16)),
    "low halves less a number by way of f32": ("u8", lambda b, s: same(same(b & 15, xt.f32) - 8, xt.f16) * s),
    "times scales as f32, which rounds once": ("u8", lambda b, s: same((same(b, xt.f32) - 100) * same(s, xt.f32), xt.f16)),
    "times scales of f32": ("i8", lambda b, s: same(same(b, xt.f32) * same(s, xt.f32), xt.f16)),
    "less and times numbers of f32": ("u8", lambda b, s: same((same(b, xt.f32) - 3) * np.float32(0.3), xt.f16)),
    "low halves, scales of f32": ("u8", lambda b, s: same((same(b & 15, xt.f32) - 8) * same(s, xt.f32), xt.f16)),
    "high halves, scales of f32": ("u8", lambda b, s: same((same(b >> 4, xt.f32) - 5) * same(s, xt.f32), xt.f16)),
    "low halves with sign, scales of f32": ("i8", lambda b, s: same(same((b << 4) >> 4, xt.f32) * same(s, xt.f32), xt.f16)),
    "high halves with sign, scales of f32": ("i8", lambda b, s: same(same(b >> 4, xt.f32) * same(s, xt.f32), xt.f16)),
    "less scales, times scales of f32": ("i8", lambda b, s: same((same(b, xt.f32) - same(s, xt.f32)) * same(s, xt.f32), xt.f16)),
    "f16 as f32": ("i8", lambda b, s: same(same(same(b, xt.f16) * s, xt.f32) * np.float32(0.1), xt.f16)),
    "f8E4M3, scales of f32": ("f8e4m3", lambda b, s: same(same(b, xt.f32) * same(s, xt.f32), xt.f16)),
    "f8E4M3 as it is": ("f8e4m3", lambda b, s: same(b, xt.f16)),
    "f8E4M3": ("f8e4m3", lambda b, s: same(b, xt.f16) * s),
    "f8E5M2": ("f8e5m2", lambda b, s: same(b, xt.f16) * s),
    "without signs": ("i8", lambda b, s: abs(same(b, xt.f16) * s)),
    "f8E5M2 without signs": ("f8e5m2", lambda b, s: abs(same(b, xt.f16))),
    "other signs": ("u8", lambda b, s: -(same(b, xt.f16) + s)),
    "none below": ("i8", lambda b, s: largest(same(b, xt.f16) * s, 0)),
    "f8E5M2 between": ("f8e5m2", lambda b, s: smallest(largest(same(b, xt.f16), -1.5), 2)),
}


@xt.jit
def worked_out_with(A, B, n, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ HOW(B, n)."""
    m, column = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(xt.load_tile(xt.init_tile(B, (k, column), (BK, BN))), n)
    xt.store_tile(acc, xt.init_tile(C, (m, column), (BM, BN)))


def choose(condition: Any, a: Any, b: Any) -> Any:
    return (a if condition else b) if isinstance(a, np.ndarray) else xt.where(condition, a, b)


def byte(n: Any, kind: Any) -> Any:
    return np.array(n).astype(get_dtype(kind.name).numpy) if isinstance(n, int) else n.to(kind)


WITH: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "a half by a condition": ("u8", lambda b, n: same(choose(n > 3, b >> 4, b & 15), xt.f16) - 8),
    "a half by a shift": ("u8", lambda b, n: same((b >> byte(n, xt.u8)) & 15, xt.f16) - 8),
    "shifted left": ("u8", lambda b, n: same(b << byte(n, xt.u8), xt.f16)),
    "a mask": ("i8", lambda b, n: same(b & byte(n, xt.i8), xt.f16)),
    "a sum that wraps": ("i8", lambda b, n: same(b + byte(n, xt.i8), xt.f16)),
    "a difference that wraps": ("u8", lambda b, n: same(b - byte(n, xt.u8), xt.f16) - 3),
    "a sum and more": ("u8", lambda b, n: same((b + 100) >> byte(n, xt.u8), xt.f16)),
    "one of two sums": ("i8", lambda b, n: same(choose(n == 4, b + 100, b - 100), xt.f16)),
    "one of two numbers": ("i8", lambda b, n: choose(n < 4, same(b, xt.f16) * 3, same(b, xt.f16) + 5)),
}


@pytest.mark.every(160, 20)
@pytest.mark.parametrize("name, n", [*((name, n) for name in WITH for n in (4, 2)), ("a half by a shift", 36), ("shifted left", 8),
                                     ("shifted left", 33)])  # fmt: skip
def test_numbers_of_a_run(device, name, n):
    kind, how = WITH[name]
    b = np.tile(np.arange(256, dtype=np.uint8), (64, 1)).view(NARROW[kind])
    a = np.zeros((64, 64), np.float16)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    c = np.zeros((64, 256), np.float32)
    with xt.device(device):
        worked_out_with[8, 2](a, b, n, c, how)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ how(b, n).astype(np.float32))


@pytest.mark.every(3)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", WITH)
def test_no_number_of_a_run_is_widened_by_itself(name, target):
    module = worked_out_with.compile(
        "f16[?,?]", f"{WITH[name][0]}[?,?]", "i32", "f32[?,?]", target=target, HOW=WITH[name][1]
    ).spirv
    from backends.spirv.module.binary import Binary

    names = {i.name for i in Binary(module).instructions}
    assert "OpAsmCallINTEL" in names
    assert not names & {"OpConvertSToF", "OpConvertUToF", "OpFConvert"}


NARROW = {"i8": np.int8, "u8": np.uint8, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}


def arguments(name: str) -> tuple[list[np.ndarray], np.ndarray]:
    """One byte to a column of B, zero beside it where zeros stay zeros; A has one row of ones for each."""
    kind, how = HOW[name]
    codes = np.arange(256, dtype=np.uint8)
    b = np.tile(codes, (64, 1)).view(NARROW[kind])
    s = np.random.default_rng(1).choice(np.array([0.3, -1.7, 5, 0.0078125, 3], np.float16), 256)
    a = np.zeros((64, 64), np.float16)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    with np.errstate(all="ignore"):
        wide = how(b, s[None, :]).astype(np.float16).astype(np.float32)
        expected = a.astype(np.float32) @ wide if np.isfinite(wide).all() else np.where(np.isfinite(wide), wide, np.nan)
    return [a, b, s, np.zeros((64, 256), np.float32)], expected


@pytest.mark.every(9)
@pytest.mark.parametrize("kind", NARROW)
def test_every_byte_as_bf16(device, kind):
    b = np.tile(np.arange(256, dtype=np.uint8), (64, 1)).view(NARROW[kind])
    wide = b.astype(np.float32)
    a = np.zeros((64, 64), ml_dtypes.bfloat16)
    a[np.arange(64), np.arange(64)[::-1]] = 1
    c = np.zeros((64, 256), np.float32)
    with xt.device(device):
        worked_out[8, 2](a, b, np.ones(256, np.float16), c, lambda b, s: same(b, xt.bf16))
    np.testing.assert_array_equal(np.where(np.isfinite(c), c, np.nan), np.where(np.isfinite(wide), wide, np.nan))


def number(x: Any, given: float) -> Any:
    """A number as bf16 of a tile takes it."""
    return ml_dtypes.bfloat16(given) if isinstance(x, np.ndarray) else given


AS_BF16: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "times scales": ("i8", lambda b, s: same(b, xt.bf16) * same(s, xt.bf16)),
    "less 8, times scales": ("u8", lambda b, s: (same(b & 15, xt.bf16) - 8) * same(s, xt.bf16)),
    "less and more": ("u8", lambda b, s: same(b >> 4, xt.bf16) * same(s, xt.bf16) - same(s, xt.bf16)),
    "times scales of f32": ("i8", lambda b, s: same(same((b << 4) >> 4, xt.f32) * same(s, xt.f32), xt.bf16)),
    "f8E5M2": ("f8e5m2", lambda b, s: same(b, xt.bf16) * same(s, xt.bf16)),
    "without signs": ("f8e5m2", lambda b, s: abs(same(b, xt.bf16) * same(s, xt.bf16))),
    "other signs": ("i8", lambda b, s: -same(b, xt.bf16)),
    "none below": ("i8", lambda b, s: largest(same(b, xt.bf16), 0)),
    "f8E5M2 between": ("f8e5m2", lambda b, s: smallest(largest(same(b, xt.bf16), -1.5), 0.3)),
    "times a number that is rounded first": ("i8", lambda b, s: same(b, xt.bf16) * number(b, 0.3)),
    "numbers by way of f32": ("u8", lambda b, s: same(same(b, xt.f32), xt.bf16)),
    "less a number by way of f32": ("u8", lambda b, s: same(same(b >> 4, xt.f32) - 8, xt.bf16)),
    "less a large number by way of f32": ("u8", lambda b, s: same(same(b, xt.f32) + 500, xt.bf16)),
}


@pytest.mark.every(14, 7)
@pytest.mark.parametrize("name", AS_BF16)
def test_every_byte_computed_as_bf16(device, name):
    kind, how = AS_BF16[name]
    b = np.tile(np.arange(256, dtype=np.uint8), (64, 1)).view(NARROW[kind])
    s = np.random.default_rng(1).choice(np.array([0.3, -1.7, 5, 0.0078125, 3], np.float16), 256)
    a, c = np.zeros((64, 64), ml_dtypes.bfloat16), np.zeros((64, 256), np.float32)
    a[np.arange(64), np.arange(64)[::-1]] = 1
    with np.errstate(all="ignore"):
        wide = how(b, s[None, :]).astype(np.float32)
    with xt.device(device):
        worked_out[8, 2](a, b, s, c, how)
    np.testing.assert_array_equal(np.where(np.isfinite(c), c, np.nan), np.where(np.isfinite(wide), wide, np.nan))


@pytest.mark.every(27, 18)
@pytest.mark.parametrize("name", HOW)
def test_every_byte(device, name):
    given, expected = arguments(name)
    with xt.device(device):
        worked_out[8, 2](*given, HOW[name][1])
    # Zeros beside infinities and NaN make NaN of a whole column.
    np.testing.assert_array_equal(np.where(np.isfinite(given[-1]), given[-1], np.nan), expected)


@pytest.mark.every(21, 14)
@pytest.mark.parametrize("name", HOW)
def test_every_byte_of_transposed_memory(device, name):
    (a, b, *given), expected = arguments(name)
    with xt.device(device):
        turned[8, 2](a, np.ascontiguousarray(b.T), *given, HOW[name][1])
    np.testing.assert_array_equal(np.where(np.isfinite(given[-1]), given[-1], np.nan), expected)


@pytest.mark.every(6)
@pytest.mark.parametrize("name", HOW)
def test_no_byte_of_transposed_memory_is_widened_by_itself(name):
    kind, how = HOW[name]
    found = turned.compile("f16[?,?]", f"{kind}[?,?]", "f16[?]", "f32[?,?]", target="pvc", HOW=how).spirv
    from backends.spirv.module.binary import Binary

    names = {i.name for i in Binary(found).instructions}
    assert "OpAsmCallINTEL" in names
    assert not names & {"OpConvertSToF", "OpConvertUToF"}


@pytest.mark.every(6)
@pytest.mark.covering
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", HOW)
def test_no_number_is_widened_by_itself(name, target):
    scales = "f32[?]" if "scales of f32" in name else "f16[?]"  # one number of each lane is widened as ever
    types = ("f16[?,?]", f"{HOW[name][0]}[?,?]", scales, "f32[?,?]")
    module = worked_out.compile(*types, target=target, HOW=HOW[name][1]).spirv
    from backends.spirv.module.binary import Binary

    names = {i.name for i in Binary(module).instructions}
    assert "OpAsmCallINTEL" in names
    assert not names & {"OpConvertSToF", "OpConvertUToF", "OpFConvert"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_assembly_says_what_it_is(name):
    call = PackedCall(name, 4, 8, "lane" if name in ("add", "sub", "mul", "table") else "", 0x1234)
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None


@pytest.mark.parametrize(
    "call",
    [
        RaiseCall("bf16", True),
        NarrowRowsCall("bf16"),
        NarrowRowsCall("f16"),
        RaiseBytesCall("u8_whole", False, 4, 8, 0xFFF8),
        RaiseBytesCall("s8_whole", True, 0, 8, "lane"),
        RaiseBytesCall("u8_whole", True, 0, 8, "less"),
        TableCall(True, 4, 8),
        NarrowCall("f16"),
    ],
)
def test_assembly_of_f32_says_what_it_is(call):
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None


@pytest.mark.parametrize(
    "call",
    [
        StepCall("shr", 8, 4, 15),
        StepCall("shl", 4, "lane", "alike"),
        StepCall("xor", 8, 136),
        StepCall("plus", 8, 3),
        TwiceCall(),
        ByTurnsCall(8, 2, 4),
    ],
)
def test_assembly_of_bytes_says_what_it_is(call):
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None


@pytest.mark.every(2)
@pytest.mark.parametrize("low", [-24, 14])
def test_the_smallest_and_the_largest_products_of_f8e4m3(device, low):
    """Sums are worked out 256 times smaller: they are the same even where f16, or f8, is subnormal."""
    rng, b = np.random.default_rng(3), np.tile(np.arange(256, dtype=np.uint8), (64, 1)).view(ml_dtypes.float8_e4m3fn)
    b = np.where(np.isfinite(b.astype(np.float32)), b, b.dtype.type(0))
    a = np.ldexp(rng.integers(-1, 2, (64, 64)), low).astype(np.float16)
    c = np.zeros((64, 256), np.float32)
    with xt.device(device):
        worked_out[8, 2](a, b, np.ones(256, np.float16), c, lambda b, s: same(b, xt.f16))
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@xt.jit
def summed_with(A, B, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ B, twice what the first steps give, and a step of f16 beside them."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, other = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(A.dtype)
        acc += a @ b
        other = (other + 1) * 2 + a @ b
    xt.store_tile(acc + other, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.every(2)
def test_weights_that_other_sums_take_too(device):
    rng = np.random.default_rng(4)
    a, b = rng.integers(-3, 4, (64, 64)).astype(np.float16), rng.integers(-3, 4, (64, 32)).astype(ml_dtypes.float8_e4m3fn)
    c = np.zeros((64, 32), np.float32)
    with xt.device(device):
        summed_with[1, 2](a, b, c)
    x, y = a.astype(np.float32), b.astype(np.float32)
    steps = [x[:, at : at + 32] @ y[at : at + 32] for at in (0, 32)]
    np.testing.assert_array_equal(c, steps[0] + steps[1] + ((2 + steps[0]) + 1) * 2 + steps[1])


@xt.jit
def by_steps(A, B, S, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ (B * S): a scale for each step and each column."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, other = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(A.dtype)
        acc += (a @ b) * S[k // BK, 0]
        other += (a @ b) * xt.load_tile(xt.init_tile(S, (k // BK, n), (1, BN)))
    xt.store_tile(acc, xt.init_tile(C[0], (m, n), (BM, BN)))
    xt.store_tile(other, xt.init_tile(C[1], (m, n), (BM, BN)))


@pytest.mark.every(2)
@pytest.mark.parametrize("low", [-24, 14])
def test_multiples_of_the_smallest_and_the_largest_products_of_f8e4m3(device, low):
    """Of products that are worked out 256 times smaller, by powers of two."""
    rng, b = np.random.default_rng(6), np.tile(np.arange(256, dtype=np.uint8), (64, 1)).view(ml_dtypes.float8_e4m3fn)
    b = np.where(np.isfinite(b.astype(np.float32)), b, b.dtype.type(0))
    a = np.ldexp(rng.integers(-1, 2, (32, 64)), low).astype(np.float16)
    s, c = np.ldexp(np.float32(1), rng.integers(-60, 60, (2, 256))), np.zeros((2, 32, 256), np.float32)
    with xt.device(device):
        by_steps[8, 1](a, b, s, c)
    parts = [a[:, at : at + 32].astype(np.float64) @ b[at : at + 32].astype(np.float64) for at in (0, 32)]
    for got, scales in zip(c, (s[:, :1], s)):
        multiples = [part * scale for part, scale in zip(parts, scales.astype(np.float64))]
        assert (np.abs(got - sum(multiples)) <= 2.0**-22 * sum(map(np.abs, multiples))).all()

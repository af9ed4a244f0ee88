"""Second operands of bytes that are worked out of other bytes, or of f16 that bytes of the lane shift: every byte, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.kernels.test_packed import same


@xt.jit
def as_bytes(A, B, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ HOW(B), multiplied as bytes."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.i32)
    for k in range(0, A.shape[1], BK):
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


BYTES: dict[str, Callable[[Any], Any]] = {
    "no byte carries": lambda b: same((b & 63) + 192, xt.i8),
    "some bytes carry": lambda b: same((b & 63) + 193, xt.i8),
    "all carry": lambda b: same(b + 77, xt.i8),
    "less 1": lambda b: same((b >> 2) & 3, xt.i8) - 1,
    "less 8": lambda b: same(b & 15, xt.i8) - 8,
    "less 128": lambda b: same(b & 127, xt.i8) - 127 - 1,
    "less than there may be": lambda b: same((b >> 1) - 100, xt.i8),
    "more than half of a byte less": lambda b: same(b, xt.i8) - 100,
    "with a sign": lambda b: same(b, xt.i8) >> 4,
    "sums of sums": lambda b: same(((b & 7) + 9 - 3) ^ 0x81, xt.i8) - 1,
}


@pytest.mark.every(10)
@pytest.mark.parametrize("name", BYTES)
def test_every_byte_that_becomes_another(device, name):
    b = np.tile(np.arange(256, dtype=np.uint8), (64, 1))
    a = np.zeros((64, 64), np.int8)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    c = np.zeros((64, 256), np.int32)
    with xt.device(device):
        as_bytes[8, 2](a, b, c, BYTES[name])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(c, a.astype(np.int32) @ BYTES[name](b).astype(np.int32))


@xt.jit
def shifted(A, B, Z, S, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ (HOW(B, Z) * S), computed in f32: Z and S of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        z, s = (xt.load_tile(xt.init_tile(V, n, (BN,)))[None, :] for V in (Z, S))
        b = HOW(xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))), z) * s
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b.to(A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


SHIFTED: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "less zero points": ("u8", "u8", lambda b, z: same(b, xt.f32) - same(z, xt.f32)),
    "less zero points with signs": ("u8", "i8", lambda b, z: same(b, xt.f32) - same(z, xt.f32)),
    "with signs, more": ("i8", "i8", lambda b, z: same(z, xt.f32) + same(b, xt.f32)),
    "codes, less and more": ("u8", "u8", lambda b, z: (same(b >> 4, xt.f32) + 3) - same(z, xt.f32) - 2),
    "less twice": ("i8", "u8", lambda b, z: (same(b, xt.f32) - same(z, xt.f32)) - same(z, xt.f32)),
}


@pytest.mark.every(5)
@pytest.mark.parametrize("name", SHIFTED)
def test_every_byte_that_a_byte_of_the_lane_shifts(device, name):
    kinds, how = [xt.dtypes.dtype(kind).numpy for kind in SHIFTED[name][:2]], SHIFTED[name][2]
    b = np.tile(np.arange(256, dtype=np.uint8), (64, 1)).view(kinds[0])
    z = np.random.default_rng(1).permutation(256).astype(np.uint8).view(kinds[1])
    s = np.random.default_rng(3).standard_normal(256).astype(np.float32)
    a = np.zeros((64, 64), np.float16)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    c = np.zeros((64, 256), np.float32)
    with xt.device(device):
        shifted[8, 2](a, b, z, s, c, how)
    wide = (how(b, z[None, :]) * s).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ wide)


@xt.jit
def by_turns(A, B, C, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr = 32):
    """C = A @ B, rows of four bits by turns: loads of BK / 2 rows."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (k // 2, n), (BK // 2, BN)))
        codes = xt.interleave((b & 15).T, (b >> 4).T).T
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ codes.to(A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.parametrize("columns", [16, 32, 64])
def test_few_rows_of_blocks_side_by_side_come_packed(device, columns):
    rng = np.random.default_rng(columns)
    a, b = rng.integers(-8, 8, (40, 112)).astype(np.float16), rng.integers(0, 256, (56, 144)).astype(np.uint8)
    c = np.zeros((40, 144), np.float32)
    with xt.device(device):
        by_turns[-(-144 // columns), 2](a, b, c, BM=32, BN=columns)
    codes = np.stack([b & 15, b >> 4], 1).reshape(112, 144).astype(np.float32)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ codes)
    code = by_turns.compile("f16[?,?]", "u8[?,?]", "f32[?,?]", BM=32, BN=columns, num_subgroups=1, target="pvc").ir["lane"]
    loads = [line for line in code.splitlines() if "xegpu.load_nd" in line and "xi8" in line]
    assert loads and all("packed" in line for line in loads)

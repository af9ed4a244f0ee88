"""Second operands of products times one number for each of their rows, as a cache of keys and values has them: all lanes share it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.byte_steps import AcrossCall
from backends.spirv.assembly.call import call_of
from backends.spirv.assembly.wide import SpreadCall
from backends.spirv.module.binary import Binary
from tests.kernels.test_packed import NARROW, same

ROWS, COLUMNS = 72, 256


@xt.jit
def by_rows(A, B, S, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ HOW(B, S): S of rows."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        s = xt.load_tile(xt.init_tile(S, k, (BK,)))[:, None]
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))), s)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


How = Callable[[Any, Any], Any]
HOW: dict[str, tuple[str, str, How]] = {
    "f16": ("i8", "f16", lambda b, s: same(b, xt.f16) * s),
    "f16 first": ("i8", "f16", lambda b, s: s * same(b, xt.f16)),
    "less one, times the other, f16": ("u8", "f16", lambda b, s: (same(b, xt.f16) - s) * s),
    "f32": ("i8", "f32", lambda b, s: same(same(b, xt.f32) * s, xt.f16)),
    "less one, times the other, f32": ("u8", "f32", lambda b, s: same((same(b, xt.f32) - s) * s, xt.f16)),
    "f16 as f32": ("u8", "f16", lambda b, s: same(same(b, xt.f32) * same(s, xt.f32), xt.f16)),
    "f16 less a number as f32": ("u8", "f16", lambda b, s: same((same(b, xt.f32) - 128) * same(s, xt.f32), xt.f16)),
    "codes of four bits": ("u8", "f32", lambda b, s: same((same(b >> 4, xt.f32) - 8) * s, xt.f16)),
    "codes of four bits less one, f16": ("u8", "f16", lambda b, s: (same(b & 15, xt.f16) - s) * s),
    "f8e4m3": ("f8e4m3", "f32", lambda b, s: same(same(b, xt.f32) * s, xt.f16)),
    "f8e5m2": ("f8e5m2", "f16", lambda b, s: same(b, xt.f16) * s),
    "twice": ("i8", "f32", lambda b, s: same((same(b, xt.f32) * s) * (s + 1), xt.f16)),
    "a number that is computed": ("i8", "f32", lambda b, s: same(same(b, xt.f32) * (s * 0.5 + 1), xt.f16)),
}
"""The type of B, that of S, and what becomes the operand."""


def numpy_type(name: str) -> Any:
    return {"f16": np.float16, "f32": np.float32, **NARROW}[name]


def arguments(name: str) -> tuple[list[np.ndarray], np.ndarray]:
    """A picks one row of B for each of C, in any order: each number that a product takes is seen."""
    kind, scale, how = HOW[name]
    b = np.tile(np.arange(256, dtype=np.uint8), (ROWS, 1)).view(numpy_type(kind))
    rng = np.random.default_rng(3)
    s = rng.choice(np.array([0.25, -1.5, 5, 0.0078125, 3, 0, 1], np.float64), ROWS).astype(numpy_type(scale))
    a = np.zeros((ROWS, ROWS), np.float16)
    a[np.arange(ROWS), rng.permutation(ROWS)] = 1
    with np.errstate(all="ignore"):
        wide = how(b, s[:, None]).astype(np.float16).astype(np.float32)
        seen = a.astype(np.float32) @ np.where(np.isfinite(wide), wide, 0)
        # A zero of A times what is not finite is NaN, in the whole column.
        expected = np.where(np.isfinite(wide).all(axis=0), seen, np.nan)
    return [a, b, s], expected


@pytest.mark.every(14)
@pytest.mark.parametrize("name", HOW)
def test_every_byte_by_the_number_of_its_row(device, name):
    arrays, expected = arguments(name)
    c = np.zeros((ROWS, COLUMNS), np.float32)
    with xt.device(device):
        by_rows[8, 3](*arrays, c, HOW[name][2])
    np.testing.assert_array_equal(np.where(np.isfinite(c), c, np.nan), expected)


@pytest.mark.every(6)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", HOW)
def test_no_number_is_brought_to_all_lanes_by_itself(name, target):
    kind, scale, how = HOW[name]
    module = by_rows.compile("f16[?,?]", f"{kind}[?,?]", f"{scale}[?]", "f32[?,?]", target=target, HOW=how).spirv
    names = {i.name for i in Binary(module).instructions}
    assert "OpAsmCallINTEL" in names
    assert not names & {"OpGroupNonUniformShuffle", "OpSubgroupShuffleINTEL", "OpConvertSToF", "OpConvertUToF"}


@xt.jit
def as_bf16(A, B, S, C):
    """C = A @ (B * S) in bf16: S of rows."""
    b = xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))).to(xt.bf16)
    s = xt.load_tile(xt.init_tile(S, 0, (32,)))[:, None]
    product = xt.load_tile(xt.init_tile(A, (0, 0), (32, 32))) @ (b * s)
    xt.store_tile(product, xt.init_tile(C, (0, 0), (32, 32)))


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_as_bf16(device, kind):
    rng = np.random.default_rng(5)
    b = rng.integers(0, 256, (32, 32)).astype(np.uint8).view(numpy_type(kind))
    s = rng.choice([0.25, -1.5, 3], 32).astype(ml_dtypes.bfloat16)
    a, c = np.eye(32)[rng.permutation(32)].astype(ml_dtypes.bfloat16), np.zeros((32, 32), np.float32)
    with xt.device(device):
        as_bf16[1](a, b, s, c)
    rounded = (b.astype(np.float32) * s[:, None].astype(np.float32)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ rounded.astype(np.float32))


@pytest.mark.parametrize("call", [SpreadCall(8, 1, 2), AcrossCall(8)])
def test_assembly_says_what_it_is(call):
    assert call_of(call.text(16)) == call

"""Second operands that are looked up in tables of 16 numbers by codes in bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.call import call_of
from backends.spirv.assembly.code_pairs import HalvesCall, LookUpPairsCall, PairsOfTableCall, PlacesCall
from tests.kernels.test_packed import NARROW, same
from tests.parity.run import uncompiled
from xetile.dtypes import dtype as get_dtype


@xt.jit
def looked_up(A, B, T, S, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ (T[HOW(B)] * S): S of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        codes = HOW(xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))))
        s = xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :]
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ (xt.load_gather(xt.init_tile(T, codes)) * s).to(A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


CODES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "low halves": ("u8", lambda b: same(b & 15, xt.i32)),
    "high halves": ("u8", lambda b: same(b >> 4, xt.i32)),
    "widened first": ("u8", lambda b: same(b, xt.i32) >> 4),
    "low halves, widened first": ("i8", lambda b: same(b, xt.i32) & 15),
    "middle halves": ("i8", lambda b: same((b >> 2) & 15, xt.i32)),
    "three bits": ("u8", lambda b: same((b >> 1) & 7, xt.u16)),
}
TABLES = {"f16": ("f16", "f16"), "bf16": ("bf16", "bf16"), "f32": ("f16", "f32")}


def numpy_type(name: str) -> Any:
    return ml_dtypes.bfloat16 if name == "bf16" else get_dtype(name).numpy


@pytest.mark.every(72, 9)
@pytest.mark.parametrize("kinds", TABLES)
@pytest.mark.parametrize("name", CODES)
def test_numbers_of_a_table(device, name, kinds):
    (narrow, how), (a_type, t_type) = CODES[name], map(numpy_type, TABLES[kinds])
    b = np.random.default_rng(0).permutation(np.arange(64 * 256) % 256).astype(np.uint8).reshape(64, 256).view(NARROW[narrow])
    a = np.zeros((64, 64), a_type)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    table = (np.random.default_rng(1).standard_normal(16) / 2).astype(t_type)
    s = np.random.default_rng(3).choice([0.5, -2, 8], 256).astype(t_type)
    c = np.zeros((64, 256), np.float32)
    with xt.device(device):
        looked_up[8, 2](a, b, table, s, c, how)
    wide = table[how(b)].astype(np.float32) * s.astype(np.float32)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ wide.astype(a_type).astype(np.float32))


@xt.jit
def by_turns(A, B, T, C, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ T[codes]: bytes of B have two rows, one below the other."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, B.shape[0], BK):
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        codes = xt.interleave((b & 15).T, (b >> 4).T).T
        acc += xt.load_tile(xt.init_tile(A, (m, 2 * k), (BM, 2 * BK))) @ xt.load_gather(xt.init_tile(T, codes))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def test_numbers_of_a_table_by_turns(device):
    rng = np.random.default_rng(4)
    a, b = np.zeros((64, 128), np.float16), rng.integers(0, 256, (64, 64), np.uint8)
    a[np.arange(64), rng.permutation(128)[:64]] = 1
    table, c = rng.standard_normal(16).astype(np.float16), np.zeros((64, 64), np.float32)
    with xt.device(device):
        by_turns[2, 2](a, b, table, c)
    codes = np.stack([b & 15, b >> 4], 1).reshape(128, 64)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ table[codes].astype(np.float32))


@pytest.mark.every(6)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", CODES)
def test_no_element_of_a_table_is_gathered(name, target):
    compiled = looked_up.compile(
        "f16[?,?]", f"{CODES[name][0]}[?,?]", "f16[?]", "f16[?]", "f32[?,?]", target=target, HOW=CODES[name][1]
    )
    assert "look_up" in compiled.ir["lane"]
    from backends.spirv.module.binary import Binary

    assert "OpSubgroupShuffleINTEL" not in {i.name for i in Binary(compiled.spirv).instructions}


@pytest.mark.every(4)
@pytest.mark.parametrize(("types", "how"), [
    (("f16[?]",), lambda b: same(b, xt.i32)),
    (("f16[?]",), lambda b: same(b >> 3, xt.i32)),
    (("f16[?]",), lambda b: same(b & 31, xt.i32)),
    (("f64[?]",), lambda b: same(b & 15, xt.i32)),
])  # fmt: skip
def test_other_codes_are_gathered(types, how):
    compiled = looked_up.compile("f16[?,?]", "u8[?,?]", *types, types[0], "f32[?,?]", target="pvc", HOW=how)
    assert "look_up" not in compiled.ir["lane"]


@xt.jit
def changed(T, B, C):
    codes = (xt.load_tile(xt.init_tile(B, (0, 0), (16, 32))) & 15).to(xt.i32)
    xt.store_tile(xt.load_tile(xt.init_tile(T, 0, 16)) + 1, xt.init_tile(T, 0, 16))
    xt.barrier()
    xt.store_tile(xt.load_gather(xt.init_tile(T, codes)), xt.init_tile(C, (0, 0), (16, 32)))


def test_a_table_that_the_kernel_writes_is_gathered():
    assert "look_up" not in uncompiled(changed, "f16[?]", "u8[?,?]", "f16[?,?]", target="pvc").ir["layout"]


@xt.jit
def short(T, B, C):
    codes = (xt.load_tile(xt.init_tile(B, (0, 0), (16, 32))) & 15).to(xt.i32)
    xt.store_tile(xt.load_gather(xt.init_tile(T, codes)), xt.init_tile(C, (0, 0), (16, 32)))


@pytest.mark.every(6, 3)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int32])
def test_a_short_table(device, kind):
    b = np.random.default_rng(0).choice(np.array([0, 1, 2, 16, 17, 18, 240], np.uint8), (16, 32))
    table, c = np.array([3, -1, 7], kind), np.zeros((16, 32), kind)
    with xt.device(device):
        short[1](table, b, c)
    np.testing.assert_array_equal(c, table[b & 15])


@pytest.mark.parametrize(
    "call", [PairsOfTableCall(), HalvesCall(8), PlacesCall(4), PlacesCall(8, wide=True), LookUpPairsCall(4, 8)]
)
def test_assembly_of_codes_says_what_it_is(call):
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None

"""Second operands of the two codes of four bits of each byte, row after row: every byte, against numpy in f16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.both_halves import BothHalvesCall
from backends.spirv.assembly.call import call_of
from backends.spirv.module.binary import Binary
from tests.kernels.test_packed import same


@xt.jit
def by_turns(
    A, B, S, C, TAKEN: xt.constexpr, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 64
):
    """C = A @ HOW(codes of B, S): a byte of TAKEN(B) has rows 2 k and 2 k + 1, S is of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = TAKEN(xt.load_tile(xt.init_tile(B, (k // 2, n), (BK // 2, BN))))
        codes = xt.interleave((b & 15).T, (b >> 4).T).T
        s = xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :]
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(codes, s)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


TAKEN: dict[str, Callable[[Any], Any]] = {"bytes": lambda b: b, "changed bytes": lambda b: (b ^ 0x88) + 3}
HOW: dict[str, Callable[[Any, Any], Any]] = {
    "numbers": lambda c, s: same(c, xt.f16),
    "less a number": lambda c, s: same(c, xt.f16) - 8,
    "less a number, times scales": lambda c, s: (same(c, xt.f16) - 8) * s,
    "less scales": lambda c, s: (same(c, xt.f16) - s) * s,
    "times a number, as f32": lambda c, s: same((same(c, xt.f32) - 7) * np.float32(0.3), xt.f16),
    "less as bytes": lambda c, s: same(same(c, xt.i8) - 8, xt.f16) * s,
}


@pytest.mark.every(12)
@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("name", HOW)
def test_every_byte(device, name, taken):
    b = np.random.default_rng(0).permutation(np.arange(32 * 256) % 256).astype(np.uint8).reshape(32, 256)
    a = np.zeros((64, 64), np.float16)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    s = np.random.default_rng(3).standard_normal(256).astype(np.float16)
    c = np.zeros((64, 256), np.float32)
    with xt.device(device):
        by_turns[8, 2](a, b, s, c, TAKEN[taken], HOW[name])
    read = TAKEN[taken](b)
    codes = np.stack([read & 15, read >> 4], 1).reshape(64, 256)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ HOW[name](codes, s).astype(np.float32))


def test_scales_that_are_no_numbers(device):
    b = np.tile(np.arange(256, dtype=np.uint8), (32, 1))
    a = np.zeros((32, 64), np.float16)
    a[:, 5] = 1
    s = np.resize(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 6e-8, 65504, 1], np.float16), 256)
    c = np.zeros((32, 256), np.float32)
    with xt.device(device):
        by_turns[8, 1](a, b, s, c, TAKEN["bytes"], HOW["less a number, times scales"])
    with np.errstate(all="ignore"):
        # Zeros times infinite numbers of other rows are no part of a product by one row.
        wide = HOW["less a number, times scales"](np.repeat(b, 2, 0) >> np.resize([0, 4], (64, 1)).astype(np.uint8) & 15, s)
        np.testing.assert_array_equal(c, a.astype(np.float32) @ wide.astype(np.float32))


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_no_bytes_are_put_together(target):
    """Each byte is read twice, and nothing else reads it."""
    how = HOW["less a number, times scales"]
    module = by_turns.compile(
        "f16[?,?]", "u8[?,?]", "f16[?]", "f32[?,?]", target=target, TAKEN=TAKEN["bytes"], HOW=how, BM=64, BN=64
    ).spirv
    texts = [str(x.value) for i in Binary(module).instructions if i.name == "OpAsmINTEL" for x in i.operands() if x.kind == "S"]
    assert any("xetile halves" in text for text in texts)
    assert not any("by_turns" in text for text in texts)


def test_assembly_says_what_it_is():
    assert call_of(BothHalvesCall(4, 8).text(16)) == BothHalvesCall(4, 8)
    assert call_of("vdpbf16ps $3, $2, $0") is None

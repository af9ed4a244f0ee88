"""Second operands of products that are worked out in pairs of rows: tables of f32, with what is done to their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.call import call_of
from backends.spirv.assembly.pairs import LookUpSinglesCall, NarrowPairsCall, PairCall, PairsOfSinglesCall, PairTableCall
from backends.spirv.module.binary import Binary
from tests.kernels.plain_halves import CASES
from tests.kernels.test_packed import same
from tests.tools import isa_counts, ocloc_compile


@xt.jit
def computed(A, B, T, S, x, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ HOW(T[low half of B], T[high half of B], S, x): S of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(xt.i32)
        low, high = xt.load_gather(xt.init_tile(T, b & 15)), xt.load_gather(xt.init_tile(T, b >> 4))
        s = xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :]
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ HOW(low, high, s, x).to(A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


HOW: dict[str, Callable[..., Any]] = {
    "times scales": lambda low, high, s, x: high * s,
    "less scales": lambda low, high, s, x: low - s,
    "times a scalar, less a number": lambda low, high, s, x: low * x - 0.5,
    "two of a byte": lambda low, high, s, x: low + high * s,
    "rounded on the way": lambda low, high, s, x: same(same(high, xt.f16), xt.f32) * s,
    "of bytes too": lambda low, high, s, x: low * s * x + 0.25,
}


@pytest.mark.every(24)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("name", HOW)
def test_numbers_of_a_table_of_f32(device, name, kind):
    a_type = ml_dtypes.bfloat16 if kind == "bf16" else np.float16
    b = np.random.default_rng(0).permutation(np.arange(64 * 256) % 256).astype(np.uint8).reshape(64, 256)
    a = np.zeros((64, 64), a_type)
    a[np.arange(64), np.random.default_rng(2).permutation(64)] = 1
    table, s = (np.random.default_rng(i).standard_normal(n).astype(np.float32) for i, n in enumerate([16, 256]))
    x, c = np.float32(0.3), np.zeros((64, 256), np.float32)
    with xt.device(device):
        computed[8, 2](a, b, table, s, float(x), c, HOW[name])
    wide = HOW[name](table[b & 15], table[b >> 4], s[None, :], x).astype(a_type).astype(np.float32)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ wide)


@pytest.mark.every(2)
def test_all_bits_of_tables(device):
    """Zeros with signs, infinities, NaN and the smallest numbers, of which nothing is computed on the way."""
    bits = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x80000001, 0x477FE000, 0xC77FE000, 0x33800000, 0x3F800000, 0x3F802000,
            0x38800000, 0x387FC000, 0x47800000, 0xBF800000]  # fmt: skip
    table = np.array(bits, np.uint32).view(np.float32)
    b = np.tile(np.arange(256, dtype=np.uint8), (64, 1))
    c = np.zeros((32, 256), np.float32)
    with xt.device(device):
        computed[8, 1](np.ones((32, 64), np.float16), b, table, np.ones(256, np.float32), 1.0, c, HOW["times scales"])
    with np.errstate(all="ignore"):
        wide = table[np.arange(256) >> 4].astype(np.float16).astype(np.float32) * 64
    np.testing.assert_array_equal(c, np.tile(wide, (32, 1)))


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_two_codes_are_looked_up_at_once(target):
    """Where registers are left for all pairs: beside sums of 64 rows and 32 columns there are none."""
    types = ("f16[?,?]", "u8[?,?]", "f32[?]", "f32[?]", "f32", "f32[?,?]")
    few, many = (computed.compile(*types, target=target, HOW=HOW["times scales"], num_subgroups=1, BM=rows) for rows in (32, 64))
    assert _looks_up_pairs(few.spirv)
    assert not _looks_up_pairs(many.spirv)


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_pairs_take_no_registers_of_what_is_written(target):
    """Values that fit in another order only would spill beside them."""
    case = CASES["nf4, rows of W"]
    compiled = case.kernel.compile(*case.types, target=target, num_subgroups=4, **{**case.constants, "BM": 64, "BN": 64})
    found = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert found.whole.scratch == found.kernel.spill_size == 0


def _looks_up_pairs(module):
    texts = [str(x.value) for i in Binary(module).instructions if i.name == "OpAsmINTEL" for x in i.operands() if x.kind == "S"]
    return any("xetile pairs look_up" in text for text in texts)


@pytest.mark.parametrize("call", [PairTableCall(True, 4, 8), PairCall(), NarrowPairsCall("bf16"), NarrowPairsCall("f16"),
                                  PairsOfSinglesCall(), LookUpSinglesCall(True, 4, 8)])  # fmt: skip
def test_assembly_of_pairs_says_what_it_is(call):
    assert call_of(call.text(16)) == call
    assert call_of("vdpbf16ps $3, $2, $0") is None

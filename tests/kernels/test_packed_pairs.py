"""Second operands of products that are worked out in pairs of rows: tables of f32, with what is done to their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.pairs import NarrowPairsCall, PairCall, PairTableCall, pair_call_of
from tests.kernels.test_packed import same


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


@pytest.mark.parametrize("call", [PairTableCall(True, 4, 8), PairCall(), NarrowPairsCall("bf16"), NarrowPairsCall("f16")])
def test_assembly_of_pairs_says_what_it_is(call):
    assert pair_call_of(call.text(16)) == call
    assert pair_call_of("vdpbf16ps $3, $2, $0") is None

"""Which tiles of a loop are prefetched: those of operands as they are loaded, else those that operands are worked out of."""

from __future__ import annotations

import pytest

import xetile as xt
from tests.parity.run import uncompiled


@xt.jit
def product(
    A, B, C, T: xt.constexpr = None, U: xt.constexpr = None, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32
):
    """C = A @ B, A as T and B as U."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += (a if T is None else a.to(T)) @ (b if U is None else b.to(U))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.parametrize(
    ("types", "constants", "arrays"),
    [
        (("f16[?,?]", "f16[?,?]"), {}, {"64x32xf16", "32x64xf16"}),
        (("f16[?,?]", "i8[?,?]"), {"U": xt.f16}, {"64x32xf16"}),
        (("i8[?,?]", "f8e5m2[?,?]"), {"T": xt.f16, "U": xt.f16}, {"64x32xi8", "32x64xf8E5M2"}),
        (("f32[?,?]", "f32[?,?]"), {"T": xt.bf16, "U": xt.bf16}, {"64x32xf32", "32x64xf32"}),
    ],
    ids=["as loaded", "one as loaded", "both converted", "both rounded"],
)
def test_what_is_prefetched(types, constants, arrays):
    text = uncompiled(product, *types, "f32[?,?]", target="bmg", num_subgroups=4, **constants).ir["layout"]
    lines = [line for line in text.splitlines() if "prefetch_tile" in line and line.startswith("      ")]
    assert {shape for shape in arrays if any(shape in line for line in lines)} == arrays
    assert sum(line.count("!xetile.tile<") for line in lines) == len(arrays)

"""Products by weights that are looked up in a table by gathers: the register mode that such kernels need."""

from __future__ import annotations

import pytest

import xetile as xt
from tests.estimate.test_registers import report

pytestmark = pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def by_table(A, W, Table, S, C, BM: xt.constexpr, BN: xt.constexpr, SCALED: xt.constexpr):
    """C = A @ W.T of codes of four bits, with a scale for each row and 64 columns of W."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], 64):
        codes = xt.load_tile(W[n : n + BN, k // 2 : k // 2 + 32]).to(xt.i32)
        low, high = xt.load_gather(xt.init_tile(Table, codes & 15)), xt.load_gather(xt.init_tile(Table, codes >> 4))
        w = xt.interleave(low, high)
        if SCALED:
            w = w * xt.load_tile(S[n : n + BN, k // 64 : k // 64 + 1])
        acc += xt.load_tile(A[m : m + BM, k : k + 64]).to(xt.bf16) @ w.to(xt.bf16).T
    xt.store_tile(acc, C[m : m + BM, n : n + BN])


@pytest.mark.every(3)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(
    "kind,tile,subgroups",
    [("bf16", {"BM": 64, "BN": 64, "SCALED": True}, 8), ("f32", {"BM": 16, "BN": 32, "SCALED": False}, 1)],
    ids=["gathers of an operand come together", "the order as written"],
)
def test_nothing_is_spilled(kind, tile, subgroups, target):
    """576 to 1920 bytes were, untold, in 128 registers: IGC begins gathers together, and orders nothing across assembly."""
    compiled = by_table.compile(
        f"{kind}[?,?]", "u8[?,?]", "f32[?]", "f32[?,?]", "f32[?,?]", target=target, num_subgroups=subgroups, **tile
    )
    assert report(compiled).spill_bytes == 0
    assert compiled.grf == 256

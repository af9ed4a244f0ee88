"""Operands of 16 bits that are computed row by row: what lies in registers of its own is counted, and what may be assembly is packed."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

import xetile as xt
from tests.estimate.test_registers import report
from tests.kernels.plain_attention import backward_scores
from tests.kernels.plain_products import by_blocks
from tests.kernels.test_plain import CASES as PLAIN

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


@xt.jit(grid=by_blocks)
def two_sums(A, B, C, D, HOW: xt.constexpr, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ B, D = HOW(A) @ HOW(B)."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    p, q = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        p += a @ b
        q += HOW(a) @ HOW(b)
    xt.store_tile(p, xt.init_tile(C, (m, n), (BM, BN)))
    xt.store_tile(q, xt.init_tile(D, (m, n), (BM, BN)))


HOW: dict[str, Callable[[Any], Any]] = {
    "absolute values": abs,
    "the larger": lambda x: xt.maximum(x, 0),
    "between": lambda x: xt.clamp(x, -1, 1),
    "chosen by themselves": lambda x: xt.where(x > 0, x, 0),
    "rounded down": xt.floor,
    "roots": xt.sqrt,
}


@pytest.mark.every(6, 3)
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", HOW)
def test_two_sums_of_products_spill_nothing(name, target, kind):
    """Up to 3 KB were spilled, untold."""
    assert not report(two_sums.compile(*[f"{kind}[?,?]"] * 2, *["f32[?,?]"] * 2, target=target, HOW=HOW[name])).spill_bytes


@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(
    "name, types, sizes",
    [("attention, rotated", {}, {"BM": 32}), ("attention, cache of f8e4m3", {"f8e4m3": "f8e5m2"}, {"BN": 64})],
)
def test_rows_that_are_rounded_for_products_lie_packed(name, types, sizes, target):
    """Queries from before the loop: 3.2 KB; weights of attention beside its sums: 2.5 KB."""
    case = PLAIN[name]
    taken = [reduce(lambda text, pair: text.replace(*pair), types.items(), kind) for kind in case.types]
    assert not report(case.kernel.compile(*taken, target=target, **{**case.constants, **sizes})).spill_bytes


@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_long_messages_come_one_by_one_where_they_find_no_room():
    """Gradients of attention by scores: 1.2 KB."""
    heads = ["f16[?,?,?;free]"] * 4 + ["f32[?,?]"] * 2 + ["f32[?,?,?;free]"] * 2
    assert not report(backward_scores.compile(*heads, "f32", target="pvc", BM=64, BN=64)).spill_bytes


@pytest.mark.every(2)
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("sizes", [{"BD": 256}, {"N": 8}], ids=str)
def test_states_in_pairs_of_registers_take_more_subgroups(sizes, target):
    """They lie between single registers: up to 5 KB."""
    case = PLAIN["selective scan, states as rows"]
    assert not report(case.kernel.compile(*case.types, target=target, **{**case.constants, **sizes})).spill_bytes

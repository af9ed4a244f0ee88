"""IGC's order that saves registers: what it may move, and what the estimate says of kernels that fit only in it."""

from __future__ import annotations

from bisect import bisect
from math import inf

import pytest

import xetile as xt
from tests.estimate.test_registers import report
from tests.kernels.test_plain import CASES as PLAIN
from xetile.dialects import gpu, scf, xegpu
from xetile.dialects.types import I32
from xetile.estimate.alike import Alike
from xetile.estimate.dependences import dependences
from xetile.estimate.pressure import peak
from xetile.estimate.registers import by_lanes, in_words
from xetile.estimate.sections import in_sections, saved
from xetile.estimate.storage import storage_of
from xetile.runtime import compiler
from xetile.target import get_target

pytestmark = [
    pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning"),
    pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning"),
]


def lowered(name):
    case = PLAIN[name]
    return compiler.lowered(case.kernel.compile(*case.types, target="dg2", **case.constants).request).kernel


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["gptq, rows of a tile", "GEMM, added in a branch"])
def test_nothing_moves_over_a_product_a_barrier_or_a_loop(name):
    """Each op stands behind those that it needs, between the same two of these."""
    kernel = lowered(name)
    storage = storage_of(kernel, get_target("dg2"), words=True)
    fences = (xegpu.Dpas, gpu.Barrier, scf.For, scf.If)
    for block in [kernel.body, *(region for op in kernel.walk() for region in op.regions)]:
        ops, order = list(block.ops), list(in_sections(block, storage))
        assert sorted(order, key=ops.index) == ops
        before, at = dependences(ops)[0], {op: i for i, op in enumerate(order)}
        assert all(at[ops[j]] < at[op] for i, op in enumerate(ops) for j in before[i])
        stand = [i for i, op in enumerate(ops) if isinstance(op, fences)]
        assert [order[i] for i in stand] == [ops[i] for i in stand]
        assert all(bisect(stand, i) == bisect(stand, at[op]) for i, op in enumerate(ops) if not isinstance(op, fences))


def test_a_block_is_ordered_only_where_it_needs_more_than_asked_for():
    kernel, target = lowered("gptq, rows in any order"), get_target("dg2")
    storage = storage_of(kernel, target, words=True)
    written = peak(kernel.body, storage, inf).bytes
    assert saved(kernel.body, storage, inf).bytes == saved(kernel.body, storage, written).bytes == written
    assert saved(kernel.body, storage, written / 2).bytes < written
    assert by_lanes(kernel, target) < in_words(kernel, target)


def test_loads_of_one_place_are_one():
    """Rows of 4 bits lie 8 in a word: 96 reads of shared memory are of four words, three times each, whose places are elements of equal
    vectors.
    """
    kernel = lowered("gptq, rows in any order")
    storage = storage_of(kernel, get_target("dg2"), words=True)
    words = [op for op in kernel.find(xegpu.Load) if op.value.type is I32 and op.source.type.space == 3]
    assert len(words) == 96
    assert len(dict.fromkeys(storage.atoms(op.value for op in words))) == 12
    numbers = Alike()
    assert len({numbers.of(op.offsets) for op in words}) == 4


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def act_order(X, QW, QZ, S, G, C, BM: xt.constexpr = 16, BN: xt.constexpr = 128, BK: xt.constexpr = 128):
    """C = X @ ((B - Z) * S): word (k // 8, n) of QW has rows k to k + 7 of B; row k is of group G[k], whose numbers are gathered."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    columns, acc = (n + xt.arange(BN))[None, :], xt.zeros((BM, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        rows = k + xt.arange(BK)
        group = xt.load_gather(xt.init_tile(G, rows))[:, None]
        words = xt.load_gather(xt.init_tile(QW, (rows // 8)[:, None] * QW.shape[1] + columns))
        scales = xt.load_gather(xt.init_tile(S, group * S.shape[1] + columns))
        zeros = xt.load_gather(xt.init_tile(QZ, group * QZ.shape[1] + columns // 8))
        b = ((words >> (rows % 8 * 4)[:, None]) & 15) - (((zeros >> (columns % 8 * 4)) & 15) + 1)
        acc += xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) @ (b.to(xt.f16) * scales)
    xt.store_tile(acc.to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


ACT_ORDER = ("f16[?,?]", "i32[?,?]", "i32[?,?]", "f16[?,?]", "i32[?]", "f16[?,?]")


@pytest.mark.parametrize("target", ["pvc", pytest.param("bmg", marks=pytest.mark.slow)])
def test_gathers_of_a_step_are_under_way_together(target):
    """10 KB of them spilled untold in 8 subgroups, which nobody asked for: products are not moved over."""
    compiled = act_order.compile(*ACT_ORDER, target=target)
    assert compiled.binary.spill_bytes == report(compiled).spill_bytes == 0
    assert act_order.compile(*ACT_ORDER, target=target, num_subgroups=8).binary.spill_bytes > 0

"""What is kept of a kernel's orders for other limits: the same as if it were found anew."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest

from benchmarks.isa_cases import CASES
from benchmarks.isa_library import LIBRARY
from tests.kernels.test_plain import CASES as PLAIN
from xetile.dialects import arith, scf, xegpu
from xetile.estimate import asking
from xetile.estimate.orders import balanced, chain_by_chain, cheapest, in_sequence, schedule
from xetile.estimate.pressure import needs, peak, saving_orders
from xetile.estimate.storage import Storage, storage_of
from xetile.runtime import compiler
from xetile.target import get_target

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")

NAMES = ("matmul f16", "matmul f16, bias, gelu", "attention D=64, causal", "softmax f16")
LARGE = pytest.param("attention D=64, causal", "dg2", marks=pytest.mark.slow)  # the others show each kind of its ops


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("name", "target"),
    [*((name, "pvc") for name in NAMES), *((name, "dg2") for name in NAMES if name not in LARGE.values), LARGE],
)
def test_peaks_and_orders_are_those_of_a_storage_of_its_own(name, target):
    case = next(case for case in CASES if case.name == name)
    kernel, target = compiler.lowered(case.compile(target).request).kernel, get_target(target)
    budget = min(target.grf_capacity(mode.registers) for mode in target.grf_modes)
    kept = storage_of(kernel, target)
    assert storage_of(kernel, target) is kept
    for limit in (inf, budget * 0.75, budget, 2 * budget, 0):
        own = Storage(kernel, target)
        assert peak(kernel.body, kept, limit).bytes == peak(kernel.body, own, limit).bytes
        assert saving_orders(kernel.body, kept, limit) == saving_orders(kernel.body, Storage(kernel, target), limit)
    assert needs(kernel.body, kept) == needs(kernel.body, Storage(kernel, target))


def test_an_order_is_tried_again_where_another_limit_changes_what_is_inside():
    """A loop that needs more for a larger limit makes the kernel need more, whatever was kept of the kernel's own block."""
    case, target = PLAIN["activations of bytes by rows"], get_target("pvc")
    kernel = compiler.lowered(case.kernel.compile(*case.types, target="pvc").request).kernel
    kept = storage_of(kernel, target)
    assert peak(kernel.body, kept, 0).bytes < peak(kernel.body, kept, inf).bytes
    assert peak(kernel.body, kept, 0).bytes == peak(kernel.body, Storage(kernel, target), 0).bytes


def test_products_keep_their_order():
    """In the order in which its products stand a step holds both operands; rows passing by would take fewer, but IGC finds no such order."""
    case = next(case for case in CASES if case.name == "matmul f16")
    kernel, target = compiler.lowered(case.compile("pvc").request).kernel, get_target("pvc")
    storage = storage_of(kernel, target)
    (loop,) = storage.with_products
    products = [op for op in loop.ops if isinstance(op, xegpu.Dpas)]
    assert [op for op in schedule(loop, storage) if isinstance(op, xegpu.Dpas)] != products
    for rule in (in_sequence, chain_by_chain):
        assert [op for op in rule(loop, storage) if isinstance(op, xegpu.Dpas)] == products
    assert peak(kernel.body, storage, 0).bytes == peak(kernel.body, storage, inf).bytes


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_what_one_product_takes_is_made_behind_the_one_before():
    """Keys that fade, with 8 subgroups: made in front of all products they would wait for one another."""
    case, target = PLAIN["linear attention, decay, heads of 128 columns"], get_target("pvc")
    kernel = compiler.lowered(case.kernel.compile(*case.types, target="pvc", D=128, T=16, num_subgroups=8).request).kernel
    storage = storage_of(kernel, target)
    (block,) = storage.with_products

    def between(rule):
        made = [op for op in rule(block, storage) if isinstance(op, (xegpu.Dpas, arith.TruncF))]
        return sum(isinstance(before, xegpu.Dpas) and isinstance(op, arith.TruncF) for before, op in pairwise(made))

    assert between(chain_by_chain) > between(in_sequence)


def test_terms_of_sums_are_made_one_after_the_other():
    """Two sums over rows of the same numbers: neither waits for the other, so a step holds few of its numbers."""
    case, target = next(case for case in LIBRARY if case.name == "ops: layer norm backward, weight f32"), get_target("dg2")
    kernel = compiler.lowered(case.compile("dg2").request).kernel
    storage = Storage(kernel, target)
    (loop,) = kernel.find(scf.For)
    order = balanced(loop.body, storage)
    assert sorted(map(id, order)) == sorted(map(id, loop.body.ops))
    assert order[-1] is loop.body.terminator
    assert peak(kernel.body, storage, 0).bytes < 0.75 * target.grf_bytes * 128


@pytest.mark.parametrize("rule", [schedule, in_sequence, chain_by_chain, balanced, cheapest])
def test_long_blocks_are_ordered_as_short_ones(rule, monkeypatch):
    """What ops ask for is the same where it is kept up to date."""
    case = next(case for case in CASES if case.name == "matmul f16, bias, gelu")
    kernel, target = compiler.lowered(case.compile("dg2").request).kernel, get_target("dg2")
    storage = Storage(kernel, target)
    blocks = [kernel.body, *(block for loop in kernel.find(scf.For) for block in loop.regions)]
    orders = []
    for few in (0, inf):
        monkeypatch.setattr(asking, "FEW", few)
        orders.append([rule(block, storage) for block in blocks])
    assert orders[0] == orders[1]
    assert any(order != block.ops for order, block in zip(orders[0], blocks))


def test_products_that_do_not_fit_as_they_are_written_keep_their_order():
    """What feeds them is ordered for few registers: IGC finds no such order across them (5,504 bytes spilled before)."""
    case, target = PLAIN["both f8e5m2, scales of groups"], get_target("pvc")
    kernel = compiler.lowered(case.kernel.compile(*case.types, target="pvc", num_subgroups=16, **case.constants).request).kernel
    storage = storage_of(kernel, target)
    assert max(needs(kernel.body, storage).values()) <= (256 - target.grf_overhead) * target.grf_bytes
    assert storage.with_products
    for block in storage.with_products:
        widened = [block.ops.index(op) for op in block.ops if isinstance(op, arith.ExtF)]
        loads = [block.ops.index(op) for op in block.ops if isinstance(op, xegpu.LoadNd)]
        assert min(widened) < max(loads)

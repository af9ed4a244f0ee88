"""What IGC's scheduler leaves as it is emitted, as it counts no headers, and what it orders by a rule of its own."""

from __future__ import annotations

import pytest

from tests.estimate.test_registers import report
from tests.kernels.test_plain import CASES as PLAIN
from xetile.dialects import xegpu
from xetile.estimate.greedy import greedily
from xetile.estimate.storage import storage_of
from xetile.runtime import compiler
from xetile.target import get_target

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


def built(name, target, num_subgroups=None, **constants):
    case = PLAIN[name]
    return case.kernel.compile(*case.types, target=target, num_subgroups=num_subgroups, **{**case.constants, **constants})


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_headers_that_are_not_counted_are_told():
    """51 headers stay through a loop that IGC leaves as it is emitted: 1.5 KB were spilled, untold."""
    compiled = built("attention, differential", "pvc", 16, D=256)
    assert report(compiled).spill_bytes and compiled.binary.spill_bytes and compiled.estimate.spills


@pytest.mark.every(2)
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
@pytest.mark.parametrize("name", ["attention, joint cache", "attention, latent cache"])
def test_headers_that_just_fit_are_told_of_nothing(name):
    """58 headers: IGC takes 251 and 254 registers."""
    assert not report(built(name, "pvc")).spill_bytes


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_messages_that_bring_nothing_last_wait():
    """IGC brings the operands of sums by a row of ones first, and keeps them for the products: 5.5 KB were spilled, untold."""
    compiled = built("sums beside a product, one row of ones", "pvc", 16, BM=256, BK=128)
    assert report(compiled).spill_bytes and compiled.estimate.spills


@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_operands_that_are_loaded_right_before_products_are_told_so():
    """IGC lets products change places where a block is too full: 3.3 KB were told, and nothing is spilled."""
    assert not report(built("complex product", "bmg", 4)).spill_bytes


def test_products_stand_as_soon_as_they_can():
    target = get_target("bmg")
    kernel = compiler.lowered(built("complex product", "bmg").request).kernel
    storage = storage_of(kernel, target, taken=True)
    block = max(storage.with_products, key=lambda block: len(block.ops))
    order = [*greedily(block, storage)]
    assert sorted(map(id, order)) == sorted(map(id, block.ops))
    place = {op: i for i, op in enumerate(order)}
    first = next(i for i, op in enumerate(order) if isinstance(op, xegpu.Dpas))
    loads = [op for op in order if isinstance(op, xegpu.LoadNd)]
    assert any(place[op] > first for op in loads)
    before, _ = storage.dependences(block)
    for op, needed in zip(block.ops, before):
        assert all(place[block.ops[i]] < place[op] for i in needed)

"""Lowering makes hardly more ops than stay: numbers that accesses and exchanges ask for again and again are made once."""

from __future__ import annotations

import pytest

from benchmarks.isa_cases import CASES
from xetile.dialects import arith, gpu
from xetile.dialects.types import F32, INDEX
from xetile.ir.core import Block
from xetile.passes.common.sharing import OF_ACCESSES, OF_LANES, SharingBuilder
from xetile.passes.manager import Instrument, watched
from xetile.runtime import compiler


class Counts(Instrument):
    """How many ops there are after each pass."""

    def __init__(self):
        self.found = []

    def after(self, name, module):
        self.found.append((name, sum(1 for _ in module.walk())))


@pytest.mark.every(2, 1)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
@pytest.mark.parametrize(("name", "most"), [("attention D=64", 1.3), ("matmul f16, B transposed", 1.7)])
def test_few_ops_are_made_to_be_dropped(name, most):
    request = next(case for case in CASES if case.name == name).compile("dg2").request
    counts = Counts()
    with watched(counts):
        compiler.build(request)
    names = [name for name, _ in counts.found]
    for level in ("lower_xetile_to_xegpu", "distribute_to_lanes"):
        made = counts.found[names.index(level)][1]
        stay = next(count for name, count in counts.found[names.index(level) :] if name == "canonicalize")
        assert made < most * stay, level


def test_numbers_are_made_once_in_each_block():
    block, inner = Block(), Block()
    build = SharingBuilder(block, OF_LANES, alone=True)
    twice = [build(arith.AddI, build(gpu.LaneId), build(arith.Constant, value=1, result=INDEX)) for _ in range(2)]
    assert twice[0] is twice[1] and len(block.ops) == 3
    with build.at(inner):
        assert build(gpu.LaneId).owner.parent is inner


def test_zeros_of_both_signs_are_two_constants():
    build = SharingBuilder(Block(), OF_LANES, alone=True)
    assert build(arith.Constant, value=0.0, result=F32) is not build(arith.Constant, value=-0.0, result=F32)


@pytest.mark.parametrize(("kinds", "alone", "same"), [(OF_LANES, True, False), (OF_ACCESSES, False, True)])
def test_what_is_computed_of_other_values_is_shared_where_that_is_asked_for(kinds, alone, same):
    block = Block([INDEX])
    build = SharingBuilder(block, kinds, alone=alone)
    one, other = (build(arith.AddI, block.args[0], build(arith.Constant, value=2, result=INDEX)) for _ in range(2))
    assert (one is other) is same

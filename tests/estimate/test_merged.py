"""Loads of lanes that IGC makes one message of: what they hold, and what is told of kernels that have many."""

from __future__ import annotations

import pytest

from tests.estimate.test_plain_kernels import check
from tests.kernels.matmul import powers
from tests.kernels.test_plain import CASES
from xetile.dialects import xegpu
from xetile.estimate.merged import merged_loads
from xetile.estimate.storage import storage_of
from xetile.runtime import compiler
from xetile.target import get_target

GATED = CASES["gated linear attention"]


def test_words_that_lie_behind_each_other_are_one_variable_with_one_address():
    """A turned product's operands lie in rows of shared memory: four words of a row are one message."""
    kernel = compiler.lowered(GATED.kernel.compile(*GATED.types, target="pvc", num_subgroups=8).request).kernel
    (loop,) = {op.parent for op in kernel.walk() if isinstance(op, xegpu.Load)}
    runs, storage = merged_loads(loop.ops), storage_of(kernel, get_target("pvc"))
    assert [len(run) for run in runs] == [4] * 8
    for run in runs:
        (atom,) = {atom for op in run for atom in storage.makes[op]}
        assert atom.bytes == 4 * 64
        assert sum(bool(storage.needs[op]) for op in run) == 1


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_nothing_is_told_of_what_does_not_spill(target):
    """What one lane gives to all is read where it lies, where no product by DPAS stands beside it."""
    check(powers.compile("f32[?,?]", "f32[?,?]", target=target))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_nothing_is_told_of_gates(target):
    # 54 too high on PVC: places that differ by a constant, which IGC adds at each message.
    check(GATED.kernel.compile(*GATED.types, target=target), 56)

"""What is found of the values that somebody asks about, in any order, is what is found where the whole kernel is solved, or says more."""

import random

import pytest

from benchmarks.isa_cases import CASES
from xetile.dialects.intervals import Intervals
from xetile.passes.analysis.alignment import Alignment
from xetile.runtime.compiler import build

KERNELS = {case.name: case for case in CASES}


def values_of(kernel):
    for op in kernel.walk():
        yield from op.results
        for block in op.regions:
            yield from block.args


def within(one, other):
    return one is not None and other is not None and other[0] <= one[0] and one[1] <= other[1]


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["matmul f16", "attention D=64, causal", "softmax f16", "matmul f16, K split 128x128"])
def test_as_in_the_whole_kernel(name):
    request, seen = KERNELS[name].compile("pvc").request, []

    def compared(level, module):
        for analysis in (Alignment, Intervals):
            whole, asked = analysis(module.kernel), analysis(module.kernel)
            whole.solve()
            values = list(values_of(module.kernel))
            for value in random.Random(0).sample(values, len(values)):
                asked.ask(value)
            # Where nothing else is looked at, an end of an interval may move less often: each move goes as far as it can.
            found = ((v, whole.facts.get(v), asked.facts.get(v)) for v in values)
            other = [
                (v, all_, one) for v, all_, one in found if one != all_ and not (analysis is Intervals and within(one, all_))
            ]
            assert not other, (level, analysis)
            assert len(whole.facts) > len(module.kernel.body.args)
        seen.append(level)

    build(request, compared)
    assert len(seen) > 3, seen

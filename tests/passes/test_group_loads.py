"""Loads of first operands between products that do nothing but add up: two stand together where registers do not hold all."""

from __future__ import annotations

import pytest

from tests.kernels.plain_quantized import CASES
from tests.parity.run import request
from xetile.dialects import scf, xegpu
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

TILE_ROWS = 32


def groups(name: str, target: str) -> list[int]:
    """How many loads of 32 rows of the first operand stand together, one group after the other, in the loop of a kernel."""
    case = CASES[name]
    types = dict(zip(("A", "W", "S", "C"), case.types))
    module = list(pipeline.lower(trace(request(case.kernel, types, **case.constants)), get_target(target)))[-1][1]
    loop = next(op for op in module.find(scf.For) if any(isinstance(inner, xegpu.Dpas) for inner in op.body.ops))
    found = [0]
    for op in loop.body.ops:
        if isinstance(op, xegpu.Dpas) and found[-1]:
            found.append(0)
        elif isinstance(op, xegpu.LoadNd) and op.packed is None and op.desc.type.shape[0] == TILE_ROWS:
            found[-1] += 1
    return [n for n in found if n]


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_pairs(target):
    assert groups("weights f8e5m2", target) == [2, 2]
    assert groups("int4, scales of groups", target) == [2, 2, 2, 2]

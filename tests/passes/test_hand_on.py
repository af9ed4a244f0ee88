"""What a loop's test works out is not worked out again in its body."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import request
from xetile.dialects import arith, scf
from xetile.runtime import compiler


@xt.jit
def halved(X, Y, least):
    """Rows are halved until none has a square of `least` or more; what is halved is counted."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    count = xt.zeros((16, 32), xt.f32)
    while xt.any(x * x >= least):
        large = x * x >= least
        x, count = xt.where(large, x * 0.5, x), count + xt.where(large, x * x, 0.0)
    xt.store_tile(x + count, xt.init_tile(Y, (0, 0), (16, 32)))


TYPES = {"X": "f32[?,?]", "Y": "f32[?,?]", "least": "f32"}


@pytest.mark.parametrize("target", ["pvc", "dg2"])
def test_the_body_takes_squares_from_the_test(target):
    kernel = compiler.lowered(request(halved, TYPES, target, num_subgroups=1)).kernel
    (loop,) = kernel.find(scf.While)
    in_test, in_body = ([op for op in block.ops if isinstance(op, arith.MulF)] for block in (loop.before, loop.after))
    assert in_test
    assert not any(op.operands[0] is op.operands[1] for op in in_body)
    assert not any(isinstance(op, arith.CmpF) for op in loop.after.ops)


@pytest.mark.every(2)
@pytest.mark.parametrize("subgroups", [1, 2])
def test_values(subgroups):
    x = np.random.default_rng(0).integers(-99, 99, (16, 32)).astype(np.float32)
    y, count = x.copy(), np.zeros_like(x)
    while (y * y >= 100).any():
        large = y * y >= 100
        count += np.where(large, y * y, 0)
        y = np.where(large, y * np.float32(0.5), y)
    values = {"X": x, "Y": np.zeros_like(x), "least": 100.0}
    for target in ("pvc", "dg2"):
        Launch(halved, values, {"Y": y + count}, num_subgroups=subgroups).at_levels(target)

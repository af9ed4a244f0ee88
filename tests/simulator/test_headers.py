"""Blocks of one array, some at a known coordinate and some at one that only the run knows: no message takes another's."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.headers import Headers

import xetile as xt
from tests.kernels.plain_sequences import CASES
from tests.parity.run import uncompiled
from tests.tools import require_tool
from xetile.dialects import xegpu
from xetile.runtime.compiler import lower


@pytest.mark.parametrize("target", ["pvc", pytest.param("bmg", marks=pytest.mark.slow)])
def test_known_coordinates_stay(target):
    """IGC would leave keys of the next chunk to the columns that the chunk's last messages took."""
    require_tool("ocloc")
    case = CASES["retention"]
    arguments, expected = case.values()
    with xt.device(f"sim:{target}"):
        case.kernel(*arguments)
    for position, wanted in expected.items():
        np.testing.assert_allclose(arguments[position], wanted, rtol=0, atol=case.tolerance * np.abs(wanted).max())


def test_what_is_hidden_is_told_from_what_is_not():
    """Two messages at known columns: the first is a 0 that the compiler must not see, since others move along the row."""

    @xt.jit(grid=(3,))
    def kernel(A, B, Out):
        p = xt.program_id(0)
        acc = xt.zeros((16, 16), xt.f32)
        for t in range(0, A.shape[0], 16):
            acc += xt.load_tile(xt.init_tile(A, (t, 0), (16, 16))) + xt.load_tile(xt.init_tile(B, (t, 0), (16, 16)))
            acc += xt.load_tile(xt.init_tile(A, (t, p * 16), (16, 16)))
        xt.store_tile(acc, xt.init_tile(Out[p], (0, 0), (16, 16)))

    *_, (_, module) = lower(uncompiled(kernel, "f32[?,?]", "f32[?,?]", "f32[?,?,?]", target="pvc").request)
    headers = Headers(module.kernel)
    loads = [op for op in module.walk() if isinstance(op, xegpu.LoadNd)]
    assert [headers.hides(op, -1) for op in loads].count(True) == 1
    assert not any(headers.hides(op, -2) for op in loads)

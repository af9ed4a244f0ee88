"""Blocks of one array, some at a known coordinate and some at one that only the run knows: no message takes another's."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.facts.headers import Headers

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


def two_columns(at: int):
    """Rows that move, of two blocks whose columns stay, and of one alone."""

    @xt.jit(grid=(1,))
    def kernel(A, B, Out):
        acc = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))) + xt.load_tile(xt.init_tile(A, (16, 16), (16, 16)))
        for t in range(0, A.shape[0], 16):
            acc += xt.load_tile(xt.init_tile(A, (t, 0), (16, 16))) * xt.load_tile(xt.init_tile(A, (t, at), (16, 16)))
            acc += xt.load_tile(xt.init_tile(B, (t, 16), (16, 16)))
        xt.store_tile(acc, xt.init_tile(Out, (0, 0), (16, 16)))

    return kernel


@pytest.mark.parametrize("at,adds,expected", [(32, True, 2), (32, False, 0), (496, True, 2), (512, True, 0), (0, True, 0)])
def test_columns_that_stay_are_beside_a_zero_where_messages_add_them(at, adds, expected):
    """Of loads in loops, two places at least, which messages can hold."""
    *_, (_, module) = lower(uncompiled(two_columns(at), *["f32[?,?]"] * 3, target="bmg").request)
    headers = Headers(module.kernel, adds)
    loads = [op for op in module.walk() if isinstance(op, xegpu.LoadNd)]
    assert [headers.is_beside(op, -1) for op in loads].count(True) == expected
    assert not any(headers.is_beside(op, -2) for op in loads)


@pytest.mark.parametrize("at", [32, 496, 512])
def test_they_are_read_where_they_are(at):
    require_tool("ocloc")
    rng = np.random.default_rng(1)
    a, b, out = (rng.standard_normal((48, 544)).astype(np.float32) for _ in range(3))
    with xt.device("sim:bmg"):
        two_columns(at)(a, b, out)
    wanted = a[:16, :16] + a[16:32, 16:32]
    for t in range(0, 48, 16):
        wanted = wanted + a[t : t + 16, :16] * a[t : t + 16, at : at + 16] + b[t : t + 16, 16:32]
    np.testing.assert_allclose(out[:16, :16], wanted, rtol=1e-5, atol=1e-5)

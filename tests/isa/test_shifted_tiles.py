"""Tiles that begin inside of a 32-bit word: a load of one block more, and few moves for a register."""

from __future__ import annotations

import pytest

import xetile as xt
from tests.tools import isa_counts, ocloc_compile


@xt.jit
def copied(A, Out, n, TIMES: xt.constexpr, MORE: xt.constexpr, SHAPE: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, n * TIMES + MORE), SHAPE)), xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit
def multiplied(A, B, C, n, A_AT: xt.constexpr, B_AT: xt.constexpr, B_TURNED: xt.constexpr = False):
    """Each place: a factor of n, and what is added. 64x64x32."""
    total = xt.zeros((64, 64), xt.f32)
    i, j = xt.program_id(1) * 64, xt.program_id(0) * 64
    for k in range(0, A.shape[1], 32):
        a = xt.load_tile(xt.init_tile(A, (i, k + n * A_AT[0] + A_AT[1]), (64, 32)))
        at = n * B_AT[0] + B_AT[1]
        b = xt.load_tile(xt.init_tile(B.T, (k + at, j), (32, 64)) if B_TURNED else xt.init_tile(B, (k, j + at), (32, 64)))
        total += a @ b
    xt.store_tile(total, xt.init_tile(C, (i, j), (64, 64)))


def found(kernel, types, target, **constants):
    compiled = kernel.compile(*types, target=target, **constants)
    made = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert made.kernel.spill_size == 0
    return made


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("dtype, shape, place, most", [
    ("f16", (16, 32), (2, 1), 115), ("f16", (16, 32), (1, 0), 140), ("f16", (32, 64), (2, 1), 404), ("i8", (16, 32), (4, 3), 136),
    ("i8", (16, 32), (1, 0), 234), ("i8", (32, 64), (4, 1), 351), ("f16", (1, 512), (2, 1), 477),
])  # fmt: skip
def test_copies(target, dtype, shape, place, most):
    """Element by element 16x32 took 509 and 588 instructions on PVC, 32x64 more than 2,700 and scratch."""
    types, (times, more) = (f"{dtype}[?,?]", f"{dtype}[?,?]", "i32"), place
    assert found(copied, types, target, TIMES=times, MORE=more, SHAPE=shape, num_subgroups=1).whole.total <= most


@pytest.mark.every(8, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("places, turned, most", [
    (((2, 1), (2, 0)), False, 153), (((2, 0), (2, 1)), False, 121), (((1, 0), (2, 0)), False, 199), (((2, 0), (2, 1)), True, 136),
    (((2, 1), (2, 0)), True, 173),
])  # fmt: skip
def test_products(target, places, turned, most):
    """32 DPAS, which took more than 700 instructions; 44 of tiles that begin at words."""
    made = found(multiplied, ("f16[?,?]", "f16[?,?]", "f32[?,?]", "i32"), target, A_AT=places[0], B_AT=places[1], B_TURNED=turned)
    assert made.hot is not None and made.hot.counts.by_kind["dpas"] == 32 and made.hot.counts.total <= most

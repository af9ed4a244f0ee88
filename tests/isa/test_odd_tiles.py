"""Tiles of odd sizes cost little more than those of the next powers of two."""

from __future__ import annotations

import pytest

import xetile as xt
from tests.tools import isa_counts, ocloc_compile
from xetile.target import get_target


@xt.jit
def scaled(A, Out, SHAPE: xt.constexpr):
    """Out = A * 3 + 1"""
    x = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))
    xt.store_tile(x * 3 + 1, xt.init_tile(Out, (0, 0), SHAPE))


def instructions(shape, dtype, target):
    compiled = scaled.compile(f"{dtype}[?,?]", f"{dtype}[?,?]", SHAPE=shape, target=target)
    device = get_target(target).ocloc_device or target
    found = isa_counts(ocloc_compile(compiled.spirv, device, compiled.build_options), device)
    assert found.kernel.spill_size == 0
    return found.whole.total


@pytest.mark.parametrize("target, odd, even", [
    ("pvc", (33, 17), (64, 32)), ("pvc", (1, 1000), (1, 1024)), ("pvc", (100, 100), (128, 128)), ("dg2", (33, 17), (64, 32)),
    ("dg2", (1, 1000), (1, 1024)),
])  # fmt: skip
def test_words(target, odd, even):
    assert instructions(odd, "f32", target) <= 1.3 * instructions(even, "f32", target)


@pytest.mark.parametrize("width, most", [(17, 1.3), (21, 2.4)])
def test_halves_whose_rows_end_inside_of_a_word(width, most):
    """No block message ends there: the last columns go one by one, all rows of a column at once."""
    assert instructions((33, width), "f16", "pvc") <= most * instructions((64, 32), "f16", "pvc")

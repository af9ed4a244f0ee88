"""Kernels without loops run in one, once, where their messages share headers then."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.isa.test_plain import CASES
from tests.ops.run import Launch
from tests.tools import isa_counts, ocloc_compile
from xetile.dialects import scf

F = "f32[?,?]"
MESSAGES = 21


@xt.jit(grid=(1,))
def rows(X, Y, ROWS: xt.constexpr = 10):
    """Y = X + 1, some rows of two at a time, behind which a branch stores one of them once more."""
    for r in xt.static_range(ROWS):
        x = xt.load_tile(xt.init_tile(X, (3 * r, 0), (2, 16)))
        xt.store_tile(x + 1, xt.init_tile(Y, (2 * r, 0), (2, 16)))
    if X.shape[0] > 5:
        xt.store_tile(x + 2, xt.init_tile(Y, (2 * ROWS, 0), (2, 16)))


@xt.jit(grid=(1,))
def looped(X, Y, ROWS: xt.constexpr = 10):
    """The same in a loop of the kernel's."""
    for r in range(X.shape[0] // 3):
        x = xt.load_tile(xt.init_tile(X, (3 * r, 0), (2, 16)))
        xt.store_tile(x + 1, xt.init_tile(Y, (2 * r, 0), (2, 16)))


def once(kernel, target: str, *types: str, **constants) -> bool:
    text = kernel.compile(*types, target=target, **constants).ir["lane"]
    return scf.ONCE in text.split("attributes", 1)[1]


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_kernels_without_loops(target):
    assert once(rows, target, F, F, num_subgroups=1)
    assert not once(looped, target, F, F, num_subgroups=1)
    assert not once(rows, target, F, F, ROWS=1, num_subgroups=1)


def test_targets_without_messages():
    assert not once(rows, "dg2", F, F)


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_headers_are_shared(target):
    """Without the loop each message has eight moves of its own."""
    compiled = rows.compile(F, F, target=target, num_subgroups=1)
    found = isa_counts(ocloc_compile(compiled.spirv, target, compiled.build_options), target)
    assert found.whole["mov"] < 3 * MESSAGES


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_values(target):
    x = np.arange(30 * 16, dtype=np.float32).reshape(30, 16)
    y = np.zeros((22, 16), np.float32)
    expected = np.concatenate([x[3 * r : 3 * r + 2] for r in range(10)] + [x[27:29] + 1]) + 1
    Launch(rows, {"X": x, "Y": y}, {"Y": expected}, num_subgroups=1).at_levels(target)


@pytest.mark.parametrize("where", ["cpu", "sim:pvc", "sim:bmg"])
def test_values_on_devices(where):
    x = np.arange(30 * 16, dtype=np.float32).reshape(30, 16)
    y = np.zeros((22, 16), np.float32)
    with xt.device(where):
        rows(x, y)
    np.testing.assert_array_equal(y, np.concatenate([x[3 * r : 3 * r + 2] for r in range(10)] + [x[27:29] + 1]) + 1)


def test_what_a_loop_would_keep_has_no_room():
    """Numbers of places that a loop computes before it, for they are the same in each round."""
    case = CASES["k-means"]
    assert not once(case.kernel, "bmg", *case.types)

"""Loads that are used transposed, beside other uses, are made twice: with every kind of tile, and the same numbers at each level."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import assert_levels_agree, request
from xetile.dialects import xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.memory.fold_transposes import fold_transposes
from xetile.passes.workgroup.memory.reload_transposes import reload_transposes
from xetile.runtime.compiler import trace
from xetile.target import get_target

SIZE = 32


def made_each_time(A, B, C):
    total = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        a = xt.load_tile(xt.init_tile(A, (0, k), (SIZE, SIZE)))
        total += a + a.T
    xt.store_tile(total, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def moved(A, B, C):
    total, tile = xt.zeros((SIZE, SIZE), xt.f32), xt.init_tile(A, (0, 0), (SIZE, SIZE))
    for _ in range(0, A.shape[1], SIZE):
        a = xt.load_tile(tile)
        total += a + a.T
        tile = xt.update_tile_offset(tile, (0, SIZE))
    xt.store_tile(total, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def moved_in_two_loops(A, B, C):
    total, tile = xt.zeros((SIZE, SIZE), xt.f32), xt.init_tile(A, (0, 0), (SIZE, SIZE))
    for _ in range(2):
        for _ in range(0, A.shape[1] // 2, SIZE):
            a = xt.load_tile(tile)
            total += a - a.T * 2.0
            tile = xt.update_tile_offset(tile, (0, SIZE))
    last = xt.load_tile(xt.update_tile_offset(tile, (0, -SIZE)))
    xt.store_tile(total + last.T, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def worked_out(A, B, C):
    """The transpose of an expression, with a row, coordinates and a number in it."""
    total = xt.zeros((SIZE, SIZE), xt.f32)
    row = xt.load_tile(xt.init_tile(B, (0, 0), (1, SIZE)))
    for k in range(0, A.shape[1], SIZE):
        a = xt.load_tile(xt.init_tile(A, (0, k), (SIZE, SIZE)))
        masked = xt.where(xt.arange(SIZE)[:, None] <= xt.arange(SIZE)[None, :], a * row, 0.5)
        total += masked - (masked * 2.0).T
    xt.store_tile(total, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def in_a_branch(A, B, C):
    total = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        if k > 0:
            a = xt.load_tile(xt.init_tile(A, (0, k), (SIZE, SIZE)))
            total += a + a.T
    xt.store_tile(total, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def stored_between(A, B, C):
    """The second use comes after a store to the array: both are of what was loaded before it."""
    a = xt.load_tile(xt.init_tile(C, (0, 0), (SIZE, SIZE)))
    xt.store_tile(a + 1.0, xt.init_tile(C, (0, 0), (SIZE, SIZE)))
    xt.store_tile(a.T - a, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def in_place(A, B, C):
    """One tile for the load and the store."""
    tile = xt.init_tile(C, (0, 0), (SIZE, SIZE))
    xt.store_tile(xt.load_tile(tile).T, tile)


FOLDED = (made_each_time, moved, moved_in_two_loops, worked_out, in_a_branch, stored_between, in_place)


def chosen(A, B, C):
    """A tile that a branch chooses has no second one."""
    tile = xt.init_tile(A, (0, 0), (SIZE, SIZE))
    if A.shape[1] > 200:
        tile = xt.init_tile(A, (0, SIZE), (SIZE, SIZE))
    a = xt.load_tile(tile)
    xt.store_tile(a + a.T, xt.init_tile(C, (0, 0), (SIZE, SIZE)))


def members(A, B, C):
    """A mask by the first largest element of each row, transposed: a column and coordinates that are spread."""
    best = xt.argmax(xt.load_tile(xt.init_tile(A, (0, 0), (SIZE, SIZE))), axis=1)
    member = xt.where((best == xt.arange(SIZE)[None, :]) & (xt.arange(SIZE)[:, None] < 20), 1.0, 0.0)
    b = xt.load_tile(xt.init_tile(B, (0, 0), (SIZE, SIZE)))
    xt.store_tile(member.T + b * xt.sum(member, axis=0), xt.init_tile(C, (0, 0), (SIZE, SIZE)))


TYPES = dict.fromkeys("ABC", "f32[?,?]")


def values():
    """Small whole numbers, whose sums are exact in any order."""
    rng = np.random.default_rng(0)
    shapes = ((SIZE, 128), (SIZE, SIZE), (SIZE, SIZE))
    return {name: rng.integers(-4, 5, shape).astype(np.float32) for name, shape in zip("ABC", shapes)}


@pytest.mark.parametrize("kernel", FOLDED, ids=lambda k: k.__name__)
def test_no_transpose_is_left(kernel):
    module = trace(request(xt.jit(kernel), TYPES))
    fold_transposes(reload_transposes(module), get_target("pvc"))
    verify(module)
    assert not [op for op in module.walk() if isinstance(op, xetile.TileTranspose)]


def test_of_spread_lines_the_lines_change_places():
    module = trace(request(xt.jit(members), TYPES))
    reload_transposes(module)
    verify(module)
    assert {op.source.type.shape for op in module.find(xetile.TileTranspose)} == {(SIZE, 1)}


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("subgroups", [1, 4])
@pytest.mark.parametrize("kernel", [*FOLDED, chosen, members], ids=lambda k: k.__name__)
def test_levels(kernel, subgroups, target):
    assert_levels_agree(request(xt.jit(kernel), TYPES, target, subgroups), (1, 1, 1), values(), "C")

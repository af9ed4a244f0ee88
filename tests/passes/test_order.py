"""Accesses to one array keep the order in which the kernel has them, whatever subgroup is first."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.parity.run import arguments
from tests.passes.parity import check_parity, ops, text

rng = np.random.default_rng(6)


@xt.jit
def same_part(X):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (64, 64)))
    xt.store_tile(x * 2.0, xt.init_tile(X, (0, 0), (64, 64)))


@xt.jit
def shared_part(X):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (4, 16)))
    xt.store_tile(x * 2.0, xt.init_tile(X, (0, 0), (4, 16)))


@xt.jit
def transposed(X):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (64, 64)))
    xt.store_tile(x.T + x, xt.init_tile(X, (0, 0), (64, 64)))


@xt.jit
def streamed(X):
    t = xt.init_tile(X, (0, 0), (64, 16))
    for _ in range(4):
        xt.store_tile(xt.load_tile(t) * 2.0, t)
        t = xt.update_tile_offset(t, (0, 16))


@xt.jit
def overlapping(X):
    t = xt.init_tile(X, (0, 0), (32, 64))
    for _ in range(4):
        xt.store_tile(xt.load_tile(t) * 2.0, t)
        t = xt.update_tile_offset(t, (8, 0))


@xt.jit
def written_then_read(X):
    xt.store_tile(xt.zeros((64, 64), xt.f32) + 3.0, xt.init_tile(X, (0, 0), (64, 64)))
    x = xt.load_tile(xt.init_tile(X, (8, 0), (32, 64)))
    xt.store_tile(x + 1.0, xt.init_tile(X, (0, 0), (32, 64)))


@xt.jit
def moved_by_less_than_a_tile(X):
    for i in range(4):
        t = xt.init_tile(X, (i * 3, 0), (32, 64))
        xt.store_tile(xt.load_tile(t) * 2.0, t)


@xt.jit
def moved_by_tiles(X):
    """Each iteration has a tile of its own."""
    for i in range(0, 64, 32):
        for j in range(4):
            x = xt.load_tile(xt.init_tile(X, (i, 16 * j), (32, 16)))
            xt.store_tile(x * 2.0, xt.init_tile(X, (i, 16 * j), (32, 16)))
            xt.store_tile(x * 4.0, xt.init_tile(X, (i, 16 * j), (32, 16)))


@xt.jit
def written_twice(X):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (40, 0), (8, 64))) * 2.0, xt.init_tile(X, (5, 3), (8, 64)))
    xt.store_tile(xt.zeros((32, 64), xt.f32) + 3.0, xt.init_tile(X, (0, 0), (32, 64)))


@xt.jit
def written_side_by_side(X):
    """The halves of a row of tiles, of other heights."""
    for j in range(0, 64, 32):
        xt.store_tile(xt.zeros((32, 16), xt.f32) + 1.0, xt.init_tile(X, (0, j), (32, 16)))
        xt.store_tile(xt.zeros((16, 16), xt.f32) + 2.0, xt.init_tile(X, (8, j + 16), (16, 16)))


@xt.jit
def scattered_twice(X):
    place = xt.arange(64)[None, :] * X.stride(0)
    xt.store_scatter(xt.zeros((1, 64), xt.f32) + 1.0, xt.init_tile(X, place))
    xt.store_scatter(xt.arange(64)[None, :].to(xt.f32), xt.init_tile(X, 63 * X.stride(0) - place))


@xt.jit
def scattered_in_turn(X):
    """Each iteration has rows of its own."""
    for i in range(0, 64, 16):
        place = (i + xt.arange(16))[:, None] * 64 + xt.arange(64)[None, :]
        xt.store_scatter(xt.load_gather(xt.init_tile(X, place)) * 2.0, xt.init_tile(X, place), place > 70)


@xt.jit
def scattered_over_each_other(X):
    for i in range(0, 40, 16):
        place = (i + xt.arange(64))[None, :]
        xt.store_scatter((place * 0 + i).to(xt.f32), xt.init_tile(X, place))


@xt.jit
def updated_in_two_ways(X):
    xt.atomic_rmw_tile("add", 2.0, xt.init_tile(X, (0, 0), (32, 64)))
    xt.atomic_rmw_tile("add", 2.0, xt.init_tile(X, (8, 0), (32, 64)))
    xt.atomic_rmw_tile("max", 1.0, xt.init_tile(X, (5, 0), (32, 64)))


@xt.jit
def read_by_an_update(X):
    """What the second one finds is what the first one made."""
    xt.atomic_rmw_tile("add", 2.0, xt.init_tile(X, (0, 0), (16, 64)))
    before = xt.atomic_rmw_tile("add", 2.0, xt.init_tile(X, (8, 0), (8, 64)))
    xt.store_tile(before, xt.init_tile(X, (32, 0), (8, 64)))


@xt.jit
def apart(X):
    if xt.subgroup_id() == 0:
        x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
        xt.store_tile(x * 2.0, xt.init_tile(X, (8, 0), (8, 16)))


CASES = [(same_part, 0), (shared_part, 1), (transposed, 1), (streamed, 0), (overlapping, 2), (written_then_read, 2),
         (moved_by_less_than_a_tile, 2), (moved_by_tiles, 0), (written_twice, 1), (written_side_by_side, 0), (scattered_twice, 1),
         (scattered_in_turn, 0), (scattered_over_each_other, 1),
         (updated_in_two_ways, 1), (read_by_an_update, 1)]  # fmt: skip


@pytest.mark.parametrize("kernel,barriers", CASES, ids=[k.fn.__name__ for k, _ in CASES])
def test_barriers_stand_where_subgroups_touch_what_others_touched(kernel, barriers):
    _, modules = check_parity(kernel.fn, (1,), {"X": rng.standard_normal((64, 64)).astype(np.float32)}, subgroups=8)
    assert len(ops(modules["layout"], "gpu.barrier")) == barriers, text(modules["layout"])
    assert len(ops(modules["layout"], "xegpu.fence")) == barriers


@pytest.mark.parametrize("kernel", [k for k, _ in CASES], ids=lambda k: k.fn.__name__)
def test_subgroups_may_run_one_after_the_other(kernel):
    x = rng.integers(-9, 9, (64, 64)).astype(np.float32)
    _, modules = check_parity(kernel.fn, (1,), {"X": x}, subgroups=8)
    left = {}
    for level, first in [(level, first) for level in ("xetile", "subgroup", "canonical") for first in ("first", "last")]:
        left[level, first] = x.copy()
        interpret(modules[level], (1, 1, 1), arguments(modules[level].kernel, {"X": left[level, first]}), apart=first)
    for way, values in left.items():
        np.testing.assert_array_equal(values, left["xetile", "first"], str(way))


def test_one_subgroup_needs_no_order():
    _, modules = check_parity(transposed.fn, (1,), {"X": rng.standard_normal((64, 64)).astype(np.float32)}, subgroups=1)
    assert not ops(modules["layout"], "gpu.barrier")


def test_code_for_some_subgroups_is_left_to_the_user():
    _, modules = check_parity(apart.fn, (1,), {"X": rng.standard_normal((64, 64)).astype(np.float32)}, subgroups=1)
    assert not ops(modules["layout"], "gpu.barrier")

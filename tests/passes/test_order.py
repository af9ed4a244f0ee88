"""Accesses to one array keep the order in which the kernel has them, whatever subgroup is first."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
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
def apart(X):
    if xt.subgroup_id() == 0:
        x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
        xt.store_tile(x * 2.0, xt.init_tile(X, (8, 0), (8, 16)))


CASES = [(same_part, 0), (shared_part, 1), (transposed, 1), (streamed, 0), (overlapping, 2), (written_then_read, 2)]


@pytest.mark.parametrize("kernel,barriers", CASES, ids=[k.fn.__name__ for k, _ in CASES])
def test_barriers_stand_where_subgroups_touch_what_others_touched(kernel, barriers):
    _, modules = check_parity(kernel.fn, (1,), {"X": rng.standard_normal((64, 64)).astype(np.float32)}, subgroups=8)
    assert len(ops(modules["layout"], "gpu.barrier")) == barriers, text(modules["layout"])
    assert len(ops(modules["layout"], "xegpu.fence")) == barriers


def test_one_subgroup_needs_no_order():
    _, modules = check_parity(transposed.fn, (1,), {"X": rng.standard_normal((64, 64)).astype(np.float32)}, subgroups=1)
    assert not ops(modules["layout"], "gpu.barrier")


def test_code_for_some_subgroups_is_left_to_the_user():
    _, modules = check_parity(apart.fn, (1,), {"X": rng.standard_normal((64, 64)).astype(np.float32)}, subgroups=1)
    assert not ops(modules["layout"], "gpu.barrier")

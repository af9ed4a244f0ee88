"""Comparisons that hold in every launch are true: subgroups' own pieces of shared memory are inside of it."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import request
from xetile.dialects import arith, xegpu
from xetile.passes import pipeline
from xetile.passes.lane.numbers.fold_comparisons import fold_comparisons
from xetile.runtime.compiler import trace
from xetile.target import get_target


@xt.jit
def rolled(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32)))
    xt.store_tile(xt.roll(xt.roll(x, 1, 0), 1, 1), xt.init_tile(Y, (0, 0), (32, 32)))


TYPES = {"X": "f32[?,?]", "Y": "f32[?,?]"}


def lane(without=()):
    what, chosen = request(rolled, TYPES, "pvc", num_subgroups=2), get_target("pvc")
    table = tuple((name, tuple(step for step in passes if step not in without)) for name, passes in pipeline.PIPELINE)
    *_, (_, module) = pipeline.run_levels(table, trace(what), chosen)
    return module.kernel


def comparisons(kernel):
    return [op for op in kernel.walk() if isinstance(op, arith.CmpI)]


def test_own_pieces_of_shared_memory_have_no_masks():
    assert comparisons(lane(without=(fold_comparisons,)))
    kernel = lane()
    stores = [op for op in kernel.walk() if isinstance(op, xegpu.Store)]
    assert stores
    assert all(arith.constant_of(op.mask) is True for op in stores)


def test_values():
    x = np.random.default_rng(0).integers(-99, 99, (32, 32)).astype(np.float32)
    Launch(rolled, {"X": x, "Y": np.zeros_like(x)}, {"Y": np.roll(np.roll(x, 1, 0), 1, 1)}, num_subgroups=2).at_levels("pvc")


@xt.jit
def partly(X, Y, n):
    row = xt.program_id(0) * 8
    inside = (row + xt.arange(8)) < n
    xt.store_tile(xt.where(inside, xt.load_tile(xt.init_tile(X, row, 8)), 0), xt.init_tile(Y, row, 8))


def test_what_a_launch_decides_stays():
    what, chosen = request(partly, {"X": "f32[?]", "Y": "f32[?]", "n": "i32"}, "pvc", num_subgroups=1), get_target("pvc")
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), chosen)
    assert comparisons(module.kernel)


@xt.jit
def divided(X, Y, n):
    for k in range(0, X.shape[0], 16):
        row = k // Y.shape[0] * 16 + k % Y.shape[0]
        xt.store_tile(xt.load_tile(xt.init_tile(X, k, 16)), xt.init_tile(Y, row + n // 3 + n % 3, 16))


def test_sizes_and_counters_are_divided_without_sign():
    what, chosen = request(divided, {"X": "f32[?]", "Y": "f32[?]", "n": "i32"}, "pvc", num_subgroups=1), get_target("pvc")
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), chosen)
    counts = {kind: len([op for op in module.kernel.walk() if isinstance(op, kind)]) for kind in
              (arith.DivUI, arith.RemUI, arith.FloorDivSI, arith.RemSI)}  # fmt: skip
    assert counts == {
        arith.DivUI: 1,
        arith.RemUI: 1,
        arith.FloorDivSI: 1,
        arith.RemSI: 1,
    }  # n may be negative; the loop carries on


def test_values_of_quotients():
    x, y = np.arange(64, dtype=np.float32), np.zeros(96, np.float32)
    expected = y.copy()
    n = -5
    for k in range(0, 64, 16):
        row = k // 96 * 16 + k % 96 + n // 3 + n % 3 + 1
        expected[max(row, 0) : row + 16] = x[k : k + 16][max(-row, 0) :]
    Launch(moved, {"X": x, "Y": y, "n": n}, {"Y": expected}, num_subgroups=1).at_levels("pvc")


@xt.jit
def moved(X, Y, n):
    for k in range(0, X.shape[0], 16):
        row = k // Y.shape[0] * 16 + k % Y.shape[0]
        xt.store_tile(xt.load_tile(xt.init_tile(X, k, 16)), xt.init_tile(Y, row + n // 3 + n % 3 + 1, 16))


@xt.jit(grid=(1,))
def beyond(K, A, Y):
    """A product with rows of A of which no more than four are there."""
    if xt.max(xt.load_tile(K[8:32, 64:67])) > 0:
        k = xt.clamp(xt.load_tile(xt.init_tile(K, (1, 1), (8, 48))), -3, 3)
        a = xt.init_tile(A, (8, 16), (48, 3), base_shape=(12, 18), base_strides=(A.stride(0), 1))
        z = xt.tile_mma(k.to(xt.f32), xt.clamp(xt.load_tile(a).to(xt.bf16), -3, 3).to(xt.f32))
        z = xt.clamp(z, -3, 3).to(xt.bf16).to(xt.f32)
    else:
        z = xt.zeros((8, 3), xt.f32)
    xt.store_tile(z, xt.init_tile(Y, (0, 0), (8, 3)))


def test_rows_that_are_never_there_are_not_loaded():
    """IGC would find out which are, take their conversions to bf16 for other numbers than zeros, and choose among these for one lane alone."""
    what, chosen = request(beyond, {"K": "bf16[?,?]", "A": "f32[?,?]", "Y": "f32[?,?]"}, "pvc"), get_target("pvc")
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), chosen)
    assert len([op for op in module.kernel.walk() if isinstance(op, xegpu.Load)]) <= 8


@xt.jit(grid=(3,))
def moving(A, Y):
    """Columns of A from a launch's own on, of which no more than 18 are there."""
    p = xt.program_id(0)
    a = xt.init_tile(A, (0, p), (32, 32), base_shape=(13, 18), base_strides=(2 * A.stride(0), 1))
    a = xt.clamp(xt.load_tile(a, padding=1).to(xt.bf16), -3, 3).to(xt.bf16)
    xt.store_tile(
        xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))).to(xt.bf16), a.T), xt.init_tile(Y, (0, 0), (16, 32))
    )


def test_limits_that_places_choose_are_known_with_the_choice():
    """The limit of rows is 0 where a column is never there: no lane loads it."""
    what, chosen = request(moving, {"A": "f32[?,?]", "Y": "f32[?,?]"}, "pvc", num_subgroups=2), get_target("pvc")
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), chosen)
    assert len([op for op in module.kernel.walk() if isinstance(op, xegpu.Load)]) == 18
    below_none = [op for op in comparisons(module.kernel) if op.predicate == "ult" and arith.constant_of(op.rhs) == 0]
    assert not below_none

"""What a loop loads for a product of a later iteration is loaded in that iteration, and only where both mean the same."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import assert_levels_agree, request
from xetile.dialects import scf
from xetile.dialects.types import VectorType
from xetile.ir.verifier import verify
from xetile.passes.workgroup.loops.load_in_time import load_in_time
from xetile.runtime.compiler import trace

SIZE = 16


def step_ahead(A, B, C):
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(SIZE, A.shape[1] + SIZE, SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE])
        acc += a @ xt.load_tile(B[k - SIZE : k, 0:SIZE])
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def used_behind(A, B, C):
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE]) * 2
    for k in range(SIZE, A.shape[1], SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE]) * 2
        acc += a @ xt.load_tile(B[k - SIZE : k, 0:SIZE])
        a = following
    xt.store_tile(acc + a @ xt.load_tile(B[0:SIZE, 0:SIZE]), C[0:SIZE, 0:SIZE])


def two_steps(A, B, C):
    acc, t = xt.zeros((SIZE, SIZE), xt.f32), xt.init_tile(A, (0, 0), (SIZE, SIZE))
    a0 = xt.load_tile(t)
    t = xt.update_tile_offset(t, (0, SIZE))
    a1 = xt.load_tile(t)
    for k in range(0, A.shape[1], SIZE):
        t = xt.update_tile_offset(t, (0, SIZE))
        a2 = xt.load_tile(t)
        acc += a0 @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        a0, a1 = a1, a2
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def within_a_loop(A, B, C):
    """Each round begins at rows of its own."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for m in range(0, 3 * 5, 5):
        t = xt.init_tile(A, (m, 0), (SIZE, SIZE))
        a = xt.load_tile(t)
        for k in range(0, A.shape[1], SIZE):
            t = xt.update_tile_offset(t, (0, SIZE))
            following = xt.load_tile(t)
            acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
            a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def where_another_follows(A, B, C):
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(0, A.shape[1], SIZE):
        following = a
        if k + SIZE < A.shape[1]:
            following = xt.load_tile(A[0:SIZE, k + SIZE : k + 2 * SIZE])
        acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def in_some_rounds(A, B, C):
    """The branch leaves out more than the last iteration."""
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(0, A.shape[1], SIZE):
        following = a
        if k + 2 * SIZE < A.shape[1]:
            following = xt.load_tile(A[0:SIZE, k + SIZE : k + 2 * SIZE])
        acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def kept_at_the_end(A, B, C):
    """What the last iteration keeps is used behind the loop."""
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(0, A.shape[1], SIZE):
        following = a
        if k + SIZE < A.shape[1]:
            following = xt.load_tile(A[0:SIZE, k + SIZE : k + 2 * SIZE])
        acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        a = following
    xt.store_tile(acc + a.to(xt.f32), C[0:SIZE, 0:SIZE])


def from_elsewhere(A, B, C):
    """The first tile is not a step before the second."""
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[1 : SIZE + 1, 0:SIZE])
    for k in range(SIZE, A.shape[1] + SIZE, SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE])
        acc += a @ xt.load_tile(B[k - SIZE : k, 0:SIZE])
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def with_a_growing_step(A, B, C):
    acc, a, at = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE]), SIZE
    for k in range(0, A.shape[1], SIZE):
        following = xt.load_tile(xt.init_tile(A, (0, at), (SIZE, SIZE)))
        acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        a, at = following, at + k
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def with_other_padding(A, B, C):
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(SIZE, A.shape[1] + SIZE, SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE], padding=1)
        acc += a @ xt.load_tile(B[k - SIZE : k, 0:SIZE])
        a = following
    xt.store_tile(acc + a.to(xt.f32), C[0:SIZE, 0:SIZE])


def used_twice(A, B, C):
    """Both tiles of a window are in registers anyway: another load would be one more."""
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(SIZE, A.shape[1] + SIZE, SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE])
        acc += (a + following) @ xt.load_tile(B[k - SIZE : k, 0:SIZE])
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def written_meanwhile(A, B, C):
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(SIZE, A.shape[1] + SIZE, SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE])
        A[0:SIZE, k : k + SIZE] = following * 0
        acc += a @ xt.load_tile(B[k - SIZE : k, 0:SIZE])
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def added_up(A, B, C):
    """No product takes what is loaded ahead: registers are free for it."""
    acc, a = xt.zeros((SIZE, SIZE), xt.f32), xt.load_tile(A[0:SIZE, 0:SIZE])
    for k in range(SIZE, A.shape[1] + SIZE, SIZE):
        following = xt.load_tile(A[0:SIZE, k : k + SIZE])
        acc += a.to(xt.f32)
        a = following
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


LOADED = (step_ahead, used_behind, two_steps, within_a_loop, where_another_follows)
LEFT = (
    in_some_rounds,
    kept_at_the_end,
    from_elsewhere,
    with_a_growing_step,
    with_other_padding,
    used_twice,
    written_meanwhile,
    added_up,
)
TYPES = {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}


def carried(kernel):
    """How many values besides the sum its innermost loop carries behind the pass."""
    module = load_in_time(trace(request(xt.jit(kernel), TYPES, "pvc")))
    verify(module)
    loop = [op for op in module.walk() if isinstance(op, scf.For)][-1]
    return sum(isinstance(arg.type, VectorType) for arg in loop.body.args) - 1


@pytest.mark.parametrize("kernel", LOADED, ids=lambda k: k.__name__)
def test_the_loop_carries_its_sum_alone(kernel):
    assert carried(kernel) == 0


@pytest.mark.parametrize("kernel", LEFT, ids=lambda k: k.__name__)
def test_what_means_something_else_is_carried(kernel):
    assert carried(kernel) == 1


@pytest.mark.every(18, 6)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("columns", [SIZE, 8, 4 * SIZE + 8])
@pytest.mark.parametrize("kernel", [*LOADED, *LEFT], ids=lambda k: k.__name__)
def test_levels_agree(kernel, columns, target):
    random = np.random.default_rng(0)
    a, b = random.integers(-3, 4, (2 * SIZE, columns)), random.integers(-3, 4, (columns, SIZE))
    values = {"A": a.astype(np.float16), "B": b.astype(np.float16), "C": np.zeros((SIZE, SIZE), np.float32)}
    assert_levels_agree(request(xt.jit(kernel), TYPES, target), (1, 1, 1), values, "C")

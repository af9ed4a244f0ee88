"""Branches that a loop of products decides alike in all iterations go around it, and all others stay."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import assert_levels_agree, request
from xetile.dialects import scf
from xetile.ir.verifier import verify
from xetile.passes.workgroup.forms.lift_branches import lift_branches
from xetile.runtime.compiler import trace

SIZE = 16


def first_of(A, k):
    return xt.load_tile(A[0:SIZE, k : k + SIZE])


def either(A, B, C, n):
    """Operands that lie in different orders."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        if n == 1:
            b = xt.load_tile(B.T[k : k + SIZE, 0:SIZE])
        else:
            b = xt.load_tile(B[k : k + SIZE, 0:SIZE])
        acc += first_of(A, k) @ b
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def beside(A, B, C, n):
    """A product more, on one side alone, by what an argument and a block say."""
    acc, low = xt.zeros((SIZE, SIZE), xt.f32), xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        a = first_of(A, k)
        acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        if n + xt.program_id(0) > 0:
            low += a @ xt.load_tile(B[0:SIZE, 0:SIZE])
    xt.store_tile(acc - low, C[0:SIZE, 0:SIZE])


def twice(A, B, C, n):
    """Two conditions make four loops, a third one stays."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        a = first_of(A, k)
        if n > 0:
            a = xt.load_tile(A[SIZE : 2 * SIZE, k : k + SIZE])
        if n > 1:
            acc += a @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        if n != 1:
            acc += first_of(A, k) @ xt.load_tile(B[0:SIZE, 0:SIZE])
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def nested(A, B, C, n):
    """Out of the loop of products; the one around it stays around the branch."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for m in range(0, 2 * SIZE, SIZE):
        for k in range(0, A.shape[1], SIZE):
            if n == 0:
                acc += first_of(A, k) @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
            else:
                acc += first_of(A, k) @ xt.load_tile(B.T[k : k + SIZE, m : m + SIZE])
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def stored(A, B, C, n):
    """Sides that give nothing."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        acc += first_of(A, k) @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        if n == 0:
            C[0:SIZE, 0:SIZE] = acc + xt.load_tile(C[0:SIZE, 0:SIZE])
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def by_the_counter(A, B, C, n):
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        if k > n:
            acc += first_of(A, k) @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def by_what_is_written(A, B, C, n):
    """What the condition reads changes in the loop."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        if C[0, 0] <= n:
            acc += first_of(A, k) @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        C[0, 0] = xt.cast(k, xt.f32)
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def by_subgroups(A, B, C, n):
    """All subgroups meet at the barriers of the loop."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        acc += first_of(A, k).T @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        if xt.subgroup_id() == n:
            xt.store_tile(first_of(A, k).to(xt.f32)[0:1], C[SIZE : SIZE + 1, 0:SIZE])
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def of_numbers(A, B, C, n):
    """Nothing is loaded or multiplied in the branch."""
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        acc += first_of(A, k) @ xt.load_tile(B[k : k + SIZE, 0:SIZE])
        if n == 1:
            acc = acc * 2
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


def without_products(A, B, C, n):
    acc = xt.zeros((SIZE, SIZE), xt.f32)
    for k in range(0, A.shape[1], SIZE):
        if n == 1:
            acc += first_of(B, k).to(xt.f32)
        else:
            acc += first_of(A, k).to(xt.f32)
    xt.store_tile(acc, C[0:SIZE, 0:SIZE])


TYPES = {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]", "n": "i32"}
LOOPS = {either: 2, beside: 2, twice: 4, nested: 3, stored: 2}
LEFT = (by_the_counter, by_what_is_written, by_subgroups, of_numbers, without_products)


def loops(kernel) -> int:
    """How many loops there are behind the pass."""
    module = lift_branches(trace(request(xt.jit(kernel), TYPES, "pvc")))
    verify(module)
    return sum(isinstance(op, scf.For) for op in module.walk())


@pytest.mark.parametrize("kernel", LOOPS, ids=lambda kernel: kernel.__name__)
def test_each_side_has_a_loop(kernel):
    assert loops(kernel) == LOOPS[kernel]


@pytest.mark.parametrize("kernel", LEFT, ids=lambda kernel: kernel.__name__)
def test_other_branches_stay(kernel):
    assert loops(kernel) == 1


@pytest.mark.every(9, 2)
@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("kernel", [*LOOPS, by_the_counter, by_what_is_written], ids=lambda kernel: kernel.__name__)
def test_every_level_gives_the_same(kernel, n):
    whole = partial(np.random.default_rng(1).integers, -2, 3)
    arrays = {"A": whole(size=(40, 70)), "B": whole(size=(70, 70)), "C": np.zeros((20, 16))}
    values = {name: array.astype(np.float32 if name == "C" else np.float16) for name, array in arrays.items()}
    assert_levels_agree(request(xt.jit(kernel), TYPES, "pvc"), (1, 1, 1), {**values, "n": n}, "C")

"""Products too deep for shared memory: steps of a part of the depth, the same numbers, and what stays."""

import re
from dataclasses import replace

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch


@xt.jit
def deep(A, B, C, n, STEP: xt.constexpr = 64):
    """C[256, 32] = A @ B, of 64 columns of A in each step that begins below n."""
    acc = xt.zeros((256, 32), xt.f32)
    for k in range(0, n, STEP):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (256, 64))) @ xt.load_tile(xt.init_tile(B, (k, 0), (64, 32)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (256, 32)))


@xt.jit
def two_sums(A, B, C, n):
    one, two = xt.zeros((256, 32), xt.f32), xt.zeros((256, 32), xt.f32)
    for k in range(0, n, 64):
        a = xt.load_tile(xt.init_tile(A.T, (0, k), (256, 64)))
        one += a @ xt.load_tile(xt.init_tile(B, (k, 0), (64, 32)))
        two += a @ xt.load_tile(xt.init_tile(B, (k, 8), (64, 32)))
    xt.store_tile(one - two * 2, xt.init_tile(C, (0, 0), (256, 32)))


@xt.jit
def counted(A, B, C, n):
    acc, steps = xt.zeros((256, 32), xt.f32), 0
    for k in range(0, n, 64):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (256, 64))) @ xt.load_tile(xt.init_tile(B, (k, 0), (64, 32)))
        steps += 1
    xt.store_tile(acc + steps, xt.init_tile(C, (0, 0), (256, 32)))


@xt.jit
def beside(A, B, C, n, WORDS: xt.constexpr = 16384):
    """The same beside shared memory of the kernel's own."""
    kept = xt.alloc_slm((WORDS,), xt.f32)
    words = xt.init_tile(kept, 0, (WORDS,))
    xt.store_tile(xt.zeros((WORDS,), xt.f32), words)
    acc = xt.zeros((256, 32), xt.f32)
    for k in range(0, n, 64):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (256, 64))) @ xt.load_tile(xt.init_tile(B, (k, 0), (64, 32)))
    xt.barrier()
    acc += xt.sum(xt.load_tile(words))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (256, 32)))


def launch(kernel, n, turned=False, **constants) -> Launch:
    rng = np.random.default_rng(n)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((256, 160), (160, 40)))
    values = {"A": a.T.copy() if turned else a, "B": b, "C": np.zeros((256, 32), np.float32), "n": n}
    return Launch(kernel, values, {}, constants=constants, num_subgroups=8)


def depths(case: Launch) -> set[str]:
    """Of what a kernel for DG2 multiplies in a step."""
    products = [line for line in case.compiled("dg2").ir["layout"].splitlines() if "xetile.tile_mma" in line]
    return {re.search(r": vector<256x(\d+)xf16>", line)[1] for line in products}


@pytest.mark.parametrize("kernel,turned", [(deep, False), (two_sums, True)], ids=["one", "two"])
def test_steps_are_parts_of_the_depth(kernel, turned):
    assert depths(launch(kernel, 160, turned)) == {"32"}


@pytest.mark.parametrize("kernel,constants", [(deep, {"STEP": 128}), (counted, {})], ids=["leaves columns out", "counts"])
def test_other_loops_stay(kernel, constants):
    assert depths(launch(kernel, 160, **constants)) == {"64"}


@pytest.mark.parametrize("words", [16384, 16320])
def test_loops_stay_where_no_shared_memory_is_left(words):
    """Parts were halved without end."""
    assert depths(launch(beside, 160, WORDS=words)) == {"64"}


@pytest.mark.parametrize("n", [0, 16, 64, 80, 160, 200])
def test_columns_behind_the_number_count_as_before(n):
    """A step that begins in front of it goes through all of its columns."""
    case = launch(deep, n)
    a, b = (case.values[name].astype(np.float32) for name in "AB")
    last = -(-n // 64) * 64
    case = replace(case, expected={"C": a[:, :last] @ b[:last, :32]})
    case.at_levels("dg2")
    case.on_device("cpu", "dg2")

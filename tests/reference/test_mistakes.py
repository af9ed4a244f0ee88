"""Mistakes that hardware hides, seeded one by one: debug mode reports each at its line, and is silent about its correct twin."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.checks import DivergentBarrierError, OutOfBoundsError, RaceError, UndefinedValueError

import xetile as xt
from xetile.errors import CompileError, KernelAssertionError
from xetile.runtime import settings

# In each pair of kernels the line at fault ends in "# here", the line that it conflicts with in "# there".


@xt.jit
def gather_outside(A, R, N: xt.constexpr = 64):
    i = xt.arange(N) * 2
    xt.store_tile(xt.load_gather(xt.init_tile(A, i)), xt.init_tile(R, 0, (N,)))  # here


@xt.jit
def gather_masked(A, R, N: xt.constexpr = 64):
    i = xt.arange(N) * 2
    inside = i < A.shape[0]
    xt.store_tile(xt.load_gather(xt.init_tile(A, i), inside), xt.init_tile(R, 0, (N,)))


@xt.jit
def scatter_outside(A, R, N: xt.constexpr = 64):
    values = xt.load_tile(xt.init_tile(A, 0, (N,)))
    xt.store_scatter(values, xt.init_tile(R, xt.arange(N) - 1))  # here


@xt.jit
def scatter_masked(A, R, N: xt.constexpr = 64):
    values = xt.load_tile(xt.init_tile(A, 0, (N,)))
    i = xt.arange(N) - 1
    xt.store_scatter(values, xt.init_tile(R, i), i >= 0)


@xt.jit
def overlapping_tiles(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    values = xt.load_tile(xt.init_tile(A, at, (2 * N,)))
    xt.store_tile(values * (at + 1), xt.init_tile(R, at, (2 * N,)))  # here


@xt.jit
def separate_tiles(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    values = xt.load_tile(xt.init_tile(A, at, (N,)))
    xt.store_tile(values * (at + 1), xt.init_tile(R, at, (N,)))


@xt.jit
def stencil_in_place(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    left = xt.load_tile(xt.init_tile(R, at - 1, (N,)))  # there
    xt.store_tile(left + 1.0, xt.init_tile(R, at, (N,)))  # here


@xt.jit
def stencil_apart(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    left = xt.load_tile(xt.init_tile(A, at - 1, (N,)))
    xt.store_tile(left + 1.0, xt.init_tile(R, at, (N,)))


@xt.jit
def sum_without_atomics(A, R, N: xt.constexpr = 16):
    total = xt.init_tile(R, 0, (N,))
    before = xt.load_tile(total)  # here
    xt.store_tile(before + xt.load_tile(xt.init_tile(A, xt.program_id(0) * N, (N,))), total)  # there


@xt.jit
def sum_with_atomics(A, R, N: xt.constexpr = 16):
    values = xt.load_tile(xt.init_tile(A, xt.program_id(0) * N, (N,)))
    xt.atomic_rmw_tile("add", values, xt.init_tile(R, 0, (N,)))


@xt.jit
def last_one_adds_up(A, R, Parts, Count, N: xt.constexpr = 16):
    """Each program leaves a part; who comes last adds them up."""
    me, counter = xt.program_id(0), xt.init_tile(Count, 0, (1,))
    xt.store_tile(xt.load_tile(xt.init_tile(A, me * N, (N,)))[None, :] * 2, xt.init_tile(Parts, (me, 0), (1, N)))  # there
    before = xt.atomic_rmw_tile("add", 1, counter)
    if xt.sum(before) == xt.num_programs(0) - 1:
        total = xt.sum(xt.load_tile(xt.init_tile(Parts, (0, 0), (4, N))), axis=0)  # here
        xt.store_tile(total, xt.init_tile(R, (0, 0), (1, N)))


@xt.jit
def last_one_adds_up_behind_fences(A, R, Parts, Count, N: xt.constexpr = 16, BEFORE: xt.constexpr = True,
                                   AFTER: xt.constexpr = True):  # fmt: skip
    me, counter = xt.program_id(0), xt.init_tile(Count, 0, (1,))
    xt.store_tile(xt.load_tile(xt.init_tile(A, me * N, (N,)))[None, :] * 2, xt.init_tile(Parts, (me, 0), (1, N)))
    if BEFORE:
        xt.fence("global", "gpu")
    before = xt.atomic_rmw_tile("add", 1, counter)
    if AFTER:
        xt.fence("global", "gpu")
    if xt.sum(before) == xt.num_programs(0) - 1:
        total = xt.sum(xt.load_tile(xt.init_tile(Parts, (0, 0), (4, N))), axis=0)
        xt.store_tile(total, xt.init_tile(R, (0, 0), (1, N)))


@xt.jit
def first_one_clears(A, R, N: xt.constexpr = 16):
    total = xt.init_tile(R, 0, (N,))
    if xt.program_id(0) == 0:
        xt.store_tile(xt.zeros((N,), xt.f32), total)  # there
    xt.atomic_rmw_tile("add", xt.load_tile(xt.init_tile(A, xt.program_id(0) * N, (N,))), total)  # here


@xt.jit
def everyone_clears_its_own(A, R, N: xt.constexpr = 16):
    total = xt.init_tile(R, xt.program_id(0) * N, (N,))
    xt.store_tile(xt.zeros((N,), xt.f32), total)
    xt.atomic_rmw_tile("add", xt.load_tile(xt.init_tile(A, xt.program_id(0) * N, (N,))), total)


@xt.jit
def scatter_collides(A, R, N: xt.constexpr = 16):
    values = xt.load_tile(xt.init_tile(A, 0, (N,))) * xt.arange(N)
    xt.store_scatter(values, xt.init_tile(R, xt.arange(N) // 2))  # here


@xt.jit
def scatter_agrees(A, R, N: xt.constexpr = 16):
    values = xt.load_tile(xt.init_tile(A, 0, (N,))) * (xt.arange(N) // 2)
    xt.store_scatter(values, xt.init_tile(R, xt.arange(N) // 2))


@xt.jit
def adds_to_new_shared_memory(A, R, N: xt.constexpr = 16):
    shared = xt.init_tile(xt.alloc_slm((1, N), xt.f32), (0, 0), (1, N))
    values = xt.load_tile(xt.init_tile(A, 0, (N,)))[None, :]
    xt.atomic_rmw_tile("add", values, shared)  # here
    xt.store_tile(values, xt.init_tile(R, 0, (N,)))


@xt.jit
def adds_to_cleared_shared_memory(A, R, N: xt.constexpr = 16):
    shared = xt.init_tile(xt.alloc_slm((1, N), xt.f32), (0, 0), (1, N))
    values = xt.load_tile(xt.init_tile(A, 0, (N,)))[None, :]
    xt.atomic_rmw_tile("assign", values, shared)
    xt.barrier()
    xt.atomic_rmw_tile("add", values, shared)
    xt.store_tile(values, xt.init_tile(R, 0, (N,)))


@xt.jit(num_subgroups=2)
def no_barrier_after_store(A, R, N: xt.constexpr = 16):
    shared = xt.alloc_slm((N, N), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (N, N))), xt.init_tile(shared, (0, 0), (N, N)))  # there
    transposed = xt.load_tile(xt.init_tile(shared.T, (0, 0), (N, N)))  # here
    xt.store_tile(transposed, xt.init_tile(R, (0, 0), (N, N)))


@xt.jit(num_subgroups=2)
def barrier_after_store(A, R, N: xt.constexpr = 16):
    shared = xt.alloc_slm((N, N), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (N, N))), xt.init_tile(shared, (0, 0), (N, N)))
    xt.barrier()
    transposed = xt.load_tile(xt.init_tile(shared.T, (0, 0), (N, N)))
    xt.store_tile(transposed, xt.init_tile(R, (0, 0), (N, N)))


@xt.jit(num_subgroups=2)
def no_barrier_before_reuse(A, R, N: xt.constexpr = 16):
    shared = xt.alloc_slm((N, N), xt.f32)
    value = xt.load_tile(xt.init_tile(A, (0, 0), (N, N)))
    for _ in range(2):
        xt.store_tile(value, xt.init_tile(shared, (0, 0), (N, N)))  # here
        xt.barrier()
        value = xt.load_tile(xt.init_tile(shared.T, (0, 0), (N, N)))  # there
    xt.store_tile(value, xt.init_tile(R, (0, 0), (N, N)))


@xt.jit(num_subgroups=2)
def barrier_before_reuse(A, R, N: xt.constexpr = 16):
    shared = xt.alloc_slm((N, N), xt.f32)
    value = xt.load_tile(xt.init_tile(A, (0, 0), (N, N)))
    for _ in range(2):
        xt.store_tile(value, xt.init_tile(shared, (0, 0), (N, N)))
        xt.barrier()
        value = xt.load_tile(xt.init_tile(shared.T, (0, 0), (N, N)))
        xt.barrier()
    xt.store_tile(value, xt.init_tile(R, (0, 0), (N, N)))


@xt.jit
def half_of_it_written(A, R, N: xt.constexpr = 16):
    shared = xt.alloc_slm((N, N), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (N // 2, N))), xt.init_tile(shared, (0, 0), (N // 2, N)))
    xt.barrier()
    value = xt.load_tile(xt.init_tile(shared, (0, 0), (N, N)))  # here
    xt.store_tile(value, xt.init_tile(R, (0, 0), (N, N)))


@xt.jit
def all_of_it_written(A, R, N: xt.constexpr = 16):
    shared = xt.alloc_slm((N, N), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (N, N))), xt.init_tile(shared, (0, 0), (N, N)))
    xt.barrier()
    value = xt.load_tile(xt.init_tile(shared, (0, 0), (N, N)))
    xt.store_tile(value, xt.init_tile(R, (0, 0), (N, N)))


@xt.jit
def divides_by_zero(A, R, N: xt.constexpr = 16):
    part = A.shape[0] // xt.program_id(0)  # here
    xt.store_tile(xt.load_tile(xt.init_tile(A, part, (N,))), xt.init_tile(R, xt.program_id(0) * N, (N,)))


@xt.jit
def divides_by_more(A, R, N: xt.constexpr = 16):
    part = A.shape[0] // (xt.program_id(0) + 1)
    xt.store_tile(xt.load_tile(xt.init_tile(A, part, (N,))), xt.init_tile(R, xt.program_id(0) * N, (N,)))


@xt.jit
def divides_padding_by_padding(A, R, N: xt.constexpr = 64):
    tile = xt.init_tile(A, xt.program_id(0) * N, (N,))
    whole = xt.load_tile(tile).to(xt.i32)
    xt.store_tile((whole // whole).to(xt.f32), xt.init_tile(R, xt.program_id(0) * N, (N,)))


@xt.jit
def asserts_too_much(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    xt.device_assert(at + N <= A.shape[0], "a whole tile")  # here
    xt.store_tile(xt.load_tile(xt.init_tile(A, at, (N,))), xt.init_tile(R, at, (N,)))


@xt.jit
def asserts_what_holds(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    xt.device_assert(at < A.shape[0], "something of a tile")
    xt.store_tile(xt.load_tile(xt.init_tile(A, at, (N,))), xt.init_tile(R, at, (N,)))


@xt.jit(out={"R": lambda A: xt.empty(A.shape, xt.f32)}, grid=(2,))
def adds_to_a_new_output(A, R, N: xt.constexpr = 50):
    r = xt.init_tile(R, xt.program_id(0) * N, (N,))
    before = xt.load_tile(r)  # here
    xt.store_tile(before + xt.load_tile(xt.init_tile(A, xt.program_id(0) * N, (N,))), r)


@xt.jit(out={"R": lambda A: np.zeros(A.shape, np.float32)}, grid=(2,))
def adds_to_an_output_of_zeros(A, R, N: xt.constexpr = 50):
    r = xt.init_tile(R, xt.program_id(0) * N, (N,))
    before = xt.load_tile(r)
    xt.store_tile(before + xt.load_tile(xt.init_tile(A, xt.program_id(0) * N, (N,))), r)


@dataclass
class Mistake:
    wrong: Any
    right: Any
    error: type[Exception]
    says: str
    grid: tuple[int, ...] = (1,)
    arrays: Callable[[], tuple[Any, ...]] = lambda: (np.ones(100, np.float32), np.zeros(100, np.float32))


def squares() -> tuple[Any, Any]:
    return np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)


def parts() -> tuple[Any, ...]:
    return np.ones(64, np.float32), np.zeros((1, 16), np.float32), np.zeros((4, 16), np.float32), np.zeros(1, np.int32)


MISTAKES = [
    Mistake(gather_outside, gather_masked, OutOfBoundsError, r"offset 100.*A with 100 elements"),
    Mistake(scatter_outside, scatter_masked, OutOfBoundsError, r"offset -1"),
    Mistake(overlapping_tiles, separate_tiles, RaceError, r"different values", (4,)),
    Mistake(stencil_in_place, stencil_apart, RaceError, r"\(x=\d, y=0, z=0\) writes an element of R that program .* read", (4,)),
    Mistake(
        sum_without_atomics, sum_with_atomics, RaceError, r"\(x=\d, y=0, z=0\) writes an element of R that others read", (4,)
    ),
    Mistake(
        scatter_collides, scatter_agrees, RaceError, r"program \(x=0, y=0, z=0\) writes different values to one element of R"
    ),
    Mistake(adds_to_new_shared_memory, adds_to_cleared_shared_memory, UndefinedValueError, r"nothing has been written"),
    Mistake(last_one_adds_up, last_one_adds_up_behind_fences, RaceError, r"(?s)Parts.* wrote.*fence", (4,), parts),
    Mistake(first_one_clears, everyone_clears_its_own, RaceError, r"updates an element of R that program \(x=0,.* wrote", (4,)),
    Mistake(no_barrier_after_store, barrier_after_store, RaceError, r"no barrier between", arrays=squares),
    Mistake(no_barrier_before_reuse, barrier_before_reuse, RaceError, r"no barrier between", arrays=squares),
    Mistake(half_of_it_written, all_of_it_written, UndefinedValueError, r"nothing has been written", arrays=squares),
    Mistake(divides_by_zero, divides_by_more, UndefinedValueError, r"x=0.*divides by zero", (4,)),
    Mistake(divides_by_zero, divides_padding_by_padding, UndefinedValueError, r"x=0", (2,)),
    Mistake(asserts_too_much, asserts_what_holds, KernelAssertionError, r"a whole tile.*x=6", (7,)),
]


def line_of(kernel: Any, mark: str) -> int | None:
    lines, first = inspect.getsourcelines(kernel.fn)
    return next((first + i for i, line in enumerate(lines) if line.rstrip().endswith(mark)), None)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.wrong.fn.__name__)
def test_the_mistake_is_reported_at_its_line(mistake):
    with xt.debug(), pytest.raises(mistake.error, match=mistake.says) as error:
        mistake.wrong[mistake.grid](*mistake.arrays())
    assert error.value.at.file == __file__
    places = {line_of(mistake.wrong, "# here"), line_of(mistake.wrong, "# there")} - {None}
    assert error.value.at.line in places
    others = places - {error.value.at.line}
    assert all(f"{__file__}:{line}" in str(error.value) for line in others)
    assert "^" in str(error.value)  # the source line is shown


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.right.fn.__name__)
def test_the_correct_twin_is_silent(mistake):
    checked, plain = mistake.arrays(), mistake.arrays()
    with xt.debug():
        mistake.right[mistake.grid](*checked)
    with xt.device("numpy"):
        mistake.right[mistake.grid](*plain)
    assert (checked[1] == plain[1]).all()


@pytest.mark.parametrize(
    "mistake", [m for m in MISTAKES if m.error is not KernelAssertionError], ids=lambda m: m.wrong.fn.__name__
)
def test_without_debug_mode_the_mistake_is_as_silent_as_on_hardware(mistake):
    with xt.device("numpy"), settings.override(debug=False):
        mistake.wrong[mistake.grid](*mistake.arrays())


@pytest.mark.parametrize("fences", [{"BEFORE": False}, {"AFTER": False}], ids=str)
def test_either_fence_is_needed(fences):
    with xt.debug(), pytest.raises(RaceError, match="Parts"):
        last_one_adds_up_behind_fences[(4,)](*parts(), **fences)


@pytest.mark.parametrize("times", [1, 2])
def test_an_output_that_is_read_before_it_is_written(times):
    """Each call allocates another one."""
    with xt.debug():
        for _ in range(times):
            with pytest.raises(UndefinedValueError, match=r"x=0.* reads R where nothing has been written") as error:
                adds_to_a_new_output(np.ones(100, np.float32))
            assert error.value.at.line == line_of(adds_to_a_new_output, "# here")
            assert (adds_to_an_output_of_zeros(np.ones(100, np.float32)) == 1).all()


def test_an_output_that_is_not_written_whole_shows_it():
    @xt.jit(out={"R": lambda A: xt.empty(A.shape, A_dtype)}, grid=(1,))
    def half(A, R):
        xt.store_tile(xt.load_tile(xt.init_tile(A, 0, (50,))), xt.init_tile(R, 0, (50,)))

    for A_dtype in (xt.f32, xt.f16, xt.i32):
        with xt.debug(), pytest.raises(UndefinedValueError, match="no program writes 50 of the 100 elements of R") as error:
            half(np.ones(100, A_dtype.numpy))
        assert "the first is R.flat[50]" in str(error.value)


@pytest.mark.parametrize("debug", [False, True])
def test_a_divergent_barrier_is_reported_always(debug):
    """By the frontend where it can know, else when it happens."""
    with xt.debug() if debug else xt.device("numpy"), pytest.raises((DivergentBarrierError, CompileError)) as error:
        barrier_for_some[(1,)](*squares())
    assert "barrier" in str(error.value) and error.value.at.line == line_of(barrier_for_some, "# here")


@xt.jit(num_subgroups=4)
def barrier_for_some(A, R):
    if xt.subgroup_id() < 2:
        xt.barrier()  # here
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.init_tile(R, (0, 0), (16, 16)))

"""Numbers that are read from memory, as bounds of loops, offsets and what loops carry: right programs run, in whatever width they need."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import xetile as xt
from tests.generators import plain
from xetile.runtime.settings import override

WAYS = [
    *(("numpy", "", dtype) for dtype in ("i4", "i8", "u4")),
    *(pytest.param("cpu", "emulate", dtype, marks=pytest.mark.device) for dtype in ("i4", "i8", "u4")),
    pytest.param("cpu", "vector", "i4", marks=pytest.mark.device),
]
ROWS = 64


def number(L, i):
    return xt.load_tile(xt.init_tile(L, i, (1,))).item()


def note(X, Out, i, at):
    """A row of X that begins at `at`: tells a wrong offset by one, and one that wraps."""
    xt.store_tile(xt.load_tile(xt.init_tile(X, (at, 0), (1, 16))), xt.init_tile(Out, (i, 0), (1, 16)))


@xt.jit
def counts_down(L, X, Out):
    at = xt.cast(0, xt.i32)
    for i in range(number(L, 0) % 5, 0, -1):
        for j in range(xt.cast(i, xt.i32) % 3):
            at += xt.cast(j + 1, xt.i32)
    note(X, Out, 0, at)


@xt.jit
def counts_down_and_breaks(L, X, Out):
    at = xt.cast(0, xt.i32)
    for i in range(number(L, 0), -3, -2):
        at += xt.cast(i, xt.i32)
        if at > 20:
            break
    note(X, Out, 0, at)


@xt.jit
def counts_down_from_end_to_end(L, X, Out):
    """The difference of the bounds is more than their type holds."""
    at = xt.cast(0, xt.i32)
    for i in range(number(L, 3), number(L, 4), -(1 << 30)):
        at += 1
        note(X, Out, at, xt.cast(i % 61, xt.i32))
    note(X, Out, 0, at)


@xt.jit
def moves_as_often_as_memory_says(L, X, Out):
    at, last = xt.cast(1, xt.i32), number(L, 1)
    for _ in range(3, last % 16):
        at += xt.cast(last % 5, xt.i32)
        for k in range(0, at % 3 * 16, 16):
            at += xt.cast(k // 16, xt.i32)
    note(X, Out, 0, at)


@xt.jit
def moves_an_index_as_often_as_memory_says(L, X, Out):
    at = 0
    for _ in range(number(L, 1)):
        at += 3
    note(X, Out, 0, at)
    tile = xt.init_tile(X, (0, 0), (1, 16))
    for _ in range(number(L, 1)):
        tile = xt.update_tile_offset(tile, (5, 0))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out, (1, 0), (1, 16)))


@xt.jit
def looks_at_memory_before_each_iteration(L, X, Out):
    at, step = xt.cast(0, xt.i32), xt.cast(3, xt.i32)
    while at < number(L, 1):
        at += 16
    note(X, Out, 0, at)
    while at * step > number(L, 0):
        at -= step
    note(X, Out, 1, at)


@xt.jit
def carries_what_it_reads(L, X, Out):
    at, other = number(L, 0), number(L, 1)
    for i in range(4):
        at, other = other, at + 1
        note(X, Out, i, at)
        other += number(L, i) * 0
    note(X, Out, 5, other)


@xt.jit
def follows_a_chain(L, X, Out):
    at = xt.cast(2, xt.i32)
    for i in range(number(L, 2)):
        at = xt.cast(number(L, at), xt.i32)
        note(X, Out, i, at * 3)


@xt.jit
def multiplies_what_it_reads(L, X, Out):
    at = number(L, 0)
    for i in range(3):
        at = at * 7 % 60
        note(X, Out, i, at)
        note(X, Out, i + 8, at * number(L, 1) * number(L, 2) // (number(L, 1) * number(L, 2)))


KERNELS = [
    counts_down, counts_down_and_breaks, counts_down_from_end_to_end, moves_as_often_as_memory_says,
    moves_an_index_as_often_as_memory_says, looks_at_memory_before_each_iteration, carries_what_it_reads, follows_a_chain,
    multiplies_what_it_reads,
]  # fmt: skip


def arrays(dtype: str) -> dict[str, np.ndarray]:
    numbers = {"u4": [14, 11, 5, 2**32 - 5, 2**30, 6, 7, 1]}.get(dtype, [14, 11, 5, 2**31 - 5, 2 - 2**31, 6, 7, 1])
    return {"L": np.array(numbers, dtype), "X": np.arange(ROWS * 16, dtype="f4").reshape(ROWS, 16) + 1,
            "Out": np.zeros((16, 16), "f4")}  # fmt: skip


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("where, way, dtype", WAYS)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.fn.__name__)
def test_numbers_from_memory(kernel, dtype, where, way, request):
    if where == "cpu":
        request.getfixturevalue("cpu")
    found, expected = arrays(dtype), arrays(dtype)
    _in_python(kernel, expected)
    with override(cpu=way or "vector"), xt.device(where):
        kernel[(1,)](*found.values())
    assert np.array_equal(found["Out"], expected["Out"])


def _in_python(kernel, values: dict[str, np.ndarray]) -> None:
    source = "\n".join(inspect.getsource(getattr(f, "fn", f)) for f in (number, note, kernel))
    plain.run(source, kernel.fn.__name__, (1,), values)

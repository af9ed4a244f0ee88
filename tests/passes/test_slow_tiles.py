"""Warnings for tiles that are moved element by element because of what the kernel says: where, why and how to fix it."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.kernels import attention, layer_norm, matmul, softmax
from xetile.errors import Location
from xetile.runtime.artifact import Binary
from xetile.runtime.specialize import PerformanceWarning

TYPES = ("f16[?,?]", "f16[?,?]", "i32")


@xt.jit
def anywhere(A, Out, n):
    tile = xt.load_tile(xt.init_tile(Out, (0, 0), (16, 32)))
    xt.store_tile(tile, xt.init_tile(A, (0, n), (16, 32)))


@xt.jit
def at_pairs(A, Out, n):
    tile = xt.init_tile(A, (n, n * 2), (16, 32))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out, (0, 0), (16, 32)))


@xt.jit
def moved_by_one(A, Out, n):
    tile = xt.init_tile(A, (0, 0), (16, 32))
    for _ in range(n):
        xt.store_tile(xt.load_tile(xt.init_tile(Out, (0, 0), (16, 32))), tile)
        tile = xt.update_tile_offset(tile, (0, 1))


@xt.jit
def transposed(A, Out, n):
    tile = xt.init_tile(A.T, (n, 0), (16, 32))
    xt.store_tile(xt.load_tile(xt.init_tile(Out, (0, 0), (16, 32))), tile)


@xt.jit
def read_anywhere(A, Out, n, ROWS: xt.constexpr = 16):
    total = xt.load_tile(xt.init_tile(A, (0, n), (ROWS, 32))) + xt.load_tile(xt.init_tile(A.T, (n, 0), (ROWS, 32)))
    xt.store_tile(total, xt.init_tile(Out, (0, 0), (ROWS, 32)))


@xt.jit
def own_sizes(A, Out, n):
    tile = xt.init_tile(A, (0, 0), (16, 32), base_shape=(n, n))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out, (0, 0), (16, 32)))


def warned(kernel: Any, *types: str, target: str = "pvc") -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert kernel.compile(*types, target=target).spirv
    return [w for w in found if w.category is PerformanceWarning]


@pytest.mark.parametrize(
    "kernel,words",
    [
        (anywhere, ("its column may begin inside of a 32-bit word", "multiples of 2 elements")),
        (moved_by_one, ("its column may begin inside", "moves of it")),
        (transposed, ("its row may begin inside", "i * 2")),
        (own_sizes, ("sizes or strides of the kernel's own", "leave base_shape and base_strides out")),
    ],
    ids=lambda k: k.fn.__name__ if hasattr(k, "fn") else "",
)
def test_the_tile_is_named_with_what_to_do(kernel, words):
    for _ in range(2):  # also when the kernel comes from the cache
        (warning,) = warned(kernel, *TYPES)
        lines, first = inspect.getsourcelines(kernel.fn)
        assert warning.filename == __file__
        assert warning.lineno == next(first + i for i, line in enumerate(lines) if "init_tile(A" in line)
        assert all(word in str(warning.message) for word in words)


def test_what_is_moved_by_block_messages_warns_not():
    assert not warned(at_pairs, *TYPES)
    assert not warned(anywhere, "f32[?,?]", "f32[?,?]", "i32")  # any element begins a word
    assert not warned(anywhere, *TYPES, target="dg2")  # which has no block messages to miss
    assert len(warned(anywhere, "i8[?,?]", "i8[?,?]", "i32")) == 1
    for dtype in ("i8", "f16"):
        assert not warned(read_anywhere, f"{dtype}[?,?]", f"{dtype}[?,?]", "i32")  # from the word on


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "kernel,types",
    [
        (matmul.matmul, ("f16[?,?]", "f16[?,?]", "f32[?,?]")),
        (softmax.softmax, ("f16[?,?]", "f16[?,?]")),
        (layer_norm.layer_norm, ("f16[?,?]", "f16[?]", "f16[?]", "f32[?,?]")),
        (attention.attention, ("f16[?,?,?]",) * 3 + ("f32[?,?,?]",)),
    ],
    ids=lambda k: k.fn.__name__ if hasattr(k, "fn") else "",
)
def test_the_kernels_that_matter_do_not_warn(kernel, types):
    assert not warned(kernel, *types)


def test_arrays_that_break_the_rules_are_named_by_the_launch_alone():
    assert not warned(anywhere, "f16[?,?;scattered]", "f16[?,?;scattered]", "i32")


@pytest.mark.device
def test_calls_warn_once():
    kernel = xt.jit(anywhere.fn)
    a, given = np.zeros((16, 64), np.float16), np.ones((16, 32), np.float16)
    with xt.device("cpu"), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for n in (1, 2, 3):
            kernel[(1,)](a, given, n, target="pvc")
            assert (a[:, n : n + 32] == 1).all()
    assert len([w for w in found if w.category is PerformanceWarning]) == 1


def test_it_is_kept_with_the_kernel():
    binary = anywhere.compile(*TYPES).binary
    assert binary.slow and isinstance(binary.slow[0][2], Location)
    assert Binary.from_json(binary.to_json()).slow == binary.slow

"""Mistakes of users: each is told with file, line, source line, caret and fix, before anything runs or any array changes."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import xetile as xt
from tests.kernels.matmul import matmul
from xetile.errors import (
    ArgumentError,
    CompileError,
    ConstexprError,
    DtypeError,
    LayoutError,
    TileShapeError,
    UnsupportedSyntaxError,
    XetileError,
)

A, B, C = np.ones((64, 64), np.float16), np.ones((64, 64), np.float16), np.full((64, 64), 7, np.float32)


@xt.jit
def unsupported(A, B, C):
    with A:
        pass


@xt.jit
def wrong_shapes(A, B, C):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 32)))
    xt.store_tile(xt.tile_mma(a, b), xt.init_tile(C, (0, 0), (16, 32)))


@xt.jit
def wrong_dtypes(A, B, C):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(C, (0, 0), (16, 16)))
    xt.store_tile(xt.tile_mma(a, b), xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def wrong_map(A, B, C):
    tile = xt.init_tile(A, (0, 0), (64, 64), wg_map=xt.wg_map((3, 2), (16, 16)))
    xt.store_tile(xt.load_tile(tile).to(xt.f32), xt.init_tile(C, (0, 0), (64, 64)))


@xt.jit
def wrong_size(A, B, C):
    a, b = (
        xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))),
        xt.load_tile(xt.init_tile(B, (0, 0), (16, 13), wg_map=xt.wg_map((1, 1), (16, 13)))),
    )
    xt.store_tile(xt.tile_mma(a, b), xt.init_tile(C, (0, 0), (16, 13)))


@xt.jit
def needs_constant(A, B, C, BM: xt.constexpr):
    xt.store_tile(xt.zeros((BM, 16), xt.f32), xt.init_tile(C, (0, 0), (BM, 16)))


# What is called, on what, the error, what its caret points at, and a word of the fix.
MISTAKES = {
    "unsupported construct": (unsupported[1], (A, B, C), UnsupportedSyntaxError, "with A", None),
    "shapes of tile_mma": (wrong_shapes[1], (A, B, C), TileShapeError, "xt.tile_mma(a, b)", "transpose b"),
    "dtypes of tile_mma": (wrong_dtypes[1], (A, B, C), DtypeError, "xt.tile_mma(a, b)", "convert with .to"),
    "a map that does not fit": (wrong_map[1], (A, B, C), LayoutError, "xt.init_tile(A,", "use a sg_layout"),
    "a mapped tile that DPAS does not take": (wrong_size[1], (A, B, C), TileShapeError, "xt.tile_mma(a, b)", "use 16"),
    "missing constexpr": (needs_constant[1], (A, B, C), ConstexprError, "call(*arguments)", "pass BM=..."),
    "too few arguments": (matmul, (A,), ArgumentError, "call(*arguments)", "matmul(A, B, C"),
    "too many arguments": (matmul, (A, B, C, 1, 2, 3, 4), ArgumentError, "call(*arguments)", "matmul(A, B, C"),
    "no array": (matmul, (A, "B", C), ArgumentError, "call(*arguments)", "pass an array"),
    "overlapping output": (matmul, (A, B, A.view(np.float32)), XetileError, "call(*arguments)", None),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_shown_at_their_place(device, name, monkeypatch):
    monkeypatch.setenv("XETILE_CPU", "emulate")  # a CPU's own products take other tiles
    call, arguments, kind, marked, fix = MISTAKES[name]
    before = [a.copy() for a in arguments if isinstance(a, np.ndarray)]
    with xt.device(device), pytest.raises(kind) as caught:
        call(*arguments)
    error = caught.value
    assert error.at is not None
    line = linecache.getline(error.at.file, error.at.line)
    assert line[error.at.column :].startswith(marked)
    rendered = str(error)
    assert f'File "{error.at.file}", line {error.at.line}' in rendered
    assert line.strip() in rendered
    assert rendered.splitlines()[-1].lstrip().startswith("^")
    assert (fix is None) or fix in (error.hint or "")
    for kept, array in zip(before, (a for a in arguments if isinstance(a, np.ndarray)), strict=True):
        np.testing.assert_array_equal(kept, array)


def test_compiling_ahead_shows_the_call():
    with pytest.raises(ArgumentError) as caught:
        matmul.compile("f16[?,?]", "f16[?,?]")
    assert "matmul.compile(" in str(caught.value)


def test_every_error_of_compiling_is_ours():
    assert all(issubclass(kind, XetileError) for _, _, kind, _, _ in MISTAKES.values())
    assert issubclass(CompileError, XetileError)

"""Debug mode finds single elements, and rows by a number, outside of their array; tiles may lie over its edges."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import LaunchError
from xetile.ir.printer import print_op
from xetile.mlir import parse

X = np.arange(60, dtype=np.float32).reshape(6, 10)
ONE = {"Y": lambda X: xt.zeros((1,), X.dtype)}
ROW = {"Y": lambda X: xt.zeros((8,), X.dtype)}


@xt.jit(out=ONE, grid=1)
def element(X, Y, i, j):
    Y[0] = X[i, j]


@xt.jit(out=ROW, grid=1)
def row(X, Y, i, j):
    Y[0:8] = xt.load_tile(X[i, j : j + 8])


@xt.jit(out=ROW, grid=1)
def column(X, Y, i, j):
    x = xt.load_tile(xt.init_tile(X[:, j], (i,), (8, 1)))
    xt.store_tile(xt.tile_transpose(x), xt.init_tile(Y, (0,), (1, 8)))


@xt.jit(out=ROW, grid=1)
def moved(X, Y, i, j):
    x = xt.update_tile_offset(xt.init_tile(X[i], 0, (8,)), j)
    xt.store_tile(xt.load_tile(x), xt.init_tile(Y, 0, (8,)))


@xt.jit(grid=1)
def stored(X, i, j):
    X[i, j] = 1.0


@xt.jit(grid=1)
def stored_row(X, i, j):
    X[i, j : j + 4] = 1.0


@xt.jit(grid=1)
def added(X, i, j):
    xt.atomic_rmw_tile("add", 1.0, X[i, j : j + 1])


@xt.jit(out=ONE, grid=1, num_subgroups=4)
def of_subgroups(X, Y, i, j):
    """Runs behind the passes that lay values out."""
    x = X[i, j]
    if xt.subgroup_id() == 0:
        xt.device_assert(x < 100)
    Y[0] = x


def refusal(kernel, i, j):
    with xt.debug(), pytest.raises(LaunchError) as error:
        kernel(X.copy(), i=i, j=j)
    assert type(error.value).__name__ == "OutOfBoundsError" and error.value.at.file == __file__
    return error.value


@pytest.mark.parametrize("kernel", [element, row, moved, stored, stored_row, added, of_subgroups])
@pytest.mark.parametrize("i", [6, -7, 100])
def test_a_number_outside_of_an_axis_is_found(kernel, i):
    assert f"index {i} is outside axis 0 of X with 6 elements" in refusal(kernel, i, 0).message


@pytest.mark.parametrize("kernel", [element, column, stored, of_subgroups])
@pytest.mark.parametrize("j", [10, -11])
def test_so_is_one_of_the_last_axis(kernel, j):
    assert f"index {j} is outside axis 1 of X with 10 elements" in refusal(kernel, 0, j).message


def test_the_axes_are_those_of_the_array_whatever_a_view_calls_them():
    @xt.jit(out=ONE, grid=1)
    def turned(X, Y, i, j):
        Y[0] = X.T[j, i]

    @xt.jit(out=ONE, grid=1)
    def behind(X, Y, i, j):
        Y[0] = X[2:][i, j]

    assert "index 7 is outside axis 0 of X with 6" in refusal(turned, 7, 0).message
    assert "index 11 is outside axis 1 of X with 10" in refusal(turned, 0, 11).message
    assert "index 6 is outside axis 0 of X with 6" in refusal(behind, 4, 0).message
    with xt.debug():
        assert turned(X, i=5, j=-1) == 59 and behind(X, i=3, j=1) == 51


@pytest.mark.parametrize("kernel", [element, row, column, moved, of_subgroups])
@pytest.mark.parametrize(("i", "j"), [(0, 0), (5, 9), (-6, 0), (-1, 0)])
def test_those_inside_are_not(kernel, i, j):
    if kernel is column and i < 0:
        pytest.skip("a tile's offset: in front of the array lies padding")
    with xt.debug():
        found = kernel(X, i=i, j=j)
    with xt.device("numpy"):
        assert (found == kernel(X, i=i, j=j)).all()


def test_tiles_lie_over_edges():
    @xt.jit(out={"Y": lambda X: xt.zeros((8, 16), X.dtype)}, grid=1)
    def padded(X, Y, i, j):
        xt.store_tile(xt.load_tile(xt.init_tile(X, (i, j), (8, 16))), xt.init_tile(Y, (0, 0), (8, 16)))
        xt.store_tile(0.0, xt.init_tile(Y, (6, 0), (8, 16)))

    with xt.debug():
        assert padded(X, i=2, j=-3)[0, 3] == 20 and not padded(X, i=20, j=0).any()


def test_what_is_not_reached_is_not_read():
    @xt.jit(out=ONE, grid=1)
    def chosen(X, Y, i, j):
        ahead = X[i + 1, 0:8]
        xt.prefetch_tile(ahead)
        while i < X.shape[0] and X[i, j] < 100:
            i += 1
        Y[0] = X[i, j] if i < X.shape[0] else -1.0

    with xt.debug():
        assert chosen(X, i=0, j=0) == -1


def test_the_program_and_the_line_are_told():
    @xt.jit(out={"Y": lambda X: xt.zeros((8,), X.dtype)}, grid=8)
    def each(X, Y):
        i = xt.program_id(0)
        x = X[i, 0]
        Y[i] = x

    with xt.debug(), pytest.raises(LaunchError, match=r"program \(x=6, y=0, z=0\): index 6 is outside") as error:
        each(X)
    assert error.value.at.line == each.fn.__code__.co_firstlineno + 3


def test_kernels_are_the_same_outside_of_debug_mode():
    types = ("f32[?,?]", "f32[?]", "i32", "i32")
    usual = element.compile(*types, target="pvc")
    with xt.debug():
        watched = element.compile(*types, target="pvc")
        assert "indexed" in watched.ir["xetile"] and "indexed" not in watched.ir["layout"]
    assert "indexed" not in usual.ir["xetile"] and watched.spirv == usual.spirv


def test_the_mark_is_read_back():
    with xt.debug():
        text = element.compile("f32[?,?]", "f32[?]", "i32", "i32", target="pvc").ir["xetile"]
    assert "{indexed = array<i64: 0, 1>}" in text and print_op(parse(text)).strip() == text.strip()

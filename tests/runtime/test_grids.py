"""A grid whose axes are not those that the kernel asks for is said to look wrong, and nothing is said of one that may be right."""

import warnings

import numpy as np
import pytest

import xetile as xt
from xetile.runtime.grids import GridWarning, doubt

X = np.ones((16, 64), np.float32)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X: xt.cdiv(X.shape[0], 8))
def of_two_axes(X, Y):
    m, n = xt.program_id(0) * 8, xt.program_id(1) * 32
    Y[m : m + 8, n : n + 32] = xt.load_tile(X[m : m + 8, n : n + 32]) * 2


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X: (2, 2))
def of_one_axis(X, Y):
    m = xt.program_id(0) * 8
    Y[m : m + 8, 0:64] = xt.load_tile(X[m : m + 8, 0:64]) * 2


def test_a_grid_may_be_a_list(device):
    with xt.device(device):
        assert (xt.jit(of_two_axes.fn, grid=lambda X: [2, 2])[[2, 2]](X, y := np.zeros_like(X)) is None) and (y == 2).all()


def test_an_axis_that_the_grid_lacks(device):
    with (
        xt.device(device),
        pytest.warns(GridWarning, match=r"of_two_axes asks for xt.program_id\(1\), and its grid has 1 axis") as raised,
    ):
        of_two_axes(X)
    assert "give the grid as a tuple, (programs along x, programs along y)" in str(raised[0].message)
    assert raised[0].filename == __file__


def test_an_axis_that_the_kernel_never_asks_for(device):
    with (
        xt.device(device),
        pytest.warns(
            GridWarning, match=r"of_one_axis never asks for xt.program_id\(1\), and its grid has 2 programs along that axis"
        ),
    ):
        of_one_axis(X)


def test_a_grid_that_may_be_right_is_not_doubted():
    with xt.device("numpy"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (of_two_axes[2, 2](X) == 2).all()
        of_two_axes[2, 1](X)  # a part, and said so
        of_two_axes[1](X)
        of_one_axis[2](X)


@pytest.mark.parametrize(
    "grid, asks", [((4, 1, 1), "x"), ((4, 4, 1), "xy"), ((4, 4, 4), ""), ((4, 4, 1), None), ((1, 1, 1), "xyz")]
)
def test_what_is_asked_for_is_there(grid, asks):
    assert doubt("k", grid, asks, lambda: grid) == ""


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def of_one_tile(X, Y, N: xt.constexpr = 64):
    i = xt.program_id(0) * N
    Y[i : i + N] = xt.load_tile(X[i : i + N]) * 2


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def of_four_tiles(X, Y):
    for i in range(0, 256, 64):
        if X.shape[0] > i:
            Y[i : i + 64] = xt.load_tile(X[i : i + 64]) * 2


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def of_all_tiles(X, Y):
    for i in range(0, X.shape[0], 64):
        Y[i : i + 64] = xt.load_tile(X[i : i + 64]) * 2


@pytest.mark.parametrize("kernel, size", [(of_one_tile, 65), (of_four_tiles, 257)], ids=["a tile", "a loop of tiles"])
def test_programs_that_are_too_few_for_an_output(device, kernel, size):
    most = size - 1
    said = rf"stores at most {most} of the {size} elements of its output Y, and the others are undefined: its grid has 1 program"
    with xt.device(device), pytest.warns(GridWarning, match=said) as raised:
        kernel(np.ones(size, np.float32))
    assert raised[0].filename == __file__
    assert "grid=lambda X: xt.cdiv(X.shape[0], 64) covers" in str(raised[0].message)


def test_nothing_is_said_of_programs_that_may_be_enough(device):
    with xt.device(device), warnings.catch_warnings():
        warnings.simplefilter("error")
        of_one_tile(np.ones(64, np.float32))
        of_one_tile[2](np.ones(65, np.float32))
        of_four_tiles(np.ones(256, np.float32))
        of_all_tiles(np.ones(1000, np.float32))
        of_one_tile(np.ones(100, np.float32), np.zeros(100, np.float32))  # what is passed holds something

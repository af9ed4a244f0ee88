"""A grid whose axes are not those that the kernel asks for is said to look wrong, and nothing is said of one that may be right."""

import inspect
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


OUT = {"Y": lambda X: xt.empty(X.shape, X.dtype)}


@xt.jit(out=OUT, grid=lambda X, N: xt.cdiv(X.shape[0], N))
def of_numbers_for_offsets(X, Y, N: xt.constexpr = 16):
    i = xt.program_id(0)
    xt.store_tile(xt.load_tile(xt.init_tile(X, i, (N,))) * 2, xt.init_tile(Y, i, (N,)))


@xt.jit(out=OUT, grid=lambda X: (1, xt.cdiv(X.shape[1], 8), X.shape[0]))
def of_close_rows(X, Y):
    for k in range(0, X.shape[2], 16):
        part = X[xt.program_id(2), 4 * xt.program_id(1) + 3 :][0:8, k : k + 16]
        Y[xt.program_id(2), 4 * xt.program_id(1) : 4 * xt.program_id(1) + 8, k : k + 16] = xt.load_tile(part)


@pytest.mark.parametrize(
    ("kernel", "shape", "said"),
    [
        (
            of_numbers_for_offsets,
            (64,),
            "programs along x store to the same elements of Y (line {}): their tiles of 16 begin 1 apart",
        ),
        (
            of_close_rows,
            (2, 16, 16),
            "programs along y store to the same elements of Y (line {}): their tiles of 8 begin 4 apart",
        ),
    ],
    ids=lambda case: getattr(case, "__name__", None),
)
def test_tiles_of_neighbouring_programs_that_meet(device, kernel, shape, said):
    lines = kernel.fn.__code__.co_firstlineno, sum(1 for _ in inspect.getsource(kernel.fn).splitlines())
    with xt.device(device), pytest.warns(GridWarning) as raised:
        kernel(np.ones(shape, np.float32))
    text = str(raised[0].message)
    assert said.format(sum(lines) - 1) in text and "hint: offsets count elements: xt.program_id(" in text, text


@xt.jit(out=OUT, grid=lambda X: xt.cdiv(X.shape[0], 16))
def of_steps(X, Y):
    m = xt.program_id(0)
    Y[m % 2 + m // 2 * 32 : m % 2 + m // 2 * 32 + 32 : 2] = xt.load_tile(X[m % 2 + m // 2 * 32 : m % 2 + m // 2 * 32 + 32 : 2])


@xt.jit(out=OUT, grid=2)
def of_every_other_one(X, Y):
    for k in range(0, X.shape[0], 32):
        Y[k + xt.program_id(0) : k + xt.program_id(0) + 32 : 2] = xt.load_tile(
            X[k + xt.program_id(0) : k + xt.program_id(0) + 32 : 2]
        )


@xt.jit(out=OUT, grid=3)
def of_which_one_stores(X, Y):
    m = xt.program_id(0)
    if m == 2:
        for k in range(0, X.shape[0], 16):
            Y[m + k - 2 : m + k + 14] = xt.load_tile(X[k : k + 16])


@xt.jit(out=OUT, grid=3)
def of_parts_by_turns(X, Y):
    for k in range(xt.program_id(0), xt.cdiv(X.shape[0], 16), xt.num_programs(0)):
        Y[k * 16 : k * 16 + 16] = xt.load_tile(X[k * 16 : k * 16 + 16])


@pytest.mark.parametrize("kernel", [of_steps, of_every_other_one, of_which_one_stores, of_parts_by_turns],
                         ids=lambda kernel: kernel.__name__)  # fmt: skip
def test_tiles_that_do_not_meet_are_not_doubted(kernel):
    x = np.arange(64, dtype=np.float32)
    with xt.device("numpy"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (kernel(x) == x).all()

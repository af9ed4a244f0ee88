"""Offsets that do not use the strides of an array mean its elements where it lies row by row alone: others are told, or refused."""

import warnings

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, TileShapeError
from xetile.runtime.strides import StridesWarning

ROWS, COLUMNS = 8, 5
DENSE = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
APART = np.arange(ROWS * 9, dtype=np.float32).reshape(ROWS, 9)[:, :COLUMNS]
VIEWS = {"apart": APART, "columns": np.asfortranarray(DENSE), "backwards": DENSE[::-1], "both backwards": DENSE[::-1, ::-1]}


@xt.jit(out={"Y": lambda X: xt.empty((ROWS, COLUMNS), xt.f32)}, grid=1)
def by_sizes(X, Y):
    i, j = xt.arange(ROWS)[:, None], xt.arange(COLUMNS)[None, :]
    Y[0:ROWS, 0:COLUMNS] = xt.load_gather(xt.init_tile(X, i * X.shape[1] + j))


@xt.jit(out={"Y": lambda X: xt.empty((ROWS, COLUMNS), xt.f32)}, grid=1)
def by_strides(X, Y):
    i, j = xt.arange(ROWS)[:, None], xt.arange(COLUMNS)[None, :]
    for _ in range(1):
        Y[0:ROWS, 0:COLUMNS] = xt.load_gather(xt.init_tile(X, i * X.stride(0) + j * X.stride(1)))


@xt.jit(out={"Y": lambda X: xt.empty((COLUMNS,), xt.f32)}, grid=1)
def of_a_row(X, Y, r):
    Y[0:COLUMNS] = xt.load_gather(xt.init_tile(X[r], xt.arange(COLUMNS)))


@xt.jit(out={"Y": lambda X: xt.empty((COLUMNS,), xt.f32)}, grid=1)
def of_a_row_by_its_stride(X, Y, r):
    Y[0:COLUMNS] = xt.load_gather(xt.init_tile(X[r], xt.arange(COLUMNS) * X[r].stride(0)))


@xt.jit(out={"Y": lambda X: xt.empty((ROWS,), xt.f32)}, grid=1)
def of_a_column(X, Y):
    Y[0:ROWS] = xt.load_gather(xt.init_tile(X[:, 2], xt.arange(ROWS)))


@xt.jit(out={"Y": lambda X: xt.empty((4,), xt.f32)}, grid=1)
def of_every_second(X, Y):
    Y[0:4] = xt.load_gather(xt.init_tile(X[0:8:2], xt.arange(4)))


@xt.jit(out={"Y": lambda X: xt.empty((COLUMNS,), xt.f32)}, grid=1)
def of_the_first_row(X, Y):
    Y[0:COLUMNS] = xt.load_gather(xt.init_tile(X, (xt.arange(COLUMNS) + 2) % COLUMNS))


@xt.jit(grid=1)
def added(X, index):
    xt.atomic_rmw_tile("add", 1.0, xt.init_tile(X, xt.load_tile(index[0:4])))


@xt.jit(out={"Y": lambda X: xt.empty((ROWS, COLUMNS), xt.f32)}, grid=1)
def of_a_plane(X, Y, b):
    i, j = xt.arange(ROWS)[:, None], xt.arange(COLUMNS)[None, :]
    Y[0:ROWS, 0:COLUMNS] = xt.load_gather(xt.init_tile(X[b], i * COLUMNS + j))


@xt.jit(out={"Y": lambda X: xt.empty((3, COLUMNS), xt.f32)}, grid=1)
def of_some_planes(X, Y):
    i, j = xt.arange(3)[:, None], xt.arange(COLUMNS)[None, :]
    Y[0:3, 0:COLUMNS] = xt.load_gather(xt.init_tile(X[:, 0], i * (X.shape[1] * X.shape[2]) + j))


@pytest.mark.parametrize("view", VIEWS)
def test_a_call_with_an_array_that_does_not_lie_row_by_row_warns(view):
    with xt.device("numpy"), pytest.warns(StridesWarning, match=r"do not use its strides.*\n.*X.stride\(0\)"):
        by_sizes(VIEWS[view])


def test_each_call_with_other_strides_is_looked_at():
    with xt.device("numpy"):
        assert (by_sizes(DENSE) == DENSE).all()
        with pytest.warns(StridesWarning):
            by_sizes(APART)


def test_places_from_memory_are_places_too():
    with xt.device("numpy"), pytest.warns(StridesWarning):
        added(APART.copy()[:, :3], np.arange(4, dtype=np.int32))


def test_nothing_is_said_where_strides_are_used_or_do_not_matter():
    cube = np.zeros((3, ROWS + 2, COLUMNS), np.float32)[:, :ROWS]
    with warnings.catch_warnings(), xt.device("numpy"):
        warnings.simplefilter("error")
        for view in VIEWS.values():
            assert (by_strides(view) == view).all()
        by_sizes(DENSE)
        of_a_plane(cube, b=2)
        assert (of_the_first_row(APART) == np.roll(APART[0], -2)).all()
        assert (of_a_row(APART, r=2) == APART[2]).all()
        cubes = np.arange(3 * 4 * COLUMNS, dtype=np.float32).reshape(3, 4, COLUMNS)
        assert (of_some_planes(cubes) == cubes[:, 0]).all()


def test_the_neighbours_of_a_row_or_column_that_lie_apart_are_reached_by_their_stride():
    columns = VIEWS["columns"]
    with xt.device("numpy"):
        assert (of_a_row(DENSE, r=2) == DENSE[2]).all()
        assert (of_a_column(columns) == columns[:, 2]).all()
        with pytest.raises(CompileError, match=r"lie a stride apart(.|\n)*part.stride\(0\)"):
            of_a_row(columns, r=2)
        with pytest.raises(CompileError, match="lie a stride apart"):
            of_a_column(DENSE)
        for x in (DENSE, columns):
            assert (of_a_row_by_its_stride(x, r=2) == x[2]).all()


@xt.jit(grid=1)
def changed_by_strides(X, Y):
    i, j = xt.arange(ROWS)[:, None], xt.arange(COLUMNS)[None, :]
    at, there = i * X.stride(0) + j * X.stride(1), (i < X.shape[0]) & (j < X.shape[1])
    xt.store_scatter(2 * xt.load_gather(xt.init_tile(X, at), there), xt.init_tile(X, at), there)
    xt.atomic_rmw_tile("add", xt.zeros((ROWS, COLUMNS), xt.f32) + 1, xt.init_tile(Y, i * Y.stride(0) + j * Y.stride(1)), there)


@pytest.mark.parametrize("view", VIEWS)
def test_offsets_by_strides_reach_each_element_of_any_view(device, view):
    x, y = (np.zeros((20, 20), np.float32) for _ in range(2))
    for array in (x, y):
        array[...] = np.arange(400).reshape(20, 20)
    views = {"apart": lambda a: a[2:10, 3:8], "columns": lambda a: a.T[2:10, 3:8], "backwards": lambda a: a[9:1:-1, 3:8],
             "both backwards": lambda a: a[9:1:-1, 7:2:-1]}[view]  # fmt: skip
    before = x.copy()
    with xt.device(device):
        changed_by_strides(views(x), views(y))
    wanted = before.copy(), before.copy()
    views(wanted[0])[...] *= 2
    views(wanted[1])[...] += 1
    assert (x == wanted[0]).all() and (y == wanted[1]).all()


def test_offsets_into_a_slice_with_a_step_are_refused():
    with xt.device("numpy"), pytest.raises(TileShapeError, match=r"takes one element in 2(.|\n)*2 \* index"):
        of_every_second(DENSE[0])

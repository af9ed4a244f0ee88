"""The warning of arrays that block messages cannot move: where tiles with neighbours in memory lie in them, and nowhere else."""

import warnings

import numpy as np
import pytest

import xetile as xt
from xetile.runtime.specialize import PerformanceWarning

pytestmark = pytest.mark.device


@xt.jit(grid=(1,))
def scaled_row(X, Numbers, Unused, Y):
    factor = xt.load_tile(xt.init_tile(Numbers, (0, 1), (1, 1))).item()
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))) * factor, xt.init_tile(Y, (0, 0), (8, 16)))


def narrow(rows=512):
    return np.full((rows, 3), 2, np.float32)


def warned(*arrays):
    kernel = xt.jit(grid=(1,))(scaled_row.fn)  # one that has not warned
    with xt.device("cpu"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PerformanceWarning)
        kernel(*arrays)
    return [str(w.message).split(" is accessed")[0] for w in caught if "is accessed element" in str(w.message)]


def test_single_elements_and_arrays_without_tiles_do_not_warn(cpu):
    wide = np.ones((8, 16), np.float32)
    out = np.zeros((8, 16), np.float32)
    assert warned(wide, narrow(), narrow(), out) == []
    assert np.all(out == 2)


def test_tiles_of_several_elements_do(cpu):
    assert warned(narrow(), narrow(), narrow(), np.zeros((8, 16), np.float32)) == ["scaled_row: X"]


@xt.jit(grid=(1,))
def column_sums(X, Unused, Halves, Y):
    sums = xt.sum(xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))), axis=1)
    xt.store_tile(sums, xt.init_tile(Y, (0, 0), (8, 1)))
    xt.store_tile(sums.to(xt.f16), xt.init_tile(Halves, (0, xt.program_id(0)), (8, 1)))


def test_columns_have_nothing_that_blocks_would_move_faster(cpu):
    column, halves = np.zeros((2048, 1), np.float32), np.zeros((512, 64), np.float16)
    kernel = xt.jit(grid=(1,))(column_sums.fn)
    with xt.device("cpu"), warnings.catch_warnings():
        warnings.simplefilter("error", PerformanceWarning)
        kernel(np.ones((8, 16), np.float32), narrow(), halves, column)
    assert np.all(column[:8] == 16) and np.all(halves[:8, 0] == 16)


def test_arrays_of_a_few_bytes_do_not(cpu):
    assert warned(narrow(8), narrow(), narrow(), np.zeros((8, 16), np.float32)) == []


@xt.jit(grid=(2, 1))
def copied(X, Y):
    at = xt.program_id(1) * 8, xt.program_id(0) * 16
    xt.store_tile(xt.load_tile(xt.init_tile(X, at, (8, 16))), xt.init_tile(Y, at, (8, 16)))


ROWS = {
    "stride 0": np.arange(32, dtype=np.int32)[None],
    "odd pitch": np.arange(30 * 40, dtype=np.int32).reshape(40, 30)[3:4, :28],
    "stride below 0": np.arange(128, dtype=np.int32).reshape(4, 32)[2:3][::-1],
}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("name", ["cpu", *(pytest.param(n, marks=pytest.mark.simulated) for n in ("sim:pvc", "sim:bmg"))])
def test_the_pitch_of_one_row_is_never_used(cpu, name, row):
    """What numpy notes of it says nothing: block messages get one that keeps their rules."""
    x = ROWS[row]
    y = np.zeros((5, x.shape[1] + 1), np.int32)[:1, :-1]
    with warnings.catch_warnings(), xt.device(name):
        warnings.simplefilter("error", PerformanceWarning)
        copied(x, y)
    np.testing.assert_array_equal(y, x)

"""The warning of arrays that block messages cannot move: where tiles lie in them, and nowhere else."""

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


def narrow():
    return np.full((8, 3), 2, np.float32)


def warned(*arrays):
    kernel = xt.jit(grid=(1,))(scaled_row.fn)  # one that has not warned
    with xt.device("cpu"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PerformanceWarning)
        kernel(*arrays)
    return [str(w.message).split(" is read")[0] for w in caught if "is read and written" in str(w.message)]


def test_single_elements_and_arrays_without_tiles_do_not_warn(cpu):
    wide = np.ones((8, 16), np.float32)
    out = np.zeros((8, 16), np.float32)
    assert warned(wide, narrow(), narrow(), out) == []
    assert np.all(out == 2)


def test_tiles_of_several_elements_do(cpu):
    assert warned(narrow(), narrow(), narrow(), np.zeros((8, 16), np.float32)) == ["scaled_row: X"]

"""Arrays that may not be written: taken where the kernel only reads them, refused before anything runs where it writes."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError


@xt.jit
def scattered(Values, Places, Sums):
    """Where Values go is read from Places, and counted in registers on the way."""
    at = xt.load_tile(xt.init_tile(Places, (0,), (16,)))
    first = Places[0]
    xt.atomic_rmw_tile("add", xt.load_tile(xt.init_tile(Values, (0,), (16,))), xt.init_tile(Sums, at + 0 * first))


def locked(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_what_says_where_to_write_may_be_read_only(device):
    places = locked(np.arange(16, dtype=np.int32) // 4)
    values, sums = locked(np.ones(16, np.float32)), np.zeros(4, np.float32)
    with xt.device(device):
        scattered[1](values, places, sums)
    np.testing.assert_array_equal(sums, [4, 4, 4, 4])


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_what_is_written_may_not(device):
    with xt.device(device), pytest.raises(ArgumentError, match=r"Sums.*read-only"):
        scattered[1](np.ones(16, np.float32), np.zeros(16, np.int32), locked(np.zeros(4, np.float32)))


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_histogram_of_a_read_only_array(device):
    with xt.device(device):
        counts, _ = xt.ops.histogram(locked(np.arange(10, dtype=np.float32)), 3)
    np.testing.assert_array_equal(counts, [3, 3, 4])

"""Calls like the one before are not looked at again, and calls that only look alike are."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.opencl import loader

import xetile as xt
from tests.tools import missing
from xetile.errors import ArgumentError, DeviceError
from xetile.runtime.devices import find_device
from xetile.runtime.fastpath import is_part


@xt.jit(grid=1)
def doubled(X, Y):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))) * 2, xt.init_tile(Y, (0, 0), (8, 16)))


@pytest.fixture
def queue():
    try:
        info = find_device("cpu")
    except DeviceError as error:
        missing("a cpu device", str(error))
    loader.prepare()
    with xt.device(info):
        yield xt.Queue()


@pytest.mark.device
def test_calls_of_two_kinds_in_turn(queue):
    """Keys are compared with that of the last call first."""
    pairs = [
        (np.full((8, columns), columns, np.float32), queue.to_device(np.zeros((8, columns), np.float32)))
        for columns in (16, 24, 16)
    ]
    for _ in range(4):
        for number, (given, out) in enumerate(pairs):
            out.fill(number)
            doubled(queue.to_device(given), out)
            assert (out.get()[:, :16] == 2 * given[:, :16]).all() and (out.get()[:, 16:] == number).all()


@pytest.mark.device
def test_a_part_of_a_buffer_is_noticed_after_calls_with_the_whole(queue):
    import pyopencl.array as cla

    whole = cla.to_device(queue.handle, np.ones((16, 16), np.float32))
    other = cla.to_device(queue.handle, np.zeros((16, 16), np.float32))
    for _ in range(3):
        doubled(whole, other)
    assert not is_part(whole.base_data) and is_part(whole.base_data.get_sub_region(0, 1024))
    part = cla.Array(queue.handle, (16, 16), np.float32, data=whole.base_data.get_sub_region(0, 1024))
    for _ in range(3):
        with pytest.raises(ArgumentError, match="memory"):
            doubled(whole, part)
    doubled(whole, other)
    assert (other.get()[:8] == 2).all()

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
from xetile.runtime.queues import allocate_like


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


@pytest.mark.device
def test_outputs_beside_device_arrays_are_what_pyopencl_makes(queue):
    """All but the first of a shape are made without pyopencl's constructor, which takes longer than a launch."""
    import pyopencl.array as cla

    beside, dtype = queue.to_device(np.zeros((2, 2), np.float32)), np.dtype(np.float16)
    want = cla.Array(queue.handle, (3, 5), dtype)
    made = [allocate_like(beside)((3, 5), dtype, fill) for fill in (None, 1, 2)]
    own = ("base_data", "events")
    for new in made:
        assert type(new) is cla.Array and vars(new).keys() == vars(want).keys()
        assert {k: v for k, v in vars(new).items() if k not in own} == {k: v for k, v in vars(want).items() if k not in own}
        assert new.flags.c_contiguous and new.base_data.size == want.base_data.size
    assert (made[1].get() == 1).all() and (made[2].get() == 2).all()
    assert len({new.base_data.int_ptr for new in made}) == len({id(new.events) for new in made}) == 3


@pytest.mark.device
def test_outputs_lie_on_the_queue_and_by_the_allocator_of_their_neighbour(queue):
    import pyopencl as cl
    import pyopencl.array as cla

    dtype, asked = np.dtype(np.int8), []

    def allocator(size):
        asked.append(size)
        return cl.Buffer(queue.handle.context, cl.mem_flags.READ_WRITE, size)

    for where, by in ((queue.handle, None), (xt.Queue().handle, allocator)):
        beside = cla.Array(where, (4,), dtype, allocator=by)
        for _ in range(2):
            new = allocate_like(beside)((7, 9), dtype, None)
            assert (new.queue, new.context, new.allocator) == (where, where.context, by)
    assert asked == [4, 63, 63]


@pytest.mark.device
@pytest.mark.parametrize("shape", [(True, 6), (-1, 6)])
def test_a_shape_that_pyopencl_refuses_is_always_refused(queue, shape):
    beside, dtype = queue.to_device(np.zeros(4, np.float32)), np.dtype(np.float32)
    for sizes in ((1, 6), shape, (1, 6), shape):
        if sizes is shape:
            with pytest.raises(ValueError, match="dimensions"):
                allocate_like(beside)(sizes, dtype, None)
        else:
            assert allocate_like(beside)(sizes, dtype, None).shape == (1, 6)


@pytest.mark.device
@pytest.mark.parametrize("shape", [(0, 6), (), 5, (np.int64(2), 3)])
def test_shapes_of_other_kinds(queue, shape):
    import pyopencl.array as cla

    beside, dtype = queue.to_device(np.zeros(4, np.float32)), np.dtype(np.float32)
    want = cla.Array(queue.handle, shape, dtype)
    for _ in range(3):
        new = allocate_like(beside)(shape, dtype, None)
        assert (new.shape, new.strides, new.size, new.nbytes) == (want.shape, want.strides, want.size, want.nbytes)

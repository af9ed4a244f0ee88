"""Arrays of other libraries and other memory: shared without a copy, refused where the memory cannot be reached."""

import ctypes
import gc

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import scale
from xetile.errors import ArgumentError
from xetile.runtime import exchange
from xetile.runtime.arrays import as_host_array, check_no_overlap, is_array

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


def matrix() -> np.ndarray:
    return np.arange(20 * 33, dtype=np.float32).reshape(20, 33)


# SYCL's unified shared memory


class Queue:
    """What SYCL's queue shows of itself."""

    def __init__(self, cpu=False):
        self.waits = 0
        self.sycl_device = type("Device", (), {"is_cpu": cpu})()

    def wait(self):
        self.waits += 1


class Usm:
    """An array that speaks `__sycl_usm_array_interface__` alone: strides and offset in elements, as dpctl has them."""

    def __init__(self, array, kind="shared", queue=None, offset=0, told=True):
        self.array, self.usm_type, self.queue = array, kind if told else None, queue or Queue()
        size = array.itemsize
        self.__sycl_usm_array_interface__ = {
            "data": (array.__array_interface__["data"][0] - offset * size, array.flags.writeable),
            "shape": array.shape, "strides": tuple(stride // size for stride in array.strides),
            "typestr": array.dtype.str, "version": 1, "syclobj": self.queue, "offset": offset,
        }  # fmt: skip


def test_usm_is_used_in_place(device):
    x, y = matrix(), np.zeros((20, 33), np.float32)
    queue = Queue()
    xt.reset_stats()
    for alpha in (2.0, 3.0):
        with xt.device(device):
            scale(Usm(x, queue=queue), Usm(y), alpha)
        assert np.array_equal(y, x * alpha)
    assert queue.waits >= 2
    assert xt.stats().to_device == xt.stats().from_device == 0


@pytest.mark.parametrize("view", [lambda a: a[1:, :20], lambda a: a.T, lambda a: a[::2]])
def test_usm_strides_and_offsets_count_elements(view):
    array = view(matrix())
    assert is_array(Usm(array))
    shared = as_host_array(Usm(array, offset=7))
    assert np.array_equal(shared, array)
    assert shared.strides == array.strides
    assert np.shares_memory(shared, array)


def test_usm_that_may_not_be_written_is_not(device):
    y = np.zeros((20, 33), np.float32)
    y.flags.writeable = False
    with xt.device(device), pytest.raises(ArgumentError, match="Y is written by the kernel, and the array is read-only"):
        scale(matrix(), Usm(y), 2.0)


@pytest.mark.parametrize("kind,cpu,told,readable", [
    ("shared", False, True, True), ("host", False, True, True), ("device", False, True, False), ("device", True, True, True),
    ("shared", False, False, False), ("shared", True, False, True),
])  # fmt: skip
def test_usm_of_a_device_alone_is_refused(kind, cpu, told, readable):
    array = Usm(matrix(), kind, Queue(cpu), told=told)
    if readable:
        assert np.array_equal(as_host_array(array), matrix())
    else:
        with pytest.raises(ArgumentError, match="X: its memory is a SYCL device's own"):
            as_host_array(array, "X")


# DLPack


class Retyped:
    """Exports 16-bit integers by DLPack as another element type of that width, as torch does bfloat16."""

    def __init__(self, array, code=4):
        self.array, self.code = array, code

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **options):
        if options:
            raise TypeError("an old exporter")
        capsule = self.array.__dlpack__()
        head = ctypes.cast(exchange._pointer_of(capsule, b"dltensor"), ctypes.POINTER(exchange._Tensor)).contents
        head.code = self.code
        return capsule


def test_bfloat16_by_dlpack(device):
    x = matrix().astype(ml_dtypes.bfloat16)
    for array in (x, x[1:, ::2], x.T):
        shared = as_host_array(Retyped(array.view(np.int16)))
        assert shared.dtype == x.dtype
        assert np.array_equal(shared, array)
        assert np.shares_memory(shared, x)
    y = np.zeros((20, 33), np.float32)
    small = (matrix() % 7).astype(ml_dtypes.bfloat16)
    with xt.device(device):
        scale(Retyped(small.view(np.int16)), y, 2.0)
    assert np.array_equal(y, small.astype(np.float32) * 2)


def test_memory_by_dlpack_lives_as_long_as_the_array():
    shared = as_host_array(Retyped(np.full(1000, 0x3F80, np.int16)))
    gc.collect()
    assert (shared == 1).all()


def test_other_element_types_by_dlpack_are_refused():
    with pytest.raises(ArgumentError, match="X: its memory cannot be shared with numpy"):
        as_host_array(Retyped(np.zeros(4, np.int16), code=77), "X")


# Shared virtual memory and parts of buffers


@pytest.fixture
def queue(cpu):
    return xt.Queue(cpu).handle


@pytest.mark.device
@pytest.mark.parametrize("fine", [False, True])
def test_shared_virtual_memory(queue, fine):
    import pyopencl as cl
    import pyopencl.array as cla
    from pyopencl.tools import SVMAllocator

    flags = cl.svm_mem_flags.READ_WRITE | (cl.svm_mem_flags.SVM_FINE_GRAIN_BUFFER if fine else 0)
    x = cla.to_device(queue, matrix(), allocator=SVMAllocator(queue.context, flags=flags, queue=queue))
    for alpha in (2.0, 3.0):
        y = scale(x, alpha=alpha)
        assert type(y.base_data) is type(x.base_data)
        assert np.array_equal(y.get(), matrix() * alpha)
    with pytest.raises(ArgumentError, match="Y is written by the kernel and shares memory with X"):
        scale(x[:18], x[2:], 2.0)
    host = cl.svm_empty(queue.context, flags, (20, 33), np.float32)
    host[:] = matrix()
    with xt.device("cpu"):
        assert np.array_equal(scale(host, alpha=2.0), matrix() * 2)


@pytest.mark.device
def test_parts_of_a_buffer_that_overlap_are_refused(queue):
    import pyopencl as cl
    import pyopencl.array as cla

    whole = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 8192)

    def part(start):
        return cla.Array(queue, (16, 32), np.float32, data=whole.get_sub_region(start, 2048))

    first, second, far = part(0), part(1024), part(4096)
    first.set(np.ones((16, 32), np.float32))
    for _ in range(3):  # also where calls of this kind have become fast
        scale(first, far, 2.0)
        assert (far.get() == 2).all()
        with pytest.raises(ArgumentError, match="Y is written by the kernel and shares memory with X"):
            scale(first, second, 2.0)
    separate = cla.to_device(queue, np.ones((16, 32), np.float32))
    for _ in range(2):
        scale(separate, far, 2.0)
        with pytest.raises(ArgumentError, match="shares memory"):
            scale(first, second, 2.0)


@pytest.mark.device
def test_overlap_of_strided_device_arrays_is_exact(queue):
    import pyopencl.array as cla

    x = cla.to_device(queue, matrix())
    check_no_overlap({"X": x[:, :16], "Y": x[:, 16:]}, frozenset({"Y"}))
    for other in (x[1:, 10:], x, x[19:, 5:6]):
        with pytest.raises(ArgumentError, match="Y is written"):
            check_no_overlap({"X": x[:, :16], "Y": other}, frozenset({"Y"}))

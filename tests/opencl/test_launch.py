"""Arguments in, results out: every kind of array, every way that a host array may take, nothing touched that is not the array."""

import threading
from dataclasses import replace

import ml_dtypes
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from xetile.backends.opencl import arguments, capi
from xetile.backends.opencl.driver import Session
from xetile.backends.opencl.launch import OpenCLKernel

from tests.opencl.kernels import SUBGROUP, address_kernel, array, scale_grid, scale_kernel
from xetile.errors import ArgumentError, LaunchError
from xetile.runtime.arrays import stats
from xetile.runtime.artifact import ArgSpec

pytestmark = pytest.mark.device


def matrix(rows=5, columns=37, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, columns), np.float32)


def aligned(rows=16, columns=64, seed=0, page=4096):
    """A matrix whose memory starts with a page, so that a driver may share it."""
    memory = np.zeros(rows * columns + page, np.float32)
    start = -memory.ctypes.data % page // 4
    memory = memory[start : start + rows * columns].reshape(rows, columns)
    memory[...] = matrix(rows, columns, seed)
    return memory


@pytest.fixture(scope="module")
def kernel(backend, device):
    return backend.load(scale_kernel(), device)


@pytest.fixture(scope="module", params=["in place", "on host", "by copy"])
def placed_kernel(request, backend, device):
    """The kernel on sessions that differ in what memory they share with the host."""
    session = Session(device, backend.session(device).device)
    if request.param == "in place" and not session.system_memory:
        pytest.skip("the device does not read the process's memory")
    session.system_memory = request.param == "in place"
    session.host_memory = request.param == "on host"
    return OpenCLKernel(scale_kernel(), session)


# All the ways in which a 2-D array may lie in memory with its last dimension contiguous.
VIEWS = {
    "whole": lambda base: base,
    "columns of a larger one": lambda base: base[:, 8:71],
    "every second row": lambda base: base[::2, :50],
    "rows reversed": lambda base: base[::-1],
    "far apart rows": lambda base: base[::12, :5],
    "one element": lambda base: base[7:8, 9:10],
    "no element": lambda base: base[3:3],
}


@pytest.mark.parametrize("make", [matrix, aligned])
@pytest.mark.parametrize("view", VIEWS)
def test_any_view_is_read_right(placed_kernel, view, make):
    base = make(24, 96)
    x, before = VIEWS[view](base), base.copy()
    y = np.zeros(x.shape, np.float32)
    assert placed_kernel.launch(scale_grid(x), (x, y, 1.5)) is None
    np.testing.assert_array_equal(y, x * np.float32(1.5))
    np.testing.assert_array_equal(base, before)


def test_a_broadcast_array_is_read_right(placed_kernel):
    x, y = np.broadcast_to(matrix(1, 40), (6, 40)), np.zeros((6, 40), np.float32)
    placed_kernel.launch(scale_grid(x), (x, y, 1.5))
    np.testing.assert_array_equal(y, x * np.float32(1.5))


@pytest.mark.parametrize("make", [matrix, aligned])
@pytest.mark.parametrize("view", VIEWS)
def test_only_elements_of_a_view_are_written(placed_kernel, view, make):
    """Guard band: what lies between and around the view's elements stays as it was."""
    base = make(24, 96)
    y, before, outside = VIEWS[view](base), base.copy(), np.ones(base.shape, bool)
    VIEWS[view](outside)[...] = False
    x = matrix(*y.shape, seed=5)
    placed_kernel.launch(scale_grid(y), (x, y, -2.0))
    np.testing.assert_array_equal(y, x * np.float32(-2))
    np.testing.assert_array_equal(base[outside], before[outside])


def test_read_only_inputs_are_accepted(placed_kernel):
    x, y = matrix(), np.zeros((5, 37), np.float32)
    x.flags.writeable = False
    placed_kernel.launch(scale_grid(y), (x, y, 2.0))
    np.testing.assert_array_equal(y, x * 2)


def test_read_only_outputs_are_refused(placed_kernel):
    x, y = matrix(), np.zeros((5, 37), np.float32)
    y.flags.writeable = False
    with pytest.raises(ArgumentError, match="Y is written by the kernel"):
        placed_kernel.launch(scale_grid(y), (x, y, 2.0))
    assert not y.any()


def test_empty_arrays_and_empty_grids_run_nothing(placed_kernel):
    x, y = np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32)
    assert placed_kernel.launch((1, 1, 1), (x, y, 1.0)) is None
    z = np.full((3, 4), 7, np.float32)
    assert placed_kernel.launch((0, 3, 1), (matrix(3, 4), z, 1.0)) is None
    assert (z == 7).all()


def test_in_place_moves_nothing(kernel):
    if not kernel.session.system_memory:
        pytest.skip("the device does not read the process's memory")
    stats.reset()
    x, y = matrix(), np.zeros((5, 37), np.float32)
    kernel.launch(scale_grid(y), (x, y, 2.0))
    assert y.any()
    assert not any(stats.as_dict().values())


def test_the_kernel_reads_the_callers_memory(backend, device):
    """Zero-copy proven by address: the kernel writes down where it sees the array."""
    session = backend.session(device)
    if not session.system_memory:
        pytest.skip("the device does not read the process's memory")
    whole = matrix(8, 100)
    frozen = whole.copy()
    frozen.flags.writeable = False
    kernel = backend.load(address_kernel(), device)
    for x in (whole, whole[3:], whole[:, 5:9], whole[::-1], frozen, frozen[2:, 3:]):
        seen = np.zeros(1, np.uint64)
        kernel.launch((1,), (x, seen))
        assert seen[0] == x.ctypes.data


def test_pages_are_shared_and_others_copied(backend, device):
    session = Session(device, backend.session(device).device)
    session.system_memory = False
    kernel = OpenCLKernel(scale_kernel(), session)
    stats.reset()
    x, y = aligned(), aligned()
    kernel.launch(scale_grid(y), (x, y, 2.0))
    np.testing.assert_array_equal(y, x * 2)
    assert stats.to_device == stats.from_device == 0
    odd = np.zeros(16 * 64 + 1, np.float32)[1:].reshape(16, 64)
    kernel.launch(scale_grid(y), (x, odd, 3.0))
    np.testing.assert_array_equal(odd, x * 3)
    assert (stats.to_device, stats.from_device, stats.from_device_bytes) == (1, 1, odd.nbytes)


def test_only_written_arrays_come_back(backend, device):
    session = Session(device, backend.session(device).device)
    session.system_memory = session.host_memory = False
    x, y = matrix(), np.zeros((5, 37), np.float32)
    for written, back in ((frozenset({"Y"}), 1), (None, 2)):
        kernel = OpenCLKernel(scale_kernel(written), session)
        stats.reset()
        kernel.launch(scale_grid(y), (x, y, 2.0))
        assert (stats.to_device, stats.from_device) == (2, back)
        assert stats.to_device_bytes == x.nbytes + y.nbytes


def test_device_arrays_enqueue_and_return_an_event(kernel, backend, device):
    queue = backend.queue(device)
    x, y = cl_array.to_device(queue, matrix()), cl_array.zeros(queue, (5, 37), np.float32)
    stats.reset()
    event = kernel.launch(scale_grid(y), (x, y, 4.0))
    assert isinstance(event, cl.Event)
    assert not any(stats.as_dict().values())
    np.testing.assert_array_equal(y.get(), matrix() * 4)


def test_shapes_may_change_from_call_to_call(kernel, backend, device):
    """Dims and strides are set only when they change: alternate everything that could be mistaken for unchanged."""
    queue = backend.queue(device)
    for round_ in range(3):
        for shape in ((4, 8), (8, 4), (4, 8), (1, 32)):
            x = matrix(*shape, seed=round_)
            y = cl_array.zeros(queue, shape, np.float32)
            kernel.launch(scale_grid(y), (cl_array.to_device(queue, x), y, round_ - 1.0))
            np.testing.assert_array_equal(y.get(), x * np.float32(round_ - 1))
            host = np.zeros(shape, np.float32)
            kernel.launch(scale_grid(host), (x, host, 2.0))
            np.testing.assert_array_equal(host, x * 2)


def test_negative_zero_is_not_zero(kernel):
    x, y = np.ones((1, 4), np.float32), np.ones((1, 4), np.float32)
    for factor, sign in ((0.0, False), (-0.0, True), (0.0, False)):
        kernel.launch(scale_grid(y), (x, y, factor))
        assert (np.signbit(y) == sign).all()


@pytest.mark.parametrize("factor", [
    2, 2.0, np.float32(2), np.float64(2), np.float16(2), ml_dtypes.bfloat16(2), np.int64(2),
    np.array(2.0), np.array(2, np.float16), True,
])  # fmt: skip
def test_scalars_of_any_kind_are_converted(placed_kernel, factor):
    x, y = matrix(), np.zeros((5, 37), np.float32)
    placed_kernel.launch(scale_grid(y), (x, y, factor))
    np.testing.assert_array_equal(y, x * np.float32(factor))


@pytest.mark.parametrize("rows", [slice(None, None, -1), slice(7, 2, -2), slice(32, 0, -8)], ids=str)
def test_device_arrays_whose_rows_run_backwards(kernel, backend, device, rows):
    """In front of an argument's start a GPU's surface has nothing."""
    queue = backend.queue(device)
    a, b = matrix(40, 16), np.full((40, 16), -1, np.float32)
    x, y = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    kernel.launch(scale_grid(a[rows]), (x[rows], y[rows], 2.0))
    b[rows] = a[rows] * 2
    np.testing.assert_array_equal(y.get(), b)


@pytest.mark.parametrize("offset", [1, 16, 32, 33])
def test_device_arrays_at_any_offset(kernel, backend, device, offset):
    """Offsets that OpenCL cannot hand to a kernel are moved within the device, and counted."""
    queue = backend.queue(device)
    x = cl_array.to_device(queue, np.arange(200, dtype=np.float32))
    y = cl_array.to_device(queue, np.full(200, -1, np.float32))
    xs, ys = (a[offset : offset + 64].reshape(4, 16) for a in (x, y))
    kernel.launch(scale_grid(ys), (xs, ys, 2.0))
    expected = np.full(200, -1, np.float32)
    expected[offset : offset + 64] = np.arange(offset, offset + 64) * 2
    np.testing.assert_array_equal(y.get(), expected)


def test_a_users_context_and_queue(kernel, backend, device):
    context = cl.Context([backend.session(device).device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    x, y = cl_array.to_device(queue, matrix()), cl_array.zeros(queue, (5, 37), np.float32)
    for factor in (4.0, 5.0):
        event = kernel.launch(scale_grid(y), (x, y, factor))
        event.wait()
        assert event.profile.end > event.profile.start
        np.testing.assert_array_equal(y.get(), matrix() * np.float32(factor))


def test_a_queue_that_is_given(kernel, backend, device):
    queue = cl.CommandQueue(backend.session(device).context)
    home = backend.queue(device)
    x, y = cl_array.to_device(home, matrix()), cl_array.zeros(home, (5, 37), np.float32)
    kernel.launch(scale_grid(y), (x, y, 4.0), queue=queue)
    np.testing.assert_array_equal(y.get(), matrix() * 4)
    z = np.zeros((5, 37), np.float32)
    assert kernel.launch(scale_grid(z), (matrix(), z, 3.0), queue=queue) is None
    np.testing.assert_array_equal(z, matrix() * 3)


def test_host_and_device_arrays_mixed_block(kernel, backend, device):
    x, y = cl_array.to_device(backend.queue(device), matrix()), np.zeros((5, 37), np.float32)
    assert kernel.launch(scale_grid(y), (x, y, 4.0)) is None
    np.testing.assert_array_equal(y, matrix() * 4)


def test_bound_launches_see_new_contents(placed_kernel):
    x, y = matrix(), np.zeros((5, 37), np.float32)
    run = placed_kernel.bind(scale_grid(y), (x, y, 2.0))
    for seed in range(3):
        x[...] = matrix(seed=seed)
        run()
        np.testing.assert_array_equal(y, x * 2)


def test_bound_launches_on_device_arrays(kernel, backend, device):
    queue = backend.queue(device)
    run = kernel.bind((3, 5, 1), (cl_array.to_device(queue, matrix()), y := cl_array.zeros(queue, (5, 37), np.float32), 2.0))
    assert isinstance(run(), cl.Event)
    np.testing.assert_array_equal(y.get(), matrix() * 2)


def test_threads_do_not_mix_arguments(kernel):
    """Each thread has its own kernel object: 4 threads, 200 launches each, every result its own."""
    wrong = []

    def work(seed):
        x, y = matrix(3 + seed, 20, seed), np.zeros((3 + seed, 20), np.float32)
        for i in range(200):
            kernel.launch(scale_grid(y), (x, y, float(i)))
            if not np.array_equal(y, x * np.float32(i)):
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


WRONG_CALLS = {
    "wrong number": (lambda x, y: (x, y), "takes 3 arguments"),
    "text for a scalar": (lambda x, y: (x, y, "two"), "factor: 'two' does not fit"),
    "array for a scalar": (lambda x, y: (x, y, x), "factor: .* does not fit"),
    "scalar for an array": (lambda x, y: (3.0, y, 2.0), "X: float is not an array"),
    "other dtype": (lambda x, y: (x.astype(np.float64), y, 2.0), "X: .* elements of float32, the array holds float64"),
    "other byte order": (lambda x, y: (x.astype(">f4"), y, 2.0), "X: .* elements of float32, the array holds >f4"),
    "too few dimensions": (lambda x, y: (x[0], y, 2.0), "X: the kernel takes 2 or more dimensions, the array has 1"),
    "masked": (lambda x, y: (np.ma.array(x), y, 2.0), "X: kernels would not see its mask"),
}


@pytest.mark.parametrize("case", WRONG_CALLS)
def test_wrong_arguments_are_named_before_anything_runs(placed_kernel, case):
    make, message = WRONG_CALLS[case]
    x, y = matrix(), np.zeros((5, 37), np.float32)
    with pytest.raises(ArgumentError, match=message):
        placed_kernel.launch(scale_grid(y), make(x, y))
    assert not y.any()
    placed_kernel.launch(scale_grid(y), (x, y, 2.0))
    np.testing.assert_array_equal(y, x * 2)


@pytest.mark.parametrize("grid", [(), (1, 1, 1, 1), (-1, 1, 1), (2**31, 1, 1)])
def test_wrong_grids_are_refused(kernel, grid):
    with pytest.raises(ArgumentError, match="the grid"):
        kernel.launch(grid, (matrix(), matrix(), 1.0))


def test_what_the_driver_refuses_is_a_launch_error(backend, device):
    """The module wants workgroups of 16; a binary that says 32 cannot be enqueued."""
    kernel = backend.load(replace(scale_kernel(), local_size=(32, 1, 1)), device)
    with pytest.raises(LaunchError, match=r"kernel scale could not run on [^\n]*INVALID_WORK_GROUP_SIZE\)?\n  target: pvc, grid"):
        kernel.launch((1, 1, 1), (matrix(), matrix(), 1.0))


@pytest.mark.parametrize("dtype,value,bits", [
    ("i8", -3, b"\xfd"), ("u16", 65535, b"\xff\xff"), ("i64", -2, b"\xfe" + b"\xff" * 7), ("f16", 1.0, b"\x00\x3c"),
    ("bf16", 1.0, b"\x80\x3f"), ("bf16", ml_dtypes.bfloat16(2), b"\x00\x40"), ("tf32", 1.0, b"\x00\x00\x80\x3f"),
    ("f8e5m2", 1.0, b"\x3c"), ("bool", True, b"\x01"), ("f64", 0.0, b"\0" * 8), ("index32", 7, b"\x07\0\0\0"),
])  # fmt: skip
def test_scalars_are_packed_as_they_lie_in_memory(dtype, value, bits):
    assert arguments.packer(dtype)(value) == bits


@pytest.mark.parametrize("dtype,value", [("i8", 128), ("u32", -1), ("i32", 2**31), ("index32", 2**31), ("i32", 1.5)])
def test_scalars_out_of_range_are_refused(dtype, value):
    specs = (*array("X", "f32", 1), ArgSpec("scalar", "n", dtype=dtype))
    problem = arguments.explain(specs, ("X", "n"), (np.zeros(3, np.float32), value))
    assert isinstance(problem, ArgumentError)
    assert problem.message.startswith(f"n is {value}: ")


def test_the_subgroup_is_what_the_tests_think():
    assert scale_kernel().local_size == (SUBGROUP, 1, 1)


@pytest.mark.parametrize("shape", [(1, SUBGROUP), (5, 37)])  # one workgroup, which the calling thread runs, and several
def test_prepared_launches_of_one_kernel_keep_to_their_own_shapes_and_numbers(placed_kernel, shape):
    other = (shape[0] + 1, 3)
    launches = [(placed_kernel.alike(scale_grid(np.empty(s))), s, n) for s, n in ((shape, 2.0), (other, 2.0), (shape, 3.0))]
    for seed, (launch, size, number) in enumerate(launches * 2 + launches[::-1] + [launches[0]] * 3):
        x, y = matrix(*size, seed), np.zeros(size, np.float32)
        launch((x, y, number))
        np.testing.assert_array_equal(y, x * np.float32(number))
    x, y = matrix(*shape), np.zeros(shape, np.float32)
    placed_kernel.launch(scale_grid(x), (x, y, 5.0))
    launch, _, number = launches[0]
    launch((x, y, number))
    np.testing.assert_array_equal(y, x * np.float32(number))
    y.flags.writeable = False
    with pytest.raises(ArgumentError):
        launch((x, y, number))


def test_threads_run_one_workgroup_each_at_the_same_time(kernel):
    results, begin = {}, threading.Barrier(4)

    def run(number):
        x, y = matrix(1, SUBGROUP, number), np.zeros((1, SUBGROUP), np.float32)
        launch = kernel.alike(scale_grid(x))
        begin.wait()
        for turn in range(200):
            launch((x, y, float(number)))
            results[number, turn] = np.array_equal(y, x * np.float32(number))
            y[...] = 0

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 800 and all(results.values())


def test_a_gpu_is_asked_what_it_spills(backend, device, monkeypatch):
    """No GPU is here: the runtime of a CPU answers the question, or says that it does not know it."""
    session = backend.session(device)
    state = backend.load(scale_kernel(), device)._state()
    assert capi.spilled_bytes(state.kernel, session.device) in (0, None)
    assert OpenCLKernel(scale_kernel(), session).spilled is None
    monkeypatch.setattr(capi, "_query", lambda *asked: (960).to_bytes(8, "little") if asked[-1] == 0x4109 else None)
    assert capi.spilled_bytes(state.kernel, session.device) == 960

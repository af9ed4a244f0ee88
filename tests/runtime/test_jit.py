"""Calls: what they return, what they inspect, and what they refuse before anything runs."""

import pickle
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import matmul, row_sums, scale
from xetile.errors import ArgumentError, CompileError, ConstexprError, DeviceError, DtypeError, XetileError
from xetile.runtime.specialize import PerformanceWarning

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


def matrix(rows: int = 20, columns: int = 33) -> np.ndarray:
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


@pytest.fixture(autouse=True)
def on_device(request):
    """Tests that take `device` or `cpu` run on it."""
    name = next((request.getfixturevalue(n) for n in ("device", "cpu") if n in request.fixturenames), None)
    if name is None:
        yield
        return
    with xt.device(name):
        yield


def misses(call) -> int:
    """How many calls inspected their arguments in full."""
    before = xt.stats().fast_misses
    call()
    return xt.stats().fast_misses - before


# Results


def test_outputs_are_allocated_and_returned(device):
    x = matrix()
    y = scale(x, alpha=2.0)
    assert type(y) is np.ndarray
    assert np.array_equal(y, x * 2)


def test_outputs_may_be_passed(device):
    x, y = matrix(), np.zeros((20, 33), np.float32)
    assert scale(x, y, 3.0) is None
    assert np.array_equal(y, x * 3)
    assert scale(alpha=0.5, Y=y, X=x) is None
    assert np.array_equal(y, x / 2)


def test_grids_may_be_given(device):
    x, y = matrix(), np.zeros((20, 33), np.float32)
    scale[1, 1](x, y, 3.0)
    assert np.array_equal(y[:16, :16], x[:16, :16] * 3)
    assert not y[16:].any() and not y[:, 16:].any()
    scale[lambda X: (xt.cdiv(X.shape[1], 16), 1)](x, y, 3.0)
    assert np.array_equal(y[:16], x[:16] * 3)


@pytest.mark.parametrize("shape", [(0, 4, 5), (2, 0, 5), (2, 4, 0), (0, 0, 0)], ids=str)
def test_arrays_without_elements(device, shape):
    """numpy gives such arrays strides of 0, whatever their order."""
    sums = np.ones(shape[:2], np.float32)
    row_sums(np.zeros(shape, np.float32), sums)
    assert not sums.any()


def test_an_empty_grid_runs_nothing(device):
    y = np.ones((20, 33), np.float32)
    scale[0](matrix(), y, 3.0)
    assert (y == 1).all()
    assert scale(np.zeros((0, 33), np.float32), alpha=1.0).shape == (0, 33)


def test_read_only_inputs(device):
    x = matrix()
    x.flags.writeable = False
    assert np.array_equal(scale(x, alpha=2.0), x * 2)


@pytest.mark.parametrize("kind", ["Interface", "DLPack"])
def test_arrays_of_other_libraries(device, kind):
    make = {"Interface": Interface, "DLPack": DLPack}[kind]
    x, y = matrix(), np.zeros((20, 33), np.float32)
    for alpha in (2.0, 3.0):
        scale(make(x), make(y), alpha)
        assert np.array_equal(y, x * alpha)
    assert np.array_equal(scale(make(x), alpha=2.0), x * 2)


class Interface:
    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class DLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_scalars_of_numpy(device):
    x = matrix()
    for alpha in (2.0, np.float32(2), np.float64(2), 2, np.int32(2)):
        assert np.array_equal(scale(x, alpha=alpha), x * 2)


# The fast path


def test_a_second_call_inspects_nothing(device):
    x, y = matrix(), np.zeros((20, 33), np.float32)
    calls = [
        lambda: scale(x, alpha=2.0),
        lambda: scale(x, y, 2.0),
        lambda: scale(x, y, alpha=3.0, BM=32),
        lambda: scale[3, 2](x, y, 2.0),
        lambda: scale(X=x, Y=y, alpha=1.0),
        lambda: scale(x, y, 2, 16, BN=32),
    ]
    for call in calls:
        call()
        assert misses(call) == 0


def test_other_values_of_scalars_take_the_fast_path(device):
    x = matrix()
    scale(x, alpha=1.0)
    for alpha in (2.0, -0.5):
        result = []
        assert misses(lambda: result.append(scale(x, alpha=alpha))) == 0  # noqa: B023
        assert np.array_equal(result[0], x * np.float32(alpha))


def test_calls_of_several_kinds_take_turns_on_the_fast_path(device):
    """The code of the last call is tried first: it must know the others as others."""
    x, y = matrix(), np.zeros((20, 33), np.float32)
    calls = [
        lambda n: scale(x, y, n),
        lambda n: scale(x, y, int(n)),
        lambda n: scale(x, y, np.float32(n)),
        lambda n: scale(x, y, alpha=n),
        lambda n: scale(x, Y=y, alpha=n),
        lambda n: scale(x, y, n, 16),
        lambda n: scale(x, y, n, BN=16),
        lambda n: scale[3, 2](x, y, n, BN=16),
    ]
    for call in calls:
        call(1.0)
    for number, call in enumerate([*calls, *reversed(calls), *calls[::3]] * 2, 2):
        assert misses(lambda: call(float(number))) == 0  # noqa: B023
        assert np.array_equal(y, x * np.float32(number)), number
    scale(x, y, True)
    assert np.array_equal(y, x)


def test_new_kinds_of_arguments_are_noticed(device):
    x = matrix(64, 64)
    assert np.array_equal(scale(x, alpha=2.0), x * 2)
    for other in (x.astype(np.float16), x[:, ::1][:30], x.T, x[1:, 1:], x[:5, :7], x.astype(np.int32)):
        for _ in range(2):
            assert np.array_equal(scale(other, alpha=2.0), other.astype(np.float32) * 2)


def test_equal_constants_of_other_types_are_other_kernels(device):
    seen = []

    @xt.jit(grid=1, num_subgroups=1)
    def kernel(Y, flag: xt.constexpr):
        xt.store_tile(xt.full((1, 16), 1.0 if flag is True else 2.0, xt.f32), xt.init_tile(Y, (0, 0), (1, 16)))

    for flag in (1, True, 1, 1.0):
        y = np.zeros((1, 16), np.float32)
        kernel(y, flag)
        seen.append(y[0, 0])
    assert seen == [2, 1, 2, 2]


def test_shapes_are_not_compiled_in(device):
    scale(matrix(), alpha=2.0)
    loads = xt.stats().loads
    scale(matrix(7, 50)[:, :33], alpha=2.0)
    scale(matrix(7, 33), alpha=2.0)
    assert xt.stats().loads == loads


def test_bound_launches_repeat(device):
    x, y = matrix(), np.zeros((20, 33), np.float32)
    bound = scale.bind(x, y, 2.0)
    assert bound.grid == (3, 2, 1)
    assert not y.any()
    bound()
    assert np.array_equal(y, x * 2)
    x += 1
    bound()
    assert np.array_equal(y, x * 2)
    allocated = scale.bind(x, alpha=3.0)
    allocated()
    assert np.array_equal(allocated.results, x * 3)
    assert scale[1, 1].bind(x, y, 2.0).grid == (1, 1, 1)


# Device arrays


def test_device_arrays_give_device_arrays(cpu):
    queue = xt.Queue(profiling=True)
    x = queue.to_device(matrix())
    y = scale(x, alpha=2.0)
    assert type(y) is type(x)
    assert np.array_equal(y.get(), matrix() * 2)
    assert misses(lambda: scale(x, alpha=2.0)) == 0
    out = queue.empty((20, 33), xt.f32)
    event = scale(x, out, 3.0)
    assert 0 < xt.elapsed(event) < 10
    assert np.array_equal(out.get(), matrix() * 3)
    event = scale.bind(x, out, 4.0)()
    assert 0 < xt.elapsed(event) < 10
    queue.finish()
    assert np.array_equal(out.get(), matrix() * 4)
    assert xt.stats().to_device == xt.stats().from_device == 0


def test_device_arrays_choose_the_device(cpu):
    queue = xt.Queue(cpu)
    x = queue.to_device(matrix())

    def call():
        assert np.array_equal(scale(x, alpha=2.0).get(), matrix() * 2)

    import contextvars

    contextvars.Context().run(call)  # where no device is chosen


def test_a_chosen_device_that_arrays_are_not_on_is_an_error(cpu):
    x = xt.Queue(cpu).to_device(matrix())
    with xt.device("numpy"), pytest.raises(ArgumentError, match="is to run on numpy"):
        scale(x, alpha=2.0)


def test_queues_of_pyopencl(cpu):
    import pyopencl as cl
    import pyopencl.array as cla

    ours = xt.Queue(cpu).handle
    mine = cl.CommandQueue(ours.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    x, y = cla.to_device(ours, matrix()), cla.zeros(ours, (20, 33), np.float32)
    ours.finish()
    for queue in (mine, xt.Queue(cpu)):
        scale(x, y, 2.0, queue=queue)
        getattr(queue, "handle", queue).finish()
        assert np.array_equal(y.get(), matrix() * 2)
    context = cl.Context([ours.device])
    elsewhere = cl.CommandQueue(context)
    z = cla.to_device(elsewhere, matrix())
    assert np.array_equal(scale(z, alpha=2.0).get(), matrix() * 2)


def test_the_numpy_device_has_no_queues():
    with pytest.raises(DeviceError, match="no queues"):
        xt.Queue("numpy")


# Refusals

BIG = 2**70


def f32(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def readonly(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


WRONG = {
    "nothing": (lambda: scale(), ArgumentError, "needs X, alpha"),
    "too many": (lambda: scale(f32(4, 4), f32(4, 4), 1.0, 16, 16, 1), ArgumentError, "takes 5 arguments, 6 were given"),
    "unknown name": (lambda: scale(f32(4, 4), alpha=1.0, beta=2), ArgumentError, "beta is no parameter"),
    "twice": (lambda: scale(f32(4, 4), X=f32(4, 4), alpha=1.0), ArgumentError, "X was given twice"),
    "a list": (lambda: scale([[1.0]], alpha=1.0), ArgumentError, "out rule of Y failed"),
    "a long list": (lambda: scale([0.0] * 999, alpha=1.0), ArgumentError, r"\[0.0, .{,40}\.\.\.\]; pass arrays: np.asarray\(X\)"),
    "fraction as size": (lambda: scale(f32(4, 4), alpha=1.0, BM=16.0), DtypeError, "16.0: it divides integers"),
    "a string": (lambda: scale(f32(4, 4), alpha="2"), ArgumentError, "alpha is a str"),
    "huge number": (lambda: scale(f32(4, 4), alpha=BIG), ArgumentError, "at most 64 bits"),
    "number for u64": (lambda: scale(f32(4, 4), alpha=2**63), ArgumentError, "`alpha: xt.u64` in the kernel's parameters"),
    "rank 1": (lambda: matmul(f32(4), f32(4, 4), f32(4, 4)), XetileError, "2 offsets for A"),
    "no kernel dtype": (lambda: scale(f32(4, 4).astype(complex), alpha=1.0), DtypeError, "complex"),
    "other byte order": (lambda: scale(f32(4, 4).astype(">f4"), alpha=1.0), DtypeError, "other order"),
    "zero dimensions": (lambda: matmul(f32(), f32(4, 4), f32(4, 4)), CompileError, "f32 scalar, not an array"),
    "no grid": (lambda: xt.jit(scale.fn)(f32(4, 4), f32(4, 4), 1.0), ArgumentError, "has no grid"),
    "bad grid": (lambda: scale[1, 2, 3, 4](f32(4, 4), f32(4, 4), 1.0), ArgumentError, "the grid is"),
    "negative grid": (lambda: scale[-1](f32(4, 4), f32(4, 4), 1.0), ArgumentError, "the grid is"),
    "endless grid": (lambda: scale[2**31](f32(4, 4), f32(4, 4), 1.0), ArgumentError, "the grid is 2147483648"),
    "endless grid along y": (lambda: scale[1, 2**40](f32(4, 4), f32(4, 4), 1.0), ArgumentError, "each below 2\\*\\*31"),
    "fractional grid": (lambda: scale[0.5](f32(4, 4), f32(4, 4), 1.0), ArgumentError, "the grid is"),
    "grid rule fails": (lambda: matmul(f32(4, 4), f32(4, 4), f32(4)), ArgumentError, "grid rule failed: IndexError"),
    "dict as constant": (lambda: scale(f32(4, 4), alpha=1.0, BM={1: 16}), ConstexprError, "BM is a dict"),
    "bad tile": (lambda: scale(f32(4, 4), alpha=1.0, BM=0), ArgumentError, "ZeroDivisionError"),
    "unknown target": (lambda: scale(f32(4, 4), alpha=1.0, target="pcv"), DeviceError, "did you mean 'pvc'"),
    "read-only output": (lambda: scale(f32(4, 4), readonly(f32(4, 4)), 1.0), ArgumentError, "read-only"),
}


@pytest.mark.parametrize("call,kind,words", WRONG.values(), ids=WRONG.keys())
def test_wrong_calls_are_refused(device, call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_refused_calls_change_nothing(device):
    x, y = f32(16, 16), f32(16, 16)
    for overlapping in (x, x[:8], x[4:12, :8]):
        with pytest.raises(ArgumentError, match="Y is written by the kernel and shares memory with X"):
            scale(x, overlapping, 3.0)
        with pytest.raises(ArgumentError, match="shares memory"):
            scale.bind(x, overlapping, 3.0)
    with pytest.raises(ArgumentError):
        scale(x, y, object())
    assert (x == 1).all() and (y == 1).all()


def test_overlap_is_found_on_the_fast_path_too(device):
    buffer = np.ones((32, 16), np.float32)
    x, y = buffer[:16], buffer[16:]
    scale(x, y, 3.0)
    assert misses(lambda: scale(x, y, 2.0)) == 0
    with pytest.raises(ArgumentError, match="shares memory"):
        scale(x, buffer[8:24], 2.0)
    assert (y == 2).all()
    interleaved = np.ones((32, 16), np.float32)
    scale(interleaved[::2], interleaved[1::2], 2.0)  # no element is shared
    assert (interleaved[1::2] == 2).all() and (interleaved[::2] == 1).all()


def test_overlapping_device_arrays_are_refused(cpu):
    queue = xt.Queue(cpu)
    whole = queue.to_device(f32(64, 16))
    with pytest.raises(ArgumentError, match="shares memory"):
        scale(whole, whole, 2.0)
    scale(whole[:32], whole[32:], 2.0)
    queue.finish()
    assert (whole.get()[32:] == 2).all()


def test_names_that_calls_need_are_refused():
    with pytest.raises(ArgumentError, match="queue is an option"):

        @xt.jit
        def kernel(A, queue):
            pass

    with pytest.raises(ArgumentError, match="out names 'D'"):

        @xt.jit(out={"D": lambda A: A})
        def other(A):
            pass


def test_one_warning_for_an_array_that_breaks_the_block_rules(device):
    @xt.jit(grid=1, num_subgroups=1)
    def kernel(X, Y):
        xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))), xt.init_tile(Y, (0, 0), (8, 16)))

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for columns in (15, 15, 13):
            kernel(f32(80, columns), f32(8, 16))
    says = "kernel: X is accessed element by element, which is slow: a row must have at least 64 bytes, not 60"
    assert [str(w.message) for w in seen if w.category is PerformanceWarning] == ([] if device == "numpy" else [says])
    assert all(w.filename == __file__ for w in seen)


# Threads and processes


def test_threads_share_a_kernel(device):
    @xt.jit(grid=1, num_subgroups=1)
    def kernel(X, Y, k: xt.constexpr):
        xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (1, 16))) * k, xt.init_tile(Y, (0, 0), (1, 16)))

    loads, wrong = xt.stats().loads, []

    def work(seed: int) -> None:
        with xt.device(device):
            for i in range(40):
                x, y = f32(1, 16) * seed, f32(1, 16)
                kernel(x, y, 2 + i % 3)
                if not np.array_equal(y, x * (2 + i % 3)):
                    wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert xt.stats().loads == loads + 3  # each was made once, however many asked for it at once


def test_kernels_pickle():
    assert pickle.loads(pickle.dumps(scale)) is scale


def call_scale(kernel, x):
    with xt.device("numpy"):
        return kernel(x, alpha=2.0)


def test_kernels_run_in_worker_processes():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result = pool.submit(call_scale, scale, matrix()).result(timeout=60)
    assert np.array_equal(result, matrix() * 2)


def test_a_kernel_that_a_worker_cannot_find_says_so():
    from xetile.runtime.pickling import find

    with pytest.raises(XetileError, match="no kernel"):
        find("tests.runtime.sample", "missing", __file__)

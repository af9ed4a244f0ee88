"""Kernels in several threads, on several devices at once, and made within functions on their way to other processes."""

import pickle
import threading

import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import scale
from xetile.ops.kernels.rows import softmax
from xetile.runtime.autotune import search as searching

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


def at_once(work, count):
    """Run `work(i)` in as many threads, which start together; what they raised."""
    errors, start = [], threading.Barrier(count)

    def run(i):
        start.wait()
        try:
            work(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def local_kernel(factor):
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X: (xt.cdiv(X.shape[0], 16),), num_subgroups=1)
    def times(X, Y):
        at = (xt.program_id(0) * 16,)
        xt.store_tile(xt.load_tile(xt.init_tile(X, at, (16,))) * factor, xt.init_tile(Y, at, (16,)))

    return times


@pytest.mark.device
def test_devices_take_turns_and_run_at_once(cpu):
    def work(i):
        x = np.full((20, 33), i, np.float32)
        for turn in range(20):
            with xt.device(("numpy", cpu)[(i + turn) % 2]) as info:
                assert info.kind == ("numpy", "cpu")[(i + turn) % 2]
                assert np.array_equal(scale(x, alpha=2.0), x * 2)

    assert not at_once(work, 4)


def test_kernels_made_within_functions_travel_by_their_parts(device):
    """As cloudpickle takes them, which also takes the function."""
    x = np.arange(40, dtype=np.float32)
    kernel = local_kernel(3.0)
    tuned = xt.autotune(configs=[xt.Config(num_subgroups=1)], isolate=False, samples=3)(kernel)
    with xt.device(device):
        for one in (kernel, tuned):
            rebuild, parts = one.__reduce__()
            again = rebuild(*parts)
            assert again is not one
            assert np.array_equal(again(x), x * 3)


@pytest.mark.device
def test_threads_that_tune_at_once_measure_once(cpu, monkeypatch):
    searches = []
    search = searching.search
    monkeypatch.setattr(searching, "search", lambda *args: searches.append(args) or search(*args))
    tuned = xt.autotune(configs=[xt.Config(BM=16), xt.Config(BM=32)], isolate=False, samples=3)(scale)
    x = np.ones((20, 33), np.float32)

    def work(i):
        with xt.device(cpu):
            assert np.array_equal(tuned(x, alpha=2.0), x * 2)

    assert not at_once(work, 4)
    assert len(searches) == 1


def test_a_compiled_kernel_travels_by_what_it_was_compiled_from():
    compiled = softmax.compile("f32[?,?]", "f32[?,?]", target="cpu", BM=2)
    there = pickle.loads(pickle.dumps(compiled))
    assert there.request == compiled.request and there.spirv == compiled.spirv

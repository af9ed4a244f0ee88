"""`device_assert`: a call whose check does not hold raises, on every device and by every way to launch."""

import re

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, KernelAssertionError

pytestmark = pytest.mark.device


@xt.jit(grid=lambda X: xt.cdiv(X.shape[0], 16))
def checked(X, Y, limit):
    """Y = X * 2, and no X beyond a limit."""
    at = xt.program_id(0) * 16
    x = xt.load_tile(xt.init_tile(X, (at,), (16,)))
    xt.device_assert(x <= limit, f"100% of {xt.max(x)} is more than {limit} at {at}")
    xt.device_assert(x > -5, "too small")
    xt.store_tile(x * 2, xt.init_tile(Y, (at,), (16,)))


@xt.jit(grid=(1,))
def numbers(X, a, b, c, d):
    xt.device_assert(
        X.shape[0] < 0, f"{a} {b} {c} {d} {a.to(xt.f16)} {b.to(xt.i8)} {b.to(xt.u64)} {a > 0} {X.shape[0]} {d.to(xt.bf16)}"
    )


def arrays(value=None, n=100):
    x = np.arange(n, dtype=np.float32) % 16
    if value is not None:
        x[70] = value
    return x, np.zeros_like(x)


def test_calls_raise_with_place_and_values(device):
    with xt.device(device):
        x, y = arrays()
        for _ in range(2):
            checked(x, y, np.float32(50))
        assert np.array_equal(y, x * 2)
        x, y = arrays(99)
        for _ in range(2):
            with pytest.raises(KernelAssertionError, match=r"100% of 99\.0+ is more than 50\.0+ at 64") as caught:
                checked(x, y, np.float32(50))
        assert "x=4, y=0, z=0" in str(caught.value)
        assert "xt.device_assert(x <= limit" in caught.value.at.text
        with pytest.raises(KernelAssertionError, match="too small"):
            checked(*arrays(-5), np.float32(50))
        x, y = arrays()
        checked(x, y, np.float32(50))  # the failure of another call is no failure of this one
        assert np.array_equal(y, x * 2)


def test_bound_launches_raise_each_time(device):
    with xt.device(device):
        x, y = arrays()
        bound = checked.bind(x, y, np.float32(50))
        bound()
        x[3] = 51
        for _ in range(2):
            with pytest.raises(KernelAssertionError, match="at 0"):
                bound()
        x[3] = 3
        bound()
        assert np.array_equal(y, x * 2)


def test_calls_on_device_arrays_raise_at_the_call(cpu_queue):
    import pyopencl.array as cl_array

    x, y = (cl_array.to_device(cpu_queue, a) for a in arrays(99))
    with pytest.raises(KernelAssertionError, match="at 64"):
        checked(x, y, np.float32(50))
    bound = checked.bind(x, y, np.float32(50))
    with pytest.raises(KernelAssertionError, match="at 64"):
        bound()
    assert checked(x, y, np.float32(100)) is not None


@pytest.fixture
def cpu_queue():
    from xetile.runtime import devices

    device = devices.find_device("cpu")
    with xt.device("cpu"):
        yield devices.backend_of(device).queue(device)


def test_values_of_all_types(device):
    with xt.device(device), pytest.raises(KernelAssertionError) as caught:
        numbers(np.zeros(3, np.float32), 1.5, -(2**40), -7, np.float32(-0.25))
    shown = re.sub(r"(\.\d+?)0+\b", r"\1", caught.value.message.partition(" (in")[0])
    assert shown == f"1.5 {-(2**40)} -7 -0.25 1.5 0 {2**64 - 2**40} 1 3 -0.25"


def test_saved_kernels_raise(tmp_path, cpu_queue):
    checked.compile("f32[?]", "f32[?]", "f32").save(tmp_path / "checked")
    x, y = arrays(99)
    with pytest.raises(KernelAssertionError, match="at 64") as caught:
        xt.load(tmp_path / "checked")[(7,)](x, y, np.float32(50))
    assert caught.value.at.line == checked.fn.__code__.co_firstlineno + 5


def test_messages_show_scalars_only():
    @xt.jit(grid=(1,))
    def kernel(X):
        x = xt.load_tile(xt.init_tile(X, (0,), (16,)))
        xt.device_assert(x > 0, f"{x}")

    with pytest.raises(CompileError, match="shows a tile"):
        kernel.compile("f32[?]").spirv

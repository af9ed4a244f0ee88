"""Host arrays neither of whose last axes is contiguous: kernels get copies, and what they write comes back."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError

WHOLE = np.random.default_rng(0).standard_normal((6, 80, 66), dtype=np.float32)
VIEWS = {
    "steps": lambda x: x[:, ::2, ::3],
    "columns from the end": lambda x: x[:, 3:50, ::-1],
    "all from the end": lambda x: x[::-1, ::-1, ::-1],
    "one column": lambda x: np.broadcast_to(x[:, :, 5:6], (6, 80, 40)),
    "channels last": lambda x: x.transpose(2, 0, 1)[:, :5].transpose(1, 0, 2),
    "an axis within": lambda x: x.transpose(1, 0, 2)[:, :, ::2],
}


@xt.jit(grid=lambda Y, N: (xt.cdiv(Y.shape[2], N), xt.cdiv(Y.shape[1], N), Y.shape[0]))
def add(X, Y, N: xt.constexpr = 32):
    z, m, n = xt.program_id(2), xt.program_id(1) * N, xt.program_id(0) * N
    Y[z, m : m + N, n : n + N] = xt.load_tile(X[z, m : m + N, n : n + N]) * 2 + xt.load_tile(Y[z, m : m + N, n : n + N])


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("name", VIEWS)
def test_any_view_is_read_and_written(device, name):
    x, whole = VIEWS[name](WHOLE), WHOLE.copy()
    y = VIEWS[name](whole) if name != "one column" else np.zeros((6, 80, 80), np.float32)[:, :, ::2]
    expected, elsewhere = x * 2 + y, whole.copy()
    if name != "one column":
        VIEWS[name](elsewhere)[...] = expected
    with xt.device(device):
        add(x, y)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(whole, elsewhere)


def test_each_call_and_each_bound_launch_reads_and_writes_the_array(device):
    x, y = WHOLE[:, ::2, ::2].copy()[:, ::2, ::2], np.zeros((6, 40, 34), np.float32)[:, ::2, ::2]
    with xt.device(device):
        add(x, y)
        x[...] += 1
        add(x, y)
        run = add.bind(x, y)
        x[...] += 1
        run()
    np.testing.assert_allclose(y, 2 * (3 * x - 3), rtol=1e-5, atol=1e-5)


def test_rows_of_every_other_element(device):
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X: xt.cdiv(X.shape[0], 16))
    def kernel(X, Y):
        i = xt.program_id(0) * 16
        Y[i : i + 16] = xt.load_tile(X[i : i + 16]) + 1

    x = np.arange(70, dtype=np.int16)
    with xt.device(device):
        np.testing.assert_array_equal(kernel(x[::-2]), x[::-2] + 1)
        np.testing.assert_array_equal(kernel(x[1::3]), x[1::3] + 1)


@pytest.mark.parametrize("device", ["numpy"])
def test_what_may_not_be_written_is_refused_as_of_other_arrays(device):
    x, y = WHOLE[:, ::2, ::2], WHOLE.copy()[:, ::2, ::2]
    frozen = y.view()
    frozen.flags.writeable = False
    with xt.device(device):
        with pytest.raises(ArgumentError, match="read-only"):
            add(x, frozen)
        with pytest.raises(ArgumentError, match="shares memory with X"):
            add(y[:, ::-1], y)


def test_examples_of_such_views_compile_for_their_copies():
    x = WHOLE[:, ::2, ::2]
    of_views, of_arrays = (add.compile(y, y, target="pvc") for y in (x, x.copy()))
    assert of_views.spirv == of_arrays.spirv

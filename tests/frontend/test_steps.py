"""Steps of loops whose sign is known at run time only."""

import inspect
import runpy
import textwrap

import numpy as np
import pytest

import xetile as xt
from tests.language.running import body_of
from xetile.errors import ArgumentError, KernelAssertionError
from xetile.runtime.settings import override


@xt.jit
def every(A, Out, step: xt.i32):
    total = 0
    for i in range(0, A.shape[0], step):
        total += A[i]
    Out[0] = total


@xt.jit
def every_kth(A, Out):
    total = 0
    for i in range(7, -1, A[0]):
        total += A[i]
    Out[0] = total


@xt.jit
def by_a_size(A, B, Out):
    total = 0
    for i in range(0, A.shape[0], B.shape[0]):
        total += A[i]
    Out[0] = total


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_the_sign_of_a_step_may_be_known_at_run_time_only(device):
    values = np.arange(8, dtype=np.int32) - 3
    out = np.zeros(1, np.int32)
    with override(device=device):
        for step in (1, 3, 8, 9, -1):
            every[(1,)](values, out, step)
            assert out[0] == values[0::step].sum() * (step > 0)
        every_kth[(1,)](values, out)
        assert out[0] == values[7::-3].sum()
        by_a_size[(1,)](values, values[:2], out)
        assert out[0] == values[::2].sum()


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_a_step_of_zero_is_refused(device):
    values, out = np.zeros(8, np.int32), np.zeros(1, np.int32)
    with override(device=device):
        with pytest.raises(ArgumentError, match="range with step 0"):
            every[(1,)](values, out, 0)
        with pytest.raises(ArgumentError, match="range with step 0"):
            by_a_size[(1,)](values, values[:0], out)
        with pytest.raises(KernelAssertionError, match="range with step 0"):
            every_kth[(1,)](values, out)


@pytest.mark.parametrize("step", ["xt.num_programs(0)", "n % 3 + 1", "3 * (xt.program_id(0) + 1)", "xt.cdiv(A.shape[0] + 1, 8)"])
def test_steps_that_are_seen_to_be_positive_are_taken_as_they_are(step, tmp_path):
    def kernel(A, n):
        for i in range(n, A.shape[0], STEP):  # noqa: F821
            xt.store_tile(0, xt.init_tile(A, i, (1,)))

    source = tmp_path / "steps.py"
    source.write_text("import xetile as xt\n" + textwrap.dedent(inspect.getsource(kernel)).replace("STEP", step))
    lines = body_of(runpy.run_path(str(source))["kernel"], A="i32[?]", n="i32")
    (line,) = [line for line in lines if "scf.for" in line]
    assert "step %c1" not in line and not any("assert" in line for line in lines)


@xt.jit
def parts(A, Out, step: xt.i32):
    total = xt.zeros((16,), xt.f32)
    for i in range(0, A.shape[0], step):
        total += xt.load_tile(xt.init_tile(A[0 : A.shape[0], 0:16][i], 0, (16,)))
    xt.store_tile(total, xt.init_tile(Out, 0, (16,)))


def test_places_in_parts_of_arrays_are_seen_not_to_be_negative():
    values, out = np.arange(8 * 16, dtype=np.float32).reshape(8, 16), np.zeros(16, np.float32)
    with override(device="numpy"):
        parts[(1,)](values, out, 3)
    np.testing.assert_array_equal(out, values[::3].sum(0))

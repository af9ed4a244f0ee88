"""Sums of rows that loops add up stay apart in the lanes until behind the loop: where, and the results stay."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from xetile.dialects import scf, xetile
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target


def totals(start, step, rest=None):
    """Rows' sums of exponentials in Y, of 16 columns at a time."""

    @xt.jit
    def kernel(A, B, Y):
        a, total = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), start()
        for n in range(0, B.shape[1], 16):
            p = xt.exp2(a @ xt.load_tile(xt.init_tile(B, (0, n), (32, 16))))
            total = step(total, p)
        if rest is not None:
            for n in range(0, B.shape[1], 16):
                total = step(total, rest + a @ xt.load_tile(xt.init_tile(B, (0, n), (32, 16))))
        xt.store_tile(total, xt.init_tile(Y, (0, 0), (16, 1)))

    return kernel


def zeros():
    return xt.zeros((16, 1), xt.f32)


APART = {
    "added": totals(zeros, lambda total, p: total + xt.sum(p, 1)),
    "scaled": totals(zeros, lambda total, p: xt.sum(p, 1) + total * xt.max(p, 1)),
    "from a number": totals(lambda: xt.full((16, 1), 1.5), lambda total, p: total * 0.5 + xt.sum(p, 1)),
    "two loops": totals(zeros, lambda total, p: total * xt.min(p, 1) + xt.sum(p, 1), 1.0),
}
KEPT = {
    "read in the loop": totals(zeros, lambda total, p: total * xt.max(p - total, 1) + xt.sum(p, 1)),
    "largest": totals(zeros, lambda total, p: xt.maximum(total, xt.max(p, 1))),
    "the sum is scaled": totals(zeros, lambda total, p: (total + xt.sum(p, 1)) * 0.5),
}


def launch(kernel) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(np.float16) / 4 for shape in ((16, 32), (32, 48)))
    return Launch(kernel, {"A": a, "B": b, "Y": np.zeros((16, 1), np.float32)}, {}, constants={})


def sums_in_loops(kernel) -> list[bool]:
    """For each loop whether it adds up lanes."""
    levels = dict(pipeline.lower(trace(launch(kernel).compiled().request), get_target("pvc")))
    loops = [op for op in levels["lane"].walk() if isinstance(op, scf.For)]
    return [any(isinstance(op, xetile.ReduceLines) and op.kind == "add" for op in loop.body.ops) for loop in loops]


@pytest.mark.parametrize("name", APART)
def test_lanes_are_added_up_behind_loops(name):
    assert not any(sums_in_loops(APART[name]))


@pytest.mark.parametrize("name", ["read in the loop", "the sum is scaled"])
def test_sums_that_are_needed_stay(name):
    assert all(sums_in_loops(KEPT[name]))


@pytest.mark.parametrize("name", APART | KEPT)
def test_results_stay(name):
    case = launch((APART | KEPT)[name])
    found = [(level, after["Y"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values)]
    for level, got in found[1:]:
        np.testing.assert_allclose(got, found[0][1], rtol=1e-5, atol=1e-6, err_msg=level)


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("name", APART)
def test_on_devices(device, name):
    case = launch(APART[name])
    expected = next(after["Y"] for _, after in run_levels(case.compiled().request, (1, 1, 1), case.values))
    with xt.device(device):
        case.kernel[(1,)](*case.values.values())
    np.testing.assert_allclose(case.values["Y"], expected, rtol=1e-5)

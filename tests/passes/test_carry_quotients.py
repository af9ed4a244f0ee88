"""Quotients and rests of counters are carried from one iteration to the next: the same numbers, by divisors of any size."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from xetile.dialects import arith, scf
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target


@xt.jit
def places(X, Y, first, size):
    """Quotient, rest and, in the last column, the number of rows behind the first."""
    for k in range(first, X.shape[0], 3):
        xt.store_tile(xt.full((1, 1), k // X.shape[1], xt.i32), xt.init_tile(Y, (k, 0), (1, 1)))
        xt.store_tile(xt.full((1, 1), (k + 2) % X.shape[1], xt.i32), xt.init_tile(Y, (k, 1), (1, 1)))


@xt.jit
def kept(X, Y, first, size):
    """By a constant, and of what does not grow by one."""
    for k in range(0, X.shape[0], 3):
        xt.store_tile(xt.full((1, 1), k // 3 + k * k % X.shape[1], xt.i32), xt.init_tile(Y, (k, 0), (1, 1)))


@xt.jit
def multiples(X, Y, first, size):
    """Products of the counter and of its quotient with numbers of run time, and what is added to them."""
    for k in range(first, X.shape[0], 4):
        xt.store_tile(xt.full((1, 1), k // 2 * size + first, xt.i32), xt.init_tile(Y, (k, 0), (1, 1)))
        xt.store_tile(xt.full((1, 1), k * size - k // 8 * size, xt.i32), xt.init_tile(Y, (k, 1), (1, 1)))


def launch(kernel, rows: int, size: int, first: int = 0) -> Launch:
    values = {"X": np.zeros((rows, size), np.float32), "Y": np.zeros((rows + 1, 2), np.int32), "first": first, "size": size}
    return Launch(kernel, values, {}, constants={})


def divisions_in_loops(kernel) -> int:
    levels = dict(pipeline.lower(trace(launch(kernel, 8, 4).compiled().request), get_target("pvc")))
    loops = [op for op in levels["lane"].walk() if isinstance(op, scf.For)]
    divisions = (arith.DivUI, arith.RemUI)
    return sum(isinstance(op, divisions) and arith.constant_of(op.rhs) is None for loop in loops for op in loop.body.ops)


def test_no_division_is_left_in_the_loop():
    assert divisions_in_loops(places) == 0


def test_products_with_numbers_of_run_time_are_carried():
    """But that of a quotient by more than the counter grows."""
    levels = dict(pipeline.lower(trace(launch(multiples, 8, 4).compiled().request), get_target("pvc")))
    (loop,) = [op for op in levels["lane"].walk() if isinstance(op, scf.For)]
    assert sum(isinstance(op, arith.MulI) and arith.constant_of(op.rhs) is None for op in loop.body.ops) == 1


@pytest.mark.parametrize(("first", "size"), [(0, 3), (6, -5), (4, 2**30), (40, 1)])
def test_multiples_on_devices(device, first, size):
    case = launch(multiples, 40, 1, first)
    with xt.device(device):
        multiples[(1,)](*list(case.values.values())[:3], size)
    k = np.arange(first, 40, 4, dtype=np.int64)
    expected = np.stack([k // 2 * size + first, k * size - k // 8 * size], 1)
    np.testing.assert_array_equal(case.values["Y"][k], expected.astype(np.int32))


def test_others_stay():
    assert divisions_in_loops(kept) == 1


@pytest.mark.every(2)
@pytest.mark.parametrize(("rows", "size"), [(40, 7), (40, 1), (40, 2), (40, 3), (40, 100), (0, 5), (1, 1)])
@pytest.mark.parametrize("kernel", [places, kept, multiples], ids=["places", "kept", "multiples"])
def test_every_level(kernel, rows, size):
    case = launch(kernel, rows, size)
    found = [(level, after["Y"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values)]
    for level, got in found[1:]:
        np.testing.assert_array_equal(got, found[0][1], err_msg=level)


def test_on_devices(device):
    case = launch(places, 40, 7, first=4)
    with xt.device(device):
        places[(1,)](*case.values.values())
    k = np.arange(4, 40, 3)
    np.testing.assert_array_equal(case.values["Y"][k], np.stack([k // 7, (k + 2) % 7], 1))

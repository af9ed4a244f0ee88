"""Outputs without axes: one number, in the kernel an array of shape () whose element is `Y[()]`."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, TileShapeError

pytestmark = pytest.mark.device

X = np.arange(64, dtype=np.float32)


@xt.jit(out={"Y": lambda X: xt.empty((), X.dtype)}, grid=1)
def total(X, Y):
    Y[()] = xt.sum(xt.load_tile(X[0:64])) + Y.ndim


@xt.jit(out={"Y": lambda X: xt.zeros((), xt.f32)}, grid=4)
def total_of_programs(X, Y):
    part = xt.sum(xt.load_tile(xt.init_tile(X, xt.program_id(0) * 16, (16,))), keepdims=True)
    xt.atomic_rmw_tile("addf", part, xt.init_tile(Y, xt.zeros((1,), xt.i32)))


@xt.jit(out={"Y": lambda: xt.full((), 3.0, xt.f64)}, grid=1)
def doubled(Y):
    Y[...] = Y[()] * 2


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", [total, total_of_programs])
def test_they_are_allocated_and_passed(device, kernel):
    with xt.device(device):
        for _ in range(2):  # the second call is a warm one
            found = kernel(X)
            assert (found.shape, found.dtype, found[()]) == ((), np.float32, 2016)
        for _ in range(2):
            found[()] = 0
            assert kernel(X, found) is None and found == 2016
        bound = kernel.bind(X)
        bound()
        assert bound.results == 2016


def test_they_are_read(device):
    with xt.device(device):
        assert doubled() == 6 == doubled()


def test_on_device_arrays(cpu):
    x = xt.Queue().to_device(X)
    assert total(x).get() == total(x).get() == 2016


def test_ahead_of_time(cpu, tmp_path):
    total.compile("f32[?]", "f32[]", target="pvc").save(tmp_path / "total")
    found = np.zeros((), np.float32)
    xt.load(tmp_path / "total")[1](X, found)
    assert found == 2016


def test_other_subscripts_say_how():
    @xt.jit(out={"Y": lambda X: xt.empty((), X.dtype)}, grid=1)
    def first(X, Y):
        Y[0] = X[0]

    @xt.jit(out={"Y": lambda X: xt.empty((), X.dtype)}, grid=1)
    def tile(X, Y):
        xt.store_tile(xt.load_tile(X[0:1]), xt.init_tile(Y, (0,), (1,)))

    @xt.jit(grid=1)
    def number(X, Y):
        Y[()] = X[0]

    for kernel, kind, given, hint in (
        (first, CompileError, (X,), r"Y\[\(\)\] is its one element"),
        (tile, TileShapeError, (X,), r"Y\[\(\)\] = value stores"),
        (number, CompileError, (X, np.zeros((), np.float32)), r"shape \(1,\)"),
    ):
        with pytest.raises(kind) as caught:
            kernel(*given)
        assert caught.match(hint)

"""Outputs that a call allocates filled: what the programs of a grid add to."""

import numpy as np
import pytest

import xetile as xt

X = np.arange(77 * 40, dtype=np.float32).reshape(77, 40) % 13


@xt.jit(out={"Sums": lambda X: xt.zeros(X.shape[1])}, grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def add_columns(X, Sums, BM: xt.constexpr = 16):
    x = xt.load_tile(xt.init_tile(X, (xt.program_id(0) * BM, 0), (BM, 64)))
    xt.atomic_rmw_tile("add", xt.sum(x, 0), xt.init_tile(Sums, (0,), (64,)))


@xt.jit(out={"Least": lambda X: xt.full(X.shape[1], 100, xt.i32)}, grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def least(X, Least, BM: xt.constexpr = 16):
    x = xt.load_tile(xt.init_tile(X, (xt.program_id(0) * BM, 0), (BM, 64)), padding=50.0)
    xt.atomic_rmw_tile("min", xt.min(x, 0).to(xt.i32), xt.init_tile(Least, (0,), (64,)))


def test_programs_add_to_an_output_of_zeros(device):
    with xt.device(device):
        assert np.array_equal(add_columns(X), X.sum(0))


def test_programs_take_the_least_of_an_output_filled(device):
    with xt.device(device):
        assert np.array_equal(least(X), X.min(0).astype(np.int32))


def test_device_arrays_get_outputs_beside_them(cpu):
    queue = xt.Queue("cpu")
    for _ in range(2):  # the second by the fast path
        sums = add_columns(queue.to_device(X))
        assert np.array_equal(sums.get(), X.sum(0))


def test_debug_mode_takes_what_was_filled_as_defined():
    with xt.device("numpy"), xt.debug():
        assert np.array_equal(add_columns(X), X.sum(0))


@pytest.mark.parametrize("made,want", [
    (lambda: xt.zeros((2, 3)), np.zeros((2, 3), np.float32)), (lambda: xt.zeros(4, xt.i8), np.zeros(4, np.int8)),
    (lambda: xt.zeros(4, np.int64), np.zeros(4, np.int64)), (lambda: xt.full(3, 2), np.full(3, 2, np.int32)),
    (lambda: xt.full((1, 2), 2.5), np.full((1, 2), 2.5, np.float32)), (lambda: xt.full(2, -1.0, xt.f64), np.full(2, -1.0)),
])  # fmt: skip
def test_arrays_of_the_host(made, want):
    got = made()
    assert got.dtype == want.dtype and np.array_equal(got, want)


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16, xt.f32, xt.f64, xt.i8, xt.u8, xt.i64, xt.bool], ids=str)
def test_outputs_beside_device_arrays_are_filled_whatever_their_dtype(cpu, dtype):
    @xt.jit(out={"Y": lambda X: xt.full((3, 5), 1, dtype)}, grid=1)
    def first(X, Y):
        xt.store_tile(xt.zeros((1, 2), dtype), Y[0:1, 0:2])
        xt.store_tile(xt.load_tile(X[0:1, 0:1]), X[0:1, 0:1])

    want = np.ones((3, 5), dtype.numpy)
    want[0, :2] = 0
    x = xt.Queue("cpu").to_device(X)
    for _ in range(2):
        assert np.array_equal(first(x).get(), want)

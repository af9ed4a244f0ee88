"""Values of index (ids, sizes, coordinates) beside integers: in arrays of 32 bits and more, in loops, branches and joined values."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import DtypeError

N = 16
NUMBERS = np.arange(N, dtype=np.int32) * 1000


@xt.jit(out={"Y": lambda X, DTYPE: xt.empty((N,), DTYPE)}, grid=(1,))
def kinds(X, Y, DTYPE: xt.constexpr):
    xt.store_tile(xt.arange(N) - 8 + X.shape[0], Y[0:N])


@pytest.mark.covering
@pytest.mark.parametrize("dtype", [xt.i32, xt.u32, xt.i64, xt.u64])
def test_arrays_of_integers_of_32_bits_and_more_hold_indices(device, dtype):
    """Numbers below zero have their sign in 64 bits too, however many bits an index has."""
    with xt.device(device):
        found = kinds(NUMBERS[:3], DTYPE=dtype)
    np.testing.assert_array_equal(found, np.arange(-5, N - 5).astype(dtype.numpy))


@pytest.mark.parametrize(("dtype", "hint"), [
    (xt.u8, ".to(xt.u8), which wraps numbers that u8 does not hold; or make Y of i32"),
    (xt.i16, ".to(xt.i16), which wraps numbers that i16 does not hold; or make Y of i32"),
    (xt.f32, ".to(xt.f32)"),
])  # fmt: skip
def test_what_may_not_hold_an_index_says_so(dtype, hint):
    with pytest.raises(DtypeError, match=r"the value is index\[16\]") as found, xt.device("numpy"):
        kinds(NUMBERS, DTYPE=dtype)
    assert hint in found.value.hint


@xt.jit(out={"Y": lambda X: xt.zeros((N,), xt.i32)}, grid=(1,))
def stores(X, Y):
    """By elements, by scattered places, as atomic sums, and as the difference to what an array holds."""
    i = xt.arange(N)
    Y[0:N] = i
    xt.barrier()
    xt.store_scatter(i * 2, xt.init_tile(Y, N - 1 - i), i < 8)
    xt.barrier()
    xt.atomic_rmw_tile("add", i, xt.init_tile(Y, i % 4))
    xt.barrier()
    Y[4:8] += xt.arange(4)
    Y[9] = X.shape[0] + X[2]


def test_every_kind_of_store_takes_an_index(device):
    i = np.arange(N)
    expected = i.astype(np.int32)
    expected[N - 1 - i[:8]] = i[:8] * 2
    np.add.at(expected, i % 4, i)
    expected[4:8] += i[:4]
    expected[9] = N + 2000
    with xt.device(device):
        np.testing.assert_array_equal(stores(NUMBERS), expected)


@xt.jit(out={"Y": lambda F: xt.empty((F.shape[0], 1), xt.i32)}, grid=lambda F: xt.cdiv(F.shape[0], N))
def largest(F, Y):
    m = xt.program_id(0) * N
    best, where = xt.full((N, 1), float("-inf")), xt.zeros((N, 1), xt.i32)
    for n in range(0, F.shape[1], N):
        x = xt.load_tile(F[m : m + N, n : n + N], padding=float("-inf"))
        top = xt.max(x, axis=1)
        where = xt.where(top > best, n + xt.argmax(x, axis=1), where)
        best = xt.maximum(best, top)
    Y[m : m + N, 0:1] = where


def test_a_loop_may_start_with_i32_and_go_on_with_indices(device):
    x = np.random.default_rng(0).standard_normal((21, 64), dtype=np.float32)
    with xt.device(device):
        np.testing.assert_array_equal(largest(x)[:, 0], x.argmax(axis=1))


@xt.jit(out={"Y": lambda X: xt.empty((N,), xt.i64)}, grid=(1,))
def mixed(X, Y, n):
    """A branch, sums in a loop, and numbers of memory that pass 2**31 beside an index."""
    if n > 3:
        x = xt.load_tile(X[0:N])
    else:
        x = xt.arange(N) * 3
    total = xt.zeros((N,), xt.i32)
    for k in range(0, X.shape[0], 4):
        total += k * x
    Y[0:N] = total + (xt.load_tile(X[0:N]) + xt.arange(N))


@pytest.mark.parametrize("n", [2, 5])
def test_indices_beside_integers_of_memory_do_not_wrap(device, n):
    x = NUMBERS + np.int32(2**31 - 1 - NUMBERS.max())
    known = x.astype(np.int64)
    expected = 24 * (known if n > 3 else np.arange(N) * 3) + known + np.arange(N)
    assert expected.max() > 2**31
    with xt.device(device):
        np.testing.assert_array_equal(mixed(x, n=n), expected)


@xt.jit(out={"Y": lambda X: xt.empty((2 * N, 2), xt.i32)}, grid=(1,))
def joined(X, Y):
    x, i = xt.load_tile(X[0:N]), xt.arange(N)
    Y[0 : 2 * N, 0] = xt.concatenate((x, i))
    Y[0 : 2 * N, 1] = xt.interleave(i, x)


def test_integers_and_indices_are_joined(device):
    i = np.arange(N)
    expected = np.stack([np.concatenate((NUMBERS, i)), np.stack((i, NUMBERS), 1).ravel()], 1)
    with xt.device(device):
        np.testing.assert_array_equal(joined(NUMBERS), expected)


@pytest.mark.parametrize(("whole", "hint"), [(True, ".to(xt.u32)"), (False, ".to(xt.i32)")])
def test_what_depends_on_a_width_asks_for_one(whole, hint):
    @xt.jit(grid=(1,))
    def kernel(Y, WHOLE: xt.constexpr):
        Y[0:N] = xt.mulhi(xt.arange(N), 7) if WHOLE else xt.arange(N).bitcast(xt.i32)

    with pytest.raises(DtypeError) as found, xt.device("numpy"):
        kernel(NUMBERS.copy(), WHOLE=whole)
    assert hint in found.value.hint


@xt.jit(out={"Y": lambda T: xt.empty((2, N, 32), xt.i32)}, grid=(1,))
def labelled(T, Y):
    t, c = xt.load_tile(T[0:N]), xt.arange(32) - 4
    Y[0][0:N, 0:32] = xt.where(t[:, None] == c[None, :], 1, 0)
    Y[1][0:N, 0:32] = xt.where(c[None, :] != t[:, None], 1, 0) + (t == t)[:, None]


def test_labels_of_64_bits_equal_indices_only_where_all_bits_do(device):
    """They are compared in 32 bits: numbers that only look alike there differ."""
    t = np.array([0, 5, 27, 28, -1, -4, -5, 2**32, 2**32 + 5, -(2**32) + 5, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**40 + 27, 3])
    same = t[:, None] == np.arange(32) - 4
    with xt.device(device):
        np.testing.assert_array_equal(labelled(t), np.stack((same, 2 - same)))

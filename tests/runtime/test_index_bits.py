"""Launches whose index arithmetic passes 2**31: done in 64 bits, or refused at the kernel's line; others pay nothing for it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError
from xetile.runtime.specialize import PerformanceWarning

DEVICES = ["numpy", pytest.param("cpu", marks=pytest.mark.device)]
ROWS = 24
far = pytest.mark.parametrize("where", DEVICES)


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    monkeypatch.setenv("XETILE_CPU", "emulate")


@pytest.fixture
def device(request):
    if request.param == "cpu":
        request.getfixturevalue("cpu")
    with xt.device(request.param):
        yield request.param


on_devices = pytest.mark.parametrize("device", DEVICES, indirect=True)


def rows(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-50, 50, (ROWS, 16)).astype(np.float32)


def row_of(array: np.ndarray, first: int, count: int = 8) -> np.ndarray:
    found = np.zeros((count, array.shape[1]), array.dtype)
    for i in range(count):
        if 0 <= first + i < len(array):
            found[i] = array[first + i]
    return found


def bits_of(kernel) -> set[int]:
    """How wide the indices are of what was compiled."""
    return {64 if any(spec.dtype == "index64" for spec in loaded.artifact.args) else 32 for loaded in kernel._loaded.values()}


def make_wraps():
    @xt.jit
    def wraps(A, Out, n):
        """Back into the array after 2^32 * program: right in 64 bits only; and once far outside of it."""
        p = xt.program_id(0)
        at = p * 65536 * n % 19
        value = xt.load_tile(xt.init_tile(A, (at, 0), (8, 16))) + xt.load_tile(xt.init_tile(A, (p * 65536 * n, 0), (8, 16)))
        xt.store_tile(value, xt.init_tile(Out, (p * 8, 0), (8, 16)))

    return wraps


def wrapped(a: np.ndarray, programs: int, n: int) -> np.ndarray:
    parts = [row_of(a, p * 65536 * n % 19) + row_of(a, p * 65536 * n) for p in range(programs)]
    return np.concatenate(parts)


@on_devices
def test_products_of_ids_and_scalars(device):
    kernel, a = make_wraps(), rows()
    for programs, n in ((3, 1), (3, 65536), (3, 3), (4, 65536)):
        out = np.zeros((programs * 8, 16), np.float32)
        kernel[(programs,)](a, out, n)
        assert np.array_equal(out, wrapped(a, programs, n)), (programs, n)
    assert bits_of(kernel) == {32, 64}
    # Large ones have left the fast way of small ones alone.
    before = xt.stats().fast_misses
    out = np.zeros((24, 16), np.float32)
    kernel[(3,)](a, out, 3)
    assert xt.stats().fast_misses == before and np.array_equal(out, wrapped(a, 3, 3))


@on_devices
def test_the_fast_way_looks_at_the_grid(device):
    @xt.jit
    def kernel(A, Out):
        at = (xt.program_id(0) * (1 << 26) * 3) % 19
        xt.store_tile(xt.load_tile(xt.init_tile(A, (at, 0), (8, 16))), xt.init_tile(Out, (xt.program_id(0) * 8, 0), (8, 16)))

    a, out = rows(), np.zeros((96, 16), np.float32)
    for programs in (2, 2, 12, 12, 2):
        out[...] = 0
        kernel[(programs,)](a, out)
        for p in range(12):
            expected = row_of(a, p * (1 << 26) * 3 % 19) if p < programs else 0
            assert (out[p * 8 : p * 8 + 8] == expected).all(), (programs, p)
    assert bits_of(kernel) == {32, 64}


@on_devices
def test_bound_kernels(device):
    kernel, a = make_wraps(), rows()
    out = np.zeros((24, 16), np.float32)
    kernel[(3,)].bind(a, out, 65536)()
    assert np.array_equal(out, wrapped(a, 3, 65536)) and bits_of(kernel) == {32, 64}


@on_devices
def test_tiles_that_loops_move_far_outside(device):
    @xt.jit
    def kernel(A, Out, n):
        tile, total = xt.init_tile(A, (0, 0), (8, 16)), xt.zeros((8, 16), xt.f32)
        for _ in range(n):
            total += xt.load_tile(tile)
            tile = xt.update_tile_offset(tile, (1 << 29, 0))
        xt.store_tile(total, xt.init_tile(Out, (0, 0), (8, 16)))

    a, out = rows(), np.zeros((8, 16), np.float32)
    for turns in (1, 17):
        kernel[(1,)](a, out, turns)
        assert np.array_equal(out, a[:8]), turns
    assert bits_of(kernel) == {32, 64}


@on_devices
def test_numbers_from_memory(device):
    @xt.jit
    def kernel(Places, A, Out):
        places = xt.load_tile(xt.init_tile(Places, 0, (16,)))
        where = (places * 65536) % A.shape[0] if places.dtype == xt.i64 else (places + 65536 * A.shape[0]) * 65536 % A.shape[0]
        value = xt.load_gather(xt.init_tile(A, where), where >= 0)
        xt.store_tile(value, xt.init_tile(Out, 0, (16,)))

    a = np.arange(31, dtype=np.float32)
    for dtype in (np.int32, np.int64):
        places = (np.arange(16) * 134217757 % (2**31)).astype(dtype)
        out = np.zeros(16, np.float32)
        kernel[(1,)](places, a, out)
        wide = places.astype(np.int64)
        assert np.array_equal(out, a[wide * 65536 % 31 if dtype is np.int64 else (wide + 65536 * 31) * 65536 % 31])
    assert bits_of(kernel) == {64}


@xt.jit
def groups(First, Last, A, Out):
    """Out[e]: the sum of A's rows First[e] to Last[e], eight at a time, and of those that begin at First[e]."""
    e = xt.program_id(0)
    first, last = xt.load_tile(xt.init_tile(First, e, (1,))).item(), xt.load_tile(xt.init_tile(Last, e, (1,))).item()
    begin, end = (first.to(xt.i64), last.to(xt.i64)) if First.dtype is xt.u64 else (first, last)
    total, moved = xt.zeros((8, 16), xt.f32), xt.init_tile(A, (0, 0), (8, 16))
    for row in range(begin, end, 8):
        total += xt.load_tile(xt.init_tile(A, (row, 0), (8, 16)))
    total += xt.load_tile(xt.update_tile_offset(moved, (first, 0)))
    xt.store_tile(total, xt.init_tile(Out[e], (0, 0), (8, 16)))


@pytest.mark.every(12, 5)
@on_devices
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint32, np.uint64])
def test_numbers_from_memory_as_bounds_and_places(device, dtype):
    """What lies outside of the array is padded, however far."""
    ranges = [(0, 16), (16, 16), (16, 30), (5, 4)]
    ranges += [(-5, 3)] if np.dtype(dtype).kind == "i" else []
    ranges += [(2**32 + 3, 2**32 + 20)] if np.dtype(dtype).itemsize == 8 else []
    ranges += [(2**63 + 3, 2**63 + 5)] if dtype is np.uint64 else []
    first, last = np.array(ranges, dtype).T.copy()
    a, out = rows(), np.zeros((len(ranges), 8, 16), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        groups[(len(ranges),)](first, last, a, out)
    for got, (begin, end) in zip(out, ranges):
        expected = sum((row_of(a, row) for row in range(begin, end, 8)), row_of(a, begin))
        np.testing.assert_array_equal(got, expected)


@on_devices
def test_arithmetic_of_32_bit_scalars_that_becomes_an_index_is_refused(device):
    @xt.jit
    def kernel(A, Out, n, m):
        at = n * m + xt.program_id(0)
        xt.store_tile(xt.load_tile(xt.init_tile(A, (at % 19, 0), (8, 16))), xt.init_tile(Out, (0, 0), (8, 16)))

    a, out = rows(), np.zeros((8, 16), np.float32)
    for _ in range(3):
        kernel[(1,)](a, out, 1000, 1000)
        assert np.array_equal(out, row_of(a, 1000000 % 19))
        out[...] = 7
        with pytest.raises(ArgumentError, match=r"`n \* m` can pass 2\*\*31; it is computed in i32") as error:
            kernel[(1,)](a, out, 65536, 65536)
        assert error.value.at is not None and error.value.at.text == "n * m" and "numpy.int64" in str(error.value)
        assert (out == 7).all()
    kernel[(1,)](a, out, np.int64(65537), np.int64(65539))
    assert np.array_equal(out, row_of(a, 65537 * 65539 % 19))


@on_devices
def test_what_a_user_computes_in_his_own_types_wraps(device):
    @xt.jit
    def kernel(Out, seed):
        for _ in range(3):
            seed = seed * 1664525 + 1013904223
        xt.store_tile(xt.full((16,), seed), xt.init_tile(Out, 0, (16,)))

    out, expected = np.zeros(16, np.int32), 12345
    kernel[(1,)](out, 12345)
    for _ in range(3):
        expected = (expected * 1664525 + 1013904223) % 2**32
    assert (out.view(np.uint32) == expected).all()


def test_beyond_64_bits_is_refused():
    @xt.jit
    def kernel(A, n):
        p = xt.program_id(0).to(xt.i64)
        at = (p * n * n).to(xt.index)
        xt.store_tile(1.0, xt.init_tile(A, (at % 19, 0), (8, 16)))

    a = rows()
    with xt.device("numpy"):
        kernel[(2,)](a, 1 << 30)
        with pytest.raises(ArgumentError, match=r"`p \* n \* n` can pass 2\*\*63"):
            kernel[(2,)](a, 1 << 33)


@on_devices
def test_loops_of_which_nobody_knows_how_often_they_run_take_64_bits_and_the_fast_way(device):
    @xt.jit
    def kernel(A, Out, n):
        at, left = xt.program_id(0), n.to(xt.index)
        while left != 1:
            at += n
            left = left // 2 if left % 2 == 0 else left * 3 + 1
        xt.store_tile(xt.load_tile(xt.init_tile(A, (at % 19, 0), (8, 16))), xt.init_tile(Out, (0, 0), (8, 16)))

    a, out = rows(), np.zeros((8, 16), np.float32)
    for n in (1, 2, 7, 27):
        kernel[(1,)](a, out, n)
        turns, left = 0, n
        while left != 1:
            turns, left = turns + 1, left // 2 if left % 2 == 0 else left * 3 + 1
        assert np.array_equal(out, row_of(a, turns * n % 19)), n
    assert bits_of(kernel) == {64}
    before = xt.stats().fast_misses
    kernel[(1,)](a, out, 27)
    assert xt.stats().fast_misses == before


@pytest.mark.device
def test_saved_kernels_refuse_what_they_cannot(tmp_path, cpu):
    kernel, a = make_wraps(), rows()
    for bits in (32, 64):
        kernel.compile("f32[?,?]", "f32[?,?]", "i64", index_bits=bits).save(tmp_path / f"k{bits}")
    narrow, wide = (xt.load(tmp_path / f"k{bits}") for bits in (32, 64))
    out = np.zeros((24, 16), np.float32)
    with xt.device(cpu):
        narrow[3](a, out, np.int64(100))
        assert np.array_equal(out, wrapped(a, 3, 100))
        for run in (narrow[3], narrow[3].bind):
            with pytest.raises(ArgumentError, match=r"(?s)can pass 2\*\*31, and it was compiled for less.*index_bits=64"):
                run(a, out, np.int64(65536))
        wide[3](a, out, np.int64(65536))
        assert np.array_equal(out, wrapped(a, 3, 65536))


def test_larger_than_its_memory():
    """Strides of zero: a size of its own asks for 64 bits."""

    @xt.jit
    def kernel(A, Out):
        xt.store_tile(xt.full((1,), (A.shape[0] // 65536).to(xt.i32)), xt.init_tile(Out, 0, (1,)))

    out = np.zeros(1, np.int32)
    tall = np.lib.stride_tricks.as_strided(np.zeros(16, np.float32), (1 << 33, 16), (0, 4))
    with xt.device("numpy"):
        kernel[(1,)](tall, out)
    assert out[0] == 1 << 17 and bits_of(kernel) == {64}


@xt.jit(grid=1, num_subgroups=1)
def strides_halved(A, C, start, length):
    """Rows start, start + length, then half of that further, and so on."""
    at, left = start, length
    total = xt.zeros((1, 16), xt.f32)
    while left > 0:
        total += xt.load_tile(xt.init_tile(A, (at, 0), (1, 16)))
        at += left
        left = left // 2
    xt.store_tile(total, xt.init_tile(C, (0, 0), (1, 16)))


@pytest.mark.parametrize("number", [int, np.int32, np.int64])
def test_loops_of_which_nothing_is_known_are_not_refused(number):
    """How far `at` comes cannot be read off the kernel: it may be far, and need not be."""
    a, c = rows(), np.zeros((1, 16), np.float32)
    with xt.device("numpy"):
        strides_halved(a, c, number(1), number(8))
    np.testing.assert_array_equal(c[0], a[[1, 9, 13, 15]].sum(0))

"""Parts of arrays: slices as the places of tiles, elements, strides, and ends of their own, against numpy."""

from itertools import pairwise

import numpy as np
import pytest

import xetile as xt

X = np.random.default_rng(0).standard_normal((40, 64), dtype=np.float32)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X, M, N: (xt.cdiv(X.shape[0], M), xt.cdiv(X.shape[1], N)))
def by_slices(X, Y, M: xt.constexpr = 16, N: xt.constexpr = 32):
    m, n = xt.program_id(0) * M, xt.program_id(1) * N
    xt.store_tile(xt.load_tile(X[m : m + M, n : n + N]) + 1, Y[m : m + M, n : N + n])


def test_slices_of_constant_size_are_places_of_tiles(device):
    with xt.device(device):
        np.testing.assert_array_equal(by_slices(X), X + 1)
        np.testing.assert_array_equal(by_slices(X[:, :50].copy()), X[:, :50] + 1)


@xt.jit(out={"Y": lambda X: xt.empty((8, 32), X.dtype)}, grid=1)
def ends(X, Y):
    xt.store_tile(xt.load_tile(X[-8:, -32:]) + xt.load_tile(X[0:8, :32]), Y[:8, 0:32])


def test_slices_count_from_the_end(device):
    with xt.device(device):
        np.testing.assert_array_equal(ends(X), X[-8:, -32:] + X[:8, :32])


@xt.jit(out={"Y": lambda X: xt.empty((X.shape[0], X.shape[2], X.shape[1], 32), X.dtype)}, grid=lambda X: (X.shape[0], X.shape[2]))
def heads(X, Y):
    b, h = xt.program_id(0), xt.program_id(1)
    xt.store_tile(xt.load_tile(xt.init_tile(X[b, :, h], (0, 0), (8, 32))), xt.init_tile(Y[b, h], (0, 0), (8, 32)))


def test_any_axis_can_be_dropped(device):
    x = np.random.default_rng(0).standard_normal((2, 8, 3, 32), dtype=np.float32)
    with xt.device(device):
        np.testing.assert_array_equal(heads(x), x.transpose(0, 2, 1, 3))


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X, M: xt.cdiv(X.shape[0], M))
def rows_of(X, Numbers, Y, M: xt.constexpr = 4):
    m = xt.program_id(0) * M
    row = Numbers[xt.program_id(0)]
    xt.store_tile(xt.load_tile(xt.init_tile(X, (row, 0), (M, 64))) * X[row, 3], xt.init_tile(Y, (m, 0), (M, 64)))


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_elements_of_arrays_are_scalars(device, dtype):
    numbers = np.array([8, 0, 36, 4, 12, 0, 1, 2, 3, 20], dtype)
    expected = np.concatenate([X[n : n + 4] * X[n, 3] for n in numbers.astype(int)])
    with xt.device(device):
        np.testing.assert_array_equal(rows_of(X, numbers), expected)


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=lambda X: xt.cdiv(X.shape[0], 8))
def exchanged(X, Y, N: xt.constexpr = 64):
    m = xt.program_id(0) * 8
    even, odd = xt.load_tile(X[m : m + 8, 0:N:2]), xt.load_tile(X[m : m + 8, 1:N:2])
    xt.store_tile(odd, Y[m : m + 8, 0:N:2])
    xt.store_tile(even, Y[m : m + 8, 1:N:2])


def test_every_other_element(device):
    expected = X.reshape(40, 32, 2)[:, :, ::-1].reshape(40, 64)
    with xt.device(device):
        np.testing.assert_array_equal(exchanged(X), expected)
        np.testing.assert_array_equal(exchanged(X, N=80), expected)  # what lies outside of the array is neither read nor written


@xt.jit(out={"Y": lambda X: xt.empty((X.shape[0],), X.dtype)}, grid=lambda X, M: xt.cdiv(X.shape[0], M))
def column(X, c, Y, M: xt.constexpr = 16):
    m = xt.program_id(0) * M
    xt.store_tile(xt.load_tile(X[m : m + M, c]), Y[m : m + M])


def test_a_column_of_an_array_is_a_row_of_values(device):
    with xt.device(device):
        np.testing.assert_array_equal(column(X, 5), X[:, 5])


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=lambda Ends, X, M: (xt.cdiv(X.shape[0], M), Ends.shape[0] - 1))
def by_group(X, Ends, Y, M: xt.constexpr = 16):
    """Each group's rows times its number + 1; tiles end where the group ends."""
    group = xt.program_id(1)
    x, y = X[Ends[group] : Ends[group + 1]], Y[Ends[group] : Ends[group + 1]]
    m = xt.program_id(0) * M
    xt.store_tile(xt.load_tile(xt.init_tile(x, (m, 0), (M, 64))) * (group + 1).to(xt.f32), xt.init_tile(y, (m, 0), (M, 64)))


@pytest.mark.parametrize("ends", [[0, 0, 5, 23, 23, 40], [0, 40], [3, 3, 3], [0, 0, 0, 1], [7, 60]])
def test_tiles_end_where_a_part_of_an_array_ends(device, ends):
    expected = np.zeros_like(X)
    for group, (begin, end) in enumerate(pairwise(ends)):
        expected[begin:end] = X[begin:end] * (group + 1)
    with xt.device(device):
        np.testing.assert_array_equal(by_group(X, np.array(ends, np.int32)), expected)


@xt.jit(grid=lambda Ends: Ends.shape[0] - 1)
def slices_of_groups(X, Ends, Y, M: xt.constexpr = 16):
    """The same by slices of the group's part; every other row of it, times its number + 1, is added."""
    group = xt.program_id(0)
    begin, end = Ends[group], Ends[group + 1]
    x, y = X[begin:end], Y[begin:end]
    for m in range(0, xt.maximum(end - begin, 1), M):
        y[m : m + M, 0:64] = xt.load_tile(x[m : m + M, 0:64])
        y[m : m + M : 2, 0:64] += xt.zeros((M // 2, 64)) + (group + 1).to(xt.f32)


@pytest.mark.every(12)
@pytest.mark.parametrize("ends", [[0, 0, 5, 23, 23, 40], [0, 40], [3, 3, 3], [0, 0, 0, 1], [7, 60]])
def test_slices_end_where_the_part_that_they_are_of_ends(device, ends):
    expected, y = np.zeros_like(X), np.zeros_like(X)
    for group, (begin, end) in enumerate(pairwise(ends)):
        expected[begin:end] = X[begin:end]
        expected[begin:end:2] += group + 1
    with xt.device(device):
        slices_of_groups(X, np.array(ends, np.int32), y)
    np.testing.assert_array_equal(y, expected)


@xt.jit(grid=1)
def around_the_beginning(X, Y, first):
    Y[0, 0:16] = xt.load_tile(X[0, first : first + 32 : 2], padding=-1)
    X[0, first : first + 32 : 2] = xt.zeros((16,))


def test_every_other_element_from_before_the_array(device):
    memory = np.arange(192, dtype=np.float32).reshape(3, 64)
    x, y, expected = memory[1:2], np.zeros((1, 16), np.float32), memory.copy()
    with xt.device(device):
        around_the_beginning(x, y, -6)
    np.testing.assert_array_equal(y[0], [-1] * 3 + list(range(64, 90, 2)))
    expected[1, 0:26:2] = 0
    np.testing.assert_array_equal(memory, expected)


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_parts_of_rows_keep_block_messages(target):
    lane = by_group.compile("f32[?,?]", "i32[?]", "f32[?,?]", target=target).ir["lane"]
    assert lane.count("xegpu.load_nd") == 1 and "xegpu.store_nd" in lane and "xegpu.store " not in lane


@xt.jit(grid=lambda X: X.shape[0])
def assigned(X, Sums, Y, Z):
    """What is assigned to parts and elements is stored, from loops and branches too; += loads first."""
    r, n = xt.program_id(0), 0
    for i in range(0, X.shape[1], 16):
        tile = xt.load_tile(X[r, i : i + 16])
        Y[r, i : i + 16] = tile * 2
        Y[r, i : i + 16] += 1
        Sums[r] += xt.sum(tile)
        if i > 3:
            Z[0][r, 1] = xt.cast(n + 1, xt.i32)
        n += 1
    Z[1, r, 0], Z[1, r, -1] = 5, xt.cast(n, xt.i32)
    Z[0, r, 2:4] = xt.zeros((2,), xt.i32) - 1


def test_what_is_assigned_is_stored(device):
    sums, y, z = np.ones(40, np.float32), np.zeros_like(X), np.zeros((2, 40, 4), np.int32)
    with xt.device(device):
        assigned(X, sums, y, z)
    np.testing.assert_array_equal(y, X * 2 + 1)
    np.testing.assert_allclose(sums, 1 + X.sum(1), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(z[0], [[0, 4, -1, -1]] * 40)
    np.testing.assert_array_equal(z[1], [[5, 0, 0, 4]] * 40)


def put(Y, at, value):
    """A plain function, which the kernel's tracer does not read."""
    Y[at : at + 8, 0:64] = value
    Y[at, 1] = 9.0


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X: xt.cdiv(X.shape[0], 8))
def stored_by_a_function(X, Y):
    at = xt.program_id(0) * 8
    put(Y, at, xt.load_tile(X[at : at + 8, 0:64]))


def test_plain_functions_store(device):
    expected = X.copy()
    expected[::8, 1] = 9
    with xt.device(device):
        np.testing.assert_array_equal(stored_by_a_function(X), expected)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda Ends: Ends.shape[0] - 1)
def counted_from_the_beginning(X, Ends, Y, M: xt.constexpr = 16):
    begin, end = Ends[xt.program_id(0)], Ends[xt.program_id(0) + 1]
    for m in range(begin, end, M):
        x = xt.load_tile(xt.init_tile(X[begin:end], (m - begin, 0), (M, 64)))
        xt.store_tile(x * 2, xt.init_tile(Y[begin:end], (m - begin, 0), (M, 64)))


@pytest.mark.every(2)
def test_a_loop_may_count_from_where_a_part_begins(device):
    with xt.device(device):
        np.testing.assert_array_equal(counted_from_the_beginning(X, np.int32([0, 5, 30, 40])), X * 2)


def test_what_may_lie_before_a_part_is_refused():
    @xt.jit(grid=1)
    def before(X, n):
        for m in range(n, X.shape[0], 8):
            xt.device_print(xt.sum(xt.load_tile(xt.init_tile(X[n:], (m - n - 1, 0), (8, 64)))))

    with pytest.raises(xt.errors.CompileError, match="may be negative"):
        before(X, 3)

    @xt.jit(grid=1)
    def sliced_before(X, n, k):
        xt.device_print(xt.sum(xt.load_tile(X[n:][k : k + 8, 0:64])))

    with pytest.raises(xt.errors.CompileError, match="axis 0 may begin before this part of X does"):
        sliced_before(X, 3, -2)


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, xt.f32)}, grid=1)
def moved_parts(X, Y):
    part = xt.update_tile_offset(X[0:4, 0:8], (0, 8))
    xt.store_tile(xt.load_tile(part), xt.update_tile_offset(Y[0:4, 0:8], (4, 16)))


def test_a_part_can_be_moved_as_a_tile():
    with xt.device("numpy"):
        y = moved_parts(X)
    assert np.array_equal(y[4:8, 16:24], X[0:4, 8:16]) and np.count_nonzero(y) == 32


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=1)
def halved_places(X, Y, B: xt.constexpr = 16):
    """Two bounds of a slice, each computed by itself, are a constant apart."""
    for k in range(0, 2 * X.shape[1], B):
        at = xt.load_tile(X[0, k // 2 : k // 2 + B // 2])
        Y[min(k, 60) % 7, k // 2 : k // 2 + B // 2] = at
        Y[7, min(k // 2, 40) : min(k // 2, 40) + 8] = at


def test_bounds_of_a_slice_may_be_divided(device):
    expected = np.zeros_like(X)
    for k in range(0, 128, 16):
        expected[min(k, 60) % 7, k // 2 : k // 2 + 8] = expected[7, min(k // 2, 40) : min(k // 2, 40) + 8] = X[
            0, k // 2 : k // 2 + 8
        ]
    with xt.device(device):
        np.testing.assert_array_equal(halved_places(X), expected)


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=1)
def read_places(X, Start, Y, B: xt.constexpr = 8):
    """A place is read for each bound of a slice."""
    for i in range(Start.shape[0]):
        x = xt.load_tile(X[Start[i] * 2 : Start[i] * 2 + B, Start[i] // 2 + 4 : Start[i] // 2 + 12])
        Y[Start[i] : Start[i] + B, 8 * i : 8 * i + 8] = x


def test_bounds_of_a_slice_may_be_read_from_memory(device):
    starts, expected = np.int32([9, 0, 16]), np.zeros_like(X)
    for i, start in enumerate(starts):
        expected[start : start + 8, 8 * i : 8 * i + 8] = X[start * 2 : start * 2 + 8, start // 2 + 4 : start // 2 + 12]
    with xt.device(device):
        np.testing.assert_array_equal(read_places(X, starts), expected)


@xt.jit(grid=1)
def changed_between(X, Start, WHAT: xt.constexpr):
    first = Start[0]
    if WHAT == "store":
        Start[0] = 3
    elif WHAT == "atomic":
        xt.atomic_rmw_tile("add", 1, xt.init_tile(Start, 0, (1,)))
    elif WHAT == "barrier":
        xt.barrier()
    elif WHAT == "branch":
        if first > 2:
            Start[0] = 3
    elif WHAT == "loop":
        for i in range(first):
            Start[i] = 3
    X[0, 0:8] = xt.load_tile(X[0, first : Start[0] + 8])


@pytest.mark.parametrize("what", ["store", "atomic", "barrier", "branch", "loop"])
def test_what_memory_holds_may_change_between_two_reads(what):
    with xt.device("numpy"), pytest.raises(xt.errors.CompileError, match="a size is not constant"):
        changed_between(X.copy(), np.int32([4]), WHAT=what)
    with xt.device("numpy"):
        changed_between(X.copy(), np.int32([4]), WHAT="nothing")

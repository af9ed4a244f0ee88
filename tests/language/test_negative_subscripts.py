"""Numbers below 0 that are known at run time only count from the end, as numpy's do: of elements, of dropped axes, and of values."""

import numpy as np

import xetile as xt

X = np.arange(60, dtype=np.float32).reshape(6, 10)
NUMBERS = np.int32([-1, 3, -6, 0, -4, 5])


@xt.jit(out={"Y": lambda X: xt.zeros((8, 16), X.dtype)}, grid=1)
def of_arrays(X, Numbers, Y, i):
    for k in range(Numbers.shape[0]):
        n = Numbers[k]
        Y[0, k] = X[n, -i]  # an element by numbers from memory and of arguments
        Y[1, k] = X[n, 2:8][n]  # of a part
        Y[n, 15] = X[-k - 1, k - 3]  # written; of counters
        Y[2, k] = X.T[n, n]
    Y[3, 0:10] = xt.load_tile(X[i - 5, 0:10])  # a row
    Y[4, 0:6] = xt.load_tile(X[0:6, -i])  # a column
    for k in range(3, -1, -1):
        Y[5, k] = X[X.shape[0] - 1 - k, X.shape[1] - 1]


def test_places_of_arrays(device):
    expected = np.zeros((8, 16), np.float32)
    for k, n in enumerate(NUMBERS):
        expected[0, k], expected[1, k], expected[2, k] = X[n, -2], X[n, 2:8][n], X.T[n, n]
        expected[n, 15] = X[-k - 1, k - 3]
    expected[3, :10], expected[4, :6] = X[-3], X[:, -2]
    expected[5, :4] = X[[5, 4, 3, 2], 9]
    with xt.device(device):
        np.testing.assert_array_equal(of_arrays(X, NUMBERS, i=2), expected)


@xt.jit(out={"Y": lambda X: xt.zeros((8, 16), X.dtype)}, grid=1)
def of_values(X, Numbers, Y, i):
    x, numbers = xt.load_tile(X[0:6, 0:10]), xt.load_tile(Numbers[0:6])
    row = xt.load_tile(X[1, 0:10])
    Y[0, 0] = row[-i]
    Y[0, 1] = x[-i, i - 5]
    Y[1, 0:6] = row[numbers]
    Y[2, 0:6] = x[numbers, -i]
    Y[3, 0:3] = row[i - 9 : i - 6]
    Y[4, 0:6] = row[xt.arange(6) - 6]
    Y[5, 0:6] = x[numbers, numbers]
    Y[6, 0:2] = row[[-i, i]]
    for k in range(3):
        Y[7, k] = row[-k]


def test_places_of_values(device):
    expected = np.zeros((8, 16), np.float32)
    row = X[1]
    expected[0, :2] = row[-2], X[-2, -3]
    expected[1, :6], expected[2, :6], expected[3, :3] = row[NUMBERS], X[NUMBERS, -2], row[-7:-4]
    expected[4, :6], expected[5, :6], expected[6, :2], expected[7, :3] = (
        row[-6:],
        X[NUMBERS, NUMBERS],
        row[[-2, 2]],
        row[[0, -1, -2]],
    )
    with xt.device(device):
        np.testing.assert_array_equal(of_values(X, NUMBERS, i=2), expected)


@xt.jit(out={"Y": lambda X: xt.zeros((2, 4), X.dtype)}, grid=1)
def ends(X, Y):
    Y[0, 0:4] = xt.load_tile(X[2, -4:])
    Y[1, 0:4] = xt.load_tile(X[-1, X.shape[1] - 4 :])


def test_a_part_up_to_the_end_is_a_tile_where_its_size_is_constant(device):
    with xt.device(device):
        np.testing.assert_array_equal(ends(X), [X[2, -4:], X[-1, -4:]])


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=lambda X: X.shape[0])
def never_negative(X, Pages: xt.Array, Y):
    """Numbers that are seen not to be negative, as the counters of loops are, cost nothing."""
    p = xt.program_id(0)
    for k in range(1, X.shape[1]):
        Y[p, X.shape[1] - 1 - k] = X[p, k - 1] + X[p, X.shape[1] - k] + X[X.shape[0] - 1, 0] + X[Pages[k].to(xt.u32), k // 2]
        for j in range(Pages[p], Pages[p + 1]):
            Y[p, j] = X[p, j + 1]
        Y[p, k % 7] = X[p, (k >> 1) | (p & 3)] + X[p % X.shape[0], Pages[k] & 15]


def test_what_is_never_negative_is_not_compared():
    text = str(never_negative.compile("f32[?,?]", "i32[?]", "f32[?,?]", target="pvc").ir["xetile"])
    assert "arith.minsi" not in text


@xt.jit(grid=1)
def paged(X, Pages, Y):
    Y[0:16] = xt.load_tile(X[Pages[0], Pages[1], 0:16])


def test_numbers_from_memory_need_no_index_of_64_bits():
    compiled = paged.compile("f16[?,?,?]", "i32[?]", "f16[?]", target="pvc")
    assert "arith.minsi" in str(compiled.ir["xetile"])
    assert "xetile.index_bits = 32" in str(compiled.ir["lane"])

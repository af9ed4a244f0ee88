"""Python numbers that loops and branches change: they take the dtype of what they meet, as literals do, and keep their bits until then."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from xetile.errors import DtypeError

INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64)
OPERATIONS = (
    lambda x, k: x + k, lambda x, k: k - x, lambda x, k: x * k, lambda x, k: x // k, lambda x, k: x % k, lambda x, k: max(x, k),
    lambda x, k: min(k, x), lambda x, k: k, lambda x, k: x if x > 3 else k, lambda x, k: x << k % 40, lambda x, k: x >> k % 40,
    lambda x, k: ~x ^ k, lambda x, k: 100 * (x < k) + 10 * (k == x) + (k >= x), lambda x, k: -(-k // (x | 1)),
)  # fmt: skip


@xt.jit(grid=(1,))
def every_operation(X, Y, n):
    k = 0
    for j in range(n):
        k = k + 1 if j % 3 < 2 else k * 3
    x = xt.load_tile(X[0:8])
    found = (x + k, k - x, x * k, x // k, x % k, xt.maximum(x, k), xt.minimum(k, x), k, xt.where(x > 3, x, k), x << k % 40, x >> k % 40,
             ~x ^ k, xt.where(x < k, 100, 0) + xt.where(k == x, 10, 0) + xt.where(k >= x, 1, 0), xt.cdiv(k, x | 1))  # fmt: skip
    for i, y in enumerate(found):
        xt.store_tile(y.to(X.dtype) if i == 12 else y, xt.init_tile(Y[i], 0, (8,)))


def changed(n):
    k = 0
    for j in range(n):
        k = k + 1 if j % 3 < 2 else k * 3
    return k


@pytest.mark.parametrize(
    "dtype, device",
    [*((dtype, "numpy") for dtype in INTEGERS), pytest.param(np.uint8, "cpu", marks=pytest.mark.slow), (np.int32, "cpu")],
)
def test_integers_are_those_of_python(dtype, device):
    kind, rng = np.iinfo(dtype), np.random.default_rng(3)
    x = rng.integers(kind.min, kind.max, 8, dtype, endpoint=True)
    x[:3] = 0, 3, 9
    for n in (1, 5, 17):
        y = np.zeros((len(OPERATIONS), 8), dtype)
        with xt.device(device):
            every_operation(x, y, n)
        expected = [[(f(int(v), changed(n)) - kind.min) % 2**kind.bits + kind.min for v in x] for f in OPERATIONS]
        np.testing.assert_array_equal(y, np.array(expected, dtype), err_msg=f"k = {changed(n)}")


@xt.jit
def graded(x):
    if x > 3:
        return 5
    return 1 if x > 1 else 2


@xt.jit(grid=(1,))
def joined(X, Y, n):
    count, scale, x = 0, 0.5, xt.load_tile(X[0:4])
    for i in range(n):
        if X[i] > 1:
            count += 1
        scale = scale * 0.1 if i % 2 else scale / 3
    if n > 3:
        step = 2
    else:
        step = count
    bias = 0.1 if n > 2 else 1 / 3
    xt.static_print(x * count, x * step, x * graded(X[0]), x * scale, x - bias)
    y = ((x * count - step) * graded(X[0])).to(Y.dtype) * scale - bias
    xt.store_tile(y, Y[0:4])
    Y[0] = count


@pytest.mark.parametrize("dtype, out", [("f2", "f2"), ("f4", "f4"), ("f8", "f8"), ("i4", "f4"), ("i2", "f8")])
def test_dtypes_are_those_of_what_they_meet(dtype, out, capsys):
    x, y = np.array([4, 1, 2, 3], dtype), np.zeros(4, out)
    with xt.device("numpy"):
        joined(x, y, 3)
    floats = {"f2": "f16", "f4": "f32", "f8": "f64"}
    mine = {"i4": "i32", "i2": "i16"}.get(dtype) or floats[dtype]
    own = floats[out] if dtype.startswith("i") else floats[dtype]
    assert capsys.readouterr().out.split() == [f"{mine}[4]"] * 3 + [f"{own}[4]"] * 2
    count, scale, kind = 2, 0.5 / 3 * 0.1 / 3, np.dtype(out).type
    expected = ((x * x.dtype.type(count) - x.dtype.type(count)) * x.dtype.type(5)).astype(out) * kind(scale) - kind(0.1)
    expected[0] = count
    np.testing.assert_allclose(y, expected, rtol={"f2": 2e-3, "f4": 1e-6, "f8": 1e-15}[out])


@xt.jit(grid=(1,))
def begins_large(X, Y):
    best, total = -1e30, 1000
    for i in range(4):
        best, total = xt.maximum(best, X[i].to(xt.f16)), total + X[i]
    Y[0], Y[1] = best.to(xt.i32), xt.cast(total, xt.i32)


def test_numbers_that_do_not_fit_keep_their_own_dtype():
    y = np.zeros(2, np.int32)
    begins_large(np.uint8([3, 1, 200, 5]), y)
    assert y.tolist() == [200, 1209]


@xt.jit(grid=(1,))
def compared_with_u64(X, Y, n):
    k = 0
    for i in range(n):
        k = k - i
    xt.store_tile((xt.load_tile(X[0:4]) < k).to(xt.i32), Y[0:4])


def test_numbers_that_may_be_negative_are_not_compared_with_u64():
    with pytest.raises(DtypeError, match="no common type"):
        compared_with_u64(np.zeros(4, np.uint64), np.zeros(4, np.int32), 3)


@xt.jit(grid=(1,))
def of_double_precision(X, Y):
    x = xt.load_tile(X[0:4])
    xt.store_tile(x + xt.where(x > 1, 0.1, 0.7) + xt.exp(0.3) + (x > 1).to(xt.i32) * 0.3 + xt.full((4,), 0.9), Y[0:4])


def test_literals_of_kernels_of_f64_arrays_are_f64():
    x, y = np.arange(4.0), np.zeros(4)
    of_double_precision(x, y)
    np.testing.assert_allclose(y, x + np.where(x > 1, 0.1, 0.7) + np.exp(0.3) + (x > 1) * 0.3 + 0.9, rtol=1e-15)


@xt.jit(grid=(1,))
def chosen(X, Y, Z, B):
    x = xt.load_tile(X[0:4])
    kinds = (xt.where(x > 1, 1, 0), xt.where(x > 1, 2**40, True), xt.where(x > 1, 2**63, 0), xt.where(x > 1, True, False),
             xt.where(x > 1, 1, 0.5), xt.where(x > 1, 1, x))  # fmt: skip
    xt.static_assert([kind.dtype for kind in kinds] == [xt.i32, xt.i64, xt.u64, xt.bool, xt.f32, xt.i8])
    xt.store_tile(kinds[0] * 2**30 * 4 + x, Y[0:4])
    xt.store_tile(kinds[1], Z[0:4])
    xt.store_tile(kinds[3].to(xt.u8), B[0:4])


def test_choices_between_numbers_by_a_tile_have_their_dtypes_as_arguments():
    """No tile of indices: of i32, which wraps, and of i64 where a number needs that."""
    x = np.arange(4, dtype=np.int8)
    values = {"X": x, "Y": np.zeros(4, np.int32), "Z": np.zeros(4, np.int64), "B": np.zeros(4, np.uint8)}
    expected = {"Y": x.astype(np.int32), "Z": np.where(x > 1, 2**40, 1), "B": np.where(x > 1, 1, 0).astype(np.uint8)}
    launch = Launch(chosen, values, expected)
    launch.on_device("numpy")
    launch.on_device("cpu")
    launch.at_levels()


@xt.jit(grid=(1,))
def changed_behind_a_return(Y, a, b):
    m, k = xt.zeros((8, 16), xt.i32) + a, 0
    if a > b:
        if a > 9:
            return
        for _ in range(3):
            k = (k + 5) % 13
    xt.store_tile(m + m * k, xt.init_tile(Y, (0, 0), (8, 16)))


def test_numbers_behind_a_return_take_the_dtype_of_what_they_meet(device):
    y = np.zeros((8, 16), np.int32)
    with xt.device(device):
        changed_behind_a_return(y, np.int32(4), np.int32(2))
    assert (y == 12).all()


@xt.jit(grid=(1,))
def beside_a_counter(Y, a, n):
    k = 3
    for j in range(n):
        k = k + j
    xt.store_tile(xt.maximum(xt.zeros((8, 16), xt.i32) + a, k).to(xt.i32), xt.init_tile(Y, (0, 0), (8, 16)))


def test_tiles_of_one_number_meet_counters(device):
    """Both sides are the same in all elements: an index there is the integer that it is in a vector."""
    y = np.zeros((8, 16), np.int32)
    with xt.device(device):
        beside_a_counter(y, np.int32(4), np.int32(4))
    assert (y == 9).all()

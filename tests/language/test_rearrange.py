"""Elements of values in other places, against numpy: subscripts, gathers, rotations, shapes, scans."""

import numpy as np
import pytest

import xetile as xt

M, N = 8, 32


def numbers(dtype, *shape):
    found = np.random.default_rng(0).integers(-50, 50, shape or (M, N))
    return (found > 0) if dtype == np.bool_ else found.astype(dtype)


def computed(device, function, x, y, *others):
    """What a kernel makes of whole arrays: `function` is traced with their values."""

    rest_shape = others[0].shape if others else ()

    @xt.jit(grid=1)
    def kernel(
        X,
        Y,
        Others,
        S: xt.constexpr = x.shape,
        T: xt.constexpr = y.shape,
        R: xt.constexpr = rest_shape,
    ):
        zeros = (0, 0)
        x = xt.load_tile(xt.init_tile(X, zeros[: len(S)], S))
        rest = ()
        if Others is not None:
            rest = (xt.load_tile(xt.init_tile(Others, zeros[: len(R)], R)),)
        xt.store_tile(function(x, *rest).to(Y.dtype), xt.init_tile(Y, zeros[: len(T)], T))

    found = np.zeros_like(y)
    with xt.device(device):
        kernel(x, found, others[0] if others else None)
    return found


SUBSCRIPTS = {
    "element": (lambda x: xt.full((1,), x[2, 5]), lambda x: x[2, 5:6]),
    "row": (lambda x: x[3], lambda x: x[3]),
    "column": (lambda x: x[:, 3], lambda x: x[:, 3]),
    "column that stands": (lambda x: x[:, 3][:, None], lambda x: x[:, 3:4]),
    "from the end": (lambda x: x[-2:, :-8], lambda x: x[-2:, :-8]),
    "turned round": (lambda x: x[..., ::-2], lambda x: x[..., ::-2]),
    "new axis and part": (lambda x: x[1, None, 4:8], lambda x: x[1, None, 4:8]),
}


@xt.jit(grid=1)
def moving_slices(X, Y, at):
    """Rows, columns and blocks from a run-time place on, of a value that the loop changes."""
    x = xt.load_tile(X[0:8, 0:32])
    for k in range(at, at + 3):
        x = x + x[k : k + 1, :] * 2 - x[:, 2 * k : 2 * k + 1]
        x = x + xt.concatenate((x[k : k + 4, k + 1 : k + 33 - 16 : 2], x[k + 1 : k + 5, k : k + 8]))[:, 3:4]
    xt.store_tile(x, Y[0:8, 0:32])


def test_slices_of_constant_size_begin_at_run_time_places(device):
    x, y = numbers(np.int32), np.zeros((M, N), np.int32)
    with xt.device(device):
        moving_slices(x, y, 1)
    for k in range(1, 4):
        x = x + x[k : k + 1] * 2 - x[:, 2 * k : 2 * k + 1]
        x = x + np.concatenate((x[k : k + 4, k + 1 : k + 17 : 2], x[k + 1 : k + 5, k : k + 8]))[:, 3:4]
    np.testing.assert_array_equal(y, x)


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("name", SUBSCRIPTS)
def test_subscripts_mean_what_they_mean_in_numpy(device, name):
    ours, theirs = SUBSCRIPTS[name]
    x = numbers(np.float32)
    np.testing.assert_array_equal(computed(device, ours, x, theirs(x)), theirs(x))


@pytest.mark.every(2)
@pytest.mark.parametrize("shift", [1, -7, 35])
def test_rolled_without_an_axis_rows_follow_each_other(device, shift):
    """As numpy's: once the rows were rolled, whole."""
    x = numbers(np.float32)
    np.testing.assert_array_equal(computed(device, lambda x: xt.roll(x, shift), x, x), np.roll(x, shift))


@pytest.mark.every(8)
@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.int64])
def test_every_dtype_moves(device, dtype):
    x = numbers(dtype)
    np.testing.assert_array_equal(computed(device, lambda x: xt.roll(x, 3, 1), x, x), np.roll(x, 3, 1))


def test_rows_and_columns_by_number(device):
    x, i = numbers(np.float32), np.random.default_rng(1).integers(0, 8, 16).astype(np.int32)
    np.testing.assert_array_equal(computed(device, lambda x, i: x[i], x, x[i], i), x[i])
    np.testing.assert_array_equal(computed(device, lambda x, i: x[:, i], x, x[:, i], i), x[:, i])
    np.testing.assert_array_equal(computed(device, lambda x, i: x[i, i + 1], x, x[i, i], i), x[i, i + 1])
    np.testing.assert_array_equal(computed(device, lambda x, i: x[2:4, i[5]], x, x[2:4, i[5]], i), x[2:4, i[5]])


@pytest.mark.every(4)
@pytest.mark.parametrize("axis", [0, 1])
def test_gather_along_an_axis(device, axis):
    x = numbers(np.float32)
    i = np.random.default_rng(1).integers(0, x.shape[axis], (4, N) if axis == 0 else (M, 16)).astype(np.int32)
    expected = np.take_along_axis(x, i, axis)
    np.testing.assert_array_equal(computed(device, lambda x, i: xt.gather(x, i, axis), x, expected, i), expected)


def test_indices_are_computed_numbers(device):
    x = numbers(np.int32, 64)
    index = xt.arange
    np.testing.assert_array_equal(computed(device, lambda x: x[index(64) ^ 1], x, x), x[np.arange(64) ^ 1])


@pytest.mark.every(8)
@pytest.mark.parametrize("shape", [(256,), (64, 4), (256, 1)])
def test_reshape(device, shape):
    x = numbers(np.float32)
    np.testing.assert_array_equal(computed(device, lambda x: x.reshape(shape), x, x.reshape(shape)), x.reshape(shape))
    flat = x.reshape(shape)
    np.testing.assert_array_equal(computed(device, lambda x: x.reshape(-1, N), flat, x), x)


def test_values_side_by_side(device):
    x, i = numbers(np.float32), np.arange(16, dtype=np.int32)
    for axis in (0, 1):
        expected = np.concatenate((x, x * 2, -x), axis)
        found = computed(device, lambda x, axis=axis: xt.concatenate((x, x * 2, -x), axis), x, expected)
        np.testing.assert_array_equal(found, expected)
    expected = np.stack((x, -x), -1).reshape(M, 2 * N)
    np.testing.assert_array_equal(computed(device, lambda x: xt.interleave(x, -x), x, expected), expected)
    expected = np.stack((i, -i), -1)
    np.testing.assert_array_equal(computed(device, lambda i: xt.join(i, -i), i, expected), expected)
    np.testing.assert_array_equal(computed(device, lambda i: xt.split(xt.join(i, -i))[1], i, -i), -i)


@pytest.mark.every(4)
@pytest.mark.parametrize("axis, reverse", [(0, True), (1, False)])
def test_scans_by_any_function(device, axis, reverse):
    x = numbers(np.float32)
    turned = np.flip(x, axis) if reverse else x
    expected = np.maximum.accumulate(turned, axis)
    expected = np.flip(expected, axis) if reverse else expected
    found = computed(device, lambda x: xt.associative_scan(xt.maximum, x, axis, reverse=reverse), x, expected)
    np.testing.assert_array_equal(found, expected)


def test_a_scan_of_pairs_keeps_the_order_of_its_operands(device):
    """Linear recurrences h[i] = a[i] h[i - 1] + b[i], whose combination does not commute."""
    x = numbers(np.int32, 3, N) % 3
    expected, h = np.zeros_like(x), np.zeros(3, np.int32)
    for i in range(N):
        h = x[:, i] * h + (x[:, i] + 1)
        expected[:, i] = h

    def recurrence(x):
        return xt.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (x, x + 1), 1)[1]

    np.testing.assert_array_equal(computed(device, recurrence, x, expected), expected)


@pytest.mark.every(4)
@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64])
def test_mulhi(device, dtype):
    limits = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(limits.min, limits.max, 64, dtype, endpoint=True)
    x[:4] = limits.min, limits.max, limits.min + 1, 1
    expected = np.array([int(a) * int(b) >> limits.bits for a, b in zip(x, x[::-1])], dtype)
    np.testing.assert_array_equal(computed(device, lambda x: xt.mulhi(x, x[::-1]), x, x), expected)


def test_moves_in_a_loop_do_not_meet(device):
    """Each turn's elements are read by all subgroups before the next turn's are written."""

    def turned(x):
        for _ in range(5):
            x = xt.roll(x, 1, 1)
        return x

    loop = xt.jit(turned)
    x = numbers(np.float32, 32, 64)
    np.testing.assert_array_equal(computed(device, lambda x: loop(x), x, x), np.roll(x, 5, 1))

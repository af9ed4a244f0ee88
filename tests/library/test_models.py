"""What models and data need of the library, against double precision: losses, tables, rotations, convolution, selection, histograms."""

import numpy as np
import pytest

import xetile as xt
from tests.library.numbers import assert_near, layouts, normal, wide
from xetile.errors import ArgumentError, DtypeError

ops = xt.ops


def losses(x, classes, smoothing):
    e = np.exp(x - x.max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    target = np.full(x.shape, smoothing / x.shape[1])
    target[np.arange(len(x)), np.maximum(classes, 0)] += 1 - smoothing
    counted = (classes >= 0)[:, None]
    return -(np.where(counted, target, 0) * np.log(p)).sum(1), np.where(counted, p - target, 0)


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", ["f32", "f16", "f64"])
def test_cross_entropy(device, smoothing, dtype):
    for shape in [(7, 1100), (1, 1), (5, 33)]:
        x, classes = normal(0, shape, dtype), np.random.default_rng(0).integers(0, shape[1], shape[0])
        classes[1::3] = -100
        each, slope = losses(wide(x), classes, smoothing)
        with xt.device(device):
            assert_near(ops.cross_entropy(x, classes, reduction="none", label_smoothing=smoothing), each, max(dtype, "f32"), 4)
            mean, grad = ops.cross_entropy(x, classes.astype(np.int32), label_smoothing=smoothing, return_grad=True)
        assert_near(mean, np.asarray(each.sum() / (classes >= 0).sum()), "f32", 4)
        assert_near(grad, slope / (classes >= 0).sum(), dtype, 4)


def test_cross_entropy_of_nothing():
    with xt.device("numpy"):
        assert np.isnan(ops.cross_entropy(normal(0, (2, 3)), np.full(2, -100)))
        assert ops.cross_entropy(normal(0, (0, 3)), np.zeros(0, int), reduction="sum") == 0


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_embedding_and_its_gradient(device, dtype):
    table, numbers = normal(0, (50, 70), dtype), np.random.default_rng(0).integers(0, 50, (4, 9))
    grad = normal(1, (4, 9, 70), dtype)
    exact = np.zeros((50, 70))
    np.add.at(exact, numbers.reshape(-1), wide(grad).reshape(-1, 70))
    with xt.device(device):
        for kind in (np.int32, np.int64):
            np.testing.assert_array_equal(wide(ops.embedding(numbers.astype(kind), table)), wide(table)[numbers])
        assert ops.embedding(numbers[:0], table).shape == (0, 9, 70)
        assert_near(ops.embedding_backward(grad, numbers, 50), exact, factor=4)


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("width", [2, 40, 128])
def test_rotary_embedding(device, interleaved, dtype, width):
    x, angles = normal(0, (2, 19, 3, width), dtype), wide(normal(1, (19, width // 2)))
    turned = np.exp(1j * angles)[None, :, None]
    pairs = (x[..., ::2], x[..., 1::2]) if interleaved else np.split(x, 2, -1)
    exact = (wide(pairs[0]) + 1j * wide(pairs[1])) * turned
    parts = [exact.real, exact.imag]
    exact = np.stack(parts, -1).reshape(x.shape) if interleaved else np.concatenate(parts, -1)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    with xt.device(device):
        result = ops.rotary_embedding(x, cos, sin, interleaved=interleaved)
        assert_near(result, exact, dtype)
        assert_near(ops.rotary_embedding(result, cos, -sin, interleaved=interleaved), wide(x), dtype, factor=4)
        memory = np.zeros(x.size + 1, x.dtype)  # pairs begin between words
        memory[1:] = x.reshape(-1)
        assert (ops.rotary_embedding(memory[1:].reshape(x.shape), cos, sin, interleaved=interleaved) == result).all()
        out = np.zeros((*x.shape[:3], 2 * width), x.dtype)[..., ::2]
        ops.rotary_embedding(x, cos, sin, interleaved=interleaved, out=out)
        assert (out == result).all()


def test_rotary_embedding_of_device_arrays():
    x, cos, sin = normal(0, (3, 5, 2, 16), "f16"), normal(1, (5, 8)), normal(2, (5, 8))
    with xt.device("cpu"):
        exact = ops.rotary_embedding(x, cos, sin, interleaved=True)
        queue = xt.Queue()
        there = [queue.to_device(v) for v in (x, cos, sin)]
        assert (ops.rotary_embedding(*there, interleaved=True).get() == exact).all()
        result = ops.rotary_embedding(there[0][1:], *there[1:], interleaved=True)  # begins at a multiple of a word
        assert (result.get() == exact[1:]).all()


def convolution(x, w, bias, stride, padding, dilation, groups):
    (sh, sw), (ph, pw), (dh, dw) = stride, padding, dilation
    o, c, r, s = w.shape
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    rows, columns = (padded.shape[2] - dh * (r - 1) - 1) // sh + 1, (padded.shape[3] - dw * (s - 1) - 1) // sw + 1
    y = np.zeros((x.shape[0], o, rows, columns))
    for g in range(groups):
        filters = slice(g * o // groups, (g + 1) * o // groups)
        for i in range(r):
            for j in range(s):
                part = padded[
                    :,
                    g * c : (g + 1) * c,
                    i * dh : i * dh + sh * (rows - 1) + 1 : sh,
                    j * dw : j * dw + sw * (columns - 1) + 1 : sw,
                ]
                y[:, filters] += np.einsum("oc,bchw->bohw", w[filters, :, i, j], part)
    return y + bias[:, None, None]


# input, weight, stride, padding, dilation, groups
CONVOLUTIONS = [
    ((2, 5, 11, 13), (6, 5, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 5, 11, 13), (6, 5, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((1, 40, 9, 70), (33, 40, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((1, 4, 12, 10), (6, 2, 2, 5), (3, 2), (1, 3), (2, 1), 2),
    ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1), (0, 0), (1, 1), 1),
]  # fmt: skip


@pytest.mark.every(6, 3)
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolution(device, case):
    shape, filters, *rest = case
    x, w, bias = normal(0, shape), normal(1, filters), normal(2, filters[:1])
    with xt.device(device):
        assert_near(ops.conv2d(x, w, bias, *rest), convolution(wide(x), wide(w), wide(bias), *rest), factor=4)


def test_convolution_of_halves_and_parts(device):
    x, w = normal(0, (1, 16, 8, 9), "f16"), normal(1, (8, 16, 3, 3), "f16")
    exact = convolution(wide(x), wide(w), np.zeros(8), (1, 1), (1, 1), (1, 1), 1)
    with xt.device(device):
        for view in layouts(x).values():
            assert_near(ops.conv2d(view, w, padding=1), exact, "f16")


@pytest.mark.parametrize("case", CONVOLUTIONS[1:4], ids=str)
def test_convolution_of_halves_with_strides_and_groups(case):
    """By pixels on numpy, whose kernels are those of a GPU with block messages."""
    shape, filters, *rest = case
    x, w, bias = normal(0, shape, "f16"), normal(1, filters, "f16"), normal(2, filters[:1])
    with xt.device("numpy"):
        assert_near(ops.conv2d(x, w, bias, *rest), convolution(wide(x), wide(w), wide(bias), *rest), "f16")


@pytest.mark.slow
def test_convolution_by_pixels_on_simulated_gpus():
    x, w = normal(0, (1, 5, 6, 19), "f16"), normal(1, (4, 5, 3, 3), "f16")
    for stride in (1, 2):
        exact = convolution(wide(x), wide(w), np.zeros(4), (1, stride), (1, 1), (1, 1), 1)
        with xt.device("sim:bmg"):
            assert_near(ops.conv2d(x, w, stride=(1, stride), padding=1), exact, "f16")


@pytest.mark.every(12, 1)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int32])
def test_topk(device, dtype):
    x = (normal(0, (3, 4, 300)) * 20).astype(dtype)
    if x.dtype.kind == "f":
        x[1, 2, 7], x[0, 0, 5], x[0, 1] = np.nan, -np.inf, -np.inf
    for axis in (2, 0):
        k = min(5, x.shape[axis])
        order = np.argsort(np.where(np.isnan(x), -np.inf, -wide(x)), axis, kind="stable").take(range(k), axis)
        with xt.device(device):
            values, places = ops.topk(x, k, axis)
        np.testing.assert_array_equal(places, order)
        np.testing.assert_array_equal(values, np.take_along_axis(x, order, axis))


def test_topk_of_rows_that_rise_fall_and_repeat(device):
    """Each tile of a rising row holds more of the largest than the one before; of equals the first ones are taken, wherever they are."""
    steps = np.arange(700)
    x = np.stack([steps, -steps, steps // 3 % 7, 0 * steps, np.where(steps == 699, -0.0, -1)]).astype(np.float32)
    order = np.argsort(-x, 1, kind="stable")[:, :19]
    with xt.device(device):
        values, places = ops.topk(x, 19)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))


@pytest.mark.every(4)
@pytest.mark.covering
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8, np.int32])
@pytest.mark.parametrize("limits", [None, (-2.0, 1.5), (0.0, 0.1)])
def test_histogram_counts_as_numpy_does(device, dtype, limits):
    x = np.concatenate([normal(0, (5000,)), np.linspace(-2, 2, 41)]).astype(dtype)
    x.flags.writeable = False
    for bins in (1, 10, 37):
        with xt.device(device):
            counts, edges = ops.histogram(x, bins, limits)
        exact, where = np.histogram(x.astype({"float16": np.float32, "int8": np.float32, "int32": np.float64}.get(x.dtype.name, dtype)),
                                    bins, limits)  # fmt: skip
        np.testing.assert_array_equal(counts, exact)
        np.testing.assert_array_equal(edges, where)


X, N = np.ones((2, 3), np.float32), np.int64([0, 2])
IMAGE, F = np.ones((1, 2, 5, 5), np.float32), np.ones((4, 2, 3, 3), np.float32)
WRONG = {
    "a class that is not there": (lambda: ops.cross_entropy(X, N + 1), ArgumentError, "target has classes from 1 to 3; there are 3"),
    "classes as floats": (lambda: ops.cross_entropy(X, X[:, 0]), DtypeError, "cross_entropy: target is float32; it takes i32, i64"),
    "a reduction": (lambda: ops.cross_entropy(X, N, reduction="max"), ArgumentError, "reduction is 'max'"),
    "a row that is not there": (lambda: ops.embedding(N, X), ArgumentError, "embedding: input has rows from 0 to 2; there are 2"),
    "odd heads": (lambda: ops.rotary_embedding(np.ones((1, 1, 1, 3), "f4"), X, X), ArgumentError, "heads of 3 elements have no pairs"),
    "other angles": (lambda: ops.rotary_embedding(np.ones((1, 2, 1, 4), "f4"), X, X), ArgumentError,
                     "cos has shape (2, 3), and must have (2, 2)"),
    "channels": (lambda: ops.conv2d(IMAGE, F[:, :1]), ArgumentError, "2 channels and a weight of shape (4, 1, 3, 3) do not go in 1 groups"),
    "a large filter": (lambda: ops.conv2d(IMAGE[..., :2], F), ArgumentError, "a filter of (3, 3) does not fit an image of (5, 2)"),
    "too many": (lambda: ops.topk(X, 4), ArgumentError, "topk: k is 4, of 3 elements"),
    "no bins": (lambda: ops.histogram(X, 0), ArgumentError, "histogram: bins is 0"),
    "an endless range": (lambda: ops.histogram(X * np.inf), ArgumentError, "histogram: autodetected range of [inf, inf] is not finite"),
}  # fmt: skip


@pytest.mark.parametrize("call,kind,message", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind) as error, xt.device("numpy"):
        call()
    assert message in error.value.message

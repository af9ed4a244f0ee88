"""Functions of rows against double precision: softmax, norms, reductions, running sums, and their gradients."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import xetile as xt
from tests.library.numbers import DTYPES, assert_near, layouts, normal, wide
from xetile.errors import ArgumentError, DtypeError
from xetile.ops import arguments
from xetile.ops.arguments import tiles_of_rows
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning

ops = xt.ops
SHAPES = [(5, 70), (1, 1), (3, 5, 7), (2, 1500), (0, 4), (9,)]


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis, keepdims=True)


def softmax_gradient(x, axis):
    y, slope = wide(softmax(x, axis).astype(np.float32)), np.cos(x)
    return y * (slope - (y * slope).sum(axis, keepdims=True))


def cumsum(x, axis):
    return x.cumsum(axis)


def log_softmax(x, axis):
    down = x - x.max(axis, keepdims=True, initial=-np.inf)
    return down - np.log(np.exp(down).sum(axis, keepdims=True))


FUNCTIONS = {
    "softmax": (ops.softmax, softmax),
    "log_softmax": (ops.log_softmax, log_softmax),
    "sum": (ops.sum, np.sum),
    "mean": (ops.mean, np.mean),
    "max": (ops.max, np.max),
    "min": (ops.min, np.min),
    "argmax": (ops.argmax, np.argmax),
    "argmin": (ops.argmin, np.argmin),
    "cumsum": (ops.cumsum, cumsum),
}


@pytest.mark.every(9, 3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_along_each_axis(device, name):
    ours, exact = FUNCTIONS[name]
    with xt.device(device):
        for shape in SHAPES:
            x = normal(len(shape), shape)
            for axis in range(-len(shape), len(shape)):
                if shape[axis] or name in ("sum", "softmax", "cumsum"):
                    assert_near(ours(x, axis), exact(wide(x), axis), factor=4)


@pytest.mark.device
@pytest.mark.parametrize(
    "shape, tile", [((64, 64), (16, 64)), ((5, 64), (4, 64)), ((9, 3), (8, 16)), ((2, 1500), (2, 512)), ((7, 4096), (1, 1024))]
)
def test_rows_have_tiles_of_their_length_on_a_cpu(shape, tile, monkeypatch):
    with override(cpu="vector"), xt.device("cpu"):
        assert tuple(tiles_of_rows(np.empty(shape, np.float32)).values()) == tile
        assert not tiles_of_rows(np.empty(shape, np.float32, order="F"))
    with xt.device("numpy"):
        long = {"BM": 1 << (min(shape[0], 8) - 1).bit_length(), "BN": max(16, 1 << (shape[1] - 1).bit_length())}
        assert tiles_of_rows(np.empty(shape, np.float32)) == long
    monkeypatch.setattr(arguments, "current_device", lambda: SimpleNamespace(kind="gpu", emulated=False))
    long = {} if shape[0] > 4 or shape[1] <= 512 else {"BM": 4, "BN": 1024}
    assert tiles_of_rows(np.empty(shape, np.float32)) == long


@pytest.mark.covering
@pytest.mark.every(4, 2)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_each_dtype(device, name, dtype):
    ours, exact = FUNCTIONS[name]
    x = normal(0, (6, 70), dtype)
    with xt.device(device):
        result = ours(x, 1)
    assert result.dtype == (np.int64 if name.startswith("arg") else x.dtype)
    assert_near(result, exact(wide(x), 1), dtype)


@pytest.mark.every(9, 3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_arrays_as_they_lie(device, name):
    ours, exact = FUNCTIONS[name]
    for x in layouts(normal(0, (3, 5, 18))).values():
        with xt.device(device):
            for axis in range(3):
                assert_near(ours(x, axis), exact(wide(x), axis))


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("name", ["sum", "mean", "max"])
@pytest.mark.parametrize("shape", [(1100, 530), (2, 1030, 600)])
def test_many_columns_are_reduced_in_parts(device, name, shape):
    ours, exact = FUNCTIONS[name]
    x = normal(0, shape)
    with xt.device(device):
        assert_near(ours(x, -2), exact(wide(x), -2), factor=40)


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("size", [1, 1000, 70_001])
def test_reductions_of_all(device, name, size):
    ours, exact = FUNCTIONS[name]
    x = normal(0, (size,))
    with xt.device(device):
        assert_near(ours(x), exact(wide(x)), factor=40)
        assert ours(x, keepdims=True).shape == (1,)
        assert_near(
            ours(x[: size // 2 * 2].reshape(2, -1)) if size > 1 else ours(x), exact(wide(x[: size // 2 * 2 or 1])), factor=40
        )


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(1, 4100), (2, 1030), (3, 600), (4, 2049)])
def test_few_rows_have_long_tiles(device, name, shape):
    ours, exact = FUNCTIONS[name]
    x = normal(0, shape)
    with xt.device(device):
        assert_near(ours(x, 1), exact(wide(x), 1), factor=40)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("places", [(20_000, 50_000), (49_152, 70_000), (3,), (16_384, 16_385)])
@pytest.mark.parametrize("extreme", [np.nan, np.inf, 9.0])
def test_the_first_of_equals_in_parts_of_a_row(device, name, places, extreme):
    """Where a row is cut into parts, each finds its own first."""
    ours, exact = FUNCTIONS[name]
    x = np.zeros((2, 70_001), np.float32)
    x[1, list(places)] = extreme if name == "argmax" else -extreme
    with xt.device(device):
        np.testing.assert_array_equal(ours(x, 1), exact(x, 1))


@pytest.mark.every(5184, 60)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64])
def test_integers_are_exact(device, dtype):
    x = np.random.default_rng(0).integers(np.iinfo(dtype).min // 2, np.iinfo(dtype).max // 2, (7, 33), dtype)
    with xt.device(device):
        for name in ("sum", "max", "min", "argmax", "argmin", "cumsum"):
            ours, exact = FUNCTIONS[name]
            result = ours(x, 1)
            assert result.dtype == exact(x, 1).dtype
            np.testing.assert_array_equal(result, exact(x, 1))


def test_bools_are_counted(device):
    """As numpy does it: in calls that are launched again, too, of several axes and of parts of arrays."""
    with xt.device(device):
        for number in range(5):
            x = np.random.default_rng(number).random((3, 40, 70)) > 0.4
            for part in (x, x[:, ::2], x[..., 3:], x.transpose(2, 0, 1)):
                for axis in (None, 0, -1):
                    found = ops.sum(part, axis)
                    assert found.dtype == np.int64
                    np.testing.assert_array_equal(found, part.sum(axis))
            np.testing.assert_array_equal(ops.cumsum(x, 1), x.cumsum(1))


def test_infinities_and_nan(device):
    """Rows of -inf, long ones too, infinities and NaN, as numpy has them."""
    x = normal(0, (6, 1300))
    x[0], x[1, :1100], x[2, 3], x[3, 5], x[4, 7] = -np.inf, -np.inf, np.inf, np.nan, -np.inf
    with xt.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("softmax", "max", "min", "argmax", "argmin", "sum"):
            ours, exact = FUNCTIONS[name]
            assert_near(ours(x, 1), exact(wide(x), 1), factor=40)


def test_gradient_of_softmax(device):
    for shape in [(5, 70), (3, 5, 7), (0, 2)]:
        for axis in range(len(shape)):
            x = wide(normal(0, shape))
            with xt.device(device):
                result = ops.softmax_backward(np.cos(x).astype(np.float32), softmax(x, axis).astype(np.float32), axis)
            assert_near(result, softmax_gradient(x, axis))


def norm(x, weight, bias, eps, center):
    mean = x.mean(-1, keepdims=True) if center else 0.0
    scale = 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps)
    return (x - mean) * scale * weight + bias


def norm_gradients(grad, x, weight, eps, center):
    mean = x.mean(-1, keepdims=True) if center else 0.0
    scale = 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps)
    normal_rows, slope = (x - mean) * scale, grad * weight
    dx = slope - normal_rows * (slope * normal_rows).mean(-1, keepdims=True) - (slope.mean(-1, keepdims=True) if center else 0)
    return dx * scale, (grad * normal_rows).reshape(-1, x.shape[-1]).sum(0), grad.reshape(-1, x.shape[-1]).sum(0)


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("dtype", DTYPES)
def test_norms(device, dtype):
    for shape in [(6, 70), (2, 3, 1300), (1, 1), (0, 4)]:
        x, n = normal(0, shape, dtype), shape[-1]
        weight, bias = normal(1, (n,)), normal(2, (n,))
        with xt.device(device):
            assert_near(ops.layer_norm(x, n, weight, bias), norm(wide(x), wide(weight), wide(bias), 1e-5, True), dtype, 4)
            assert_near(ops.rms_norm(x, n, weight), norm(wide(x), wide(weight), 0, 1e-6, False), dtype, 4)
            assert_near(ops.layer_norm(x, (n,)), norm(wide(x), 1, 0, 1e-5, True), dtype, 4)


def test_norms_over_several_axes_and_of_parts(device):
    x = normal(0, (3, 4, 10))
    with xt.device(device):
        flat = norm(wide(x).reshape(3, 40), 1, 0, 1e-5, True).reshape(x.shape)
        assert_near(ops.layer_norm(x, (4, 10)), flat, factor=4)
        for view in layouts(x).values():
            assert_near(ops.rms_norm(view, 10), norm(wide(x), 1, 0, 1e-6, False), factor=4)


@pytest.mark.every(6)
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_gradients_of_norms(device, dtype):
    for shape in [(6, 70), (2, 40, 9)]:
        x, grad, weight = normal(0, shape, dtype), normal(1, shape, dtype), normal(2, shape[-1:])
        with xt.device(device):
            found = ops.layer_norm_backward(grad, x, shape[-1], weight)
            others = ops.rms_norm_backward(grad, x, shape[-1])
        for ours, exact, of in zip(found, norm_gradients(wide(grad), wide(x), wide(weight), 1e-5, True), (dtype, "f32", "f32")):
            assert_near(ours, exact, of, 10)
        for ours, exact, of in zip(others, norm_gradients(wide(grad), wide(x), 1, 1e-6, False)[:2], (dtype, "f32")):
            assert_near(ours, exact, of, 10)


@pytest.mark.covering
@pytest.mark.every(24, 4)
@pytest.mark.parametrize("axes", [None, (0, 2, 1, 3), (3, 2, 1, 0), (0, 1, 2, 3), (1, 0, 3, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, bool, np.float64])
def test_transpose(device, axes, dtype):
    x = (normal(0, (2, 3, 20, 5)) * 9).astype(dtype)
    with xt.device(device):
        for view in layouts(x).values():
            result = ops.transpose(view, axes)
            np.testing.assert_array_equal(result, x.transpose(axes))
            assert result.flags.c_contiguous
        np.testing.assert_array_equal(ops.transpose(x[0, 0]), x[0, 0].T)
        np.testing.assert_array_equal(ops.transpose(x[0, 0, 0]), x[0, 0, 0])
        assert ops.transpose(x[:0]).shape == (5, 20, 3, 0)


@pytest.mark.every(2)
@pytest.mark.parametrize("order", ["C", "F"])
def test_results_go_where_out_says(device, order):
    x = normal(0, (5, 18))
    out = np.zeros((5, 18), np.float32, order)
    with xt.device(device):
        assert ops.softmax(x, out=out) is out
        assert_near(out, softmax(wide(x), -1))
        same = x.copy()
        ops.softmax(same, out=same)  # in place
    assert_near(same, softmax(wide(x), -1))


X = np.ones((4, 6), np.float32)
WRONG = {
    "an axis that is not there": (lambda: ops.softmax(X, 2), ArgumentError, "softmax: axis 2 of an array with 2 axes"),
    "integers": (lambda: ops.softmax(X.astype(int)), DtypeError, "softmax: x is int64; it takes f16, bf16, f32, f64"),
    "no array": (lambda: ops.sum(3), ArgumentError, "sum: x is int, not an array"),
    "an out of another shape": (lambda: ops.softmax(X, out=X[:2].copy()), ArgumentError, "softmax: out is float32 of shape (2, 6); the "
                                "result is float32 of (4, 6)"),
    "an out of another dtype": (lambda: ops.sum(X, 0, out=np.ones(6)), ArgumentError, "sum: out is float64 of shape (6,)"),
    "the largest of nothing": (lambda: ops.max(X[:0], 0), ArgumentError, "max of an empty axis: (0, 6)"),
    "the place in nothing": (lambda: ops.argmax(X[:0], 0), ArgumentError, "argmax of an empty axis: (0, 6)"),
    "another normal shape": (lambda: ops.layer_norm(X, 5), ArgumentError, "which does not end in normalized_shape (5,)"),
    "another weight": (lambda: ops.rms_norm(X, 6, X[0, :4].copy()), ArgumentError, "rms_norm: weight has shape (4,), and must have (6,)"),
    "another gradient": (lambda: ops.softmax_backward(X[:2], X), ArgumentError, "grad has shape (2, 6), and must have (4, 6)"),
    "a gradient's dtype": (lambda: ops.softmax_backward(X.astype("f8"), X), DtypeError, "grad is float64, and must be float32"),
    "no order of axes": (lambda: ops.transpose(X, (0, 0)), ArgumentError, "transpose: axes are (0, 0), which is no order of 2 axes"),
}  # fmt: skip


@pytest.mark.parametrize("call,kind,message", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind) as error, xt.device("numpy"):
        call()
    assert message in error.value.message


@pytest.mark.parametrize("function,dtype", [(ops.argmax, np.float32), (ops.max, np.float32), (ops.sum, np.float32)])
def test_nothing_warns_of_what_the_library_made_itself(device, function, dtype):
    x = np.random.default_rng(0).standard_normal((600, 2048)).astype(dtype)
    with xt.device(device), warnings.catch_warnings():
        warnings.simplefilter("error", PerformanceWarning)
        function(x, axis=1)


@pytest.mark.device
@pytest.mark.parametrize("columns", [5, 64, 100, 200, 256, 700, 1000, 1024, 1030, 3000, 4096])
def test_tiles_of_rows_are_empty_for_a_small_part(columns):
    """What they have beyond is computed for nothing; what is read once comes in several whole rows, with programs for each core."""
    with override(cpu="vector"), xt.device("cpu"):
        tiles, sums, few = (tiles_of_rows(np.empty((rows, columns)), once=once) for rows, once in ((5000, 0), (5000, 1), (9, 1)))
    width = tiles["BN"]
    assert width == sums["BN"] == few["BN"]
    assert -(-columns // width) * width <= max(16, columns) * 1.3
    assert tiles["BM"] * width <= 1024
    assert tiles["BM"] <= sums["BM"] <= 64 and few["BM"] == min(tiles["BM"], 8)
    assert width == min(1024, columns) if columns % 64 == 0 and columns.bit_count() == 1 else width <= 1024

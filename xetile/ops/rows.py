"""Softmax along an axis, and its gradient."""

from __future__ import annotations

from typing import Any

from xetile.ops.arguments import Output, array, axis_of, rows, sums_in, tiles_along
from xetile.ops.kernels import rows as kernels


def softmax(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """exp(x - max) / sum along an axis, in f32 (f64 for f64).

    x       any shape; f16, bf16, f32, f64.
    out     of x's shape and dtype.

    An axis of nothing but -inf gives NaN. Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.softmax(np.float32([[0, 0, 0, 0], [1, 2, 2, 1]])).round(3))

    Prints:
        [[0.25  0.25  0.25  0.25 ]
         [0.134 0.366 0.366 0.134]]
    """
    return _softmax("softmax", x, axis, out)


def log_softmax(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """x - max - log(sum(exp(x - max))) along an axis: the logarithms of `softmax`, also where that gives 0.

    Arguments and errors are those of `softmax`.

    Example:
        print(xt.ops.log_softmax(np.float32([[0, 0, 0, 0], [0, 1000, 0, 0]])).round(3))

    Prints:
        [[   -1.386    -1.386    -1.386    -1.386]
         [-1000.        0.    -1000.    -1000.   ]]
    """
    return _softmax("log_softmax", x, axis, out, LOG=True)


def _softmax(function: str, x: Any, axis: int, out: Any, **options: Any) -> Any:
    given = array(function, "x", x)
    axis = axis_of(function, axis, given.ndim)
    result = Output(function, out, given.shape, given.dtype, given)
    if given.size:
        view, target = rows(axis, given, result.array)
        kernels.softmax(view, target, ACC=sums_in(given), **options, **tiles_along(view))
    return result.done()


def softmax_backward(grad: Any, y: Any, axis: int = -1, *, out: Any = None) -> Any:
    """The gradient of a softmax's argument: y * (grad - sum(y * grad)).

    grad    the gradient of the result; shape and dtype of y.
    y       the result of `softmax`; f16, bf16, f32, f64.

    Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.softmax_backward(np.float32([1, 0]), np.float32([0.5, 0.5])))

    Prints:
        [ 0.25 -0.25]
    """
    given = array("softmax_backward", "y", y)
    slope = array("softmax_backward", "grad", grad, shape=given.shape, like=given)
    axis = axis_of("softmax_backward", axis, given.ndim)
    result = Output("softmax_backward", out, given.shape, given.dtype, given, slope)
    if given.size:
        view, slopes, target = rows(axis, given, slope, result.array)
        kernels.softmax_backward(view, slopes, target, ACC=sums_in(given), **tiles_along(view))
    return result.done()

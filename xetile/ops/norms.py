"""Layer norm and RMS norm over the last axes, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xetile.errors import ArgumentError
from xetile.ops.arguments import FLOATS, Output, array, check_shape, new, number, sums_in, tiled, tiles_of_rows, whole
from xetile.ops.kernels import norms as kernels


def layer_norm(x: Any, normalized_shape: int | Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5, *,
               out: Any = None) -> Any:  # fmt: skip
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axes, in f32 (f64 for f64).

    x                   any shape that ends in normalized_shape; f16, bf16, f32, f64.
    normalized_shape    sizes of the axes that are normal together, as in PyTorch; an int for the last one.
    weight, bias        of normalized_shape, of any of these dtypes; None: 1 and 0.
    out                 of x's shape and dtype.

    Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.layer_norm(np.float32([[1, 2, 3], [4, 4, 4]]), 3).round(3))

    Prints:
        [[-1.225  0.     1.225]
         [ 0.     0.     0.   ]]
    """
    return _forward("layer_norm", x, normalized_shape, weight, bias, eps, out)


def rms_norm(x: Any, normalized_shape: int | Sequence[int], weight: Any = None, eps: float = 1e-6, *, out: Any = None) -> Any:
    """x / sqrt(mean(x * x) + eps) * weight over the last axes, in f32 (f64 for f64).

    Arguments are those of `layer_norm`; eps is 1e-6 by default. Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.rms_norm(np.float32([[3, 4], [0, 1]]), 2).round(3))

    Prints:
        [[0.849 1.131]
         [0.    1.414]]
    """
    return _forward("rms_norm", x, normalized_shape, weight, None, eps, out)


def _forward(function: str, x: Any, normalized_shape: int | Sequence[int], weight: Any, bias: Any, eps: float, out: Any) -> Any:
    given, shape = _checked(function, x, normalized_shape)
    weight, bias = (_vector(function, name, v, shape) for name, v in (("weight", weight), ("bias", bias)))
    eps = number(function, "eps", eps, 0)
    result = Output(function, out, given.shape, given.dtype, given, weight, bias)
    if given.size:
        matrix = _matrix(given, shape)
        kernels.layer_norm(matrix, weight, bias, _matrix(result.array, shape), eps=eps, CENTER=function == "layer_norm",
                           ACC=sums_in(given), **tiles_of_rows(matrix))  # fmt: skip
    return result.done()


def layer_norm_backward(grad: Any, x: Any, normalized_shape: int | Sequence[int], weight: Any = None, eps: float = 1e-5) -> Any:
    """Gradients of `layer_norm`: a tuple of those of x, weight and bias, of the gradient of its result.

    grad, x     one shape and dtype; f16, bf16, f32, f64. The other arguments are those of the call.

    The gradient of x has x's dtype, the others are sums over all rows in f32 (f64 for f64) of normalized_shape.
    Raises ArgumentError, DtypeError.

    Example:
        x = np.float32([[1, 2, 3], [6, 4, 5]])
        dx, dweight, dbias = xt.ops.layer_norm_backward(np.float32([[1, 0, 0], [0, 1, 0]]), x, 3)
        print(dweight.round(3), dbias)

    Prints:
        [-1.225 -1.225  0.   ] [1. 1. 0.]
    """
    return _backward("layer_norm", grad, x, normalized_shape, weight, eps)


def rms_norm_backward(grad: Any, x: Any, normalized_shape: int | Sequence[int], weight: Any = None, eps: float = 1e-6) -> Any:
    """Gradients of `rms_norm`: a tuple of those of x and weight, of the gradient of its result.

    Arguments, dtypes and errors are those of `layer_norm_backward`.

    Example:
        dx, dweight = xt.ops.rms_norm_backward(np.float32([[1, 0]]), np.float32([[3, 4]]), 2)
        print(dx.round(3), dweight.round(3))

    Prints:
        [[ 0.181 -0.136]] [0.849 0.   ]
    """
    return _backward("rms_norm", grad, x, normalized_shape, weight, eps)[:2]


def _backward(norm: str, grad: Any, x: Any, normalized_shape: int | Sequence[int], weight: Any, eps: float) -> Any:
    function, center = f"{norm}_backward", norm == "layer_norm"
    given, shape = _checked(function, x, normalized_shape)
    eps = number(function, "eps", eps, 0)
    slope = array(function, "grad", grad, shape=given.shape, like=given)
    weight, acc = _vector(function, "weight", weight, shape), sums_in(given)
    dx = new(given.shape, given.dtype, given)
    columns = math.prod(shape)
    dweight, dbias = (new((1, columns), acc, given, 0) for _ in range(2))
    if given.size:
        matrix, slopes = _matrix(given, shape), _matrix(slope, shape)
        means, scales = (new((matrix.shape[0], 1), acc, given) for _ in range(2))
        options = {"ACC": acc}
        kernels.norm_backward(slopes, matrix, weight, _matrix(dx, shape), means, scales, eps=eps, CENTER=center, **options,
                              **tiles_of_rows(matrix))  # fmt: skip
        kernels.norm_backward_weight(slopes, matrix, means, scales, dweight, dbias if center else None, **options)
    return dx, dweight.reshape(shape), dbias.reshape(shape)


def _checked(function: str, x: Any, normalized_shape: Any) -> tuple[Any, tuple[int, ...]]:
    given = array(function, "x", x)
    if getattr(normalized_shape, "ndim", 0):
        raise ArgumentError(f"{function}: normalized_shape is an array of shape {tuple(normalized_shape.shape)}",
                            hint=f"the weight comes after it: {function}(x, x.shape[-1], weight, ...)")  # fmt: skip
    sizes = normalized_shape if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    shape = tuple(whole(function, "normalized_shape", n, 0) for n in sizes)
    if not shape or tuple(given.shape[-len(shape) :]) != shape:
        raise ArgumentError(f"{function}: x has shape {tuple(given.shape)}, which does not end in normalized_shape {shape}",
                            hint="normalized_shape is the size of the last axis, or the sizes of the last axes")  # fmt: skip
    return given, shape


def _vector(function: str, name: str, value: Any, shape: tuple[int, ...]) -> Any:
    if value is None:
        return None
    found = array(function, name, value, FLOATS)
    check_shape(function, name, found, shape)
    return found.reshape(-1)


def _matrix(found: Any, shape: tuple[int, ...]) -> Any:
    return tiled(found if found.ndim == 2 and len(shape) == 1 else found.reshape(-1, math.prod(shape)))

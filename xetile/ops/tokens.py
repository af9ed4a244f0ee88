"""Rows of tables by number, their gradient, and rotary embedding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.errors import ArgumentError
from xetile.ops.arguments import FLOATS, INDICES, Output, array, check_elements, new, tiles_of_rows, whole
from xetile.ops.kernels import tokens as kernels
from xetile.runtime.arrays import is_device_array

KINDS = FLOATS[:3]


def embedding(input: Any, weight: Any, *, out: Any = None) -> Any:
    """weight[input]: rows of a table by their numbers.

    input       any shape; i32, i64, from 0 to V - 1.
    weight      [V, N]; f16, bf16, f32.
    out         input's shape and N, of weight's dtype.

    Raises ArgumentError (also for a row that is not there, of host arrays; on devices its result is 0), DtypeError.

    Example:
        print(xt.ops.embedding(np.int32([2, 0]), np.float32([[1, 2], [3, 4], [5, 6]])))

    Prints:
        [[5. 6.]
         [1. 2.]]
    """
    table = _contiguous(array("embedding", "weight", weight, KINDS, (None, None)))
    numbers = _numbers("embedding", input, table.shape[0])
    result = Output("embedding", out, (*numbers.shape, table.shape[1]), table.dtype, table, numbers)
    if math.prod(result.array.shape):
        lines = result.array.reshape(-1, table.shape[1])
        kernels.embedding(numbers.reshape(-1, 1), table, lines, **tiles_of_rows(lines, once=True))
    return result.done()


def embedding_backward(grad: Any, input: Any, num_weights: int) -> Any:
    """The gradient of `embedding`'s weight: [num_weights, N] f32, sums of the rows of grad that came from each row.

    grad        input's shape and N; f16, bf16, f32.
    input       as for `embedding`.

    The order of the sums is left open. Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.embedding_backward(np.ones((3, 2), np.float32), np.int32([1, 1, 0]), 3))

    Prints:
        [[1. 1.]
         [2. 2.]
         [0. 0.]]
    """
    num_weights = whole("embedding_backward", "num_weights", num_weights, 0)
    numbers = _numbers("embedding_backward", input, num_weights)
    slope = _contiguous(array("embedding_backward", "grad", grad, KINDS, (*numbers.shape, None)))
    result = new((num_weights, slope.shape[-1]), dtypes.f32, slope, 0)
    if math.prod(slope.shape):
        kernels.embedding_gradient(slope.reshape(-1, slope.shape[-1]), numbers.reshape(-1, 1), result)
    return result


def rotary_embedding(x: Any, cos: Any, sin: Any, *, interleaved: bool = False, out: Any = None) -> Any:
    """Pairs of elements of each head rotated by angles that grow with the place in the sequence.

    x               [B, N, H, D], D even; f16, bf16, f32.
    cos, sin        [N, D / 2]; any of these. For the gradient, or to rotate back, pass -sin.
    interleaved     pairs are elements 2 i and 2 i + 1; otherwise i and i + D / 2.
    out             of x's shape and dtype.

    Raises ArgumentError, DtypeError.

    Example:
        x = np.float32([1, 2, 3, 4]).reshape(1, 1, 1, 4)
        print(xt.ops.rotary_embedding(x, np.float32([[1, 0]]), np.float32([[0, 1]])))

    Prints:
        [[[[ 1. -4.  3.  2.]]]]
    """
    function = "rotary_embedding"
    given = _contiguous(array(function, "x", x, KINDS, (None, None, None, None)))
    half = given.shape[3] // 2
    if given.shape[3] % 2:
        raise ArgumentError(f"{function}: heads of {given.shape[3]} elements have no pairs")
    angles = [_contiguous(array(function, name, v, KINDS, (given.shape[1], half))) for name, v in (("cos", cos), ("sin", sin))]
    result = Output(function, out, given.shape, given.dtype, given, *angles)
    if math.prod(given.shape):
        width = max(16, 1 << (half - 1).bit_length())
        if interleaved and _holds_pairs(given) and _holds_pairs(result.array):
            kind, words = dtypes.from_numpy(given.dtype), (given.view(np.uint32), result.array.view(np.uint32))
            kernels.rotary_pairs(words[0], *angles, words[1], KIND=kind, HALF=width)
        else:
            kernels.rotary(given, *angles, result.array, INTERLEAVED=bool(interleaved), HALF=width, EXACT=half == width)
    return result.done()


def _holds_pairs(found: Any) -> bool:
    """Whether neighbours of 16 bits can be read as words of 32: parts of a device's memory may begin between two words."""
    return bool(found.dtype.itemsize == 2 and found.flags.c_contiguous and getattr(found, "offset", 0) % 4 == 0)


def _numbers(function: str, value: Any, rows: int) -> Any:
    numbers = _contiguous(array(function, "input", value, INDICES))
    if not is_device_array(numbers):
        check_elements(_check_rows, numbers, function, rows)
    return numbers


def _check_rows(numbers: Any, function: str, rows: int) -> None:
    """Raise ArgumentError for a row that is not there."""
    # Of unsigned numbers those below 0 are the largest.
    if numbers.size and int(numbers.view(f"u{numbers.dtype.itemsize}").max()) >= rows:
        raise ArgumentError(f"{function}: input has rows from {numbers.min()} to {numbers.max()}; there are {rows}")


def _contiguous(found: Any) -> Any:
    return found if is_device_array(found) else np.ascontiguousarray(found)

"""Convolution of images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xetile.errors import ArgumentError
from xetile.ops.arguments import FLOATS, Output, array
from xetile.ops.kernels import convolution as kernels
from xetile.runtime.arrays import is_device_array

Pair = int | tuple[int, int]


def conv2d(input: Any, weight: Any, bias: Any = None, stride: Pair = 1, padding: Pair = 0, dilation: Pair = 1, groups: int = 1, *,
           out: Any = None) -> Any:  # fmt: skip
    """Convolution of images, as in PyTorch, summed in f32, without a copy of the image's parts.

    input       [B, C, H, W]; f16, bf16, f32.
    weight      [O, C / groups, R, S], of input's dtype; it is copied in another order.
    bias        [O], of any of these; None: 0.
    stride, padding, dilation       of rows and columns: a number for both, or a pair.
    groups      of channels, each with O / groups filters of its own; one launch each.
    out         [B, O, P, Q], of input's dtype.

    Raises ArgumentError, DtypeError.

    Example:
        print(xt.ops.conv2d(np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 3, 3), np.float32), padding=1)[0, 0])

    Prints:
        [[4. 6. 4.]
         [6. 9. 6.]
         [4. 6. 4.]]
    """
    x, w = array("conv2d", "input", input, FLOATS[:3], (None,) * 4), array("conv2d", "weight", weight, FLOATS[:3], (None,) * 4)
    if is_device_array(x) or is_device_array(w):
        raise ArgumentError("conv2d takes host arrays", hint="call xetile.ops.kernels.convolution.conv2d")
    if groups < 1 or x.shape[1] % groups or w.shape[0] % groups or w.shape[1] * groups != x.shape[1]:
        raise ArgumentError(f"conv2d: {x.shape[1]} channels and a weight of shape {w.shape} do not go in {groups} groups")
    array("conv2d", "weight", weight, FLOATS[:3], like=x)
    steps, edges, spread = (_pair(name, v) for name, v in (("stride", stride), ("padding", padding), ("dilation", dilation)))
    size = [(x.shape[2 + i] + 2 * edges[i] - spread[i] * (w.shape[2 + i] - 1) - 1) // steps[i] + 1 for i in range(2)]
    if min(*size, *w.shape[2:]) < 1 or min(*steps, *spread) < 1 or min(edges) < 0:
        raise ArgumentError(f"conv2d: a filter of {w.shape[2:]} does not fit an image of {x.shape[2:]} with padding {edges}")
    shift = None if bias is None else np.ascontiguousarray(array("conv2d", "bias", bias, FLOATS[:3], (w.shape[0],)))
    result = Output("conv2d", out, (x.shape[0], w.shape[0], *size), x.dtype, x)
    if result.array.size:
        x, taps = np.ascontiguousarray(x), np.ascontiguousarray(w.transpose(2, 3, 0, 1)).reshape(-1, *w.shape[:2])
        numbers = (steps[0], edges[0], spread[0], spread[1], edges[1], w.shape[3])
        for g in range(groups):
            mine, filters = (slice(g * n // groups, (g + 1) * n // groups) for n in (x.shape[1], w.shape[0]))
            kernels.conv2d(x[:, mine], taps[:, filters], None if shift is None else shift[filters], result.array[:, filters], *numbers,
                           STRIDE=steps[1], BN=_columns(size[1]))  # fmt: skip
    return result.done()


def _columns(width: int) -> int:
    """Columns of a tile: no more than a row of the result has, nearly."""
    return min(64, max(16, 1 << math.ceil(math.log2(width))))


def _pair(name: str, value: Pair) -> tuple[int, int]:
    first, second = (value, value) if isinstance(value, int) else value
    if not isinstance(first, int) or not isinstance(second, int):
        raise ArgumentError(f"conv2d: {name} is {value!r}", hint="a whole number, or one for rows and one for columns")
    return first, second

"""Convolution of images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xetile.errors import ArgumentError
from xetile.ops.arguments import FLOATS, Output, array, on_vectors, power_of_two
from xetile.ops.kernels import convolution as kernels
from xetile.runtime.arrays import is_device_array
from xetile.runtime.devices import current_device

Pair = int | tuple[int, int]
FEW_CHANNELS = 16  # a product for each tap of a filter is too shallow
NARROW = 32  # columns of a result up to which a product for each of its rows is of too few columns


def conv2d(input: Any, weight: Any, bias: Any = None, stride: Pair = 1, padding: Pair = 0, dilation: Pair = 1, groups: int = 1, *,
           out: Any = None) -> Any:  # fmt: skip
    """Convolution of images, as in PyTorch, summed in f32, without a copy of the image's parts.

    On GPUs with block messages images of 16 bits are copied once, so that the channels of a pixel lie side by side.

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
    if min(*size, *w.shape[2:]) < 1:
        raise ArgumentError(f"conv2d: a filter of {w.shape[2:]} does not fit an image of {x.shape[2:]} with padding {edges}")
    shift = None if bias is None else np.ascontiguousarray(array("conv2d", "bias", bias, FLOATS[:3], (w.shape[0],)))
    result = Output("conv2d", out, (x.shape[0], w.shape[0], *size), x.dtype, x, w, shift)
    if result.array.size:
        numbers = (steps[0], edges[0], spread[0], spread[1], edges[1], w.shape[3])
        by_pixels = x.dtype.itemsize == 2 and current_device().target in kernels.BY_PIXELS
        few = on_vectors() and (w.shape[1] <= FEW_CHANNELS or size[1] <= NARROW) and w.shape[3] > 1
        launch = _by_pixels if by_pixels else _by_rows if few else _by_channels
        x = x if by_pixels else np.ascontiguousarray(x)
        for g in range(groups):
            mine, filters = (slice(g * n // groups, (g + 1) * n // groups) for n in (x.shape[1], w.shape[0]))
            launch(x[:, mine], w[filters], None if shift is None else shift[filters], result.array[:, filters], numbers, steps[1])
    return result.done()


def _by_channels(x: Any, w: Any, shift: Any, y: Any, numbers: tuple[int, ...], stride: int) -> None:
    """The images as they lie: neighbours in memory are neighbours in a row."""
    taps = np.ascontiguousarray(w.transpose(2, 3, 0, 1)).reshape(-1, *w.shape[:2])
    kernels.conv2d(x, taps, shift, y, *numbers, STRIDE=stride, BN=_columns(y.shape[3]), **_depth(x.shape[1]))


def _by_rows(x: Any, w: Any, shift: Any, y: Any, numbers: tuple[int, ...], stride: int) -> None:
    """Of few channels or columns a copy for each column of the filter, so that a row of it is one product, and the result's rows are one."""
    step, above, spread, across, left, taps = numbers
    images, channels = x.shape[:2]
    filters, height, (high, wide) = w.shape[0], w.shape[2], y.shape[2:]
    deep = high + (height - 1) * spread // step
    lines = np.empty((images, step, taps, channels, deep, wide), x.dtype)
    tiles = {"BM": min(16, power_of_two(deep)), "BN": min(64, max(8, power_of_two(wide)))}
    for turn in {row * spread % step for row in range(height)}:
        first = (turn - above) % step  # of the image's rows, which lies so many turns behind the first one that is taken
        begin = (first + above - turn) // step
        kernels.columns_of_taps(x[:, :, first::step], lines[:, turn], begin, across, left, STRIDE=stride, **tiles)
    rows = np.ascontiguousarray(w.transpose(2, 0, 3, 1)).reshape(height, filters, -1)
    result = y if y.flags.c_contiguous else np.empty(y.shape, y.dtype)
    kernels.conv2d_rows(lines.reshape(images, step, taps * channels, -1), rows, shift, result.reshape(images, filters, -1),
                        step, spread, wide, BM=min(64, power_of_two(filters)), BK=min(64, power_of_two(rows.shape[2])))  # fmt: skip
    if result is not y:
        y[...] = result


def _by_pixels(x: Any, w: Any, shift: Any, y: Any, numbers: tuple[int, ...], stride: int) -> None:
    """A copy of the images in which the channels of a pixel lie side by side, each of `stride` columns by itself."""
    images, channels, rows, columns = x.shape
    wide, filters = _whole_lines(channels), _whole_lines(w.shape[0])
    pixels = np.zeros((images, rows, stride, -(-columns // stride), wide), x.dtype)
    for first in range(min(stride, columns)):
        part = x[..., first::stride]
        pixels[:, :, first, : part.shape[3], :channels] = part.transpose(0, 2, 3, 1)
    taps = np.zeros((w.shape[2] * w.shape[3], wide, filters), x.dtype)
    taps[:, :channels, : w.shape[0]] = w.transpose(2, 3, 1, 0).reshape(-1, channels, w.shape[0])
    kernels.conv2d_pixels(pixels, taps, shift, y, *numbers, BM=_columns(y.shape[3]))


def _whole_lines(n: int) -> int:
    """Elements of 16 bits that fill lines of 64 bytes, as block messages want the pitch and the beginning of rows."""
    return -(-n // 32) * 32


def _columns(width: int) -> int:
    """Columns of a tile: no more than a row of the result has, nearly."""
    return min(64, max(16, 1 << math.ceil(math.log2(width))))


def _depth(channels: int) -> dict[str, int]:
    """Channels of a step, where a CPU's usual one has more: places that are gathered are gathered one by one, those of no channel too."""
    return {"BK": min(64, power_of_two(channels))} if on_vectors() else {}


def _pair(name: str, value: Pair) -> tuple[int, int]:
    both = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    least = 0 if name == "padding" else 1
    if len(both) != 2 or any(isinstance(n, bool) or not isinstance(n, int | np.integer) or n < least for n in both):
        raise ArgumentError(f"conv2d: {name} is {value!r}",
                            hint=f"a whole number from {least} on, or one for rows and one for columns")  # fmt: skip
    return int(both[0]), int(both[1])

"""Arrays in another order in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from xetile.errors import ArgumentError
from xetile.ops.arguments import Output, axis_of, on_vectors, tiled
from xetile.ops.kernels import rows as kernels
from xetile.runtime.arrays import is_device_array

SIDE, BLOCK = 64, 16  # of the kernel's tiles, and of what is transposed in registers


def transpose(x: Any, axes: Sequence[int] | None = None, *, out: Any = None) -> Any:
    """The array with its axes in another order, in memory too: `numpy.ascontiguousarray(x.transpose(axes))`.

    x       any shape; elements of 1, 2, 4 or 8 bytes of any kind. Device arrays have two axes.
    axes    as for numpy.transpose; None: the reverse order.
    out     of the new shape and x's dtype.

    Raises ArgumentError.

    Example:
        print(xt.ops.transpose(np.arange(6).reshape(2, 3)))

    Prints:
        [[0 3]
         [1 4]
         [2 5]]
    """
    given = _plain(x)
    order = tuple(range(given.ndim))[::-1] if axes is None else tuple(axis_of("transpose", a, given.ndim) for a in axes)
    if sorted(order) != list(range(given.ndim)):
        raise ArgumentError(f"transpose: axes are {tuple(axes or ())}, which is no order of {given.ndim} axes")
    if is_device_array(given) and order != (1, 0):
        raise ArgumentError("transpose: device arrays are transposed with two axes only")
    result = Output("transpose", out, [given.shape[a] for a in order], given.dtype, given)
    if not given.ndim:
        result.array[()] = given
    elif given.size:
        _move(_as_words(given), _as_words(result.array), order)
    return result.done()


def _plain(x: Any) -> Any:
    """The argument as an array, of whatever kind of elements."""
    found = x if is_device_array(x) else np.asarray(x)
    if found.dtype.itemsize not in (1, 2, 4, 8) or found.dtype.hasobject:
        raise ArgumentError(f"transpose: x has elements of {found.dtype}, which are not 1, 2, 4 or 8 bytes")
    return found


def _as_words(found: Any) -> Any:
    """The same bits as integers: nothing is computed with them."""
    return found.view(f"u{found.dtype.itemsize}")


def _move(source: Any, target: Any, order: tuple[int, ...]) -> None:
    """Copy `source` to `target[i[order[0]], i[order[1]], ...]`, in tiles over the axes that are contiguous in one of them."""
    source, target, order = _merged(source, target, order)
    if source.ndim == 1:
        source, target, order = source[None, :], target[None, :], (0, 1)
    if source.ndim == 2:
        kernels.transpose(tiled(source), target if order == (1, 0) else target.T, **_tiles(source))
        return
    last = source.ndim - 1
    other = order[-1] if order[-1] != last else order[-2]
    outer = [axis for axis in range(last) if axis != other]
    parts = source.transpose((*outer, other, last))
    places = target.transpose([order.index(axis) for axis in (*outer, last, other)])
    for index in np.ndindex(*parts.shape[: len(outer) - 1]):
        kernels.transpose(tiled(parts[index]), places[index], **_tiles(parts[index]))


def _tiles(planes: Any) -> dict[str, int]:
    """On a CPU no longer than a short side, but for whole blocks: what a tile has beside an array is transposed too."""
    return {name: min(SIDE, -(-n // BLOCK) * BLOCK) for name, n in zip(("BM", "BN"), planes.shape[-2:])} if on_vectors() else {}


def _merged(source: Any, target: Any, order: tuple[int, ...]) -> tuple[Any, Any, tuple[int, ...]]:
    """The same copy with as few axes: those that stay neighbours become one."""
    if is_device_array(source) or not source.flags.c_contiguous:
        return source, target, order
    groups = [[order[0]]]
    for before, axis in pairwise(order):
        if axis == before + 1:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    sizes = [math.prod(source.shape[axis] for axis in group) for group in groups]
    firsts = sorted(group[0] for group in groups)
    new_order = tuple(firsts.index(group[0]) for group in groups)
    shape = [sizes[new_order.index(i)] for i in range(len(groups))]
    return source.reshape(shape), target.reshape(sizes), new_order

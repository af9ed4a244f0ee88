"""Arrays that a kernel sees as if they lay row by row, and that do not."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from xetile.runtime.arrays import describe
from xetile.runtime.call_site import outside


class StridesWarning(UserWarning):
    """Offsets of a gather, scatter or atomic do not use the strides of an array that does not lie row by row: they mean other elements."""


def warn_of_strides(kernel: str, values: Mapping[str, Any], flat: Sequence[str]) -> None:
    """Warn at the call of each array of which a kernel counts the elements of some axes (`flat`: "X 0 1") otherwise than they lie."""
    for name, *numbers in map(str.split, flat):
        if values.get(name) is None:
            continue
        info, axes = describe(values[name], name), tuple(map(int, numbers))
        # Of the whole array: kernels that see a part of it, such as X[b, :, i], know its sizes.
        wanted, strides = (tuple(each[axis] for axis in axes) for each in (_row_by_row(info.shape), info.strides))
        if 0 in info.shape or all(s == w or info.shape[a] == 1 for s, w, a in zip(strides, wanted, axes)):
            continue
        rows, columns = (f"{name}.stride({axis})" for axis in axes[-2:])
        said = (f"{kernel}: offsets into {name} count elements of memory and do not use its strides, which are {strides} here and would be "
                f"{wanted} row by row, so that they may mean other elements\n  hint: multiply by the strides, rows[:, None] * {rows} + "
                f"columns[None, :] * {columns}, or pass numpy.ascontiguousarray({name})")  # fmt: skip
        warnings.warn(said, StridesWarning, stacklevel=outside()[0])


def _row_by_row(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))

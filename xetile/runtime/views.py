"""Host arrays whose last two axes are both not contiguous, such as `x[::2, ::2]`, `x[:, ::-1]` and `np.broadcast_to(column, shape)`.

Tiles need rows or columns whose elements are neighbours. So kernels run on a copy of such an array, and what they write comes back from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from xetile.records import dataclass
from xetile.runtime.arrays import as_host_array, is_array, is_device_array, padded_copy


def as_argument(value: Any, name: str, is_output: bool) -> Any:
    """Arrays of other libraries as numpy arrays on the same memory, those without axes but outputs as numbers; all else as it is."""
    if not is_array(value) or is_device_array(value):
        return value
    array = as_host_array(value, name)
    return array if array.ndim or is_output else array[()]


@dataclass
class Copied:
    """An argument, and the copy of it that the kernel gets."""

    array: np.ndarray[Any, Any]
    copy: np.ndarray[Any, Any]


def is_tiled(array: np.ndarray[Any, Any]) -> bool:
    """Whether one of the last two axes is contiguous; arrays without elements have no neighbours."""
    last = zip(array.shape[-2:], array.strides[-2:])
    return not array.ndim or 0 in array.shape or any(n <= 1 or stride == array.itemsize for n, stride in last)


def copied(values: Mapping[str, Any]) -> dict[str, Copied]:
    """Of the arguments by name those that a kernel gets a copy of."""
    found = {n: v for n, v in values.items() if isinstance(v, np.ndarray) and not is_tiled(v)}
    return {name: Copied(array, padded_copy(array)) for name, array in found.items() if _whole_steps(array)}


def _whole_steps(array: np.ndarray[Any, Any]) -> bool:
    """Whether the elements lie a whole number of elements apart; others are refused."""
    return not any(stride % array.itemsize for stride in array.strides)


def repeated(launch: Callable[[], Any], copies: Mapping[str, Copied], written: frozenset[str]) -> Callable[[], Any]:
    """A launch that fills its copies before, and brings back afterwards what it has written."""

    def run() -> Any:
        for pair in copies.values():
            pair.copy[...] = pair.array
        event = launch()
        bring_back(copies, written)
        return event

    return run


def bring_back(copies: Mapping[str, Copied], written: frozenset[str]) -> None:
    """What a kernel has written to copies, to where it belongs."""
    for name in written & copies.keys():
        copies[name].array[...] = copies[name].copy

"""Arrays as they lie in memory, strides and all: to copy them, and to carry them to another process."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.records import dataclass
from xetile.runtime.arrays import BLOCK_ALIGNMENT, byte_bounds, is_array, is_device_array

HostArray = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Raw:
    """An array's bytes from its first element to its last, and how they make the array; `offset` of its first element."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    offset: int
    size: int

    @classmethod
    def of(cls, array: HostArray) -> Raw:
        """How an array lies in memory."""
        low, high = byte_bounds(array)
        first = int(array.__array_interface__["data"][0])
        return cls(array.shape, array.strides, dtypes.from_numpy(array.dtype).name, first - low, high - low)

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Raw:
        """The inverse of `fields`."""
        return cls(**{**fields, "shape": tuple(fields["shape"]), "strides": tuple(fields["strides"])})

    def array(self, contents: bytes | None = None) -> HostArray:
        """The array on memory of its own, whose address is aligned; without contents it is full of NaN, or of -1."""
        memory = np.empty(self.size + BLOCK_ALIGNMENT, np.uint8)
        start = -int(memory.__array_interface__["data"][0]) % BLOCK_ALIGNMENT
        memory[start : start + self.size] = 0xFF if contents is None else np.frombuffer(contents, np.uint8)
        dtype = dtypes.dtype(self.dtype).numpy
        made: HostArray = np.ndarray(self.shape, dtype, memory.data, start + self.offset, self.strides)
        return made


def span(array: HostArray) -> bytes:
    """The bytes from an array's first element to its last."""
    low, high = byte_bounds(array)
    return bytes((ctypes.c_uint8 * (high - low)).from_address(low))


def on_host(value: Any) -> Any:
    """Device arrays as host arrays; everything else as it is."""
    return value.get() if is_device_array(value) else value


def copied(value: Any, fresh: bool) -> Any:
    """A copy of an array with the same strides, its contents undefined if `fresh`; everything else as it is."""
    if not is_array(value):
        return value
    host = on_host(value)
    return Raw.of(host).array(None if fresh else span(host))

"""What kernels can be called on: host arrays (numpy and what speaks its protocols) and device arrays (`pyopencl.array.Array`).

Nothing here imports a backend; a device array is known by its type's module.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from weakref import WeakValueDictionary

import numpy as np

from xetile import dtypes
from xetile.errors import ArgumentError, DtypeError
from xetile.index_ranges import stride_of
from xetile.records import dataclass
from xetile.runtime import exchange

# facts on 2D blocks: a base of 64 bytes (a cache line) is the strictest alignment that any access asks for.
BLOCK_ALIGNMENT = 64


@dataclass(frozen=True)
class ArrayInfo:
    """An array as a kernel sees it.

    strides     in elements, one for each axis (`stride_of`).
    alignment   bytes that the address of the first element is known to be a multiple of when the kernel runs, at most
                BLOCK_ALIGNMENT.  Host arrays always have it in full: a backend that reads them in place does so only on a device
                that does not care, and otherwise copies them to aligned memory.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    writable: bool
    place: Literal["host", "device"]
    alignment: int


# A view whose memory span is this many times larger than its contents is packed before it is moved.
SPARSE = 4

_undefined: WeakValueDictionary[int, np.ndarray[Any, Any]] = WeakValueDictionary()


def poisoned(shape: Any, dtype: np.dtype[Any], fill: Any = None) -> np.ndarray[Any, Any]:
    """A new numpy array, unless filled its contents undefined and known to be so: NaN, integers -1. For outputs in debug mode."""
    if fill is not None:
        return np.full(shape, fill, dtype)
    array = np.empty(shape, dtype)
    array.view(np.uint8 if array.ndim else dtype)[...] = 0xFF
    _undefined[id(array)] = array
    return array


def take_undefined(array: Any) -> bool:
    """Whether this array comes from `poisoned` and has never been asked about: after its first launch it holds something."""
    return _undefined.pop(id(array), None) is array


def is_device_array(value: Any) -> bool:
    """Whether `value` lives in a device's memory (a pyopencl array)."""
    kind = type(value)
    if kind is np.ndarray:
        return False
    return kind.__module__.startswith("pyopencl") or any(t.__module__ == "pyopencl.array" for t in kind.__mro__)


def is_array(value: Any) -> bool:
    """Whether `value` is an array of any kind that a kernel can be called on, rather than a scalar."""
    if isinstance(value, np.ndarray):
        return True
    if is_device_array(value):
        return True
    return not isinstance(value, type) and not np.isscalar(value) and any(hasattr(value, name) for name in exchange.PROTOCOLS)


def as_host_array(value: Any, name: str = "argument") -> np.ndarray[Any, Any]:
    """`value` as a numpy array on the same memory, never a copy.

    Takes numpy arrays, `__array_interface__`, DLPack of CPU memory, and `__sycl_usm_array_interface__` of memory that the process
    reads.  Raises ArgumentError for anything else.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{name}: kernels would not see its mask", hint="pass array.filled(...) or array.data")
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array_interface__") and (array := exchange.from_interface(value)) is not None:
        return array
    if hasattr(value, "__dlpack__") and exchange.is_on_cpu(value):
        return exchange.from_dlpack(value, name)
    if hasattr(value, "__sycl_usm_array_interface__"):
        return exchange.from_usm(value, name)
    if (kind := exchange.kind_of_device(value)) is not None:
        raise ArgumentError(
            f"{name}: {type(value).__name__} lies in memory of a device of kind {kind}, which kernels do not reach",
            hint=f"copy it: {name}.cpu()" if hasattr(value, "cpu") else "copy it to the CPU, or to a pyopencl array",
        )
    raise ArgumentError(
        f"{name}: {type(value).__name__} is not an array that kernels can use",
        hint="pass a numpy array, a pyopencl array, or an object with __array_interface__, DLPack in CPU memory, or shared USM",
    )


def fitting_array(name: str, value: Any, dtype: np.dtype[Any], *, rank: int = 0, written: bool) -> np.ndarray[Any, Any]:
    """An argument as a numpy array that fits its parameter, on the same memory. Raises ArgumentError saying what does not."""
    array = as_host_array(value, name)
    if array.dtype != dtype:
        raise ArgumentError(
            f"{name}: the kernel was compiled for elements of {dtype}, the array holds {array.dtype}",
            hint=f"convert it: {name}.astype({str(dtype)!r})",
        )
    if array.ndim < rank:
        raise ArgumentError(f"{name}: the kernel takes {rank} or more dimensions, the array has {array.ndim}")
    if written and not array.flags.writeable:
        raise ArgumentError(f"{name} is written by the kernel, and the array is read-only", hint="pass a copy")
    return array


def describe(value: Any, name: str = "argument") -> ArrayInfo:
    """What a kernel needs to know of an array; `name` is its parameter's, for errors.

    Raises ArgumentError for something that is no array, DtypeError for element types that kernels do not have.
    """
    array = value if is_device_array(value) else as_host_array(value, name)
    try:
        dtype = dtypes.from_numpy(array.dtype)
    except DtypeError as error:
        raise DtypeError(f"{name}: {error.message}", hint=error.hint) from None
    if not array.dtype.isnative:
        raise DtypeError(f"{name}: its bytes are in the other order", hint="use array.astype(array.dtype.newbyteorder('='))")
    _check_strides(array.strides, array.dtype.itemsize, name)
    strides = tuple(stride_of(array, axis) for axis in range(len(array.shape)))
    if array is value and is_device_array(value):
        return ArrayInfo(dtype.name, tuple(array.shape), strides, True, "device", _device_alignment(array))
    return ArrayInfo(dtype.name, array.shape, strides, array.flags.writeable, "host", BLOCK_ALIGNMENT)


def _check_strides(strides: Sequence[int], itemsize: int, name: str) -> None:
    if any(stride % itemsize for stride in strides):
        raise ArgumentError(
            f"{name}: its strides {tuple(strides)} in bytes are not multiples of its {itemsize}-byte elements",
            hint="copy it first: numpy.ascontiguousarray(...)",
        )


def _device_alignment(array: Any) -> int:
    """Buffers reach a kernel only at aligned offsets (others are moved first); shared memory reaches it as it is."""
    pointer = getattr(array.base_data, "svm_ptr", None)
    if pointer is None:
        return BLOCK_ALIGNMENT
    return math.gcd(pointer + array.offset, BLOCK_ALIGNMENT)


EMPTY_BYTES = 64
"""What an empty array gets on a device: lanes outside of an array read where its first element would be."""


def byte_bounds(array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Addresses of the array's first byte and of the byte after its last, over all elements; equal for an empty array."""
    low = high = int(array.__array_interface__["data"][0])
    if array.size == 0:
        return low, high
    for extent, stride in zip(array.shape, array.strides, strict=True):
        reach = (extent - 1) * stride
        low, high = (low + reach, high) if reach < 0 else (low, high + reach)
    return low, high + array.itemsize


def spans_well(array: np.ndarray[Any, Any]) -> bool:
    """Whether the bytes from the array's first to its last element can move as one: no negative strides, not mostly gaps."""
    low, high = byte_bounds(array)
    return low == array.ctypes.data and high - low <= SPARSE * max(array.nbytes, 1)


def overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two host arrays share an element; undecided cases (deeply interleaved views) count as sharing."""
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]  # numpy's stub lists two of its values
    except RuntimeError:  # numpy's TooHardError
        return True


def check_no_overlap(arrays: Mapping[str, Any], written: frozenset[str]) -> None:
    """Raise ArgumentError when an array that the kernel writes shares memory with another argument."""
    for name in sorted(written & arrays.keys()):
        for other, array in arrays.items():
            if other != name and _share(arrays[name], array):
                raise ArgumentError(
                    f"{name} is written by the kernel and shares memory with {other}",
                    hint=f"pass a copy of {other}, or a separate array for {name}; a kernel that changes an array in place takes it once",
                )


def _share(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return overlap(a, b)
    if not (is_device_array(a) and is_device_array(b)) or a.base_data is None or b.base_data is None:
        return False
    (whole, first), (other, second) = _place_of(a), _place_of(b)
    if whole != other:
        return False
    return overlap(*(exchange.stand_in(x.shape, x.strides, x.dtype, start) for x, start in ((a, first), (b, second))))


def _place_of(array: Any) -> tuple[Any, int]:
    """The memory that a device array lies in, and the address of its first element there (never zero)."""
    base, offset = array.base_data, array.offset + BLOCK_ALIGNMENT
    if (pointer := getattr(base, "svm_ptr", None)) is not None:
        return "shared", pointer + offset
    while (whole := base.associated_memobject) is not None:  # a part of another buffer
        base, offset = whole, offset + base.offset
    return base.int_ptr, offset


FEWEST_STEPS = 2
"""Of `BLOCK_ALIGNMENT` bytes from row to row of a copy: with the narrowest surface of 2D blocks, which begins as much ahead."""


def padded_copy(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy whose strides are positive and whose rows start at multiples of 64 bytes; columns, if those were contiguous.

    For views that cannot go to a device as they lie in memory: a kernel specialised for the view (its order, its marks) runs on the
    copy too. What the view's strides allowed of 2D blocks the copy's do: rows are not nearer than those of an array without the mark
    "close" (`BlockRules.far_pitch_bytes`).
    """
    if array.ndim < 2:
        return np.array(array)
    if array.strides[-1] != array.itemsize and array.shape[-1] > 1 and array.strides[-2] == array.itemsize:
        return np.swapaxes(padded_copy(np.swapaxes(array, -1, -2)), -1, -2)
    step = BLOCK_ALIGNMENT // math.gcd(BLOCK_ALIGNMENT, array.itemsize)
    columns = max(FEWEST_STEPS, -(-array.shape[-1] // step)) * step
    padded = np.empty((*array.shape[:-1], columns), array.dtype)
    view: np.ndarray[Any, Any] = padded[..., : array.shape[-1]]
    view[...] = array
    return view


class TransferStats:
    """Counts what moved between host and device; reading an array in place on a CPU device counts nothing.

    to_device, from_device, on_device   copies made; *_bytes how much they moved.  `on_device` are copies within the device.
    """

    FIELDS = ("to_device", "to_device_bytes", "from_device", "from_device_bytes", "on_device", "on_device_bytes")

    to_device: int
    to_device_bytes: int
    from_device: int
    from_device_bytes: int
    on_device: int
    on_device_bytes: int

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Start counting at zero."""
        for field in self.FIELDS:
            setattr(self, field, 0)

    def count(self, direction: Literal["to_device", "from_device", "on_device"], size: int) -> None:
        """Note one copy of `size` bytes."""
        with self._lock:
            setattr(self, direction, getattr(self, direction) + 1)
            setattr(self, f"{direction}_bytes", getattr(self, f"{direction}_bytes") + size)

    def as_dict(self) -> dict[str, int]:
        """The counters by name."""
        return {field: getattr(self, field) for field in self.FIELDS}

    def __repr__(self) -> str:
        return f"TransferStats({', '.join(f'{k}={v}' for k, v in self.as_dict().items())})"


stats = TransferStats()

"""Arrays of other libraries as numpy arrays on the same memory: `__array_interface__`, DLPack, `__sycl_usm_array_interface__`.

None of them copies; each result keeps what it came from alive.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.errors import ArgumentError

HostArray = np.ndarray[Any, Any]

PROTOCOLS = ("__array_interface__", "__dlpack__", "__sycl_usm_array_interface__")
# DLPack, DLDeviceType: kDLCPU.
DLPACK_CPU = 1
DLPACK_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 14: "oneAPI"}
# DLPack, DLDataTypeCode and bits, of element types that numpy itself does not import.
DLPACK_ONLY = {(4, 16): "bf16", (10, 8): "f8e4m3", (12, 8): "f8e5m2"}


def from_interface(value: Any) -> HostArray | None:
    """By `__array_interface__`; None where numpy had to copy."""
    array = np.asarray(value)
    return array if array.ctypes.data == value.__array_interface__["data"][0] else None


# DLPack


class _Tensor(ctypes.Structure):
    """DLTensor, the head of DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def is_on_cpu(value: Any) -> bool:
    """Whether a DLPack exporter's memory is the process's own."""
    return bool(value.__dlpack_device__()[0] == DLPACK_CPU)


def kind_of_device(value: Any) -> str | None:
    """The kind of device in whose memory a DLPack exporter's elements lie; None for none that is known, and for what exports none."""
    asked = getattr(value, "__dlpack_device__", None)
    return DLPACK_DEVICES.get(int(asked()[0])) if asked is not None else None


def from_dlpack(value: Any, name: str) -> HostArray:
    """By DLPack, for memory of the CPU; also for element types that numpy does not import.  Raises ArgumentError."""
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        array = _by_hand(value)
        if array is None:
            raise ArgumentError(f"{name}: its memory cannot be shared with numpy: {error}") from error
        return array


def _by_hand(value: Any) -> HostArray | None:
    """An array that numpy refused for its element type; None where that was not the reason."""
    try:
        capsule = value.__dlpack__()
        tensor = ctypes.cast(_pointer_of(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    except (BufferError, RuntimeError, TypeError, ValueError):
        return None
    kind = DLPACK_ONLY.get((tensor.code, tensor.bits))
    if kind is None or tensor.lanes != 1:
        return None
    dtype, size = dtypes.dtype(kind).numpy, tensor.bits // 8
    shape = tuple(tensor.shape[: tensor.ndim])
    # DLPack counts strides in elements; none means rows one after the other.
    strides = tuple(stride * size for stride in tensor.strides[: tensor.ndim]) if tensor.strides else None
    # The capsule frees the tensor when it goes, so it stays as long as the array.
    return _at((tensor.data or 0) + tensor.byte_offset, shape, strides, np.dtype(f"u{size}"), True, capsule).view(dtype)


# Unified shared memory of SYCL


def from_usm(value: Any, name: str) -> HostArray:
    """By `__sycl_usm_array_interface__` (dpctl, dpnp), after waiting for the array's SYCL queue.

    Raises ArgumentError for memory that only a device reads: OpenCL's contexts and SYCL's do not share it.
    """
    found = value.__sycl_usm_array_interface__
    queue = found.get("syclobj")
    if not _is_readable(value, queue):
        raise ArgumentError(
            f"{name}: its memory is a SYCL device's own, which OpenCL kernels cannot reach",
            hint="allocate it as shared memory (usm_type='shared'), or pass a copy on the host",
        )
    if hasattr(queue, "wait"):
        queue.wait()
    dtype = np.dtype(found["typestr"])
    # dpctl's documentation of the interface: strides and offset count elements; the flag is true for memory that may be written.
    strides = found.get("strides")
    scaled = None if strides is None else tuple(stride * dtype.itemsize for stride in strides)
    address, writable = found["data"]
    return _at(address + found.get("offset", 0) * dtype.itemsize, tuple(found["shape"]), scaled, dtype, bool(writable), value)


def _is_readable(value: Any, queue: Any) -> bool:
    """Whether the process reads the memory: shared and host allocations, and any of a CPU device."""
    kind = getattr(value, "usm_type", None) or (value.get_usm_type() if hasattr(value, "get_usm_type") else None)
    device = getattr(value, "sycl_device", None) or getattr(queue, "sycl_device", None)
    return kind in ("shared", "host") or bool(getattr(device, "is_cpu", False))


class _Memory:
    """What numpy makes an array of, and keeps alive with it: `owner`."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__, self.owner = interface, owner


def _at(
    address: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: np.dtype[Any], writable: bool, owner: Any
) -> HostArray:
    """The array at an address; strides in bytes."""
    interface = {"version": 3, "data": (address, not writable), "shape": shape, "strides": strides, "typestr": dtype.str}
    return np.asarray(_Memory(interface, owner))


def stand_in(shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any], address: int) -> HostArray:
    """An array that must not be read: it says where another one lies, for questions about overlap."""
    return _at(address, shape, strides, dtype, False, None)

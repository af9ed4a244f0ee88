"""How a host array gets to a kernel: in place where the device reads the process's memory, else by copying.

In place     the device has fine-grained system SVM (Intel's CPU runtime): any address is a kernel argument as it is.
On host      device and host share memory, and the array's memory is aligned as the driver wants: a buffer that uses it.
By copy      everything else: a buffer of exactly the bytes that the array spans, so that no kernel can reach beyond them.

Dims and strides that a kernel gets are those of `Placed.array`, which is the caller's array unless its memory could not be moved
as it lies (negative or far apart strides); then it is a copy on the host, whose contents go back element by element.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import numpy as np
import pyopencl as cl

from xetile.errors import ArgumentError
from xetile.runtime.arrays import EMPTY_BYTES, byte_bounds, fitting_array, padded_copy, spans_well, stats

from .arguments import ArrayArgument, at_address, in_memory
from .driver import Session

HostArray = np.ndarray[Any, Any]


class Placed(Protocol):
    """An array ready for a kernel: `memory` is the argument, `array` tells dims and strides.

    `finish` runs after the kernel was enqueued on the same queue: it blocks until the caller's array holds what was written.
    """

    memory: Any
    array: Any

    def finish(self, queue: cl.CommandQueue) -> None:
        """See the class."""


def place(session: Session, queue: cl.CommandQueue, argument: ArrayArgument, value: Any) -> Placed:
    """Bring a host array to the device.  Raises ArgumentError for one that does not fit the parameter."""
    array = fitting_array(argument.name, value, argument.dtype, rank=argument.rank, written=argument.written)
    if session.system_memory and array.flags.aligned:
        return InPlace(array)
    whole = array
    if not spans_well(array):
        whole = padded_copy(array)
    target = array if argument.written else None
    if session.host_memory and whole is array and whole.flags.aligned and _shareable(array, session.page):
        return OnHost(session, array, argument.written)
    return ByCopy(session, queue, whole, target)


def _shareable(array: HostArray, page: int) -> bool:
    # cl_mem_flags, USE_HOST_PTR: Intel's GPU driver shares memory whose address and size are whole pages and cache lines;
    # the CPU runtime shares whole cache lines.
    low, high = byte_bounds(array)
    return low % page == 0 and (high - low) % 64 == 0 and high > low


class InPlace:
    """The kernel reads and writes the caller's memory; nothing moves."""

    __slots__ = ("array", "memory")

    def __init__(self, array: HostArray) -> None:
        self.array = array
        self.memory = in_memory(array)

    def finish(self, queue: cl.CommandQueue) -> None:
        """Nothing to bring back."""


class OnHost:
    """A buffer whose storage is the caller's memory."""

    def __init__(self, session: Session, array: HostArray, written: bool) -> None:
        self.array = array
        self.written = written
        access = cl.mem_flags.READ_WRITE if written else cl.mem_flags.READ_ONLY
        self.memory = cl.Buffer(session.context, access | cl.mem_flags.USE_HOST_PTR, hostbuf=_bytes_of(array))

    def finish(self, queue: cl.CommandQueue) -> None:
        """OpenCL 3.0, 5.2.1: what a kernel wrote shows in host memory only after the buffer was mapped."""
        if self.written:
            read, size = cl.map_flags.READ, (self.memory.size,)
            mapped, _ = cl.enqueue_map_buffer(queue, self.memory, read, 0, size, np.dtype(np.uint8), is_blocking=True)
            mapped.base.release(queue)
        queue.finish()  # the caller may free or change an input as soon as the call returns


class ByCopy:
    """A buffer of its own.  `array` is what was copied; `target`, when the kernel writes it, the caller's array."""

    def __init__(self, session: Session, queue: cl.CommandQueue, array: HostArray, target: HostArray | None) -> None:
        self.array, self.target = array, target
        low, high = byte_bounds(array)
        access = cl.mem_flags.READ_ONLY if target is None else cl.mem_flags.READ_WRITE
        self.memory = cl.Buffer(session.context, access, (high - low) or EMPTY_BYTES)
        self._span = _bytes_of(array)
        if high > low:
            # A written array goes up as well: the kernel need not write every element.
            # pyopencl's event waits for the copy when it goes, so it must stay until the kernel has run.
            self._upload = cl.enqueue_copy(queue, self.memory, self._span, is_blocking=False)
            stats.count("to_device", high - low)

    def finish(self, queue: cl.CommandQueue) -> None:
        """Copy written elements back, and nothing between them."""
        if self.target is None or not self._span.size:
            return
        if self.array is self.target and self.array.nbytes == self._span.size:
            cl.enqueue_copy(queue, self._span, self.memory, is_blocking=True)
        else:
            landing = np.empty_like(self._span)
            cl.enqueue_copy(queue, landing, self.memory, is_blocking=True)
            np.copyto(self.target, np.ndarray(self.array.shape, self.array.dtype, landing.data, 0, self.array.strides))
        stats.count("from_device", self._span.size)


def _bytes_of(array: HostArray) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes from the array's first to its last element; writable whatever the array is, so it must be kept from writers."""
    low, high = byte_bounds(array)
    if high == low:
        return np.empty(0, np.uint8)
    return np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))


class OnDevice:
    """A pyopencl array.  A buffer reaches a kernel from its start, or from an aligned offset; other offsets are moved first."""

    def __init__(self, session: Session, queue: cl.CommandQueue, argument: ArrayArgument, array: Any) -> None:
        fitting(argument, array)
        self.array = array
        self._moved = False
        self._written = argument.written
        base, offset = array.base_data, array.offset
        if base is None or not offset:
            self.memory = base
        elif isinstance(base, cl.SVMPointer):
            self.memory = at_address(base.svm_ptr + offset)
        elif offset % (session.device.mem_base_addr_align // 8) == 0:
            self.memory = base.get_sub_region(offset, base.size - offset)
        else:
            self._move(session, queue, base, offset)

    def _move(self, session: Session, queue: cl.CommandQueue, base: Any, offset: int) -> None:
        self._moved, self._source = True, (base, offset)
        self._size = base.size - offset
        self.memory = cl.Buffer(session.context, cl.mem_flags.READ_WRITE, self._size)
        cl.enqueue_copy(queue, self.memory, base, byte_count=self._size, src_offset=offset)
        stats.count("on_device", self._size)

    def finish(self, queue: cl.CommandQueue) -> None:
        """Bring a moved array's contents back to where the caller's array lies; does not block."""
        if self._moved and self._written:
            base, offset = self._source
            cl.enqueue_copy(queue, base, self.memory, byte_count=self._size, dst_offset=offset)
            stats.count("on_device", self._size)


class Reversed:
    """A pyopencl array with negative strides, by way of the host.

    A kernel gets no address within a buffer: the driver's surface of an argument begins where the argument does, and what lies in
    front of it reads as zero.
    """

    def __init__(self, session: Session, queue: cl.CommandQueue, argument: ArrayArgument, array: Any) -> None:
        fitting(argument, array)
        reach = [(n - 1) * stride for n, stride in zip(array.shape, array.strides)]
        low = array.offset + sum(min(0, n) for n in reach)
        high = array.offset + sum(max(0, n) for n in reach) + array.dtype.itemsize
        self._place, self._span = (array.base_data, low), np.empty(high - low, np.uint8)
        cl.enqueue_copy(queue, self._span, array.base_data, src_offset=low, is_blocking=True, wait_for=array.events)
        stats.count("from_device", self._span.size)
        view: HostArray = np.ndarray(array.shape, array.dtype, self._span.data, array.offset - low, array.strides)
        self._copy = ByCopy(session, queue, padded_copy(view), view if argument.written else None)
        self.memory, self.array = self._copy.memory, self._copy.array

    def finish(self, queue: cl.CommandQueue) -> None:
        """Bring what was written back to the caller's buffer."""
        self._copy.finish(queue)
        if self._copy.target is not None:
            base, low = self._place
            cl.enqueue_copy(queue, base, self._span, dst_offset=low, is_blocking=True)
            stats.count("to_device", self._span.size)


def on_device(session: Session, queue: cl.CommandQueue, argument: ArrayArgument, array: Any) -> Placed:
    """A pyopencl array.  Raises ArgumentError for one that does not fit the parameter."""
    backwards = any(n > 1 and stride < 0 for n, stride in zip(array.shape, array.strides)) and 0 not in array.shape
    if backwards and not isinstance(array.base_data, cl.SVMPointer):
        return Reversed(session, queue, argument, array)
    return OnDevice(session, queue, argument, array)


def fitting(argument: ArrayArgument, array: Any) -> None:
    """Raises ArgumentError for a pyopencl array that does not fit the parameter."""
    if array.dtype != argument.dtype or len(array.shape) < argument.rank:
        raise ArgumentError(
            f"{argument.name}: the kernel was compiled for {argument.rank or 'any'} dimensions of {argument.dtype}, "
            f"the array has {len(array.shape)} of {array.dtype}"
        )

"""A launch as the hardware sees it: arrays in memory, the payload that each thread starts with, batches of workgroups."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from xetile.records import dataclass
from xetile.runtime.arrays import EMPTY_BYTES, byte_bounds

from .errors import UnsupportedError
from .isa import XE_HPG, Array
from .memory import Memory, Surface
from .state import Threads
from .zebin import Argument, Kernel

ALIGNMENT = 64
"""Host arrays are copied so that their first elements lie on cache lines, as drivers allocate."""
SLM_POISON = 0xCD
SURFACE_STEP = 64
DATA_SURFACES = {"const_base": 1 << 20, "global_base": 1 << 21}
"""Handles of the program's own data, beyond those of arguments."""
MOST_THREADS = 1024
"""Threads at once: what private memory has room for."""
PRINT_BYTES = 4 << 20
PRINT_START = 4
"""The first dword of the buffer for prints counts its bytes, itself included."""
READ_AHEAD = 256


@dataclass(frozen=True)
class Local:
    """An argument in shared local memory: its bytes."""

    size: int


@dataclass
class Placed:
    """What a launch's arguments have become.

    addresses  of arrays, by argument; spans: the callers' memory with where its copy lies.
    printed    address of the buffer for prints, private: of all threads' private memory; 0 where there is none.
    """

    memory: Memory
    data: dict[str, int]
    addresses: dict[int, int] = field(default_factory=dict)
    surfaces: dict[int, Surface] = field(default_factory=dict)
    spans: list[tuple[Array, int]] = field(default_factory=list)
    slm_size: int = 0
    printed: int = 0
    private: int = 0


def data_addresses(kernel: Kernel) -> tuple[Memory, dict[str, int]]:
    """Memory with the program's own data in it: at the same addresses in every launch, so that code can hold them."""
    memory = Memory()
    return memory, {name: memory.allocate(name, data, writable="const" not in name) for name, data in kernel.data.items()}


def place(kernel: Kernel, args: Sequence[Any], names: Sequence[str], written: Sequence[bool]) -> Placed:
    """Copies of the arrays' memory, arrays that share memory in one where their distance is a multiple of a cache line."""
    memory, data = data_addresses(kernel)
    placed = Placed(memory, data, slm_size=kernel.slm_size)
    for kind, handle in DATA_SURFACES.items():
        if (name := f".data.{kind.partition('_')[0]}") in data:
            placed.surfaces[handle] = Surface(data[name], len(kernel.data[name]), name)
    arrays = {i: value for i, value in enumerate(args) if isinstance(value, np.ndarray)}
    for members in _shared(arrays):
        bounds = [byte_bounds(arrays[i]) for i in members]
        low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
        raw = _memory(low, high - low)
        first = arrays[members[0]].__array_interface__["data"][0]
        changes = any(written[i] for i in members)
        start = memory.allocate(" and ".join(dict.fromkeys(names[i] for i in members)), raw, writable=changes, align=low - first)
        if changes:
            placed.spans.append((raw, start))
        for i in members:
            at = start + arrays[i].__array_interface__["data"][0] - low
            placed.addresses[i] = at
            placed.surfaces[(i + 1) * SURFACE_STEP] = Surface(at, start + raw.size - at, names[i])
    for i, value in enumerate(args):
        if isinstance(value, Local):
            placed.addresses[i] = placed.slm_size = -(-placed.slm_size // ALIGNMENT) * ALIGNMENT
            placed.slm_size += value.size
    if kernel.private_size:
        placed.private = memory.allocate("private memory", bytes(kernel.private_size * kernel.simd_size * MOST_THREADS),
                                         private=True)  # fmt: skip
    if any(a.kind == "printf_buffer" for a in kernel.arguments):
        placed.printed = memory.allocate("the buffer for prints", struct.pack("<I", PRINT_START) + bytes(PRINT_BYTES - 4))
    return placed


def _memory(address: int, size: int) -> Array:
    """The process's memory as bytes; zeros for an empty array."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address)) if size else np.zeros(EMPTY_BYTES, np.uint8)


def _shared(arrays: Mapping[int, Array]) -> list[list[int]]:
    """Which arrays lie in one piece of memory."""
    groups: list[tuple[int, int, list[int]]] = []
    for low, high, i in sorted((*byte_bounds(value), i) for i, value in arrays.items()):
        first = arrays[i].__array_interface__["data"][0]
        for n, (begin, end, members) in enumerate(groups):
            distance = first - arrays[members[0]].__array_interface__["data"][0]
            if low < end and begin < high and distance % ALIGNMENT == 0:
                groups[n] = (min(begin, low), max(end, high), [*members, i])
                break
        else:
            groups.append((low, high, [i]))
    return [members for _, _, members in groups]


def restore(placed: Placed) -> None:
    """What kernels wrote, back into the callers' arrays."""
    for raw, address in placed.spans:
        raw[:] = placed.memory.view(address, raw.size)


def cross_thread(kernel: Kernel, placed: Placed, args: Sequence[Any], groups: Sequence[int], local: Sequence[int]) -> bytes:
    """The arguments as all threads get them, padded to 32 bytes."""
    end = max([a.offset + a.size for a in kernel.arguments], default=0)
    out = bytearray(-(-max(end, kernel.inline_size, 1) // 32) * 32)
    for argument in kernel.arguments:
        out[argument.offset : argument.offset + argument.size] = _value(argument, placed, args, groups, local)
    return bytes(out)


def _value(argument: Argument, placed: Placed, args: Sequence[Any], groups: Sequence[int], local: Sequence[int]) -> bytes:
    """The bytes of one piece of the payload.  Raises UnsupportedError."""
    kind, size, index = argument.kind, argument.size, argument.index
    if kind == "arg_bypointer" and index is not None:
        if argument.addrmode in ("slm", "stateless"):
            return struct.pack("<Q", placed.addresses[index])[:size]
        if argument.addrmode == "bindless":
            return struct.pack("<I", (index + 1) * SURFACE_STEP)
        if (
            argument.addrmode == "stateful" and not size
        ):  # older compilers: a place in a binding table, which no message here takes
            return b""
    if kind == "arg_byvalue" and index is not None:
        raw = bytes(args[index])
        if len(raw) != size:
            raise UnsupportedError(f"argument {index} has {len(raw)} bytes, the kernel wants {size}")
        return raw
    if kind in ("buffer_offset", "global_id_offset"):
        return bytes(size)
    if kind == "buffer_address" and index is not None:
        return struct.pack("<Q", placed.addresses[index])[:size]
    if kind == "private_base_stateless":  # 0, where no memory is, for a kernel that has none
        return struct.pack("<Q", placed.private)[:size]
    if kind == "printf_buffer":
        return struct.pack("<Q", placed.printed)[:size]
    if kind in ("const_base", "global_base") and (found := placed.data.get(f".data.{kind.partition('_')[0]}")):
        return struct.pack("<I", DATA_SURFACES[kind]) if argument.addrmode == "bindless" else struct.pack("<Q", found)[:size]
    vectors = {"local_size": local, "enqueued_local_size": local, "group_count": groups,
               "global_size": [g * n for g, n in zip(groups, local)]}  # fmt: skip
    if kind in vectors:
        return struct.pack("<3I", *vectors[kind])[:size]
    if kind == "work_dimensions":
        return struct.pack("<I", 3)[:size]
    raise UnsupportedError(f"the kernel wants an argument that the simulator does not know: {argument}")


def local_ids(kernel: Kernel, local: Sequence[int], subgroups: int, grf: int) -> list[bytes]:
    """What each thread loads of its work-items' ids: for each dimension 16-bit numbers of all channels."""
    if not kernel.thread_arguments:
        return []
    size = max(a.offset + a.size for a in kernel.thread_arguments)
    items = np.arange(subgroups * kernel.simd_size)
    ids = (items % local[0], items // local[0] % local[1], items // (local[0] * local[1]))
    stride, made = max(grf, 2 * kernel.simd_size), []
    for s in range(subgroups):
        out = np.zeros(-(-size // grf) * grf, np.uint8)
        for argument in kernel.thread_arguments:
            if argument.kind != "local_id":
                raise UnsupportedError(f"a thread's payload of kind {argument.kind}")
            for d in range(argument.size // stride):
                part = ids[d][s * kernel.simd_size : (s + 1) * kernel.simd_size].astype(np.uint16).view(np.uint8)
                out[argument.offset + d * stride :][: part.size] = part
        made.append(out.tobytes())
    return made


def _with_gaps(number: Array) -> Array:
    """Numbers of threads as Xe-HPG has them: bits 3 and 6 are never set, and code that counts threads takes them out."""
    low, middle, high = number & 7, number >> 3 & 3, number >> 5
    made: Array = low | middle << 4 | high << 7
    return made


def start(threads: Threads, groups: Sequence[tuple[int, int, int]], subgroups: int, inline: bytes) -> None:
    """Registers 0 and (with inline arguments) 1, as the hardware fills them.

    r0.0: offset of the arguments [31:6]; r0.1, r0.6, r0.7: workgroup; r0.2: number of the thread in its workgroup [7:0]; sr0.0: of the thread.
    """
    words = threads.views["ud"][0]
    for column, axis in ((1, 0), (6, 1), (7, 2)):
        words[:, column] = np.repeat([group[axis] for group in groups], subgroups)
    words[:, 2] = np.tile(np.arange(subgroups), len(groups))
    # Which of all threads this one is: it finds its private memory by that.
    number = threads.number.astype(np.uint32)
    threads.views["ud"][threads.layout.base["sr0"], :, 0] = _with_gaps(number) if threads.layout.target in XE_HPG else number
    if inline:
        threads.file[1, :, : len(inline)] = np.frombuffer(inline, np.uint8)
    if threads.written is not None:
        threads.written[0] = True
        threads.written[1, :, : len(inline)] = True

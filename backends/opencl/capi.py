"""The few OpenCL calls that pyopencl lacks or decorates, made straight at the loader that pyopencl itself uses.

pyopencl knows no vendor queries, turns build logs into warnings, shortens them, and keeps a source cache of its own.  Building
is rare and must report whole, so it goes through here; objects are handed to pyopencl by their pointers.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from ctypes import c_char_p, c_int32, c_size_t, c_uint32, c_void_p
from functools import cache, partial
from typing import Any

import pyopencl as cl
from pyopencl import _cl

# cl.h, cl_ext.h
CL_SUCCESS = 0
CL_PROGRAM_BUILD_LOG = 0x1183
CL_PROGRAM_BINARY_SIZES = 0x1165
CL_PROGRAM_BINARIES = 0x1166
CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL = 1 << 31  # cl_intel_exec_by_local_thread
CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108  # cl_intel_required_subgroup_size
CL_KERNEL_SPILL_MEM_SIZE_INTEL = 0x4109  # the same
CL_DEVICE_IP_VERSION_INTEL = 0x4250  # cl_intel_device_attribute_query
CL_DEVICE_SPIRV_EXTENSIONS_KHR = 0x12BA  # cl_khr_spirv_queries

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "clGetDeviceInfo": (c_int32, c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clCreateProgramWithIL": (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p),
    "clCreateProgramWithSource": (c_void_p, c_void_p, c_uint32, c_void_p, c_void_p, c_void_p),
    "clCreateProgramWithBinary": (c_void_p, c_void_p, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "clBuildProgram": (c_int32, c_void_p, c_uint32, c_void_p, c_char_p, c_void_p, c_void_p),
    "clCompileProgram": (c_int32, c_void_p, c_uint32, c_void_p, c_char_p, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p),
    "clLinkProgram": (c_void_p, c_void_p, c_uint32, c_void_p, c_char_p, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p),
    "clGetProgramBuildInfo": (c_int32, c_void_p, c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clGetKernelWorkGroupInfo": (c_int32, c_void_p, c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clGetProgramInfo": (c_int32, c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clEnqueueNDRangeKernel": (
        c_int32,
        c_void_p,
        c_void_p,
        c_uint32,
        c_void_p,
        c_void_p,
        c_void_p,
        c_uint32,
        c_void_p,
        c_void_p,
    ),
}


class CLError(Exception):
    """An OpenCL call that did not return CL_SUCCESS; `log` is the build log where there is one."""

    def __init__(self, routine: str, code: int, log: str = "") -> None:
        super().__init__(f"{routine} returned {code} ({status_name(code)})")
        self.routine, self.code, self.log = routine, code, log


def status_name(code: int) -> str:
    """The name of an OpenCL status, CL_BUILD_PROGRAM_FAILURE for -11."""
    codes: Any = cl.status_code
    name = str(codes.to_string(code, default_format="unknown status %d"))
    return name if name.startswith("unknown") else f"CL_{name}"


@cache
def _function(name: str) -> Any:
    """One entry point of the OpenCL loader that pyopencl is linked with: its symbols are visible through the extension module."""
    function = getattr(ctypes.CDLL(_cl.__file__), name)
    function.restype, *function.argtypes = _SIGNATURES[name]
    return function


def _query(name: str, *head: int) -> bytes | None:
    """The bytes that a clGet...Info function returns, or None when it does not know the question."""
    size = c_size_t(0)
    if _function(name)(*head, 0, None, ctypes.addressof(size)) != CL_SUCCESS:
        return None
    buffer = ctypes.create_string_buffer(size.value)
    if _function(name)(*head, size.value, buffer, None) != CL_SUCCESS:
        return None
    return buffer.raw


def sub_group_sizes(device: cl.Device) -> tuple[int, ...]:
    """Subgroup sizes that a kernel may require on the device; empty when it does not say."""
    raw = _query("clGetDeviceInfo", device.int_ptr, CL_DEVICE_SUB_GROUP_SIZES_INTEL) or b""
    width = ctypes.sizeof(c_size_t)
    return tuple(int.from_bytes(raw[i : i + width], "little") for i in range(0, len(raw), width))


def ip_version(device: cl.Device) -> tuple[int, int, int] | None:
    """Graphics IP version (architecture, release, revision) of an Intel GPU: bits 31:22, 21:14 and 5:0 of the query."""
    raw = _query("clGetDeviceInfo", device.int_ptr, CL_DEVICE_IP_VERSION_INTEL)
    if raw is None or len(raw) != 4:
        return None
    word = int.from_bytes(raw, "little")
    return word >> 22, word >> 14 & 0xFF, word & 0x3F


def spirv_extensions(device: cl.Device) -> frozenset[str] | None:
    """Names of the SPIR-V extensions that the device takes (cl_khr_spirv_queries); None when it cannot say."""
    raw = _query("clGetDeviceInfo", device.int_ptr, CL_DEVICE_SPIRV_EXTENSIONS_KHR)
    if raw is None:
        return None
    return frozenset((ctypes.string_at(pointer) or b"").decode() for (pointer,) in struct.iter_unpack("P", raw))


def spilled_bytes(kernel: cl.Kernel, device: cl.Device) -> int | None:
    """Bytes of a hardware thread that the driver spills to memory; None where it cannot say."""
    raw = _query("clGetKernelWorkGroupInfo", kernel.int_ptr, device.int_ptr, CL_KERNEL_SPILL_MEM_SIZE_INTEL)
    return None if raw is None else int.from_bytes(raw, "little")


def _program(routine: str, pointer: int | None, status: c_int32) -> cl.Program:
    """pyopencl's object for a program that one of the functions below made."""
    if status.value != CL_SUCCESS or not pointer:
        raise CLError(routine, status.value)
    return _owned(pointer)


def _owned(pointer: int) -> cl.Program:
    program: cl.Program = cl.Program.from_int_ptr(pointer, retain=False)
    return program


def local_queue(context: cl.Context, device: cl.Device) -> cl.CommandQueue | None:
    """A queue whose kernels have run, in the thread that enqueues them, when the call returns; None where the device has none.

    cl_intel_exec_by_local_thread.
    """
    if "cl_intel_exec_by_local_thread" not in device.extensions.split():
        return None
    properties: Any = CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL
    try:
        return cl.CommandQueue(context, device, properties)
    except cl.Error:
        return None


def enqueue_one(queue: cl.CommandQueue, kernel: cl.Kernel, local_size: Sequence[int]) -> Callable[[], bool]:
    """A function that enqueues one workgroup of a kernel: it makes no event, and other threads run meanwhile.  Raises CLError."""
    name = "clEnqueueNDRangeKernel"
    sizes = (c_size_t * len(local_size))(*local_size)
    given = (
        queue.int_ptr,
        kernel.int_ptr,
        len(local_size),
        None,
        ctypes.addressof(sizes),
        ctypes.addressof(sizes),
        0,
        None,
        None,
    )
    enqueue = partial(_function(name), *(kind(value) for kind, value in zip(_SIGNATURES[name][1:], given)))

    def run(keep: Any = (queue, kernel, sizes)) -> bool:
        if (status := enqueue()) != CL_SUCCESS:
            raise CLError(name, status)
        return True

    return run


def program_from_il(context: cl.Context, spirv: bytes) -> cl.Program:
    """clCreateProgramWithIL."""
    status = c_int32(0)
    pointer = _function("clCreateProgramWithIL")(context.int_ptr, spirv, len(spirv), ctypes.addressof(status))
    return _program("clCreateProgramWithIL", pointer, status)


def program_from_source(context: cl.Context, source: str) -> cl.Program:
    """clCreateProgramWithSource."""
    status = c_int32(0)
    text = source.encode()
    strings, lengths = (c_char_p * 1)(text), (c_size_t * 1)(len(text))
    pointer = _function("clCreateProgramWithSource")(context.int_ptr, 1, strings, lengths, ctypes.addressof(status))
    return _program("clCreateProgramWithSource", pointer, status)


def program_from_binary(context: cl.Context, device: cl.Device, binary: bytes) -> cl.Program:
    """clCreateProgramWithBinary, for one device."""
    status = c_int32(0)
    devices, lengths, binaries = (c_void_p * 1)(device.int_ptr), (c_size_t * 1)(len(binary)), (c_char_p * 1)(binary)
    pointer = _function("clCreateProgramWithBinary")(
        context.int_ptr, 1, devices, lengths, binaries, None, ctypes.addressof(status)
    )
    return _program("clCreateProgramWithBinary", pointer, status)


def build(program: cl.Program, device: cl.Device, options: str) -> None:
    """clBuildProgram; raises CLError with the whole log."""
    devices = (c_void_p * 1)(device.int_ptr)
    code = _function("clBuildProgram")(program.int_ptr, 1, devices, options.encode(), None, None)
    if code != CL_SUCCESS:
        raise CLError("clBuildProgram", code, build_log(program, device))


def compile_program(program: cl.Program, device: cl.Device, options: str) -> None:
    """clCompileProgram; raises CLError with the whole log."""
    devices = (c_void_p * 1)(device.int_ptr)
    code = _function("clCompileProgram")(program.int_ptr, 1, devices, options.encode(), 0, None, None, None, None)
    if code != CL_SUCCESS:
        raise CLError("clCompileProgram", code, build_log(program, device))


def link(context: cl.Context, device: cl.Device, programs: Sequence[cl.Program]) -> cl.Program:
    """clLinkProgram; raises CLError with the whole log."""
    status = c_int32(0)
    devices, parts = (c_void_p * 1)(device.int_ptr), (c_void_p * len(programs))(*(p.int_ptr for p in programs))
    pointer = _function("clLinkProgram")(
        context.int_ptr, 1, devices, b"", len(programs), parts, None, None, ctypes.addressof(status)
    )
    # clLinkProgram returns a program that holds the log even when linking failed.
    program = _owned(pointer) if pointer else None
    if status.value != CL_SUCCESS or program is None:
        raise CLError("clLinkProgram", status.value, build_log(program, device) if program is not None else "")
    return program


def build_log(program: cl.Program, device: cl.Device) -> str:
    """Everything that the driver wrote about the last build, compilation or linking."""
    raw = _query("clGetProgramBuildInfo", program.int_ptr, device.int_ptr, CL_PROGRAM_BUILD_LOG) or b""
    return raw.rstrip(b"\0").decode(errors="replace").strip()


def native_binary(program: cl.Program) -> bytes:
    """The driver's own binary of a program built for one device; empty when it gives none."""
    raw = _query("clGetProgramInfo", program.int_ptr, CL_PROGRAM_BINARY_SIZES) or b""
    size = int.from_bytes(raw, "little")
    if not size:
        return b""
    buffer = ctypes.create_string_buffer(size)
    pointers = (c_void_p * 1)(ctypes.addressof(buffer))
    code = _function("clGetProgramInfo")(program.int_ptr, CL_PROGRAM_BINARIES, ctypes.sizeof(pointers), pointers, None)
    return buffer.raw if code == CL_SUCCESS else b""

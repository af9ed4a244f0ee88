"""Contexts, queues and builds: what exists once for a device.

A module goes to the driver as it is where the device takes its extensions.  Older drivers of Intel GPUs get the instructions in
question in their compiler's own words (`finished/older_igc` of `xetile.backends.spirv`).  Elsewhere `finished/emulate` replaces them by
calls, the functions called are compiled from OpenCL C, and clLinkProgram joins both.
"""

from __future__ import annotations

import os
import struct
import threading
from collections import OrderedDict
from typing import Any

import pyopencl as cl

from xetile.errors import BuildError, DeviceError, ResourceError
from xetile.runtime import settings
from xetile.runtime.artifact import SPINS, Binary
from xetile.runtime.backend import DeviceInfo
from xetile.target.names import KNOWN

from . import capi
from .devices import BLOCK_IO, MATRIX

EMULATED = frozenset({BLOCK_IO, MATRIX})
# OpenCL 3.0, 5.8.6: options that every driver takes.  Others are for Intel's GPU compiler, and an emulating driver refuses them.
PORTABLE_OPTIONS = frozenset({
    "-cl-opt-disable", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
    "-cl-fast-relaxed-math", "-cl-denorms-are-zero", "-cl-single-precision-constant", "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp",
})  # fmt: skip
EMULATION_OPTIONS = "-cl-std=CL3.0"
LIBRARIES_KEPT = 64

# SPIR-V 2.3: five header words; each instruction starts with (word count << 16 | opcode).
HEADER_WORDS = 5
OP_EXTENSION, OP_MEMORY_MODEL = 10, 14


def module_extensions(spirv: bytes) -> frozenset[str]:
    """Names in a module's OpExtension instructions; raises BuildError for bytes that are no SPIR-V."""
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv[: len(spirv) // 4 * 4])
    if len(words) <= HEADER_WORDS or words[0] != 0x07230203:
        raise BuildError("the compiled kernel is no SPIR-V module: its magic number is missing")
    found: set[str] = set()
    place = HEADER_WORDS
    # SPIR-V 2.4: OpExtension comes before OpMemoryModel.
    while place < len(words) and words[place] & 0xFFFF != OP_MEMORY_MODEL:
        if words[place] & 0xFFFF == OP_EXTENSION:
            text = spirv[4 * (place + 1) : 4 * (place + (words[place] >> 16))]
            found.add(text.split(b"\0", 1)[0].decode())
        place += max(1, words[place] >> 16)
    return frozenset(found)


# Whether this process was forked from one that had used OpenCL: its threads stayed behind, so that any call could hang.
forked = False


def _mark_forked() -> None:
    global forked
    forked = Session.made


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mark_forked)


def check_process() -> None:
    """Raise DeviceError in a forked child of a process that used OpenCL."""
    if forked:
        raise DeviceError(
            "OpenCL was in use when this process was forked, so it cannot be used here",
            hint="start workers by multiprocessing.get_context('spawn') or 'forkserver'",
        )


class Session:
    """One device in one context: its queue, and the programs built for it.  Safe to use from any thread.

    `system_memory` tells that kernels may read and write any address of the process (fine-grained system SVM), `host_memory`
    that host and device share memory, so that a buffer on host memory need not move.
    """

    made = False

    def __init__(self, info: DeviceInfo, device: cl.Device, context: cl.Context | None = None) -> None:
        check_process()
        Session.made = True
        self.info = info
        self.device = device
        self.context = context if context is not None else _new_context(info, device)
        # A GPU that reads system memory still wants 2D blocks on cache lines, which numpy's arrays are not.
        self.system_memory = info.host_addresses
        self.host_memory = info.kind == "cpu" or _shares_memory(device)
        self.page = 64 if info.kind == "cpu" else 4096
        self._lock = threading.Lock()
        self._queue: cl.CommandQueue | None = None
        self._own = threading.local()
        self._libraries: OrderedDict[tuple[str, str], cl.Program] = OrderedDict()

    @property
    def queue(self) -> cl.CommandQueue:
        """The queue that launches use unless they are given one: in order, so that no launch waits on events."""
        with self._lock:
            if self._queue is None:
                profiling: Any = cl.command_queue_properties.PROFILING_ENABLE if settings.get("profiling") else 0
                self._queue = cl.CommandQueue(self.context, self.device, properties=profiling)
            return self._queue

    @property
    def local_queue(self) -> cl.CommandQueue | None:
        """The calling thread's own queue, which runs kernels in that thread at once; None where the device has none, or times kernels."""
        if not hasattr(self._own, "queue"):
            wanted = self.system_memory and not settings.get("profiling")
            self._own.queue = capi.local_queue(self.context, self.device) if wanted else None
        found: cl.CommandQueue | None = self._own.queue
        return found

    def build(self, binary: Binary, native: bytes | None = None) -> cl.Program:
        """A program with the kernel in it, ready to launch.

        `native` is tried first; a driver that no longer takes it builds from the SPIR-V.  Raises BuildError with the device, the
        target, the options and the driver's whole log; ResourceError for a workgroup that the device cannot hold.
        """
        self._check_resources(binary)
        self._check_progress(binary)
        options = binary.build_options
        try:
            if native is not None and (program := self._from_native(native, options)) is not None:
                return program
            if not self.info.older_compiler and (
                module_extensions(binary.spirv) & EMULATED - self.info.extensions or self._is_for_a_gpu(binary)
            ):
                options = _portable(binary.build_options)
                return self._build_emulated(binary, options)
            if self.info.kind == "cpu":
                options = _portable(binary.build_options)
            return self._built(self._understood(binary.spirv), options)
        except capi.CLError as error:
            raise self._build_error(binary, options, error) from error

    def _is_for_a_gpu(self, binary: Binary) -> bool:
        """Whether a CPU is to run a GPU's module."""
        return self.info.kind == "cpu" and not (binary.target in KNOWN and KNOWN[binary.target].is_cpu)

    def _from_native(self, native: bytes, options: str) -> cl.Program | None:
        try:
            program = capi.program_from_binary(self.context, self.device, native)
            capi.build(program, self.device, options if self.info.kind == "gpu" else "")
        except capi.CLError:  # made by another version of the driver
            return None
        return program

    def _build_emulated(self, binary: Binary, options: str) -> cl.Program:
        from ..spirv.finished.emulate import emulate

        spirv, source = emulate(binary.spirv, self.info.extensions)
        return self._linked(self._understood(spirv), options, source)

    def _built(self, spirv: bytes, options: str) -> cl.Program:
        program = capi.program_from_il(self.context, spirv)
        capi.build(program, self.device, options)
        return program

    def _linked(self, spirv: bytes, options: str, source: str) -> cl.Program:
        """A module and the functions that it imports, which OpenCL C defines."""
        program = capi.program_from_il(self.context, spirv)
        capi.compile_program(program, self.device, options)
        parts = [program, self._library(source, EMULATION_OPTIONS)] if source else [program]
        return capi.link(self.context, self.device, parts)

    def _understood(self, spirv: bytes) -> bytes:
        """A module in words that the device's compiler knows, and does not take wrongly."""
        if self.info.older_compiler:
            from ..spirv.finished.older_igc import for_older_igc

            return for_older_igc(spirv, self.info.extensions)
        if self.info.kind != "cpu":
            return spirv
        from ..spirv.finished.hide_zero import hide_zero

        return hide_zero(spirv)

    def _library(self, source: str, options: str) -> cl.Program:
        """The emulation's functions, compiled once for all kernels that need the same ones."""
        key = (source, options)
        with self._lock:
            if key in self._libraries:
                self._libraries.move_to_end(key)
                return self._libraries[key]
        library = capi.program_from_source(self.context, source)
        capi.compile_program(library, self.device, options)
        with self._lock:
            self._libraries[key] = library
            while len(self._libraries) > LIBRARIES_KEPT:
                self._libraries.popitem(last=False)
        return library

    def _check_resources(self, binary: Binary) -> None:
        info, items = self.info, binary.local_size[0] * binary.local_size[1] * binary.local_size[2]
        if info.max_work_group_size and items > info.max_work_group_size:
            raise ResourceError(
                f"kernel {binary.name} has workgroups of {items} work-items; "
                f"{info.name} takes at most {info.max_work_group_size}",
                hint="use fewer subgroups: num_subgroups=...",
            )
        if info.local_memory and binary.slm_bytes > info.local_memory:
            raise ResourceError(
                f"kernel {binary.name} uses {binary.slm_bytes} bytes of shared local memory; "
                f"{info.name} has {info.local_memory} for a workgroup",
                hint="use smaller tiles where layouts change or fewer stages",
            )
        if info.subgroup_sizes and binary.subgroup_size not in (1, *info.subgroup_sizes):  # 1: it asks for none
            sizes = ", ".join(map(str, info.subgroup_sizes))
            raise ResourceError(
                f"kernel {binary.name} was compiled for {binary.target} with subgroups of {binary.subgroup_size}; "
                f"{info.name} has {sizes}",
                hint="compile it for the device's own target",
            )

    def _check_progress(self, binary: Binary) -> None:
        """A CPU runs the subgroups of a workgroup in turn: one that waits for another in a loop would wait for ever."""
        if self.info.kind == "cpu" and SPINS.encode() in binary.spirv:
            raise DeviceError(
                f"kernel {binary.name} has named barriers that only some subgroups reach; {self.info.name} cannot run it, "
                "for it runs subgroups one after the other",
                hint='run it on a GPU, or check it on the device "numpy"',
            )

    def _build_error(self, binary: Binary, options: str, error: capi.CLError) -> BuildError:
        info = self.info
        lines = [
            f"the driver of {info.name} refused kernel {binary.name}",
            f"  target:  {binary.target}{' (emulated)' if info.emulated else ''}",
            f"  options: {options or '(none)'}",
            f"  driver:  {info.vendor} {info.driver_version}: {error}",
            f"  log:\n{error.log or '(the driver wrote none)'}",
        ]
        return BuildError("\n".join(lines))


def _new_context(info: DeviceInfo, device: cl.Device) -> cl.Context:
    try:
        return cl.Context([device])
    except cl.Error as error:
        # facts on the CPU runtime: missing cllibrary* files show as CL_DEVICE_NOT_AVAILABLE here.
        raise DeviceError(
            f"{info.name} does not start: {error}", hint="reinstall its driver (Intel's CPU runtime: pip install 'xetile[cpu]')"
        ) from error


def _shares_memory(device: cl.Device) -> bool:
    try:
        return bool(device.host_unified_memory)
    except (cl.Error, AttributeError):
        return False


def _portable(options: str) -> str:
    """What a driver other than Intel's GPU driver understands of build options."""
    return " ".join(option for option in options.split() if option in PORTABLE_OPTIONS)

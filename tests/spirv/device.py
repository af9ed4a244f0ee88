"""Run SPIR-V modules on Intel's CPU runtime, with the tile instructions emulated."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from xetile.backends.spirv.finished.emulate import emulate

from tests.kept_builds import kept

_READ_WRITE_COPY = 1 << 0 | 1 << 5


@dataclass
class Device:
    """A context and a queue of one device."""

    context: Any
    queue: Any
    extensions: frozenset[str] = frozenset()

    def build(self, module: bytes) -> Any:
        """The linked program of a module and its emulation."""
        import pyopencl as cl

        spirv, source = emulate(module, self.extensions)
        device, fresh = self.context.devices[0], []

        def make() -> bytes:
            fresh.append(self._build(spirv, source))
            return bytes(fresh[0].get_info(cl.program_info.BINARIES)[0])

        native = kept(make, "linked", device.version, device.driver_version, device.name, spirv, source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyopencl remarks that the driver says something
            return fresh[0] if fresh else cl.Program(self.context, [device], [native]).build()

    def _build(self, spirv: bytes, source: str) -> Any:
        import pyopencl as cl

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyopencl remarks that programs to be linked are not cached
            parts = [cl.Program(self.context, spirv).compile()]
            if source:
                parts.append(cl.Program(self.context, source).compile(options=["-cl-std=CL3.0"]))
            return cl.link_program(self.context, parts)

    def run(self, program: Any, name: str, groups: tuple[int, ...], local: tuple[int, ...], *args: Any) -> list[np.ndarray]:
        """Run one kernel; arrays are copied in and, after it, out again: the copies come back in order."""
        import pyopencl as cl

        kernel = cl.Kernel(program, name)
        buffers = [cl.Buffer(self.context, _READ_WRITE_COPY, hostbuf=a) if isinstance(a, np.ndarray) else a for a in args]
        kernel.set_args(*buffers)
        cl.enqueue_nd_range_kernel(self.queue, kernel, tuple(g * n for g, n in zip(groups, local, strict=True)), local)
        results = [np.empty_like(a) for a in args if isinstance(a, np.ndarray)]
        arrays = [b for b in buffers if isinstance(b, cl.Buffer)]
        for result, buffer in zip(results, arrays, strict=True):
            cl.enqueue_copy(self.queue, result, buffer)
        self.queue.finish()
        return results


def open_cpu_device() -> tuple[Device | None, str]:
    """The CPU runtime's device, or None and the reason."""
    try:
        from xetile.backends.opencl import loader

        loader.prepare()
        import pyopencl as cl
    except ImportError as error:
        return None, str(error)
    for platform in cl.get_platforms():
        if "Intel" not in platform.vendor:
            continue
        for device in platform.get_devices(cl.device_type.CPU):
            context = cl.Context([device])
            return Device(context, cl.CommandQueue(context)), ""
    return None, "Intel's CPU OpenCL runtime is not installed"

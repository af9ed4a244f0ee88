"""Run kernels through OpenCL: Intel GPUs, Intel's CPU runtime, and other drivers that take SPIR-V with subgroups.

loader      makes Intel's CPU runtime from PyPI visible          devices     finds devices; says why one is passed over
driver      contexts, queues, builds                             launch      arguments in, events or results out
pyopencl is imported when devices are asked for, not before.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from xetile.errors import DeviceError
from xetile.runtime.artifact import Artifact, Binary
from xetile.runtime.backend import SPIRV, DeviceInfo, DeviceKind

if TYPE_CHECKING:
    import pyopencl as cl

    from .devices import Found
    from .driver import Session
    from .launch import OpenCLKernel


class OpenCLBackend:
    """The interface `xetile.runtime.backend.Backend` by pyopencl."""

    name = "opencl"
    kinds: tuple[DeviceKind, ...] = ("gpu", "cpu")
    hardware = True
    on_request = False

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._found: list[Found] | None = None
        self._sessions: dict[str, Session] = {}

    def stages(self, target: str) -> tuple[str, ...]:
        """SPIR-V, for every target."""
        return (SPIRV,)

    def devices(self) -> list[DeviceInfo]:
        """Every device, usable or not, best first; never raises."""
        return [found.info for found in self._find()]

    def load(self, artifact: Artifact, device: DeviceInfo, *, native: bytes | None = None) -> OpenCLKernel:
        """Build a `Binary` for a device.  Raises BuildError, ResourceError or DeviceError."""
        if not isinstance(artifact, Binary):
            raise DeviceError(f"{device.name} runs SPIR-V, and kernel {artifact.name} is IR", hint="compile it to a Binary")
        from .launch import OpenCLKernel

        return OpenCLKernel(artifact, self.session(device), native)

    def queue(self, device: DeviceInfo) -> cl.CommandQueue:
        """The queue that launches use by default; arrays made on it (`pyopencl.array.to_device`) are passed as they are."""
        return self.session(device).queue

    def new_queue(self, device: DeviceInfo, *, profiling: bool = False) -> cl.CommandQueue:
        """Another queue of the device, in the context of `queue`; with `profiling` its events carry times."""
        import pyopencl as cl

        properties: Any = cl.command_queue_properties.PROFILING_ENABLE if profiling else 0
        session = self.session(device)
        return cl.CommandQueue(session.context, session.device, properties=properties)

    def device_of(self, value: Any) -> DeviceInfo | None:
        """The device that a pyopencl array or queue belongs to; None when it is none of this backend's."""
        device = value.queue.device if getattr(value, "queue", None) is not None else getattr(value, "device", None)
        if device is None:
            device = value.context.devices[0]
        return next((found.info for found in self._find() if found.device == device), None)

    def session(self, device: DeviceInfo) -> Session:
        """The context and queue of a device, made at first use.  Raises DeviceError when it is gone or does not start."""
        from .driver import Session

        with self._lock:
            if device.id not in self._sessions:
                self._sessions[device.id] = Session(device, self._device(device))
            return self._sessions[device.id]

    def _device(self, device: DeviceInfo) -> Any:
        for found in self._find():
            if found.info.id == device.id and found.info.usable:
                return found.device
        raise DeviceError(f"{device.name} is not a device of this process", hint="choose one of xt.devices()")

    def _find(self) -> list[Found]:
        with self._lock:
            if self._found is None:
                self._found = _find_all()
            return self._found


def _find_all() -> list[Found]:
    """All devices of all platforms; a missing or broken OpenCL is one device with the reason."""
    from . import loader
    from .devices import Found, find_devices, passed_over, system_queries

    remark = loader.prepare()
    try:
        from pyopencl import Error, get_platforms  # by name: a pyopencl that was removed may leave a folder that imports
    except ImportError as error:
        reason = f"pyopencl cannot be imported ({error}): pip install 'xetile[cpu]' (or 'xetile[opencl]' beside a GPU driver)"
        return [Found(passed_over("OpenCL", reason))]
    try:
        platforms = get_platforms()
    except Error as error:
        return [Found(passed_over("OpenCL", f"no OpenCL platform was found ({error})" + (f"; {remark}" if remark else "")))]
    found = find_devices(platforms, system_queries())
    if remark and not any(one.info.usable for one in found):
        found.append(Found(passed_over("Intel's CPU runtime", remark)))
    return found

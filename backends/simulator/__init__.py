"""Intel GPUs simulated: kernels are compiled by Intel's GPU compiler, and their machine code is executed on numpy.

toolchain   the compiler and the disassembler        zebin       device binaries
isa, parse  instructions                             execute     launches; dispatch: memory and payload; schedule, flow: threads
arithmetic, matrix, messages, ...                    instructions as functions of the registers of many threads at once

Results of float products and of the math unit are rounded once from exact ones; the hardware differs in the last bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xetile.errors import DeviceError
from xetile.runtime.artifact import Artifact, Binary
from xetile.runtime.backend import SPIRV, DeviceInfo, DeviceKind

if TYPE_CHECKING:
    from .kernel import SimulatedKernel

MEMORY = 8 << 30
WORKGROUP = 1024


class SimulatorBackend:
    """The interface `xetile.runtime.backend.Backend` without hardware.

    Imports the simulator when its devices are asked for: every process that looks for a device asks each backend for its kinds.
    """

    name = "simulator"
    kinds: tuple[DeviceKind, ...] = ("sim",)
    hardware = False
    on_request = True

    def stages(self, target: str) -> tuple[str, ...]:
        """SPIR-V, for every target."""
        return (SPIRV,)

    def devices(self) -> list[DeviceInfo]:
        """One for each target whose machine code can be executed; with the reason where the compiler is missing."""
        from . import toolchain
        from .isa import PLATFORMS

        reason = toolchain.missing()
        return [_device(target, reason) for target in PLATFORMS]

    def load(self, artifact: Artifact, device: DeviceInfo, *, native: bytes | None = None) -> SimulatedKernel:
        """Compile and decode.  Raises BuildError, DeviceError."""
        if not isinstance(artifact, Binary):
            raise DeviceError(f"{device.name} runs machine code, and kernel {artifact.name} is IR", hint="compile it to a Binary")
        from .kernel import SimulatedKernel

        return SimulatedKernel(artifact, device, native)


def _device(name: str, reason: str) -> DeviceInfo:
    from xetile.target import get_target

    from . import toolchain

    target = get_target(name)
    return DeviceInfo(
        backend=SimulatorBackend.name, kind="sim", name=f"simulated {name}", id=name, vendor="xetile", driver_version=toolchain.version(),
        target=name, usable=not reason, reason=reason, memory=MEMORY, local_memory=target.slm_bytes,
        max_work_group_size=WORKGROUP, subgroup_sizes=tuple(target.subgroup_sizes), lines=True,
    )  # fmt: skip

"""A kernel on a simulated device: what a call hands over, what comes back, and errors in the user's words."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from xetile.errors import ArgumentError, BuildError, LaunchError, Location
from xetile.failures import failure
from xetile.runtime import settings
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.backend import DeviceInfo, Grid, three_sizes
from xetile.target import get_target

from . import toolchain
from .arguments import moved, packed
from .errors import DeadlockError, RaceError, SimulationError, UnsupportedError
from .execute import Executable, Result, decode, disassembled, execute
from .isa import Instruction
from .printing import show
from .profile import LaunchProfile, Loop, LoopProfile, profile_launch, profile_loop, profile_loops
from .zebin import read_kernel

KINDS = {UnsupportedError: "the simulator does not know: ", DeadlockError: "deadlock: ", RaceError: "race: "}


class SimulatedKernel:
    """A kernel in machine code; any number of threads may launch it.

    `last` is what its last launch took.
    """

    spilled = None  # nobody waits for a simulated device's memory

    def __init__(self, artifact: Binary, device: DeviceInfo, native: bytes | None = None) -> None:
        self.artifact, self.device = artifact, device
        self.last: Result | None = None
        self._native = b""
        try:
            self._native = native if native is not None else _build(artifact, device.target)
            self.executable: Executable = _decode(self._native, artifact, device.target)
        except SimulationError as error:
            at = _place(self._native, artifact.name, error.inst)
            raise BuildError(f"{artifact.name}: {device.name} cannot run it: {_told(error)}", at=at) from error

    def native(self) -> bytes:
        """The device binary and its disassembly."""
        return self._native

    def launch(self, grid: Grid, args: Sequence[Any], *, queue: Any = None) -> None:
        """See `xetile.runtime.backend.LoadedKernel.launch`."""
        if queue is not None:
            raise ArgumentError("a simulated device has no queues", hint="leave queue out")
        sizes = three_sizes(grid)
        binary = self.artifact
        args, back = moved(binary, args)
        values = packed(binary, args)
        if 0 in sizes:
            return
        written = written_parameters(binary)
        try:
            self.last = execute(
                self.executable, sizes, values, local_size=binary.local_size, names=[s.param for s in binary.args],
                written=[s.kind == "failures" or (s.kind == "array" and s.param in written) for s in binary.args],
                debug=self.device.debug or bool(settings.get("debug")), printed=show,
            )  # fmt: skip
        except SimulationError as error:
            raise self._located(error) from error
        for view, copy in back:
            np.copyto(view, copy)
        noted = next((value for value, s in zip(values, binary.args) if s.kind == "failures"), None)
        if isinstance(noted, np.ndarray) and (failed := failure(binary.name, noted.tolist(), binary.asserts)) is not None:
            raise failed

    def _located(self, error: SimulationError) -> LaunchError:
        """What happened, by which instructions, and from where in the source they come, or may come."""
        lines, at = [f"{self.artifact.name} on {self.device.name}: {_told(error)}"], None
        for inst in (error.inst, error.other):
            places = self.executable.places_of(inst)
            if inst is error.inst and len(places) == 1:
                at = places[0]
                continue
            lines += ["  which comes from one of"] if len(places) > 1 else ["  the other one comes from"] if places else []
            lines += [place.render() for place in places]
        return LaunchError("\n".join(lines), at=at)

    def profile(self, grid: Grid, args: Sequence[Any]) -> LaunchProfile:
        """The clocks of a launch, estimated from the path of one workgroup, which is executed.  Raises as `launch` does."""
        binary = self.artifact
        try:
            return profile_launch(self.executable, three_sizes(grid), packed(binary, moved(binary, args)[0]), binary.local_size)
        except SimulationError as error:
            raise self._located(error) from error

    def hot_loop(self, loop: Loop | None = None) -> LoopProfile | None:
        """One round of a loop, or of the hot one, estimated; None for a kernel without loops.  Printed, it is a table."""
        return profile_loop(self.executable, self.artifact.num_subgroups, loop)

    def loops(self) -> list[LoopProfile]:
        """One round of each innermost loop, and of others with matrix products of their own, estimated, in the order of the code."""
        return profile_loops(self.executable, self.artifact.num_subgroups)

    def alike(self, grid: Grid) -> Callable[[Sequence[Any]], None]:
        """See `xetile.runtime.backend.LoadedKernel.alike`."""
        return partial(self.launch, grid)

    def bind(self, grid: Grid, args: Sequence[Any], *, queue: Any = None) -> Callable[[], Any]:
        """See `xetile.runtime.backend.LoadedKernel.bind`."""
        return lambda: self.launch(grid, args, queue=queue)


def _build(artifact: Binary, target: str) -> bytes:
    """The device binary and its disassembly, for the device's own target, as a driver would: whatever the module was made for."""
    device = get_target(target).ocloc_device
    if device is None or get_target(artifact.target).ocloc_device is None:
        raise BuildError(f"kernel {artifact.name} is compiled for {artifact.target}, which is no Intel GPU")
    try:
        binary = toolchain.compile_spirv(artifact.spirv, device, artifact.build_options)
    except BuildError as error:
        if artifact.target == target:
            raise
        raise BuildError(
            f"kernel {artifact.name} is compiled for {artifact.target}, and a driver for {target} refuses its module\n{error.message}",
            hint=f"compile it for {target}",
        ) from error
    listing = disassembled(binary, target, artifact.name)
    head = json.dumps({"binary": len(binary)}).encode()
    return head + b"\n" + binary + zlib.compress(listing.encode())


def _decode(native: bytes, artifact: Binary, target: str) -> Executable:
    binary, listing = _parts(native)
    return decode(binary, target, artifact.name, zlib.decompress(listing).decode())


def _parts(native: bytes) -> tuple[bytes, bytes]:
    head, _, rest = native.partition(b"\n")
    size = json.loads(head)["binary"]
    return rest[:size], rest[size:]


def _place(native: bytes, name: str, inst: Instruction | None) -> Location | None:
    """Where in the source an instruction comes from that was not understood, where that is one place."""
    if inst is None or not native:
        return None
    places = read_kernel(_parts(native)[0], name).places_of(inst)
    return places[0] if len(places) == 1 else None


def _told(error: SimulationError) -> str:
    """What happened, and by which instructions."""
    lines = [f"{KINDS.get(type(error), '')}{error}"]
    lines += [f"  {'at' if i == 0 else 'and'} {inst}" for i, inst in enumerate((error.inst, error.other)) if inst is not None]
    return "\n".join(lines)

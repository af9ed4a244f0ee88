"""What a backend is: it lists devices, loads finished kernels onto them, and launches them.

Nobody imports a backend statically, and no file of the compiler names one: they are found by the entry-point group
`xetile.backends`. A source tree that was never installed has no such metadata; its pyproject.toml is read instead.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from xetile.errors import ArgumentError, DeviceError
from xetile.records import dataclass
from xetile.runtime.artifact import Artifact

ENTRY_POINT_GROUP = "xetile.backends"
SPIRV = "spirv"
"""The stage behind all levels of the IR: words that a driver takes."""
_DECLARED = re.compile(r'^(\w+)\s*=\s*"(.+)"', re.M)

DeviceKind = str
Grid = tuple[int, ...]
GRID_LIMIT = 2**31
"""Programs along an axis that no kernel has: program ids are of 32 bits, and larger sizes would wrap around in the driver."""
AtBreakpoint = Callable[[tuple[int, int, int], dict[str, Any]], None]

at_breakpoint: ContextVar[AtBreakpoint | None] = ContextVar("xetile_at_breakpoint", default=None)
"""What a backend in debug mode calls where a program comes to `breakpoint()`, with the program's x, y, z and its variables.

None: Python's own `breakpoint`.
"""


@dataclass(frozen=True)
class DeviceInfo:
    """One device as the user sees it, usable or passed over.

    number           position in `xt.devices()`; a backend leaves -1, `xetile.runtime.devices` numbers them.
    backend, id      the backend that owns it, and that backend's own handle for it.
    target           target that kernels are compiled for unless the call says otherwise ("pvc", "bmg", "lnl", "dg2", "cpu", ...).
    reason           when not usable: why it was passed over; otherwise empty or a remark.
    emulated         the device lacks Intel's 2D-block or matrix instructions; a module that holds them is emulated.
    older_compiler   the device has these instructions, but its driver's IGC knows them by functions of its own alone.
    otherwise        target of kernels that cannot be compiled for `target` yet; empty: they are refused.
    memory           bytes of global memory; local_memory bytes of shared local memory of a workgroup.
    subgroup_sizes   the sizes a kernel may require.
    debug            kernels run in debug mode there: see `xt.debug`.
    lines            its errors name lines of the source, which the SPIR-V must carry.
    host_addresses   kernels may follow any address of this process.
    """

    backend: str
    kind: DeviceKind
    name: str
    id: str = ""
    number: int = field(default=-1, compare=False)
    vendor: str = ""
    driver_version: str = ""
    target: str = ""
    usable: bool = True
    reason: str = ""
    emulated: bool = False
    older_compiler: bool = False
    otherwise: str = ""
    compute_units: int = 0
    memory: int = 0
    local_memory: int = 0
    max_work_group_size: int = 0
    subgroup_sizes: tuple[int, ...] = ()
    extensions: frozenset[str] = frozenset()
    debug: bool = False
    lines: bool = False
    host_addresses: bool = False

    def __hash__(self) -> int:
        # Devices are part of every kernel's key: hashing all fields would cost a call more than its launch.
        return hash((self.backend, self.id))

    def __str__(self) -> str:
        return f"{self.number}: {self.kind} {self.name} ({self.backend})"


class LoadedKernel(Protocol):
    """A kernel that is built for one device and can be launched any number of times, from any thread."""

    @property
    def artifact(self) -> Artifact:
        """What it was built from."""

    @property
    def spilled(self) -> int | None:
        """Bytes of a hardware thread that the driver spills to memory; None where it does not say, or that costs nothing of note."""

    def native(self) -> bytes | None:
        """The driver's own binary, to be kept for later processes with the same device and driver; None where there is none."""

    def launch(self, grid: Grid, args: Sequence[Any], *, queue: Any = None) -> Any:
        """Run `grid` workgroups (x, y, z; trailing 1s may be left out).

        `args` has one value for each name in `artifact.parameters`, in that order: an array or a scalar.  Dims and strides are
        read from the arrays.  With a numpy array among them the call blocks and written arrays hold their results when it
        returns (the result is None); with device arrays alone it enqueues and returns the backend's event.
        Raises LaunchError, and ArgumentError before anything has run.
        """

    def alike(self, grid: Grid) -> Callable[[Sequence[Any]], Any]:
        """A launch for calls whose numpy arrays have the same dtypes, shapes and strides each time, and whose scalars are the same."""

    def bind(self, grid: Grid, args: Sequence[Any], *, queue: Any = None) -> Callable[[], Any]:
        """The same launch prepared once: calling the result repeats it on the same arrays with no inspection."""


@runtime_checkable
class Backend(Protocol):
    """A way to run kernels.

    kinds       kinds of devices that it may have, best first, so that looking for one does not load the others' drivers.
    hardware    it asks drivers for its devices. Those of others are there without asking, and found alone.
    on_request  its devices are taken only where they are asked for by name, and listed last.
    """

    name: str
    kinds: tuple[DeviceKind, ...]
    hardware: bool
    on_request: bool

    def stages(self, target: str) -> tuple[str, ...]:
        """What `load` takes for a target: SPIRV, a `Binary`; or levels of the IR, `Program`s.

        Of several levels, a kernel comes at the one that it must be run at (`passes.pipeline.level_to_run`), else at the first.
        """

    def devices(self) -> list[DeviceInfo]:
        """Every device found, usable or not, best first; never raises: a broken installation is a device with a reason."""

    def load(self, artifact: Artifact, device: DeviceInfo, *, native: bytes | None = None) -> LoadedKernel:
        """Build for one of this backend's devices; `native` is what `LoadedKernel.native()` gave for the same artifact before.

        Raises BuildError with the driver's whole log.
        """


@runtime_checkable
class QueueBackend(Protocol):
    """What a backend with queues has beside `Backend`'s parts."""

    def queue(self, device: DeviceInfo) -> Any:
        """The queue that launches on a device use by default."""

    def new_queue(self, device: DeviceInfo, *, profiling: bool = False) -> Any:
        """Another one."""

    def device_of(self, value: Any) -> DeviceInfo | None:
        """The device that an array or a queue belongs to; None when it is none of this backend's."""


@lru_cache(maxsize=1)
def _sources() -> dict[str, Callable[[], Any]]:
    """Name of each backend and how to import its class; installed entry points win over the built-in table."""
    from importlib.metadata import entry_points  # costs 15 ms: only when a device is needed

    sources: dict[str, Callable[[], Any]] = {name: _importer(place) for name, place in _declared().items()}
    sources.update({point.name: point.load for point in entry_points(group=ENTRY_POINT_GROUP)})
    return sources


def _declared() -> dict[str, str]:
    """The entry points that the pyproject.toml of a source tree declares; none where xetile is installed as a wheel."""
    try:
        text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return {}
    section = text.partition(f'[project.entry-points."{ENTRY_POINT_GROUP}"]')[2].partition("\n[")[0]
    return dict(_DECLARED.findall(section))


def three_sizes(grid: Grid) -> tuple[int, int, int]:
    """The grid with all three dimensions.  Raises ArgumentError for one that is no grid."""
    sizes = tuple(int(size) for size in grid)
    if not 0 < len(sizes) <= 3 or any(not 0 <= size < GRID_LIMIT for size in sizes):
        raise ArgumentError(f"the grid {tuple(grid)} is not one to three sizes of zero or more, each below 2^31")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def takes_spirv(backend: Backend, target: str) -> bool:
    """Whether kernels for a target come to a backend as SPIR-V."""
    return SPIRV in backend.stages(target)


def _importer(place: str) -> Callable[[], Any]:
    module, _, attribute = place.partition(":")
    return lambda: getattr(importlib.import_module(module), attribute)


def backend_names() -> tuple[str, ...]:
    """Names of all backends that are installed."""
    return tuple(_sources())


@cache
def get_backend(name: str) -> Backend:
    """The one instance of a backend.  Raises DeviceError when there is none of that name or it cannot be imported."""
    if name not in _sources():
        raise DeviceError(f"there is no backend {name!r}", hint=f"backends: {', '.join(backend_names())}")
    try:
        backend: Backend = _sources()[name]()()
    except Exception as error:
        raise DeviceError(f"backend {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    return backend


def reset_backends() -> None:
    """Forget all backends and what they found, so that the next use looks again."""
    _sources.cache_clear()
    get_backend.cache_clear()

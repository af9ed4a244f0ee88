"""A call on its way: what it asks for, and what it launches."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from xetile.records import dataclass
from xetile.runtime import captures
from xetile.runtime.backend import DeviceInfo, Grid, LoadedKernel
from xetile.runtime.specialize import Specialization
from xetile.runtime.views import Copied


@dataclass
class LaunchPlan:
    """A call as far as it is known without the compiled kernel: arguments and constants, their kinds, and where it runs.

    undefined: those of the allocated outputs that hold nothing yet.
    """

    values: dict[str, Any]
    constants: dict[str, Any]
    allocated: tuple[str, ...]
    undefined: tuple[str, ...]
    special: Specialization
    device: DeviceInfo
    queue: Any
    grid: Grid
    num_subgroups: int | None
    seen: captures.Captures
    again: Callable[[str], LaunchPlan]
    """The same call for another target."""
    copies: dict[str, Copied]
    """Of `values` those that are copies of arguments."""


@dataclass
class Call:
    """A call with everything worked out and checked: `loaded` launched over `grid` on `values` does it.

    wide: it is a kernel with a wider index than calls of its kind need, for this one is so large.
    """

    values: dict[str, Any]
    allocated: tuple[str, ...]
    loaded: LoadedKernel
    grid: Grid
    queue: Any
    device: DeviceInfo
    seen: captures.Captures
    wide: bool
    target: str
    constants: dict[str, Any]
    copies: dict[str, Copied]

    @property
    def args(self) -> tuple[Any, ...]:
        """What the loaded kernel takes."""
        return tuple(self.values[name] for name in self.loaded.artifact.parameters)

    @property
    def results(self) -> Any:
        """The allocated outputs: one, or a tuple."""
        found = tuple(self.values[name] for name in self.allocated)
        return found[0] if len(found) == 1 else found


launches: ContextVar[list[Call] | None] = ContextVar("launches", default=None)
"""Where calls that were launched in the general way are noted."""

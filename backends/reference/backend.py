"""The numpy device: what `xetile.runtime` sees of the interpreter."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from xetile import internal
from xetile.errors import ArgumentError, BuildError, InternalError
from xetile.failures import FAILURE_WORDS
from xetile.index_ranges import stride_of
from xetile.records import dataclass
from xetile.runtime import reproducer, scalars, settings
from xetile.runtime.arrays import take_undefined
from xetile.runtime.artifact import Artifact, Program
from xetile.runtime.backend import DeviceInfo, DeviceKind, Grid


class ReferenceBackend:
    """Lists one device, and runs modules on it."""

    name = "reference"
    kinds: tuple[DeviceKind, ...] = ("numpy",)
    hardware = False
    on_request = False

    def stages(self, target: str) -> tuple[str, ...]:
        """IR as the kernel was written, or laid out, or of subgroups that diverge."""
        return ("xetile", "layout", "subgroup")

    def devices(self) -> list[DeviceInfo]:
        """The interpreter; always usable."""
        return [
            DeviceInfo(
                backend=self.name,
                kind="numpy",
                name=f"numpy {np.__version__}",
                id="0",
                vendor="xetile",
                driver_version=f"Python {platform.python_version()}",
                target="pvc",
                compute_units=os.cpu_count() or 1,
                # No hardware limit stands behind these; kernels are held to the limits of the target they are written for.
                local_memory=128 << 10,
                max_work_group_size=1024,
                subgroup_sizes=(8, 16, 32),
            )
        ]

    def load(self, artifact: Artifact, device: DeviceInfo) -> ReferenceKernel:
        """Raises BuildError for an artifact that holds no IR."""
        if not isinstance(artifact, Program):
            raise BuildError(f"the numpy device runs IR modules; {artifact.name} is compiled for {artifact.target}")
        return ReferenceKernel(artifact, device.debug)


@dataclass(frozen=True)
class ReferenceKernel:
    """A module that can be launched any number of times, in debug mode or not."""

    artifact: Program
    debug: bool = False

    def launch(self, grid: Grid, args: Sequence[Any], *, queue: Any = None) -> None:
        """Run to the end, in place on numpy arrays."""
        self.bind(grid, args)()

    def alike(self, grid: Grid) -> Callable[[Sequence[Any]], None]:
        """See `xetile.runtime.backend.LoadedKernel.alike`."""
        return partial(self.launch, grid)

    def bind(self, grid: Grid, args: Sequence[Any], *, queue: Any = None) -> Callable[[], Any]:
        """The same launch with its arguments worked out once."""
        from .interpret import interpret

        values, target = self._values(args), self.artifact.target
        undefined = {name for name, value in zip(self.artifact.parameters, args) if take_undefined(value)}

        def run() -> None:
            debug = self.debug or settings.get("debug")
            try:
                with internal.stage("the numpy device"):
                    interpret(self.artifact.module, grid, values, target=target, debug=debug, undefined=tuple(undefined))
            except InternalError as error:
                from xetile.ir.printer import print_op

                reproducer.keep(error, target, text=print_op(self.artifact.module))
                raise
            undefined.clear()

        return run

    def _values(self, args: Sequence[Any]) -> list[Any]:
        names = self.artifact.parameters
        if len(args) != len(names):
            raise ArgumentError(f"{self.artifact.name} takes {', '.join(names)}: {len(names)} arguments, not {len(args)}")
        given = dict(zip(names, args))
        for spec in self.artifact.args:
            if spec.kind == "scalar" and not isinstance(given[spec.param], np.ndarray):
                scalars.check(self.artifact.name, spec.param, spec.dtype, given[spec.param])
        return [_WORK_OUT[spec.kind](given.get(spec.param), spec.axis) for spec in self.artifact.args]


_WORK_OUT: dict[str, Callable[[Any, int], Any]] = {
    "array": lambda array, axis: array if array.ndim else array.reshape(1),
    "dim": lambda array, axis: array.shape[axis],
    "stride": stride_of,
    "scalar": lambda number, axis: number,
    "failures": lambda nothing, axis: np.zeros(FAILURE_WORDS, np.int32),  # it raises where an assertion fails
}
"""What is passed for each kind of argument."""

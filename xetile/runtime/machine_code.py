"""Predictions of launches by the machine code: of Intel's GPU compiler, executed for one workgroup on the simulated device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.errors import ArgumentError, XetileError
from xetile.runtime import devices, loading
from xetile.runtime.arrays import is_array
from xetile.signature import ArrayType, ParamType

if TYPE_CHECKING:
    from xetile.roofline import Prediction
    from xetile.runtime.compiled import CompiledKernel
    from xetile.runtime.head import Head
    from xetile.runtime.request import Request

MOST_BYTES = 1 << 30
"""Of arrays together: those on which a workgroup is executed are copied."""
OPEN, FEW = 512, 2
"""What stands for open sizes of the last two dimensions, and of others: enough rounds for a loop, and few bytes to copy."""
BEYOND = ("l3", "memory")
"""Terms of the roofline that machine code says nothing of."""
Clocks = Callable[["Request", Sequence[int], Mapping[str, Any], "Prediction"], "Prediction"]


def clocks_on(target: str) -> Clocks:
    """What turns a roofline's prediction for a target into one by machine code.  Raises DeviceError without the compiler's tools."""
    device = devices.find_device(f"sim:{target}")
    backend = devices.backend_of(device)

    def predicted(request: Request, grid: Sequence[int], values: Mapping[str, Any], roofline: Prediction) -> Prediction:
        size = sum(v.nbytes for v in values.values() if hasattr(v, "nbytes"))
        if size > MOST_BYTES:
            raise ArgumentError(f"rank: arrays of {size >> 20} MiB; by machine code they have at most {MOST_BYTES >> 20}")
        loaded: Any = loading.build(loading.binary(request)[0], device, backend)
        found = loaded.profile(grid, [_concrete(values[name]) for name in loaded.artifact.parameters])
        beyond = {name: roofline.terms[name] for name in BEYOND if name in roofline.terms}
        missing = tuple(name for name in BEYOND if name not in beyond)
        # What spills is in the code, and costs what it costs there: no reason to come last.
        terms = {"code": found.seconds, **beyond}
        return replace(roofline, terms=terms, resident=found.resident, missing=missing, spills=False)

    return predicted


def _concrete(value: Any) -> Any:
    """An array of zeros in place of one that is only described."""
    return np.zeros(value.shape, value.dtype) if hasattr(value, "shape") and not is_array(value) else value


def on_zeros(loaded: Any, head: Head, request: Request) -> Any:
    """The profile of a launch on zeros, with OPEN for each size that the types leave open, FEW for those of leading dimensions.

    Raises XetileError where the kernel, its grid rule or the simulator refuses that.
    """
    values = {name: _zeros(kind) for name, kind in request.signature.items()}
    grid = head.grid_of(None, values, head.complete_constants(dict(request.constexprs), request.target))
    return loaded.profile(grid, [values[name] for name in loaded.artifact.parameters])


def _zeros(kind: ParamType) -> Any:
    if not isinstance(kind, ArrayType):
        return 1
    open_sizes = (FEW,) * (kind.rank - 2) + (OPEN,) * min(kind.rank, 2)
    shape = tuple(given if size is None else size for size, given in zip(kind.shape, open_sizes, strict=True))
    made = np.zeros(shape, kind.dtype.numpy)
    return made if kind.contiguous == "C" else made.swapaxes(-1, -2).copy().swapaxes(-1, -2)


def hot_loop(compiled: CompiledKernel, head: Head | None = None) -> str:
    """The hot loop of a kernel's machine code as text: estimated clocks, and what threads wait for, at each source line.

    With the kernel's `head`, also what a workgroup takes from the second cache and from memory in a round, by `on_zeros`.
    Raises DeviceError where the compiler's tools are not on PATH, BuildError with what they say.
    """
    request = replace(compiled.request, lines=True)
    device = devices.find_device(f"sim:{compiled.target.name}")
    loaded: Any = loading.build(loading.binary(request)[0], device, devices.backend_of(device))
    launch, why = (None, "") if head is None else _launch(loaded, head, request)
    found = loaded.hot_loop(launch and launch.loop)
    if found is None:
        return "the code has no loop\n"
    beyond = f"not known: {why}" if launch is None else launch.beyond_first_cache(request.target)
    where = f"moved by a workgroup in a round, on zeros with {OPEN} for each open size: {beyond}"
    return f"{found}" if head is None else f"{found}\n{where}\n"


def _launch(loaded: Any, head: Head, request: Request) -> tuple[Any, str]:
    """The profile of a launch on zeros, or why there is none."""
    try:
        return on_zeros(loaded, head, request), ""
    except XetileError as error:
        return None, error.message.splitlines()[0]

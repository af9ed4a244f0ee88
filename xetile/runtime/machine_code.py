"""Predictions of launches by the machine code: of Intel's GPU compiler, executed for one workgroup on the simulated device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.errors import ArgumentError
from xetile.runtime import devices, loading
from xetile.runtime.arrays import is_array

if TYPE_CHECKING:
    from xetile.roofline import Prediction
    from xetile.runtime.compiled import CompiledKernel
    from xetile.runtime.request import Request

MOST_BYTES = 1 << 30
"""Of arrays together: those on which a workgroup is executed are copied."""
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


def hot_loop(compiled: CompiledKernel) -> str:
    """The hot loop of a kernel's machine code as text: estimated clocks, and what threads wait for, at each source line.

    Raises DeviceError where the compiler's tools are not on PATH, BuildError with what they say.
    """
    request = replace(compiled.request, lines=True)
    device = devices.find_device(f"sim:{compiled.target.name}")
    loaded: Any = loading.build(loading.binary(request)[0], device, devices.backend_of(device))
    found = loaded.hot_loop()
    return "the code has no loop\n" if found is None else f"{found}"

"""`python -m xetile bisect`: the first pass after which a kernel leaves other arrays than before it, by the numpy device.

Every level can be executed, so can what each pass makes: the module is run as it is, then after each pass, on the same arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.errors import XetileError

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule
    from xetile.target import Target

SHOWN = 60


def bisect(
    module: GpuModule, target: Target, grid: tuple[int, ...], values: Mapping[str, Any], tolerance: float
) -> Iterator[str]:
    """A line for each pass down to the first that changes what the kernel computes; raises what running the module itself raises.

    tolerance: by how much floats may differ, of the largest number in their array; other elements not at all.
    """
    from xetile import mlir
    from xetile.cli.mlir_modules import text

    before = text(module)
    expected = _results(mlir.parse(before), target, grid, values)
    for step, made in _passes(mlir.parse(before), target):
        if made == before:
            yield f"{step}: changes nothing"
            continue
        before = made
        try:
            got = _results(mlir.parse(made), target, grid, values)
        except XetileError as error:
            yield f"{step}: what it makes cannot be run by itself: {error.message[:SHOWN]}"
            continue
        wrong = [name for name in expected if not _close(got[name], expected[name], tolerance)]
        if wrong:
            yield f"{step}: FIRST DIFFERENCE, in {', '.join(wrong)}: {_worst(got[wrong[0]], expected[wrong[0]])}"
            return
        yield f"{step}: the same"
    yield "no pass changes the results"


def _passes(module: GpuModule, target: Target) -> Iterator[tuple[str, str]]:
    """Each pass with the module's text after it."""
    from xetile.passes.instruments import Snapshots
    from xetile.passes.manager import watched
    from xetile.passes.named import lower_to

    seen = Snapshots()
    with watched(seen):
        lower_to(module, target, "lane")
    yield from seen.texts.items()


def _results(module: GpuModule, target: Target, grid: tuple[int, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays after a run on the numpy device."""
    from xetile.cli.mlir_modules import launch
    from xetile.runtime import devices

    arrays = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in values.items()}
    launch(module, target, devices.find_device("numpy"), grid, arrays)
    return {name: value for name, value in arrays.items() if isinstance(value, np.ndarray)}


def _close(got: Any, expected: Any, tolerance: float) -> bool:
    if got.dtype.kind in "iub":
        return bool((got == expected).all())
    a, b = got.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * float(finite.max(initial=0.0)), equal_nan=True))


def _worst(got: Any, expected: Any) -> str:
    """The place where two arrays differ most."""
    away = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    at = np.unravel_index(int(np.argmax(np.where(np.isnan(away), np.inf, away))), got.shape)
    return f"[{', '.join(map(str, at))}] is {got[at]}, not {expected[at]}"

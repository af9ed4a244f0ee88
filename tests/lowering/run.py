"""xegpu modules at every level by the reference interpreter, emulated on the CPU device, and through Intel's GPU compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.emit.emitter import Emitted, emit

from benchmarks.isastat import Statistics
from tests.spirv.device import Device
from tests.tools import isa_counts, ocloc_compile
from xetile.dtypes import DTYPES
from xetile.ir.verifier import verify
from xetile.passes.xegpu_order import lower_xegpu
from xetile.target import get_target

Arrays = dict[str, np.ndarray]


def random_arrays(module: Any, seed: int = 0) -> Arrays:
    """Random contents for each array argument."""
    rng = np.random.default_rng(seed)
    return {spec.param: _random(rng, value.type) for spec, value in zip(module.kernel.args, module.kernel.body.args)}


def _random(rng: np.random.Generator, kind: Any) -> np.ndarray:
    dtype = np.dtype(DTYPES[str(kind.element)].numpy)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-5, 6, kind.shape).astype(dtype)
    return rng.standard_normal(kind.shape).astype(dtype)


def run(module: Any, arrays: Arrays, grid: Sequence[int] = (1, 1, 1), target: str = "pvc", **options: Any) -> Arrays:
    """What the module leaves in copies of the arrays."""
    copies = {name: a.copy() for name, a in arrays.items()}
    interpret(module, grid, [copies[spec.param] for spec in module.kernel.args], target=target, **options)
    return copies


def levels(make: Callable[[], Any], target: str = "pvc") -> Iterator[tuple[str, Any]]:
    """The module at one level after the other, verified."""
    for level, module in lower_xegpu(make(), get_target(target)):
        verify(module)
        yield level, module


def lowered(make: Callable[[], Any], level: str, target: str = "pvc") -> Any:
    """The module at one level."""
    return next(module for name, module in levels(make, target) if name == level)


def check_levels(make: Callable[[], Any], expected: Callable[[Arrays], Arrays], *, grid: Sequence[int] = (1, 1, 1),
                 target: str = "pvc", tolerance: float = 2e-4, debug: bool = False) -> list[str]:  # fmt: skip
    """Every level leaves what numpy says. Gives the names of the levels."""
    arrays = random_arrays(make())
    wanted = expected(arrays)
    names = []
    for level, module in levels(make, target):
        after = run(module, arrays, grid, target, debug=debug)
        _compare(wanted, after, tolerance, f"level {level}")
        names.append(level)
    return names


def check_device(cpu: Device, make: Callable[[], Any], expected: Callable[[Arrays], Arrays], *, grid: Sequence[int] = (1, 1, 1),
                 target: str = "pvc", tolerance: float = 2e-4) -> None:  # fmt: skip
    """The very SPIR-V that a GPU gets, with its block and matrix instructions emulated, leaves what numpy says."""
    arrays = random_arrays(make())
    emitted = compiled(make, target)
    after = cpu.run(cpu.build(emitted.spirv), emitted.name, tuple(grid), emitted.local_size, *arrays.values())
    _compare(expected(arrays), dict(zip(arrays, after)), tolerance, "emulated")


def compiled(make: Callable[[], Any], target: str = "pvc") -> Emitted:
    """The module as SPIR-V."""
    return emit(lowered(make, "lane", target), get_target(target))


def machine_code(make: Callable[[], Any], target: str) -> Statistics:
    """What Intel's GPU compiler makes of it."""
    chip = get_target(target)
    module = lowered(make, "lane", target)
    grf = module.kernel.attributes.get("grf", chip.grf_modes[0].registers)
    return isa_counts(ocloc_compile(emit(module, chip).spirv, target, chip.grf_mode(grf).build_option), target)


def _compare(wanted: Arrays, after: Arrays, tolerance: float, what: str) -> None:
    for name, array in wanted.items():
        np.testing.assert_allclose(
            after[name].astype(np.float64), array.astype(np.float64), rtol=tolerance, atol=tolerance, err_msg=f"{name}, {what}"
        )

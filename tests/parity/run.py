"""Kernels at every level of the pipeline, by the reference interpreter."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.emit.emitter import emit

from xetile.failures import FAILURE_WORDS
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.runtime.ahead import request_ahead
from xetile.runtime.compiled import CompiledKernel
from xetile.runtime.compiler import trace
from xetile.runtime.jit import Kernel
from xetile.runtime.request import Request
from xetile.signature import Signature
from xetile.target import get_target


def request(
    kernel: Kernel, types: Mapping[str, str], target: str = "pvc", num_subgroups: int | None = None, **constants: Any
) -> Request:
    """What to compile; constants that are left out take the kernel's defaults."""
    parameters = inspect.signature(kernel.fn).parameters.items()
    defaults = {n: p.default for n, p in parameters if n not in types and p.default is not p.empty}
    return Request(kernel.fn, Signature.of(**types), {**defaults, **constants}, target, num_subgroups)


def arguments(func: Any, values: Mapping[str, Any]) -> list[Any]:
    """One value for each argument of a kernel."""

    def one(spec: Any) -> Any:
        if spec.kind == "failures":
            return np.zeros(FAILURE_WORDS, np.int32)
        value = values[spec.param]
        if spec.kind == "dim":
            return value.shape[spec.axis]
        if spec.kind == "stride":
            return value.strides[spec.axis] // value.itemsize
        return value

    return [one(spec) for spec in func.args]


def asked(kernel: Kernel, *types: Any, target: str = "pvc", num_subgroups: int | None = None, **constants: Any) -> Request:
    """What `kernel.compile` compiles, which is not compiled here: a test of levels lowers it by itself."""
    return request_ahead(kernel, types, target, num_subgroups, 32, constants)


def uncompiled(kernel: Kernel, *types: Any, **options: Any) -> CompiledKernel:
    """What `kernel.compile` gives, whose code is compiled when somebody asks for it: its IR takes none."""
    return CompiledKernel(asked(kernel, *types, **options))


def run_levels(what: Request, grid: Sequence[int], values: Mapping[str, Any], *,
               emits: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:  # fmt: skip
    """(level, the values after running it): each level starts from the same values; each module is verified.

    `emits`: the last one is also written as SPIR-V.
    """
    target = get_target(what.target)
    for level, module in pipeline.lower(trace(what), target):
        verify(module)
        copies = {name: v.copy(order="K") if isinstance(v, np.ndarray) else v for name, v in values.items()}
        interpret(module, grid, arguments(module.kernel, copies), target=what.target)
        yield level, copies
    if emits:
        emit(module, target)


def assert_levels_agree(
    what: Request, grid: Sequence[int], values: Mapping[str, Any], out: str, **tolerance: float
) -> np.ndarray:
    """Every level gives what the first gives; the first's result is returned."""
    results = [(level, after[out]) for level, after in run_levels(what, grid, values)]
    assert [level for level, _ in results] == list(pipeline.LEVELS)
    first = results[0][1]
    for level, result in results[1:]:
        np.testing.assert_allclose(result.astype(np.float64), first.astype(np.float64), err_msg=f"level {level}", **tolerance)
    return first

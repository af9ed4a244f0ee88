"""One launch of a kernel, checked everywhere: on devices, at every level of the pipeline, and by Intel's GPU compiler."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.verify.verify import verify as verify_spirv

import xetile as xt
from tests.parity.run import arguments, run_levels, uncompiled
from tests.tools import ocloc_compile, spirv_val
from xetile.dialects import gpu
from xetile.errors import DtypeError
from xetile.ir.rewriter import Rewriter
from xetile.passes import pipeline
from xetile.runtime.compiled import CompiledKernel
from xetile.runtime.compiler import trace
from xetile.runtime.devices import find_device
from xetile.runtime.jit import Kernel
from xetile.runtime.specialize import PerformanceWarning, specialize
from xetile.target import get_target

GUARD_ROWS, GUARD_COLUMNS = 2, 64


@dataclass(frozen=True)
class Close:
    """How near a result must be: relative to its size, and absolute.  Zeros: to the bit."""

    rtol: float = 0.0
    atol: float = 0.0


EXACT = Close()
ON_EVERY_TARGET = pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
"""For the slow sweep, which compiles every case for each target and not for one in turn."""


@dataclass
class Launch:
    """A kernel on arguments in the order of its parameters, and what its outputs hold afterwards.

    as_called: compiled for what a call would find: arrays that break the rules of block messages are not taken for others.
    """

    kernel: Kernel
    values: dict[str, Any]
    expected: dict[str, np.ndarray]
    grid: tuple[int, ...] = (1,)
    constants: Mapping[str, Any] = field(default_factory=dict)
    num_subgroups: int | None = None
    close: Close = EXACT
    labels: tuple[str, ...] = ()
    targets: tuple[str, ...] = ("pvc",)
    as_called: bool = False

    def _copies(self) -> dict[str, Any]:
        return {name: guarded(v)[1] if isinstance(v, np.ndarray) else v for name, v in self.values.items()}

    def on_device(self, device: str, target: str | None = None) -> None:
        """Run it on a device; nothing but the outputs may change."""
        wholes = {name: guarded(v) for name, v in self.values.items() if isinstance(v, np.ndarray)}
        values = [wholes[name][1] if name in wholes else v for name, v in self.values.items()]
        options = {"target": target} if target else {}
        with xt.device(device), warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            self.kernel[self.grid](*values, num_subgroups=self.num_subgroups, **options, **self.constants)
        for name, (whole, view) in wholes.items():
            self._check(name, view, f"on {device}")
            view[...] = GUARD(view.dtype)
            assert (whole == GUARD(view.dtype)).all(), f"{name}: written outside of the array"

    def at_levels(self, target: str = "pvc") -> None:
        """Run it at every level by the reference interpreter: each gives what is expected."""
        request = self.compiled(target).request
        first = pipeline.LEVELS.index(pipeline.level_to_run(trace(request)))
        for level, after in run_levels(request, (*self.grid, 1, 1)[:3], self._copies(), emits=True):
            if pipeline.LEVELS.index(level) < first:  # which subgroup has what is not known yet
                continue
            for name in self.expected:
                self._check(name, after[name], f"at level {level} for {target}")

    def alike_at_levels(self, *names: str) -> dict[str, Any]:
        """Run it at every level by the reference interpreter: each leaves the same numbers, bit for bit. Gives what the first one leaves."""
        (_, first), *others = run_levels(self.compiled().request, (*self.grid, 1, 1)[:3], self.values, emits=True)
        for level, after in others:
            for name in names:
                np.testing.assert_array_equal(after[name], first[name], level)
        return first

    def watched(self, level: str, target: str = "pvc", without: int | None = None) -> int:
        """Run it at a level, subgroups and below, with races reported: RaceError.  Gives how many barriers it has.

        `without`: the number of a barrier to leave out.
        """
        lowered = pipeline.lower(trace(self.compiled(target).request), get_target(target))
        module = next(module for name, module in lowered if name == level)
        barriers = [op for op in module.walk() if isinstance(op, gpu.Barrier)]
        if without is not None:
            Rewriter().erase(barriers[without])
        values = self._copies()
        interpret(module, (*self.grid, 1, 1)[:3], arguments(module.kernel, values), target=target, debug=True)
        for name in self.expected:
            self._check(name, values[name], f"at level {level} for {target}")
        return len(barriers)

    def compiled(self, target: str = "pvc") -> CompiledKernel:
        """The kernel compiled for a target, once its code is asked for."""
        values, known = self._copies(), {}
        if self.as_called:
            arrays = {name: v for name, v in values.items() if isinstance(v, np.ndarray)}
            called = specialize(self.kernel.__name__, arrays, find_device("numpy"), target)
            known = {name: kind for name, kind in called.types if name in called.slow}
        types = [known.get(name, example(v)) for name, v in values.items()]
        return uncompiled(self.kernel, *types, target=target, num_subgroups=self.num_subgroups, **self.constants)

    def as_code_if_it_has_it(self, target: str) -> None:
        """The same for a target that may lack the dtype or the operation: then it says so."""
        try:
            self.as_code(target)
        except DtypeError as error:
            if f"{target} has no" not in str(error):
                raise

    def as_code(self, target: str = "pvc") -> None:
        """Intel's GPU compiler, the SPIR-V validator and our verifier accept it."""
        compiled = self.compiled(target)
        spirv_val(compiled.spirv)
        verify_spirv(compiled.spirv)
        ocloc_compile(compiled.spirv, target, compiled.build_options)

    def _check(self, name: str, got: np.ndarray, where: str) -> None:
        expected = self.expected.get(name)
        if expected is None:
            np.testing.assert_array_equal(bits(got), bits(self.values[name]), err_msg=f"{name} was changed {where}")
            return
        assert got.shape == expected.shape and got.dtype == expected.dtype
        for i, part in enumerate(got if self.labels else [got]):
            label = self.labels[i] if self.labels else name
            assert_close(part, expected[i] if self.labels else expected, self.close, f"{label} {where}")


def bits(array: np.ndarray) -> np.ndarray:
    """The same memory as unsigned integers: NaN equals itself."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def GUARD(dtype: np.dtype) -> Any:
    """What lies around arrays."""
    return dtype.type(77) if dtype != np.bool_ else dtype.type(True)


def guarded(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A copy of the array inside of a larger one, at addresses and a pitch that block messages take; and that larger one.

    One-dimensional arrays, and the order of axes in memory, stay what they are.
    """
    transposed = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    source = array.swapaxes(-1, -2) if transposed else array
    columns = -(-source.shape[-1] // 64) * 64 + 2 * GUARD_COLUMNS
    rows = [n + 2 * GUARD_ROWS for n in source.shape[-2:-1]]
    whole = aligned((*source.shape[:-2], *rows, columns), array.dtype)
    whole[...] = GUARD(array.dtype)
    inside = (..., *([slice(GUARD_ROWS, -GUARD_ROWS)] if rows else []), slice(GUARD_COLUMNS, GUARD_COLUMNS + source.shape[-1]))
    view = whole[inside]
    view[...] = source
    return whole, view.swapaxes(-1, -2) if transposed else view


def aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array at an address that is a multiple of 64 bytes."""
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype).reshape(shape)


def example(value: Any) -> Any:
    """What `compile` is told about an argument."""
    return value if isinstance(value, np.ndarray) else {bool: "bool", int: "i32", float: "f32"}[type(value)]


def assert_close(got: np.ndarray, expected: np.ndarray, close: Close, what: str) -> None:
    """NaN where NaN is expected, numbers within the bounds elsewhere."""
    if got.dtype.kind in "iub":
        np.testing.assert_array_equal(got, expected, err_msg=what)
        return
    wide, right = got.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(wide, right, rtol=close.rtol, atol=close.atol, err_msg=what)

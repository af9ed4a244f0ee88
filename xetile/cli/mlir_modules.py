"""Modules that come as MLIR text: lowered by name, compiled, and run on a device, without a Python function behind them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile import internal
from xetile.cli.arguments import parameter_types
from xetile.cli.short_rows import mark_short_rows
from xetile.errors import ArgumentError, InternalError, LimitError
from xetile.runtime import devices, loading, reproducer, settings, spilling
from xetile.runtime.artifact import Binary, Program, parameters
from xetile.runtime.backend import takes_spirv
from xetile.runtime.compiler import arguments, assemble, requirements
from xetile.runtime.reproducer import guarded

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule
    from xetile.runtime.backend import DeviceInfo, Grid
    from xetile.target import Target


@guarded("reading MLIR text")
def read(path: str, *, kernel: str | None = None, num_subgroups: int | None = None) -> GpuModule:
    """The kernel of a file; `num_subgroups` where the text tells it not. Raises MlirTextError and VerifyError."""
    from xetile import mlir

    module = mlir.read(path, kernel=kernel)
    func = module.kernel
    said = func.num_subgroups
    if num_subgroups is not None and said not in (None, num_subgroups):
        raise ArgumentError(f"{path}: {func.sym_name} is for {said} subgroups, not {num_subgroups}", at=func.loc)
    if num_subgroups is not None:
        func.attributes["num_subgroups"] = num_subgroups
    elif said is None and func.level in ("subgroup", "lane"):
        func.attributes["num_subgroups"] = 1  # nothing else tells; passes choose for workgroups
    return module


def lower(module: GpuModule, target: Target, names: Sequence[str]) -> GpuModule:
    """After passes, or down to levels, by name."""
    from xetile.passes.named import run_named

    with _kept(module, target, lambda again: run_named(again, target, names)):
        return run_named(module, target, names)


def compile_module(module: GpuModule, target: Target, *, lines: bool = False) -> Binary:
    """As SPIR-V, from whatever level it is at; `lines`: with the source's lines for the driver."""
    with _kept(module, target, lambda again: _compile(again, target, lines)):
        return _compile(module, target, lines)


def _compile(module: GpuModule, target: Target, lines: bool) -> Binary:
    from xetile.passes.named import lower_to

    args = arguments(module)
    lowered = lower_to(module, target, "lane")
    made = assemble(lowered, target, args, written=None, lines=lines)
    if made.spill_bytes:
        from xetile.estimate import estimate as read

        spilling.warn_of_text(read(lowered.kernel, target))
    return made


def estimate(module: GpuModule, target: Target) -> str:
    """What the kernel asks of the hardware: registers, messages and arithmetic of its lane level. Raises what lowering raises."""
    from xetile.estimate import estimate as read
    from xetile.passes.named import lower_to

    with _kept(module, target, lambda again: lower_to(again, target, "lane")):
        found = read(lower_to(module, target, "lane").kernel, target)
    if found.spill_bytes:
        spilling.warn_of_text(found)
    return f"{found}\n"


@contextmanager
def _kept(module: GpuModule, target: Target, run: Callable[[GpuModule], Any]) -> Iterator[None]:
    """What is raised by accident in here becomes an InternalError with a reproducer; passes change the module, so its text counts."""
    before = text(module)

    def again() -> None:
        from xetile import mlir

        run(mlir.parse(before))

    try:
        with internal.stage("lowering the module"):
            yield
    except InternalError as error:
        if not error.reproducer:
            reproducer.keep(error, target.name, again, before)
        raise


def launch(module: GpuModule, target: Target, device: DeviceInfo, grid: Grid, values: Mapping[str, Any],
           seconds: float | None = None) -> None:  # fmt: skip
    """Run a kernel in place on numpy arrays; `values` has one for each argument, by name.

    seconds: how long it may run.
    Raises ArgumentError before anything has run, LimitError for one that runs on, and what compiling, building and running raise.
    """
    check_arguments(module, values)
    _widen(module, grid, values)
    mark_short_rows(module, target, values)
    backend = devices.backend_of(device)
    spirv = takes_spirv(backend, target.name)
    if not spirv:
        module = _to_run(module, target)
    args = arguments(module)
    given = [values[name] for name in parameters(args)]
    if not spirv:
        loaded = backend.load(Program(module.kernel.sym_name, module, target.name, args), device)
        with settings.override(seconds=seconds or 0.0):
            loaded.launch(grid, given)
    else:
        addressed = _addresses(module, values, device)
        given = [addressed.get(name, values[name]) for name in parameters(args)]
        loaded = loading.build(compile_module(module, target, lines=device.lines), device, backend)
        _give_up_after(seconds, lambda: loaded.launch(grid, given))


def _give_up_after(seconds: float | None, run: Callable[[], Any]) -> None:
    """Run what may never come back; a driver cannot be interrupted, so it is left alone in its thread."""
    failed: list[BaseException] = []

    def work() -> None:
        try:
            run()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=copy_context().run, args=(work,), name="launch", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise LimitError(f"the kernel did not end within {seconds:g} s", hint="--seconds N gives it more, 0 all it takes")
    if failed:
        raise failed[0]


def _to_run(module: GpuModule, target: Target) -> GpuModule:
    """What a device that runs modules is given: what the target has against an xegpu module is told here too."""
    from xetile.passes import pipeline
    from xetile.passes.xegpu.levels import is_xegpu

    return pipeline.to_run(module, target) if is_xegpu(module) else module


def _widen(module: GpuModule, grid: Grid, values: Mapping[str, Any]) -> None:
    """An index of 64 bits where the grid or the numbers ask for that."""
    from xetile.passes.analysis.index_ranges import index_ranges

    check = index_ranges(module).failing(grid, values)
    if check is not None and check.index:
        module.kernel.attributes["index_bits"] = 64


def _addresses(module: GpuModule, values: Mapping[str, Any], device: DeviceInfo) -> dict[str, int]:
    """The numbers of arrays that are given for addresses, on devices that follow those of the process.

    Raises ArgumentError on other devices, which have arrays where no kernel's number can say, and for addresses of 32 bits.
    """
    found = {}
    for name, type in parameter_types(module).items():
        given = values[name]
        if not isinstance(given, np.ndarray) or not str(type).lstrip("u").startswith("i"):
            continue
        if not device.host_addresses or not str(type).endswith("64"):
            raise ArgumentError(
                f"{name} is {type}: {device.name} takes no array for an address",
                hint="run it on the numpy device, or give the argument a memref type",
            )
        found[name] = int(given.ctypes.data)
    return found


def check_arguments(module: GpuModule, values: Mapping[str, Any]) -> None:
    """Each array has the size, order and element width that its memref says, and what the kernel asserts of sizes and numbers holds.

    Raises ArgumentError.
    """
    from xetile.dialects.types import MemRefType
    from xetile.dialects.xegpu.rules import POINTERS

    for name, type in parameter_types(module).items():
        if name not in values:
            raise ArgumentError(f"{module.kernel.sym_name} needs a value for {name}: {type}")
        given = values[name]
        if not isinstance(type, MemRefType):
            # The numpy device takes arrays for addresses.
            if isinstance(given, np.ndarray) and type not in POINTERS:
                raise ArgumentError(f"{name} is {type}: pass a number, not an array")
            continue
        if not isinstance(given, np.ndarray):
            raise ArgumentError(f"{name} is {type}: pass an array, not {given!r}")
        wanted = type.shape
        if given.ndim != len(wanted) or any(n is not None and n != m for n, m in zip(wanted, given.shape)):
            raise ArgumentError(f"{name} is {type}: an array of shape {given.shape} does not fit")
        if type.strides is None and not given.flags.c_contiguous:
            raise ArgumentError(f"{name} is {type}, so the array's rows must lie one after the other")
    requirements(module).check(module.kernel.sym_name, values)


def text(module: GpuModule) -> str:
    """As LLVM 22 writes it."""
    from xetile.ir.printer import print_op

    return print_op(module)


def find_target(name: str) -> Target:
    """The target of a name."""
    from xetile.target import get_target

    return get_target(name)


def save(path: Path, array: np.ndarray[Any, Any]) -> None:
    """Write an array as a .npy file; raises ArgumentError where that cannot be."""
    try:
        np.save(path, array, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"cannot write {path}: {error}") from error


def summary(name: str, array: np.ndarray[Any, Any]) -> str:
    """One line: type, size, and enough numbers to see whether two runs agree."""
    numbers = array.astype(np.float64)
    sizes = "x".join(map(str, array.shape))
    return f"{name}: {sizes}x{array.dtype}, sum {numbers.sum():.9g}, from {numbers.min():.9g} to {numbers.max():.9g}"

"""`@xt.jit`: Python functions that are kernels, called like numpy functions.

A call binds its arguments, allocates what the `out` rule promises, finds the kernel compiled for these kinds of arrays (see
specialize.py) and this device, and launches it over the grid.
"""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any

from xetile.errors import ArgumentError, ConstexprError
from xetile.runtime import devices
from xetile.runtime.backend import DeviceInfo, Grid, LoadedKernel
from xetile.runtime.compiler import CompiledKernel, Request
from xetile.runtime.specialize import PerformanceWarning, Specialization, specialize
from xetile.signature import Signature, parse

Rule = Callable[..., Any]
OPTIONS = ("num_subgroups", "target", "queue")


def jit(fn: Callable[..., Any] | None = None, *, out: Mapping[str, Rule] | None = None, grid: Rule | Grid | None = None,
        num_subgroups: int | None = None) -> Any:  # fmt: skip
    """Make a kernel of a function.

    out: for each output parameter a function of other arguments, by their names, that allocates it; a call may then leave the
    output out, and gets it back. grid: the workgroups along x, y, z, or a function of arguments (constants included) by name that
    gives them. num_subgroups: subgroups of a workgroup; left out, it follows from the tiles.

    Parameters annotated `xt.constexpr` are constants of the compiled kernel.
    """
    if fn is None:
        return lambda f: Kernel(f, out or {}, grid, num_subgroups)
    return Kernel(fn, out or {}, grid, num_subgroups)


class Kernel:
    """A kernel: call it, give it a grid with `kernel[grid](...)`, or compile it ahead with `kernel.compile(...)`."""

    __xetile_kernel__ = True

    def __init__(self, fn: Callable[..., Any], out: Mapping[str, Rule], grid: Rule | Grid | None, num_subgroups: int | None) -> None:
        self.fn = fn
        self.out = dict(out)
        self.grid = grid
        self.num_subgroups = num_subgroups
        parameters = inspect.signature(fn).parameters
        self.constants = tuple(n for n, p in parameters.items() if _is_constexpr(p.annotation))
        self.parameters = tuple(n for n in parameters if n not in self.constants)
        self.defaults = {n: p.default for n, p in parameters.items() if p.default is not inspect.Parameter.empty}
        self._order = tuple(parameters)
        self._loaded: dict[Any, LoadedKernel] = {}
        self._warned: set[tuple[str, str]] = set()
        self._lock = threading.RLock()
        for name in self.out:
            if name not in self.parameters:
                raise ArgumentError(f"{fn.__name__}: out names {name!r}, which is no array parameter", hint=f"one of {self.parameters}")
        update_wrapper(self, fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel. numpy arrays: blocks and gives numpy; device arrays: enqueues.

        Returns the allocated outputs (one, or a tuple); the outputs that were passed are written in place.
        Raises ArgumentError and its like before anything has run, LaunchError after.
        """
        return self._run(None, args, kwargs)

    def __getitem__(self, grid: Grid | int) -> Callable[..., Any]:
        """The kernel with an explicit grid: `kernel[gx, gy](A, B, C)`."""
        shape = grid if isinstance(grid, tuple) else (grid,)
        return lambda *args, **kwargs: self._run(shape, args, kwargs)

    def __repr__(self) -> str:
        return f"<xetile kernel {self.fn.__name__}({', '.join(self._order)})>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Found again by name: the decorator made this object in its module, so that worker processes can run it.
        return _find, (self.fn.__module__, self.fn.__qualname__)

    def compile(self, *types: Any, target: str = "pvc", num_subgroups: int | None = None, index_bits: int = 32,
                **constants: Any) -> CompiledKernel:  # fmt: skip
        """Compile ahead of time: types in the parameters' order ("f16[?,?]", "i32", or example arrays), constants by name.

        Raises CompileError and its kinds at the kernel's source, ConstexprError for a missing constant.
        """
        if len(types) != len(self.parameters):
            raise ArgumentError(f"{self.fn.__name__} has {len(self.parameters)} parameters, {len(types)} types were given",
                                hint=f"give types for {', '.join(self.parameters)}")  # fmt: skip
        signature = Signature(tuple(zip(self.parameters, map(_as_type, types))))
        self._check_constants(constants)
        return CompiledKernel(Request(self.fn, signature, self._constants(constants), _target_name(target),
                                      num_subgroups or self.num_subgroups, index_bits))  # fmt: skip

    def _run(self, grid: Grid | None, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        options = {name: kwargs.pop(name) for name in OPTIONS if name in kwargs}
        values, constants = self._bind(args, kwargs)
        allocated = self._allocate(values, constants)
        device = devices.current_device()
        special = specialize(self.fn.__name__, values, device, options.get("target"))
        self._warn(special)
        kernel = self._load(special, constants, device, options)
        where = self._grid(grid, values, constants)
        if all(where):
            kernel.launch(where, [values[name] for name in kernel.artifact.parameters], queue=options.get("queue"))
        if not allocated:
            return None
        results = tuple(values[name] for name in self.out if name in allocated)
        return results[0] if len(results) == 1 else results

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Array and scalar arguments, and constants, by name."""
        name = self.fn.__name__
        if len(args) > len(self._order):
            raise ArgumentError(f"{name} takes {len(self._order)} arguments, {len(args)} were given", hint=f"{name}({', '.join(self._order)})")
        bound = dict(zip(self._order, args))
        for key, value in kwargs.items():
            if key not in self._order or key in bound:
                why = "was given twice" if key in bound else "is no parameter"
                raise ArgumentError(f"{name}: {key} {why}", hint=f"{name}({', '.join((*self._order, *OPTIONS))})")
            bound[key] = value
        constants = self._constants({n: bound[n] for n in self.constants if n in bound})
        values = {n: bound.get(n, self.defaults.get(n)) for n in self.parameters if n in bound or n in self.defaults}
        missing = [n for n in self.parameters if n not in values and n not in self.out]
        if missing:
            raise ArgumentError(f"{name} needs {', '.join(missing)}", hint=f"{name}({', '.join(self._order)})")
        return values, constants

    def _constants(self, given: Mapping[str, Any]) -> dict[str, Any]:
        constants = {n: given.get(n, self.defaults.get(n)) for n in self.constants if n in given or n in self.defaults}
        missing = [n for n in self.constants if n not in constants]
        if missing:
            raise ConstexprError(f"{self.fn.__name__} needs a value for {', '.join(missing)}",
                                 hint=f"pass {', '.join(f'{n}=...' for n in missing)}, or give a default in the function's head",
                                 at=_head(self.fn))  # fmt: skip
        return constants

    def _check_constants(self, given: Mapping[str, Any]) -> None:
        for name in given:
            if name not in self.constants:
                raise ArgumentError(f"{self.fn.__name__} has no constant {name}", hint=f"constants: {', '.join(self.constants) or 'none'}")

    def _allocate(self, values: dict[str, Any], constants: Mapping[str, Any]) -> list[str]:
        allocated = [name for name in self.out if name not in values]
        for name in allocated:
            values[name] = _apply(self.out[name], {**constants, **values}, f"out rule of {name}")
        return allocated

    def _grid(self, grid: Grid | None, values: Mapping[str, Any], constants: Mapping[str, Any]) -> Grid:
        rule = self.grid if grid is None else grid
        if rule is None:
            raise ArgumentError(f"{self.fn.__name__} has no grid", hint=f"call {self.fn.__name__}[grid](...) or write @xt.jit(grid=...)")
        shape = _apply(rule, {**constants, **values}, "grid rule") if callable(rule) else rule
        shape = shape if isinstance(shape, tuple) else (shape,)
        if not 1 <= len(shape) <= 3 or any(not isinstance(n, int) or n < 0 for n in shape):
            raise ArgumentError(f"{self.fn.__name__}: the grid is {shape!r}", hint="one to three whole numbers: workgroups along x, y, z")
        return (*shape, 1, 1)[:3]

    def _load(self, special: Specialization, constants: dict[str, Any], device: DeviceInfo, options: Mapping[str, Any]) -> LoadedKernel:
        key = (special.key, tuple(constants.items()), device, options.get("num_subgroups"), special.target)
        kernel = self._loaded.get(key)
        if kernel is None:
            with self._lock:
                kernel = self._loaded.get(key) or self._compile(special, constants, device, options)
                self._loaded[key] = kernel
        return kernel

    def _compile(self, special: Specialization, constants: dict[str, Any], device: DeviceInfo, options: Mapping[str, Any]) -> LoadedKernel:
        backend = devices.backend_of(device)
        request = Request(self.fn, special.signature(self.parameters), constants, special.target,
                          options.get("num_subgroups") or self.num_subgroups, special.index_bits)  # fmt: skip
        compiled = CompiledKernel(request)
        return backend.load(compiled.binary if backend.form == "spirv" else compiled.program, device)

    def _warn(self, special: Specialization) -> None:
        for name, reason in special.slow.items():
            if (name, reason) not in self._warned:
                self._warned.add((name, reason))
                warnings.warn(f"{self.fn.__name__}: {name} is read and written element by element, which is slow: {reason}",
                              PerformanceWarning, stacklevel=4)  # fmt: skip


def _is_constexpr(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.split(".")[-1] == "constexpr"
    return getattr(annotation, "__name__", "") == "constexpr"


def _apply(rule: Rule, values: Mapping[str, Any], what: str) -> Any:
    names = inspect.signature(rule).parameters
    missing = [n for n in names if n not in values]
    if missing:
        raise ArgumentError(f"the {what} asks for {', '.join(missing)}, which the call does not give")
    return rule(**{n: values[n] for n in names})


def _as_type(value: Any) -> Any:
    if isinstance(value, str):
        return parse(value)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        from xetile.runtime.specialize import array_type

        return array_type(value)
    return value


def _target_name(target: Any) -> str:
    return str(getattr(target, "name", target))


def _head(fn: Callable[..., Any]) -> Any:
    from xetile.errors import Location

    return Location(fn.__code__.co_filename, fn.__code__.co_firstlineno, function=fn.__name__)


def _find(module: str, qualname: str) -> Any:
    import importlib

    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found

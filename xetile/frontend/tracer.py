"""`trace`: a Python function becomes a module of XeTile IR at workgroup level."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import gpu
from xetile.dialects.types import INDEX
from xetile.errors import ConstexprError, XetileError
from xetile.frontend import comprehensions, control, expressions, functions, statements  # noqa: F401 (they fill the tables)
from xetile.frontend.frame import Frame
from xetile.frontend.places import note_places
from xetile.frontend.source import FunctionSource, source_of
from xetile.ir.builder import Builder
from xetile.ir.core import Type
from xetile.ir.core import Value as IRValue
from xetile.ir.interfaces import only_reads
from xetile.ir.rewriter import drop_strays
from xetile.language import casts, division, elementwise, math, matrix, memory, rearrange, shapes  # noqa: F401 (they say what operators do)
from xetile.language.arrays import Array
from xetile.language.axes import Size
from xetile.language.context import Kernel, tracing
from xetile.language.static import is_constexpr
from xetile.language.values import Value, Weak
from xetile.signature import ArrayType, ParamType, ScalarParam
from xetile.target.block_rules import MARKS

if TYPE_CHECKING:
    from xetile.target import Target

LEVEL = "xetile"


class NoEffectWarning(UserWarning):
    """A kernel that changes nothing."""


def trace(fn: Any, signature: Mapping[str, ParamType], constexprs: Mapping[str, Any] | None = None, *,
          num_subgroups: int | None = None, index_bits: int = 32, target: Target | None = None,
          fast_math: bool = False, quiet: bool = False, debug: bool = False) -> gpu.GpuModule:  # fmt: skip
    """The module of a kernel: `fn` is a function or an object with `fn`.

    signature       types of the run-time parameters, in the order of the kernel's arguments.
    constexprs      values of the others; those left out take their defaults.
    num_subgroups   subgroups of a workgroup; taken from the first wg_map where absent.
    index_bits      32, or 64 for arrays of 2^31 elements and more.
    fast_math       as for `xt.jit`.
    quiet           leave out what static_print says.
    debug           mark what debug mode checks.

    Raises CompileError and its subclasses, each at a place in the source.
    """
    source = source_of(fn)
    module, shells = _module(source, signature, index_bits)
    func = module.kernel
    kernel = Kernel(Builder(func.body, source.head()), index_bits, num_subgroups, target)
    kernel.debug = debug
    kernel.precise = any(isinstance(t, ArrayType) and t.dtype is dtypes.f64 for t in signature.values())
    kernel.counts.update(func.body.args[i] for shell in shells.values() for i in shell.sizes if i is not None)
    with tracing(kernel):
        names = _arguments(source, signature, constexprs or {}, func, shells)
        try:
            Frame(kernel, source, names, None, 0).run(source.node.body)
        except XetileError as error:
            # Users are shown their own source, not the way through the tracer; a cause keeps its traceback.
            raise error.with_traceback(None) from error.__cause__
        with kernel.build.located(source.head()):
            kernel.build(gpu.Return)
    if kernel.asserts:
        gpu.add_failures(func)
    kernel.place_constants(func.body)
    drop_strays(func)  # bodies of loops are traced until the types of what they carry have settled
    note_places(kernel, func)
    if kernel.num_subgroups is not None:
        func.attributes["num_subgroups"] = kernel.num_subgroups
    if fast_math:
        func.attributes["fast_math"] = True
    if kernel.level is not None:
        func.attributes["level"] = kernel.level
    if not quiet:
        for message in kernel.messages:
            print(message)
        if not kernel.messages:
            _warn_of_no_effect(source, func)
    return module


def _warn_of_no_effect(source: FunctionSource, func: gpu.GpuFunc) -> None:
    """A kernel that reads arrays and stores nothing is not what anybody wants: warn at the last thing that it computes."""
    ops = [op for op in func.body.walk() if not op.terminator and not op.regions]
    if not any(op.reads for op in ops) or not all(map(only_reads, ops)):
        return
    at = ops[-1].loc or source.head()
    warnings.warn_explicit(f"{source.name} reads arrays and stores nothing, so that calls of it change nothing\n"
                           "  hint: xt.store_tile(value, xt.init_tile(array, offsets, shape)) stores a tile",
                           NoEffectWarning, str(at.file), int(at.line), module=source.fn.__module__, registry={})  # fmt: skip


def _module(
    source: FunctionSource, signature: Mapping[str, ParamType], index_bits: int
) -> tuple[gpu.GpuModule, dict[str, _Shell]]:
    """A module with an empty kernel, and for each parameter where its arguments stand."""
    types: list[Type] = []
    args: list[gpu.KernelArg] = []
    names: list[str] = []
    shells: dict[str, _Shell] = {}

    def add(kind: str, param: str, axis: int, type: Type, dtype: str = "") -> int:
        types.append(type)
        args.append(gpu.KernelArg(kind, param, axis, dtype))
        names.append(param if kind in ("array", "scalar") else f"{param}_{kind[0]}{axis}")
        return len(types) - 1

    for name, given in signature.items():
        if isinstance(given, ScalarParam):
            shells[name] = _Shell(given, add("scalar", name, 0, given.dtype.ir, given.dtype.name))
        else:
            shells[name] = _array_arguments(name, given, add)
    arrays = {n: t for n, t in signature.items() if isinstance(t, ArrayType)}
    marked = {mark: tuple(n for n, t in arrays.items() if getattr(t, mark)) or None for mark in MARKS}
    module = gpu.new_module(source.name, types, args, names, level=LEVEL, index_bits=index_bits, **marked)
    module.loc = module.kernel.loc = source.head()
    return module, shells


class _Shell:
    """Positions of a parameter's arguments: its own, and those of its run-time sizes and strides (None for constants)."""

    def __init__(
        self, type: ParamType, base: int, sizes: tuple[int | None, ...] = (), strides: tuple[int | None, ...] = ()
    ) -> None:
        self.type = type
        self.base = base
        self.sizes = sizes
        self.strides = strides


def _array_arguments(name: str, given: ArrayType, add: Any) -> _Shell:
    base = add("array", name, 0, given.memref(), given.dtype.name)
    sizes = tuple(add("dim", name, axis, INDEX) if n is None else None for axis, n in enumerate(given.shape))
    strides = tuple(add("stride", name, axis, INDEX) if s is None else None for axis, s in enumerate(given.strides))
    return _Shell(given, base, sizes, strides)


def _arguments(source: FunctionSource, signature: Mapping[str, ParamType], constexprs: Mapping[str, Any], func: gpu.GpuFunc,
               shells: Mapping[str, _Shell]) -> dict[str, Any]:  # fmt: skip
    """What each parameter holds; raises ConstexprError where a constant is missing or a name is no parameter."""
    spec, defaults = source.node.args, source.defaults
    known = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    for name in (*signature, *constexprs):
        if name not in known:
            raise ConstexprError(
                f"{source.name} has no parameter {name}", hint=f"its parameters are {', '.join(known)}", at=source.head()
            )
    names: dict[str, Any] = {}
    for name in known:
        if name in shells:
            if is_constexpr(source.fn.__annotations__.get(name)):
                raise ConstexprError(
                    f"{name} is a constexpr and is given a run-time type", hint="give its value", at=source.parameter(name)
                )
            strict = dtypes.declared_dtype(source.fn.__annotations__.get(name)) is not None
            names[name] = _held(name, shells[name], func.body.args, strict)
        elif name in constexprs or name in defaults:
            names[name] = constexprs.get(name, defaults.get(name))
        else:
            raise ConstexprError(
                f"{source.name} needs {name}", hint=f"give its value: {name}=..., or give it a default", at=source.parameter(name)
            )
    return names


def _held(name: str, shell: _Shell, args: list[IRValue], strict: bool) -> Array | Value:
    """An argument in the kernel; `strict`: its head says its dtype, so that an f64 is not taken for a Python number."""
    if isinstance(shell.type, ScalarParam):
        kind = Weak if shell.type.dtype is dtypes.f64 and not strict else Value
        return kind(args[shell.base], shell.type.dtype)

    def sizes(given: tuple[int | None, ...], positions: tuple[int | None, ...]) -> tuple[Size, ...]:
        return tuple(Value(args[p], dtypes.index) if p is not None else n or 0 for n, p in zip(given, positions))

    given = shell.type
    if not given.rank:
        return Array(name, args[shell.base], given.dtype, (1,), (1,)).without_axes
    return Array(name, args[shell.base], given.dtype, sizes(given.shape, shell.sizes), sizes(given.strides, shell.strides))

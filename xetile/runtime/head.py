"""The head of a kernel: its parameters, and what a call makes of them by the `out` and `grid` rules.

Whatever a call gives wrongly is an error of ours before anything has run.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from xetile.dtypes import DType, declared_dtype
from xetile.errors import ArgumentError, CompileError, ConstexprError, Location, XetileError, counted
from xetile.language.ambient import allocator
from xetile.language.host import in_host_memory
from xetile.language.static import is_constexpr
from xetile.records import dataclass
from xetile.runtime.backend import GRID_LIMIT, Grid
from xetile.signature import ParamType
from xetile.target.names import KNOWN

Rule = Callable[..., Any]
# Arguments of a call that are not the kernel's.
OPTIONS = ("num_subgroups", "target", "queue")
OTHERS_OPTIONS = {
    "num_warps": "num_subgroups=n says how many subgroups of 16 lanes run a program (8 on DG2); left out, it follows from the tiles",
    "num_stages": "leave it out: how far ahead is loaded is the compiler's choice",
    "num_ctas": "leave it out: a program is one workgroup",
    "grid": "a call's own grid stands before its arguments: kernel[grid](...)",
    **dict.fromkeys(("static_argnames", "static_argnums"), "annotate the parameter: N: xt.constexpr"),
    "donate_argnums": "a kernel writes where its parameters lie: no result needs memory of its own",
    "stream": "queue=xt.Queue() says where a launch goes",
    **{name: f"it is an option of the kernel: @xt.jit({name}=...)" for name in ("fast_math", "out", "defaults")},
}
"""Options that calls of Triton's and of CUDA's kernels take, by what to write instead."""


class Allocated(NamedTuple):
    """Outputs that a call leaves out, by name, and those of them that `xt.empty` made."""

    names: tuple[str, ...]
    undefined: tuple[str, ...]


@dataclass(eq=False)
class Head:
    """A kernel's function with its rules.

    order        names of all parameters; `parameters` those given at run time, `constants` the constexprs.
    defaults     default values by name; `by_target` those of constants that differ, by the name of a target.
    declared     dtypes that annotations give numbers, by name.
    method       the first parameter is the object whose method it is, a constant.
    rule_names   what each rule asks for of the call, by the rule.
    """

    fn: Callable[..., Any]
    out: Mapping[str, Rule]
    grid: Rule | Grid | int | None
    by_target: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    method: bool = False
    order: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)
    declared: dict[str, DType] = field(default_factory=dict)
    rule_names: dict[Rule, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = inspect.signature(self.fn).parameters
        self.order = tuple(found)
        own = self.order[: int(self.method)]
        self.constants = tuple(n for n, p in found.items() if n in own or is_constexpr(p.annotation))
        self.parameters = tuple(n for n in found if n not in self.constants)
        named = {n: declared_dtype(p.annotation) for n, p in found.items() if n in self.parameters}
        self.declared = {n: kind for n, kind in named.items() if kind is not None}
        self.defaults = {n: p.default for n, p in found.items() if p.default is not inspect.Parameter.empty}
        self._check_names()
        for rule in (*self.out.values(), *([self.grid] if callable(self.grid) else [])):
            self.rule_names[rule] = self._asked_by(rule)

    def _check_names(self) -> None:
        if not isinstance(self.out, Mapping) or not all(callable(rule) for rule in self.out.values()):
            raise ArgumentError(f"{self.name}: out is {_shown(self.out)}, which gives no rule for each output",
                                hint='out={"Y": lambda X: xt.empty(X.shape, X.dtype)}')  # fmt: skip
        for name in self.out:
            if name not in self.parameters:
                raise ArgumentError(
                    f"{self.name}: out names {name!r}, which is no array parameter", hint=f"one of {self.parameters}"
                )
        for name in {n for constants in self.by_target.values() for n in constants}:
            if name not in self.constants:
                raise ArgumentError(
                    f"{self.name}: defaults names {name!r}, which is no constant",
                    hint=f"constants: {', '.join(self.constants) or 'none'}",
                )
        for target in self.by_target:
            if target not in KNOWN:
                raise ArgumentError(f"{self.name}: defaults names the target {target!r}", hint=f"one of {', '.join(KNOWN)}")
        if taken := [n for n in self.order if n in OPTIONS]:
            raise ArgumentError(f"{self.name}: {taken[0]} is an option of every call", hint="give the parameter another name")

    @property
    def name(self) -> str:
        """The function's name."""
        return self.fn.__name__

    @property
    def usage(self) -> str:
        """How the kernel is called."""
        return f"{self.name}({', '.join(self.order)})"

    def _usage_without(self, missing: Sequence[str]) -> str:
        """The usage; where outputs that calls leave out stand before what is missing, how to leave them out."""
        last = self.order.index(missing[-1])
        skipped = [n for n in self.order[:last] if n in self.out]
        if not skipped:
            return self.usage
        first = self.order.index(skipped[0])
        named = [f"{n}=..." for n in self.order[first:] if n not in self.out and n not in self.constants]
        return f"{self.usage}, or {self.name}({', '.join([*self.order[:first], *named])}), which makes {', '.join(skipped)}"

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Array and scalar arguments, and the constants that are given, by name.  Raises ArgumentError.

        Arguments that are None are constants; an output that is None counts as left out.
        """
        if len(args) > len(self.order):
            hint = f"{self.usage}; the first is the object: def {self.name}(self, ...), or @staticmethod above @xt.jit"
            raise ArgumentError(f"{self.name} takes {counted(len(self.order), 'argument')}, {len(args)} were given",
                                hint=hint if self.method else self.usage)  # fmt: skip
        bound = dict(zip(self.order, args, strict=False))
        for key, value in kwargs.items():
            if key not in self.order or key in bound:
                why = "was given twice" if key in bound else "is no parameter"
                usual = f"{self.usage}; options are {', '.join(OPTIONS)}"
                raise ArgumentError(f"{self.name}: {key} {why}", hint=OTHERS_OPTIONS.get(key, usual))
            bound[key] = value
        values = {n: bound.get(n, self.defaults.get(n)) for n in self.parameters if n in bound or n in self.defaults}
        missing = [n for n in self.parameters if n not in values and n not in self.out]
        if missing:
            hint = self._usage_without(missing)
            if self.grid is None and args and all(type(given) is int or type(given) is tuple for given in args):
                hint += f"; the grid stands in brackets: {self.name}[grid](...)"
            raise ArgumentError(f"{self.name} needs {', '.join(missing)}", hint=hint)
        absent = {n: None for n, value in values.items() if value is None and n not in self.out}
        values = {n: value for n, value in values.items() if value is not None}
        return values, {**absent, **{n: bound[n] for n in self.constants if n in bound}}

    def kind_of(self, target: str) -> str:
        """The target whose defaults hold for one; empty: those in the function's head."""
        other = KNOWN[target].constants_of if target in KNOWN else ""
        return next((name for name in (target, other) if name in self.by_target), "")

    def complete_constants(self, given: Mapping[str, Any], target: str) -> dict[str, Any]:
        """All constants, those left out by their defaults for a target.  Raises ConstexprError for a missing one."""
        known = {**self.defaults, **self.by_target.get(self.kind_of(target), {}), **given}
        constants = {n: as_constant(known[n]) for n in self.constants if n in known}
        constants.update({n: None for n in self.parameters if n in given})  # an argument that is None is known now
        missing = [n for n in self.constants if n not in constants]
        if missing:
            raise ConstexprError(f"{self.name} needs a value for {', '.join(missing)}",
                                 hint=f"pass {', '.join(f'{n}=...' for n in missing)}, or give a default in the function's head")  # fmt: skip
        for name, value in constants.items():
            try:
                hash(value)
            except TypeError:
                raise ConstexprError(f"{self.name}: the constant {name} is a {type(value).__name__}, which may change",
                                     hint="pass a number, a string or a tuple of them") from None  # fmt: skip
        return constants

    def check_constants(self, given: Iterable[str]) -> None:
        """Raise ArgumentError for a name that is no constant."""
        for name in given:
            if name not in self.constants:
                raise ArgumentError(
                    f"{self.name} has no constant {name}", hint=f"constants: {', '.join(self.constants) or 'none'}"
                )

    def check_declared(self, signature: Mapping[str, ParamType]) -> None:
        """Raise ArgumentError for a number of another type than its annotation says."""
        for name, kind in self.declared.items():
            given = signature.get(name)
            if given is not None and given.dtype is not kind:
                raise ArgumentError(f"{self.name}: {name} is {given}, and its annotation says {kind}", hint=f'give "{kind}"')

    def allocate(self, values: dict[str, Any], constants: Mapping[str, Any], allocate: Rule | None) -> Allocated:
        """Make the outputs that the call leaves out; `allocate` is what `xt.empty` uses, None for numpy."""
        missing = tuple(name for name in self.out if name not in values)
        empty: list[Any] = []

        def noted(shape: Any, dtype: Any, fill: Any = None) -> Any:
            made = (allocate or in_host_memory)(shape, dtype, fill)
            if fill is None:
                empty.append(made)
            return made

        token = allocator.set(noted)
        try:
            for name in missing:
                made = self._apply(self.out[name], {**constants, **values}, f"out rule of {name}")
                if not (hasattr(made, "shape") and hasattr(made, "dtype")):
                    raise ArgumentError(f"{self.name}: the out rule of {name} gives {_shown(made)}, which is no array",
                                        hint="xt.empty(shape, dtype) makes one")  # fmt: skip
                values[name] = made
        finally:
            allocator.reset(token)
        return Allocated(missing, tuple(n for n in missing if any(values[n] is made for made in empty)))

    def check_read(self, undefined: Sequence[str], read_first: Sequence[tuple[str, Location]]) -> None:
        """Refuse sums with memory as it was found: an output of `xt.empty` that the kernel reads before it stores to it."""
        name, at = next(((n, at) for n, at in read_first if n in undefined), ("", None))
        if at is not None:
            raise CompileError(f"{self.name} reads its output {name} before anything is stored to it: xt.empty leaves memory as it is found",
                               hint="xt.zeros(shape, dtype) in the out rule makes an output that begins as zeros", at=at)  # fmt: skip

    def check_stored(self, undefined: Sequence[str], written: frozenset[str]) -> None:
        """Refuse to give back memory as it was found: an output of `xt.empty` that the kernel stores nothing to."""
        name = next((n for n in undefined if n not in written), None)
        if name is None:
            return
        from xetile.frontend.source import source_of

        raise CompileError(f"{self.name} stores nothing to its output {name}, which would be given back undefined",
                           hint=f"xt.store_tile(value, xt.init_tile({name}, offsets, shape)) stores a tile; "
                           f"xt.zeros in the out rule makes an output that may stay as it is",
                           at=source_of(self.fn).parameter(name))  # fmt: skip

    def grid_of(self, given: Any, values: Mapping[str, Any], constants: Mapping[str, Any]) -> tuple[int, int, int]:
        """The workgroups along x, y, z: as given to the call, else by the kernel's rule."""
        rule = self.grid if given is None else given
        if rule is None:
            raise ArgumentError(f"{self.name} has no grid", hint=f"call {self.name}[grid](...) or write @xt.jit(grid=...)")
        shape = self.grid_shape(given, values, constants)
        grid = three(shape)
        if grid is None:
            halves = any(isinstance(n, float) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
            raise ArgumentError(
                f"{self.name}: the grid is {shape!r}",
                hint="one to three whole numbers, each below 2**31: workgroups along x, y, z"
                + ("; xt.cdiv(n, size) divides and rounds up" if halves else ""),
            )
        return grid

    def grid_shape(self, given: Any, values: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
        """The grid as the call gives it, or the kernel's rule."""
        rule = self.grid if given is None else given
        shape = self._apply(rule, {**constants, **values}, "grid rule") if callable(rule) else rule
        return tuple(shape) if isinstance(shape, list) else shape

    def subgroups(self, given: Any, constants: Mapping[str, Any], target: str) -> int | None:
        """The subgroups of a workgroup, as given or by a rule for constants and a target; None where they follow from the tiles."""
        count = self._apply(given, {**constants, "target": target}, "num_subgroups rule") if callable(given) else given
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
            raise ArgumentError(
                f"{self.name}: num_subgroups is {count!r}", hint="a whole number from 1 on; left out, it follows from the tiles"
            )
        return count

    def _asked_by(self, rule: Rule) -> tuple[str, ...]:
        """What a rule asks for: its parameters, but for defaults of its own (`lambda X, kind=kind: xt.empty(X.shape, kind)`)."""
        found = inspect.signature(rule).parameters
        return tuple(n for n, p in found.items() if n in self.order or p.default is inspect.Parameter.empty)

    def _apply(self, rule: Rule, values: Mapping[str, Any], what: str) -> Any:
        names = self.rule_names.get(rule) or self._asked_by(rule)
        missing = [n for n in names if n not in values]
        if missing:
            own = [n for n in self.order if n in values][:4]
            raise ArgumentError(f"{self.name}: the {what} asks for {', '.join(missing)}, which the call does not give",
                                hint=f"it takes the kernel's own parameters, by their names: lambda {', '.join(own)}: ...")  # fmt: skip
        try:
            return rule(**{n: values[n] for n in names})
        except XetileError as error:
            error.message = f"{self.name}: the {what} failed: {error.message}"
            raise
        except Exception as error:
            hint = ", ".join(f"{n} is {_shown(values[n])}" for n in names)
            lists = [n for n in names if isinstance(values[n], (list, tuple, memoryview)) or hasattr(values[n], "buffer_info")]
            if lists:
                hint += "; pass arrays: " + ", ".join(f"np.asarray({n})" for n in lists)
            raise ArgumentError(f"{self.name}: the {what} failed: {type(error).__name__}: {error}", hint=hint) from error


def as_constant(value: Any) -> Any:
    """A constant as kernels see it: numpy's numbers as Python's, lists, which may change, as tuples of what they hold now."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return tuple(map(as_constant, value))
    return value.item() if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)) else value


def three(shape: Any) -> tuple[int, int, int] | None:
    """A grid with all three dimensions; None for what is no grid."""
    if type(shape) is tuple:  # the usual ones cost a fifth of a microsecond, the general way a whole one
        count = len(shape)
        if count == 3:
            x, y, z = shape
        elif count == 2:
            (x, y), z = shape, 1
        elif count == 1:
            (x,), y, z = shape, 1, 1
        else:
            return None
        if type(x) is type(y) is type(z) is int:
            return (x, y, z) if 0 <= x < GRID_LIMIT and 0 <= y < GRID_LIMIT and 0 <= z < GRID_LIMIT else None
    sizes = shape if isinstance(shape, tuple) else (shape,)
    try:
        grid = tuple(size.__index__() for size in sizes)
    except AttributeError:
        return None
    if not 1 <= len(grid) <= 3 or min(grid) < 0 or max(grid) >= GRID_LIMIT:
        return None
    x, y, z = (*grid, 1, 1)[:3]
    return x, y, z


def _shown(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return reprlib.repr(value) if shape is None else f"{getattr(value, 'dtype', type(value).__name__)}{list(shape)}"

"""Calls: functions of the language and plain Python run now; other kernels are traced in place."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NoReturn

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import CompileError, ConstexprError, TileShapeError
from xetile.frontend.expressions import elements
from xetile.frontend.frame import Frame, Returned, expression
from xetile.frontend.impure import check_repeatable, watched
from xetile.frontend.liveness import changed_list
from xetile.frontend.objects import check_not_advanced, check_unchanged
from xetile.frontend.source import FunctionSource, source_of
from xetile.frontend.statements import check_alone
from xetile.frontend.vocabulary import check_foreign
from xetile.language.ambient import inliner
from xetile.language.arrays import Array
from xetile.language.containers import Entries, Held, Items, from_python, given_out, put_in, returned, share, to_python
from xetile.language.debug import stop
from xetile.language.math import maximum, minimum, round_
from xetile.language.static import is_constexpr
from xetile.language.texts import METHODS, holds_values, text_of, written
from xetile.language.values import Value, count, describe
from xetile.records import dataclass

MAX_DEPTH = 40
_ENDLESS = "a function that calls itself ends where constants decide it; of what is known at run time both branches are compiled: write a loop"
_LANGUAGE = "xetile.language."
"""Where functions are from that kernels may call as they are."""


@dataclass(frozen=True)
class RuntimeRange:
    """`range` with a bound that is known at run time only."""

    start: Any
    stop: Any
    step: Any = 1
    backwards: bool = False

    def __reversed__(self) -> RuntimeRange:
        return replace(self, backwards=not self.backwards)

    def __iter__(self) -> Any:
        raise ConstexprError(
            "how often this range runs is known at run time only",
            hint="a range alone: for i in range(n); count others beside it: j += 1",
        )


@expression(ast.Call)
def _call(frame: Frame, node: ast.Call) -> Any:
    if (name := changed_list(node)) is not None and isinstance(frame.names.get(name), Held):
        return _change_list(frame, node, name)
    function = frame.eval(node.func)
    args = list(elements(frame, node.args))
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        given = frame.eval(keyword.value)
        kwargs.update({keyword.arg: given} if keyword.arg is not None else share(given))
    if getattr(function, "__xetile_kernel__", False):
        bound = function.bound if hasattr(type(function), "bound") else ()  # a method's object
        return _inline(frame, node, function, [*bound, *args], kwargs)
    if function is builtins.breakpoint:
        return frame.apply(node, stop, dict(frame.names))
    function = _substitute(function)
    # `xt.associative_scan(max, x, 1)`, `functools.reduce(max, parts)`: called where Python's would ask whether a value is true.
    args = [_substitute(each) if isinstance(each, BuiltinFunctionType) or function is map else each for each in args]
    if function is builtins.next and args:
        check_not_advanced(frame, node, args[0])
    if not (isinstance(function, (FunctionType, MethodType)) and (function.__module__ or "").startswith(_LANGUAGE)):
        _check_callable(frame, node, function, args)
        if _tells_lists(function) or function is partial:
            args, kwargs = [to_python(each) for each in args], {name: to_python(each) for name, each in kwargs.items()}
        else:  # `map(helper, lists)`
            args = [_given_lists(each) if _tells_lists(each) else each for each in args]
        with watched(function) as told:
            result = _run(frame, node, function, args, kwargs)
        check_unchanged(frame, node)
        if told:
            raise told[0].located(frame.location(node))
        return result
    return _run(frame, node, function, args, kwargs)


def _substitute(function: Any) -> Any:
    """What is called instead of a function of Python's that would take run-time values for objects."""
    text = getattr(function, "__self__", None)
    if isinstance(text, str) and function.__name__ in METHODS:
        return partial(METHODS[function.__name__], text)
    return _SUBSTITUTES.get(function, function) if type(function).__hash__ is not None else function


def _run(frame: Frame, node: ast.Call, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a function gives now, which may call kernels."""
    token = inliner.set(partial(_inline_from_python, frame, node))
    try:
        result = from_python(frame.apply(node, function, *args, **kwargs))
        result = list(map(from_python, result)) if type(result) is list else result
        return given_out(Items(result) if type(result) is list else Entries(result) if type(result) is dict else result)
    finally:
        inliner.reset(token)


_SHOW = (str, repr, ascii, format, isinstance)


def _tells_lists(function: Any) -> bool:
    """Whether lists and tuples may differ for a function, and it hands on no list that it gets, as Python's own and a kernel's `def` do."""
    home = str(getattr(function, "__module__", None) or "").split(".")[0]
    if isinstance(function, (FunctionType, MethodType, partial)):
        return home not in ("functools", "itertools", "operator", "xetile")
    return home == "numpy" or isinstance(getattr(function, "__self__", None), str) or any(function is each for each in _SHOW)


def _given_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of plain Python that Python's own call for a kernel."""
    return lambda *args: from_python(function(*map(to_python, args)))


def _check_callable(frame: Frame, node: ast.Call, function: Any, args: list[Any]) -> None:
    """Raise CompileError for what a kernel cannot call."""
    if isinstance(function, DType):
        raise frame.error(node, f"{function} is an element type, and cannot be called",
                          f"convert a value: x.to(xt.{function}), or a number: xt.cast(1, xt.{function})")  # fmt: skip
    if not callable(function):
        called = ast.unparse(node.func)
        hint = f"subscripts stand in brackets: {called}[0]" if isinstance(function, tuple) else None
        if isinstance(node.func, ast.Attribute) and not args:
            hint = f"leave the brackets out: {called}"
        raise frame.error(node, f"{describe(function)} cannot be called", hint)
    frame.apply(node, check_foreign, function, args)
    _check_repeatable(frame, node, function)


def _check_repeatable(frame: Frame, node: ast.Call, function: Any) -> None:
    if function is next and node.args and isinstance(node.args[0], ast.Name) and node.args[0].id not in frame.names:
        raise frame.error(node, f"next({node.args[0].id}) gives something else each time, and a kernel is compiled once for all of "
                          "its calls", "call it on the host, and pass what it gives as an argument")  # fmt: skip
    frame.apply(node, check_repeatable, function)


def _change_list(frame: Frame, node: ast.Call, name: str) -> Any:
    """`parts.append(x)` and its like: the variable holds another list."""
    held, method = frame.names[name], getattr(node.func, "attr", "")
    check_alone(frame, node, name, held, method)
    items: Any = list(held) if isinstance(held, Items) else dict(held)
    given = [put_in(each) for each in elements(frame, node.args)]
    if method == "extend":
        share(given)
    result = frame.apply(node, lambda: getattr(items, method)(*given))
    frame.names[name] = held.like(items)
    return result


def _inline_from_python(frame: Frame, node: ast.Call, kernel: Any, grid: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A kernel that plain Python calls which this node calls: traced in place, as if it stood here."""
    args, kwargs = [from_python(each) for each in args], {name: from_python(each) for name, each in kwargs.items()}
    if grid is not None:
        raise CompileError(
            f"{kernel.__name__}[grid](...) launches a kernel, which only the host can",
            hint="without a grid it is part of this kernel",
        )
    return _inline(frame, node, kernel, args, kwargs)


def _inline(frame: Frame, node: ast.Call, kernel: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The body of another kernel, traced here."""
    source = frame.apply(node, source_of, kernel)
    at = frame.location(node)
    names = frame.apply(node, bind_arguments, source, args, kwargs, getattr(getattr(kernel, "head", None), "out", ()))
    return run_function(Frame(frame.kernel, source, names, at, frame.depth + 1))


def run_function(frame: Frame) -> Any:
    """Trace a function's body, and what it returns. Raises CompileError where calls within calls do not end."""
    kernel, at = frame.kernel, frame.caller
    if kernel.calls >= MAX_DEPTH:
        raise CompileError(f"calls are nested more than {MAX_DEPTH} deep", hint=_ENDLESS, at=at)
    kernel.calls += 1
    try:
        ended = frame.run(frame.source.node.body)
    finally:
        kernel.calls -= 1
    return returned(ended.value, frame) if isinstance(ended, Returned) else None


def bind_arguments(
    source: FunctionSource, args: list[Any], kwargs: dict[str, Any], outputs: Container[str] = ()
) -> dict[str, Any]:
    """Parameters and what they are given, as Python binds them; raises CompileError, ConstexprError."""
    spec = source.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    known = [*positional, *(a.arg for a in spec.kwonlyargs)]
    only_by_place = [a.arg for a in spec.posonlyargs]
    if len(args) > len(positional) and spec.vararg is None:
        raise CompileError(f"{source.name} takes {len(positional)} arguments, not {len(args)}")
    bound = dict(zip(positional, args))
    more: dict[str, Any] = {}
    for name, given in kwargs.items():
        if spec.kwarg is not None and (name not in known or name in only_by_place):
            more[name] = put_in(given)
            continue
        if name not in known or name in only_by_place:
            raise CompileError(f"{source.name} has no parameter {name}", hint=f"its parameters are {', '.join(known)}")
        if name in bound:
            raise CompileError(f"{source.name} is given {name} twice")
        bound[name] = given
    defaults = source.defaults
    for name in known:
        if name not in bound and name not in defaults:
            hint = f"its parameters are {', '.join(known)}"
            if name in outputs:
                hint += f"; called in a kernel, it is given its outputs like other arrays: {source.name}(..., {name})"
            raise CompileError(f"{source.name} needs {name}", hint=hint)
        held = bound.setdefault(name, defaults.get(name))
        if isinstance(held, Value) and is_constexpr(source.annotations.get(name)):
            raise ConstexprError(
                f"{name} of {source.name} is a constexpr, and {describe(held)} is known at run time only",
                hint="pass a constant, or drop the annotation",
            )
    if spec.vararg is not None:
        bound[spec.vararg.arg] = tuple(map(put_in, args[len(positional) :]))
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = Entries(more)
    return bound


def _range(*bounds: Any) -> range | RuntimeRange:
    wrong = next((b for b in bounds if isinstance(b, (Array, float))), None)
    if wrong is not None:
        hint = "whole numbers are divided by //" if isinstance(wrong, float) else "pass a number, or read an element: n[0]"
        raise CompileError(f"range takes integers, not {describe(wrong)}", hint=hint)
    if any(isinstance(b, Value) for b in bounds):
        if not 1 <= len(bounds) <= 3:
            raise TypeError(f"range takes 1 to 3 arguments, not {len(bounds)}")
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else 1
        if isinstance(step, int) and step == 0:
            raise CompileError("range with step 0", hint="range(start, stop) counts by 1")
        return RuntimeRange(start, stop, step)
    return range(*bounds)


_range.__qualname__ = "range"  # as Python's own errors call it


def _extreme(python: Callable[..., Any], emit: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        items = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if not any(isinstance(v, Value) for v in items):
            return python(*args, **kwargs)
        if kwargs or len(items) < 2:
            raise CompileError(f"{python.__name__} of run-time values takes two values or more",
                               hint=f"xt.{python.__name__}(x, axis) reduces one")  # fmt: skip
        result = items[0]
        for item in items[1:]:
            result = emit(result, item)
        return result

    return function


def _number(python: type, dtype: dtypes.DType) -> Callable[..., Any]:
    def function(*args: Any) -> Any:
        if len(args) != 1 or not isinstance(args[0], Value):
            return python(*args)
        if args[0].shape:
            hint = f"x.to(xt.{dtype}) converts each element" if python is not bool else "xt.any or xt.all reduce a mask"
            raise TileShapeError(f"{python.__name__} makes one number, and {describe(args[0])} has {count(args[0].shape)} elements",
                                 hint=hint)  # fmt: skip
        return args[0].to(dtype)

    return function


def _round(number: Any, ndigits: Any = None) -> Any:
    if not isinstance(number, Value):
        return round(number) if ndigits is None else round(number, ndigits)
    if ndigits is not None:
        raise CompileError("values are rounded to whole numbers", hint="two digits: xt.round(x * 100) / 100")
    return round_(number)


def _print(*args: Any, **kwargs: Any) -> NoReturn:
    raise CompileError(
        "print is not available in kernels", hint="xt.static_print prints while compiling, xt.device_print while running"
    )


def _text(python: Callable[..., Any]) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return text_of(args[0]) if len(args) == 1 and holds_values(args[0]) else python(*map(to_python, args), **kwargs)

    return function


def _format(held: Any, spec: Any = "") -> Any:
    return written(held, spec, None)


def _type(*given: Any) -> Any:
    found: Any = type(*given)
    return list if found is Items else dict if found is Entries else found


# Builtins that mean something on run-time values.
_SUBSTITUTES: dict[Any, Callable[..., Any]] = {
    builtins.range: _range,
    builtins.pow: lambda *args: operator.pow(*args) if len(args) == 2 else pow(*args),
    builtins.min: _extreme(min, minimum),
    builtins.max: _extreme(max, maximum),
    builtins.float: _number(float, dtypes.f32),
    builtins.int: _number(int, dtypes.i32),
    builtins.bool: _number(bool, dtypes.bool_),
    builtins.round: _round,
    builtins.print: _print,
    builtins.str: _text(str),
    builtins.repr: _text(repr),
    builtins.ascii: _text(ascii),
    builtins.format: _format,
    builtins.type: _type,
}

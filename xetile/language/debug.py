"""Printing and checking, while a kernel is compiled and while it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from xetile import dtypes
from xetile.dialects import gpu, xetile
from xetile.errors import CompileError, ConstexprError
from xetile.language.casts import whole_index
from xetile.language.context import current
from xetile.language.elementwise import as_value, plain
from xetile.language.reduce import all_
from xetile.language.texts import Shown, Template, text_of
from xetile.language.values import NUMBERS, Value

_C_FORMATS = {"b": "%d", "i": "%d", "u": "%u", "n": "%d", "f": "%f"}


def static_print(*values: Any, sep: str = " ") -> None:
    """Print while the kernel is compiled; run-time values show as their dtype and shape.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            xt.static_print("x is", x, "and its double is", x.to(xt.f64))
            xt.store_tile(x, xt.init_tile(Y, 0, (4,)))

        Y = example(np.ones(4, np.float32))
        Y = example(np.ones(4, np.float32))         # compiled already: nothing is printed

    Prints:
        x is f32[4] and its double is f64[4]
    """
    current().messages.append(sep.join(str(v) for v in values))


def static_assert(condition: Any, message: str = "") -> None:
    """Stop the compilation where a constant condition is false; raises CompileError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y, N: xt.constexpr = 4):
            xt.static_assert(N % 4 == 0, f"N is {N}, not a multiple of 4")
            xt.store_tile(xt.load_tile(xt.init_tile(X, 0, (N,))), xt.init_tile(Y, 0, (N,)))

        print(example(np.ones(4, np.float32)))

    Prints:
        [1. 1. 1. 1.]
    """
    if isinstance(condition, Value):
        raise ConstexprError(
            "static_assert decides while the kernel is compiled, and its condition is known at run time only",
            hint="xt.device_assert(condition, message) checks it at run time",
        )
    if not condition:
        raise CompileError(f"static assertion failed{': ' + str(message) if message else ''}")


def device_print(*values: Any, sep: str = " ") -> None:
    """Print a line each time a program comes here: constants, run-time scalars, f-strings of them, with formats such as `{x:8.3f}`.

    Tiles too: on the numpy device as numpy prints arrays; elsewhere up to 256 elements of them, between barriers of the workgroup,
    floats as C's `%g` and booleans as 0 and 1. Compiling raises TileShapeError for more.

    Example:
        @xt.jit(grid=(2,))
        def example(X):
            x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * 4, (4,)))
            xt.device_print("program", xt.program_id(0), f"has the sum {xt.sum(x)}")

        example(np.arange(8, dtype=np.float32))

    Prints:
        program 0 has the sum 6.000000
        program 1 has the sum 22.000000
    """
    parts: list[Any] = []
    for position, value in enumerate(values):
        if position:
            parts.append(sep)
        shown = text_of(value)
        parts.extend(shown.flat() if isinstance(shown, Template) else (plain(value),))
    if any(isinstance(part, Value) and part.shape for part in parts):
        _print_tiles(parts)
        return
    texts, arguments = [], []
    for part in parts:
        text, argument = _printed(part)
        texts.append(text)
        arguments.extend(argument)
    current().build(gpu.Printf, arguments, message="".join(texts) + "\n")


def _print_tiles(parts: list[Any]) -> None:
    described: list[Any] = []
    values: list[Any] = []
    for part in parts:
        if not isinstance(part, Value):
            described.append(str(part))
            continue
        form, arguments = ("", [part.ir]) if part.shape else _printed(part)
        described.append([part.dtype.name, list(part.shape), form])
        values += arguments
    current().build(xetile.Print, values, parts=json.dumps(described))


def _printed(part: Any) -> tuple[str, list[Any]]:
    if not isinstance(part, Value):
        return str(part).replace("%", "%%"), []
    kind = part.dtype.kind
    # C passes numbers to a format as int, long or double.
    wide = (
        dtypes.f32
        if kind == "f" and part.dtype.bits < 32
        else dtypes.i32
        if kind in "bi" and part.dtype.bits < 32
        else part.dtype
    )
    wide = dtypes.u32 if kind == "u" and part.dtype.bits < 32 else wide
    whole = whole_index(part) if kind == "n" else None
    wide = whole.dtype if whole is not None else dtypes.f32 if wide is dtypes.tf32 else wide
    length = "l" if wide.bits == 64 and kind != "f" else ""
    form = part.conversion(length) if isinstance(part, Shown) else _C_FORMATS[kind].replace("%", f"%{length}")
    return form, [(part.to(wide) if whole is None else whole).ir]


def stop(variables: Mapping[str, Any]) -> None:
    """What Python's `breakpoint()` is in a kernel.

    In debug mode (`xt.debug`) each program that comes here stops: with `variables` as numpy arrays and numbers. Everywhere else
    nothing happens.
    """
    values = {name: v for name, v in variables.items() if isinstance(v, Value)}
    described = {name: [v.dtype.name, list(v.shape)] for name, v in values.items()}
    constants = {name: v for name, v in variables.items() if isinstance(v, (*NUMBERS, str))}
    current().build(xetile.Breakpoint, [v.ir for v in values.values()], variables=json.dumps({**constants, **described}))


def device_assert(condition: Any, message: Any = "") -> None:
    """Check at run time that a condition holds, for all elements of a mask; else the call raises KernelAssertionError.

    message: a text, or an f-string of run-time scalars. All of the grid runs, the error names one program where it did not hold.
    A call on device arrays of a kernel with a device_assert waits for the kernel, and so does a bound launch.

    Example:
        @xt.jit(grid=(2,))
        def example(X):
            x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * 4, (4,)))
            xt.device_assert(x >= 0, f"the smallest is {xt.min(x)}")

        try:
            example(np.float32([0, 1, 2, 3, 4, -5, 6, 7]))
        except errors.KernelAssertionError as error:
            print(error.message)

    Prints:
        the smallest is -5.000000 (in program (x=1, y=0, z=0))
    """
    if not isinstance(message, (str, Template)):
        raise CompileError("device_assert: the message must be a text, or an f-string of scalars")
    condition = plain(condition)
    if isinstance(condition, NUMBERS):
        return static_assert(condition, str(message))
    held = as_value(condition)
    held = all_(held) if held.shape else held.to(dtypes.bool_)
    parts = message.flat() if isinstance(message, Template) else ()
    if any(isinstance(part, Value) and part.shape for part in parts):
        raise CompileError("device_assert: the message shows a tile", hint="show scalars: xt.max(x), x[0, 0]")
    printed = [_printed(part) for part in parts]
    text = "".join(form for form, _ in printed) if parts else str(message)
    values = [value for _, given in printed for value in given]
    current().asserts = True
    current().build(gpu.Assert, held.ir, values, message=text or "device_assert failed")
    return None

"""What a kernel's code is, for caches: its byte code, and all constants and functions that it can reach.

Imports no compiler module, and reads no source: it runs on every start, also when the compiled kernel is in the cache.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterator
from typing import Any

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


def fingerprint(kernel: Any) -> str:
    """A hash that changes when the kernel, a function that it calls, or a constant that they see outside of themselves changes.

    Functions of installed packages count by name and not by content; the version of xetile itself is for the cache to add.
    """
    digest = hashlib.sha256()
    for part in _function(getattr(kernel, "fn", kernel), set()):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _function(fn: Any, seen: set[Any]) -> Iterator[str]:
    code = fn.__code__
    if code in seen:
        return
    seen.add(code)
    yield from _code(code)
    yield repr(sorted(fn.__annotations__.items(), key=str))
    for held in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).items()):
        yield from _held(held, seen)
    for name, cell in zip(code.co_freevars, fn.__closure__ or ()):
        yield name
        try:
            yield from _held(cell.cell_contents, seen)
        except ValueError:  # not assigned yet
            yield "unassigned"
    for name in _names(code):
        if name in fn.__globals__:
            yield name
            yield from _held(fn.__globals__[name], seen)


def _code(code: types.CodeType) -> Iterator[str]:
    yield code.co_name
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant)
        else:
            yield repr(constant)


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _held(held: Any, seen: set[Any]) -> Iterator[str]:
    if isinstance(held, _PLAIN):
        yield repr(held)
    elif isinstance(held, (tuple, list)):
        yield f"{type(held).__name__} of {len(held)}"
        for part in held:
            yield from _held(part, seen)
    elif isinstance(held, dict):
        for key, value in held.items():
            yield from _held(key, seen)
            yield from _held(value, seen)
    elif isinstance(held, types.ModuleType):
        yield f"module {held.__name__}"
    elif isinstance(getattr(held, "fn", held), types.FunctionType):
        yield from _own_function(getattr(held, "fn", held), seen)
    else:
        # An object shows its contents in its repr, or it is told apart by its type alone.
        text = repr(held)
        yield type(held).__qualname__ if " at 0x" in text else text


def _own_function(fn: types.FunctionType, seen: set[Any]) -> Iterator[str]:
    yield f"{fn.__module__}.{fn.__qualname__}"
    if not fn.__module__.startswith("xetile."):
        yield from _function(fn, seen)

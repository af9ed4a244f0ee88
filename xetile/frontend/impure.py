"""Functions that give something else each time: a kernel is traced once, and what they gave then would stay for all its calls."""

from __future__ import annotations

import builtins
import dis
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from xetile import internal, source_text
from xetile.errors import CompileError

_HOMES = ("random.", "time.", "secrets.", "uuid.", "numpy.random.")
_CLOCKS = ("now", "today", "utcnow")
_FUNCTIONS = frozenset(
    {id(f) for f in (builtins.id, builtins.input, builtins.open, os.getenv, os.urandom, os.getpid, os.listdir, os.getcwd)}
)


def check_repeatable(function: Any) -> None:
    """Raise CompileError for a function whose result says nothing about its next one: of chance, the clock, the surroundings."""
    if _is_impure(function):
        raise _told(function)


def _told(function: Any) -> CompileError:
    owner = getattr(function, "__self__", None)
    home = _home(function) if owner is None or isinstance(owner, ModuleType) else _home(owner)
    return _error(getattr(function, "__qualname__", "") or type(function).__name__, home)


def _error(name: str, home: str) -> CompileError:
    return CompileError(
        f"{name} of {home} gives something else each time, and a kernel is compiled once for all of its calls",
        hint="call it on the host, and pass what it gives as an argument",
    )


def _home(held: Any) -> str:
    return str(getattr(held, "__module__", None) or type(held).__module__)


def _is_impure(function: Any) -> bool:
    if id(function) in _FUNCTIONS:
        return True
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        home = _home(owner)
        if home == "datetime":
            return getattr(function, "__name__", "") in _CLOCKS
        return not isinstance(owner, type) and _is_at_home(home)
    return callable(function) and not isinstance(function, type) and _is_at_home(_home(function))


def _is_at_home(home: str) -> bool:
    return f"{home}.".startswith(_HOMES)


@contextmanager
def watched(function: Any) -> Iterator[list[CompileError]]:
    """While a plain function of the user's runs for a kernel: what it calls that does not give the same each time, as errors.

    A debugger's or profiler's own hook stays, and then nothing is found.
    """
    told: list[CompileError] = []
    if not _is_users(function) or sys.getprofile() is not None:
        yield told
        return

    def watch(frame: FrameType, event: str, called: Any) -> None:
        caller = frame.f_back if event == "call" else frame if event == "c_call" else None
        if caller is None or told:
            return
        if event == "call" and _is_users_file(frame.f_code.co_filename):
            told.extend(map(_told, _named(frame.f_code, frame.f_globals)))
        elif not _is_users_file(caller.f_code.co_filename):
            return
        elif event == "call":
            code, home = frame.f_code, str(frame.f_globals.get("__name__"))
            if code is os.getenv.__code__ or _is_at_home(home):
                told.append(_error(code.co_name, home))
        elif _is_impure(called):
            told.append(_told(called))  # not raised here, where the function may catch it

    sys.setprofile(watch)
    try:
        yield told
    finally:
        sys.setprofile(None)


def _named(code: CodeType, scope: Mapping[str, Any]) -> Iterator[Any]:
    """Functions of `numpy.random`, by global names: Python tells a profiler of C's functions, and not of Cython's."""
    held: Any = None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            held = scope.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and (isinstance(held, ModuleType) or _is_at_home(_home(held))):
            held = getattr(held, step.argval, None)
            if _is_impure(held) and _home(getattr(held, "__self__", None) or held).startswith("numpy"):
                yield held
        else:
            held = None


def _is_users(function: Any) -> bool:
    plain: Callable[..., Any] = getattr(function, "__func__", function)
    return isinstance(plain, FunctionType) and _is_users_file(plain.__code__.co_filename)


def _is_users_file(file: str) -> bool:
    return not internal.is_ours(file) and not source_text.is_installed(file)

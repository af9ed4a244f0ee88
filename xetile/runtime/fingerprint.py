"""Identities for caches: of a kernel's code with all that it can reach, of a constant, and of xetile itself.

A start that finds its kernels in the cache computes all three, so this file imports no compiler module.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import os
import re
import textwrap
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from xetile.errors import source_lines

SOURCES = (".py", ".cl", ".json")
# Its parts change no code that is made: editing them keeps the cache.
NEUTRAL = frozenset({"cli.py", "__main__.py"})

_STARTED = time.time()
_PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), complex)


class Unknown(Exception):  # noqa: N818 (not an error: such a kernel is compiled in every process)
    """Something that a kernel sees has no identity that another process would find again."""


def of_function(fn: Callable[..., Any]) -> str:
    """A hash of a kernel's source, and of every function, constant and module attribute that it can reach by name.

    What belongs to xetile counts by name: `of_compiler` covers it.  Raises Unknown for a captured object whose value cannot be
    told.
    """
    return _hash(_function(fn, set()))


def of_constants(constants: Mapping[str, Any]) -> str:
    """A text with the names, types and values of constants.  Raises Unknown as `of_function` does."""
    return "; ".join(f"{name}={' '.join(_held(value, set()))}" for name, value in constants.items())


def exact(value: Any) -> Any:
    """A hashable stand-in that differs wherever a constant's meaning may: 1, 1.0 and True are equal, 0.0 and -0.0 too."""
    if isinstance(value, tuple):
        return tuple, type(value), tuple(map(exact, value))
    return (type(value), repr(value)) if isinstance(value, float | complex) else (type(value), value)


def _hash(parts: Iterator[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _function(fn: Any, seen: set[Any]) -> Iterator[str]:
    if fn in seen:
        return
    seen.add(fn)
    yield fn.__name__
    yield _source(fn.__code__, fn.__globals__)
    for default in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
        yield from _held(default, seen)
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        yield name
        try:
            held = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
        yield from _held(held, seen)
    names = sorted(set(_names(fn.__code__)))
    for name in names:
        if name in fn.__globals__:
            yield name
            yield from _global(fn.__globals__[name], names, seen)


def _global(held: Any, names: list[str], seen: set[Any]) -> Iterator[str]:
    """A name of the kernel's module; of a module under it, those attributes that the kernel names."""
    if not isinstance(held, types.ModuleType):
        yield from _held(held, seen)
        return
    yield f"{held.__name__} {getattr(held, '__version__', '')}"
    if _is_ours(held.__name__) or held in seen:
        return
    seen.add(held)
    for name in names:
        if name in vars(held):
            yield name
            yield from _global(vars(held)[name], names, seen)


def _source(code: types.CodeType, scope: dict[str, Any]) -> str:
    # The source, not the byte code: the frontend reads the source, and a file may have changed since it was imported.
    lines = source_lines(code.co_filename, scope)
    if not 0 < code.co_firstlineno <= len(lines):
        raise Unknown(f"the source of {code.co_name} cannot be read")
    block = inspect.getblock(lines[code.co_firstlineno - 1 :])
    # Without its decorators: a longer list of configurations to tune is the same kernel.
    head = re.compile(rf"\s*def {re.escape(code.co_name)}\b")
    start = next((i for i, line in enumerate(block) if head.match(line)), 0)
    return textwrap.dedent("".join(block[start:]))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_ours(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == "xetile"


def _is_library(fn: types.FunctionType) -> bool:
    """Functions of Python's library and of installed packages count by name, with their package's version: they are many."""
    return fn.__code__.co_filename.startswith(_library_folders())


@lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    import sysconfig

    return "<frozen ", *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib"))


def _held(held: Any, seen: set[Any]) -> Iterator[str]:
    """The identity of an object that a kernel sees: its type, then its contents."""
    is_kernel = getattr(held, "__xetile_kernel__", False)
    fn = held.fn if is_kernel else held
    if isinstance(fn, types.FunctionType):
        yield f"{fn.__module__}.{fn.__qualname__}"
        if is_kernel or not (_is_ours(fn.__module__) or _is_library(fn)):
            yield from _function(fn, seen)
        return
    yield f"{type(held).__module__}.{type(held).__qualname__}"
    if isinstance(held, enum.Enum):
        yield held.name
    elif isinstance(held, (*_PLAIN, float)):
        yield repr(held)
    elif isinstance(held, tuple | list):
        yield str(len(held))
        for part in held:
            yield from _held(part, seen)
    elif isinstance(held, set | frozenset):
        yield from sorted(_hash(_held(part, seen)) for part in held)
    elif isinstance(held, Mapping):
        for key, value in held.items():
            yield from _held(key, seen)
            yield from _held(value, seen)
    else:
        yield from _object(held, seen)


def _object(held: Any, seen: set[Any]) -> Iterator[str]:
    if is_dataclass(held) and not isinstance(held, type):
        for field in fields(held):
            yield field.name
            yield from _held(getattr(held, field.name), seen)
    elif isinstance(held, type | types.BuiltinFunctionType | types.MethodType):
        yield from _by_name(held, seen)
    elif hasattr(held, "tobytes") and hasattr(held, "dtype"):
        yield f"{held.dtype} {getattr(held, 'shape', ())} {held.tobytes().hex()}"
    elif repr(held) == object.__repr__(held) or " at 0x" in (text := repr(held)):
        raise Unknown(f"a kernel sees {held!r}, whose value another process cannot compare")
    else:
        yield text


def _by_name(held: Any, seen: set[Any]) -> Iterator[str]:
    """Types and functions written in C count by name; a method by its function and its object."""
    if isinstance(held, types.MethodType):
        yield from _held(held.__func__, seen)
        yield from _held(held.__self__, seen)
    else:
        yield f"{held.__module__}.{held.__qualname__}"


# The compiler


@lru_cache(maxsize=1)
def of_compiler() -> str:
    """A hash of xetile's own sources: another compiler may make other code.

    Empty when the sources changed after this process had started: what is loaded then cannot be told from them.
    """
    stamp, newest = source_stamp()
    if newest > _STARTED:
        return ""
    return _content_of(stamp)


def is_unchanged() -> bool:
    """Whether xetile's sources are still those of `of_compiler`: modules imported since then may be newer."""
    return source_stamp()[1] <= _STARTED


def source_stamp() -> tuple[str, float]:
    """A hash of names, sizes and times of xetile's sources (2 ms; reading them takes 20), and the time of the latest change."""
    digest, newest = hashlib.sha256(), 0.0
    for path, status in _source_files():
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
        newest = max(newest, status.st_mtime)
    return digest.hexdigest(), newest


def _source_files() -> Iterator[tuple[str, os.stat_result]]:
    root = Path(__file__).parent.parent
    roots = (root, root / "backends", root.parent / "backends")  # backends: installed, or beside us in a source tree
    for folder in dict.fromkeys(roots):
        if folder is not root and not (folder / "spirv").is_dir():
            continue
        yield from _walk(str(folder))


def _walk(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _walk(entry.path)
            elif entry.name.endswith(SOURCES) and entry.name not in NEUTRAL:
                yield entry.path, entry.stat()


def _content_of(stamp: str) -> str:
    """The hash of the sources' contents, remembered on disk by their stamp: so equal installations share a cache."""
    from xetile.runtime import cache

    if (known := cache.get("compiler", stamp)) is not None:
        return known.decode()
    digest = hashlib.sha256()
    package = os.path.dirname(os.path.dirname(__file__))
    for path, _ in _source_files():
        name = os.path.relpath(path, os.path.dirname(package))
        digest.update(name.replace(os.path.join("xetile", "backends"), "backends").encode() + b"\0")
        digest.update(Path(path).read_bytes() + b"\0")
    cache.put("compiler", stamp, digest.hexdigest().encode())
    return digest.hexdigest()

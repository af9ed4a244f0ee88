"""Identities for caches: of a kernel's code with all that it can reach, of a constant, and of xetile itself.

A start that finds its kernels in the cache computes all three, so this file imports no compiler module.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from xetile import schema
from xetile.runtime import captures
from xetile.runtime.captures import exact as exact

SOURCES = (".py", ".cl", ".json")
# Its parts change no code that is made: editing them keeps the cache.
NEUTRAL = frozenset({"cli.py", "__main__.py"})

_STARTED = time.time()


class Unknown(Exception):  # noqa: N818 (not an error: such a kernel is compiled in every process)
    """Something that a kernel sees has no identity that another process would find again."""


def of_function(fn: Callable[..., Any], constants: Mapping[str, Any] | None = None) -> str:
    """A hash of a kernel's source, and of every function, constant and attribute that it can reach by name, also from constants.

    What belongs to xetile counts by name: `of_compiler` covers it.  Raises Unknown for a captured object whose value cannot be
    told.
    """
    return _told(captures.of(fn, constants))


def of_constants(constants: Mapping[str, Any]) -> str:
    """A hash of the names, types and values of constants.  Raises Unknown as `of_function` does."""
    return _told(captures.of_values(constants))


def _told(found: captures.Captures) -> str:
    if found.unknown:
        raise Unknown(found.unknown)
    return found.digest


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
        try:
            return schema.DIGEST(known.decode("ascii"), "the entry")
        except ValueError as error:
            cache.damaged("compiler", stamp, str(error))
    digest = hashlib.sha256()
    package = os.path.dirname(os.path.dirname(__file__))
    for path, _ in _source_files():
        name = os.path.relpath(path, os.path.dirname(package))
        digest.update(name.replace(os.path.join("xetile", "backends"), "backends").encode() + b"\0")
        digest.update(Path(path).read_bytes() + b"\0")
    cache.put("compiler", stamp, digest.hexdigest().encode())
    return digest.hexdigest()

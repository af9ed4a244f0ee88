"""The text that functions were made from.

A file may be edited, and its module reloaded, while a process runs; a kernel is compiled from the text that it was defined by.  So
the text is read when the kernel is decorated, and kept.  `linecache` alone would give what the file held when somebody first asked.
"""

from __future__ import annotations

import glob
import inspect
import linecache
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

_STARTED = time.time()
# Two versions of a file may have one time stamp where they were written so shortly after each other.
_BLURRED_NS = 2_000_000_000
_MOST_BYTES = 1 << 25
_FILES_KEPT = 256

_kept: WeakKeyDictionary[FunctionType, list[str]] = WeakKeyDictionary()
_blocks: WeakKeyDictionary[FunctionType, tuple[str, ...]] = WeakKeyDictionary()
_by_file: dict[str, list[str]] = {}
_read: dict[str, tuple[tuple[int, ...], int, list[str]]] = {}


def keep(fn: FunctionType) -> None:
    """Remember the text of the file or notebook cell that a function has just been defined in."""
    file = fn.__code__.co_filename
    lines = _typed(fn.__code__) if file == "<stdin>" else _now(file, fn.__globals__)
    if _is_younger(file) and not _made(fn.__code__, "".join(lines), file):
        lines = []  # edited since the function was defined
    _kept[fn] = lines
    if lines:
        _by_file.pop(file, None)
        _by_file[file] = lines
        _forget_oldest(_by_file)


def block_of(fn: FunctionType) -> tuple[str, ...]:
    """The lines of a function's definition with its decorators; none where its text is not there."""
    found = _blocks.get(fn)
    if found is None:
        code = fn.__code__
        whole, first = _kept.get(fn), code.co_firstlineno
        whole = _now(code.co_filename, fn.__globals__) if whole is None else whole
        found = tuple(inspect.getblock(whole[first - 1 :])) if 0 < first <= len(whole) else ()
        if fn in _kept:
            _blocks[fn] = found
    return found


def definition_of(fn: FunctionType) -> tuple[int, tuple[str, ...]]:
    """The line at which a function's `def` begins, and its lines from there: a longer list of decorators is the same function."""
    block, first = block_of(fn), fn.__code__.co_firstlineno
    head = re.compile(rf"\s*def {re.escape(fn.__code__.co_name)}\b")
    start = next((i for i, line in enumerate(block) if head.match(line)), 0)
    return first + start, block[start:]


def lines(file: str) -> list[str]:
    """The lines of a file or notebook cell, as they were when the last kernel in it was defined; none of what has no file."""
    found = _by_file.get(file)
    return _now(file, None) if found is None else found


def _now(file: str, scope: dict[str, Any] | None) -> list[str]:
    # From Python 3.13 on linecache holds the text of `python -c` under the name that all code made by exec has too.
    if file == "<string>":
        return []
    if file == "<stdin>":
        return []  # see `keep`
    try:
        status = os.stat(file)
    except (OSError, ValueError):  # a notebook's cell, or a module in an archive; a name with a zero byte
        return [] if "\0" in file else linecache.getlines(file, scope)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:  # a module's text may name any file as its source
        return []
    stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    known = _read.get(file)
    if known is not None and known[0] == stamp and known[1] - max(stamp[:2]) > _BLURRED_NS:
        return known[2]
    now = time.time_ns()
    mine = file not in linecache.cache
    found = linecache.updatecache(file, scope)
    if mine:
        linecache.cache.pop(file, None)  # it would keep every file for ever
    _read[file] = (stamp, now, found)
    _forget_oldest(_read)
    return found


_TYPED_LINES = 400


def _typed(code: CodeType) -> list[str]:
    """The lines of a definition that has just been typed into Python's shell: the last of readline's history that make this code.

    (From Python 3.13 on the shell itself keeps the text, where linecache finds it.)
    """
    history = sys.modules.get("readline")
    if history is None:
        return []
    last = history.get_current_history_length()
    typed = [history.get_history_item(i) or "" for i in range(max(1, last - _TYPED_LINES), last + 1)]
    for start in reversed(range(len(typed))):
        lines = [f"{line}\n" for line in typed[start:]]
        if typed[start].startswith(("@", "def ")) and _made(code, "".join(lines), "<stdin>"):
            return lines
    return []


def _forget_oldest(kept: dict[str, Any]) -> None:
    """A process may define kernels in any number of files; those of the latest are kept."""
    while len(kept) > _FILES_KEPT:
        kept.pop(next(iter(kept)), None)


def _is_younger(file: str) -> bool:
    """Whether a file was written after this process had started."""
    try:
        status = os.stat(file)
    except OSError:
        return False
    return max(status.st_mtime, status.st_ctime) > _STARTED


def _made(code: CodeType, text: str, file: str) -> bool:
    """Whether a text is the one that some code was compiled from.  pytest compiles other code than its tests' text says."""
    if any(name.startswith("@py") for name in _names(code)):
        return True
    return code in _codes(text, file)


@lru_cache(maxsize=4)
def _codes(text: str, file: str) -> frozenset[CodeType]:
    """All code that a text is compiled to; kept, since each kernel of a file asks for it."""
    try:
        return frozenset(_within(compile(text, file, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):
        return frozenset()


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _within(constant)


def _names(code: CodeType) -> Iterator[str]:
    for part in _within(code):
        yield from part.co_names


def is_installed(path: str) -> bool:
    """Whether a file is Python's own or an installed package's: of any environment, for some see those of others, and of any folder
    that packages were installed into (`pip install --target`), which holds what the installer tells of them.
    """
    return (
        path.startswith(_standard_library())
        or any(f"{os.sep}{name}{os.sep}" in path for name in ("site-packages", "dist-packages"))
        or _is_recorded(path)
    )


def _is_recorded(path: str) -> bool:
    """Whether a file belongs to what an installer put into one of the folders above it."""
    folder, name = os.path.split(path)
    while name:
        if name in _recorded(folder):
            return True
        folder, name = os.path.split(folder)
    return False


@lru_cache(maxsize=1024)
def _recorded(folder: str) -> frozenset[str]:
    """The files and folders right inside of a folder that installers note there: recording installed projects, RECORD."""
    found: set[str] = set()
    for record in glob.glob(os.path.join(glob.escape(folder), "*.dist-info", "RECORD")):
        try:
            with open(record, encoding="utf-8", errors="replace") as lines:
                found.update(re.split("[/,]", line, maxsplit=1)[0] for line in lines)
        except OSError:
            continue
    return frozenset(found)


@lru_cache(maxsize=1)
def _standard_library() -> tuple[str, ...]:
    import sysconfig

    return "<frozen ", *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib"))

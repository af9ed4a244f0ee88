"""Files that outlive a process: compiled kernels, the driver's binaries, tuning results.

`get` and `put` take a kind (a folder) and a key; an entry is one file that carries its kind, its key, and a digest of these and of
its contents.  Many processes may use one directory at once, and any of them may be killed at any time:
- an entry is written beside its place and renamed, so that it is there whole or not at all; nothing is locked;
- only regular files of bounded size are read that belong to the user and that nobody else may write: no links, pipes, devices;
- a file that is none of these, or whose kind, key or digest is another (a full disk, flipped bits, two entries swapped), counts as
  absent and is removed; the first one that a process finds is told (CacheWarning), and so is a directory that cannot be written;
- what a killed process left half written is removed by the next one that cleans up;
- two processes that make one entry at the same time both write it; the contents are equal, and one of the two stays.

No failure to write is an error: without the entry the kernel is compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import platform
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from xetile.records import dataclass
from xetile.runtime import files, settings, stats

MAGIC = b"xetile cache 2\n"
SUFFIX, UNFINISHED = ".entry", ".unfinished"
# Bounded together by XETILE_CACHE_SIZE, the least recently used going first.  Tuning results are small and dear: they stay.
BOUNDED = ("kernels", "native", "axes")
KINDS = (*BOUNDED, "tuning", "compiler")
# Larger files are no entries of ours.
MOST_BYTES = {"kernels": files.MOST_MODULE, "native": files.MOST_MODULE, "axes": 1 << 16, "tuning": 1 << 20, "compiler": 1 << 10}
# Another machine's process may still be writing a file for that long.
FOREIGN_SECONDS = 3600.0

_written = 0  # bytes since this process last cleaned up
_cleaned = False
_count = itertools.count()
_lock = threading.Lock()
_told = False


class CacheWarning(UserWarning):
    """Something in the cache's directory cannot be used, or kept, and is made again."""


@dataclass(frozen=True)
class Entry:
    """One file of the cache: `size` in bytes, `used` when it was last read or written (seconds since 1970)."""

    kind: str
    key: str
    path: Path
    size: int
    used: float


def directory() -> Path:
    """Where the cache is: XETILE_CACHE_DIR, else the user's cache directory."""
    return settings.cache_directory()


def enabled() -> bool:
    """Whether anything is read from or kept on disk (XETILE_CACHE)."""
    return bool(settings.get("cache"))


def path_of(kind: str, key: str) -> Path:
    """The file of an entry, there or not."""
    return directory() / kind / key[:2] / f"{key}{SUFFIX}"


def get(kind: str, key: str, *, touch: bool = True) -> bytes | None:
    """The contents of an entry; None where there is none that is whole.  `touch`: it counts as used now."""
    if not enabled():
        return None
    path = path_of(kind, key)
    head = _head(kind, key)
    try:
        data = files.read(path, MOST_BYTES[kind] + len(head) + 32, own=True, touch=touch)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _refuse(path, str(error))
        return None
    start = len(head) + 32
    # A view: a copy of a large binary takes as long as its digest.
    if not data.startswith(head) or data[len(head) : start] != _digest(head, memoryview(data)[start:]):
        _refuse(path, f"{path} is damaged, or holds another entry")
        return None
    return data[start:]


def put(kind: str, key: str, contents: bytes) -> None:
    """Keep `contents`; an entry of that key that is there already is replaced."""
    if not enabled() or len(contents) > MOST_BYTES[kind]:
        return
    path, head = path_of(kind, key), _head(kind, key)
    unfinished = path.with_name(f"{key[:16]}.{platform.node()}.{os.getpid()}.{next(_count)}{UNFINISHED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(unfinished, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(head + _digest(head, contents))
            file.write(contents)
        os.replace(unfinished, path)
    except OSError as error:
        stats.count("cache_failures")
        _remove(unfinished)
        _warn_once(f"compiled kernels cannot be kept in {directory()}, and each process compiles them again: {error.strerror or error}\n"
                   "  hint: XETILE_CACHE_DIR=FOLDER names another directory, XETILE_CACHE=0 keeps none")  # fmt: skip
        return
    _note_written(len(contents))


def remove(kind: str, key: str) -> None:
    """Forget an entry, if there is one."""
    _remove(path_of(kind, key))


def entries(kinds: tuple[str, ...] = KINDS) -> Iterator[Entry]:
    """All entries, in no order."""
    for kind in kinds:
        for item in _files(kind):
            if item.name.endswith(SUFFIX):
                with contextlib.suppress(OSError):
                    status = item.stat(follow_symlinks=False)
                    yield Entry(kind, item.name[: -len(SUFFIX)], Path(item.path), status.st_size, status.st_mtime)


def clear(kinds: tuple[str, ...] = KINDS) -> tuple[int, int]:
    """Remove all entries of these kinds; how many there were, and their bytes."""
    found = list(entries(kinds))
    for entry in found:
        _remove(entry.path)
    for kind in kinds:
        _remove_unfinished(kind, time.time())
    return len(found), sum(entry.size for entry in found)


def clean(limit: int | None = None) -> None:
    """Hold the cache to its size, and remove what killed processes left behind.

    The least recently used go until nine tenths of the limit are left, so that not every write cleans up.
    """
    limit = settings.get("cache_size") if limit is None else limit
    for kind in KINDS:
        _remove_unfinished(kind, time.time())
    found = sorted(entries(BOUNDED), key=lambda entry: entry.used)
    total = sum(entry.size for entry in found)
    if total <= limit:
        return
    for entry in found:
        if total <= limit - limit // 10:
            break
        _remove(entry.path)
        total -= entry.size


def damaged(kind: str, key: str, why: str) -> None:
    """Remove an entry that is whole and yet holds no such thing; tell the first one."""
    _refuse(path_of(kind, key), f"{path_of(kind, key)} cannot be used: {why}")


def _head(kind: str, key: str) -> bytes:
    return MAGIC + f"{kind} {key}\n".encode()


def _digest(head: bytes, contents: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(head)
    digest.update(contents)
    return digest.digest()


def _refuse(path: Path, why: str) -> None:
    """Count a file that is no entry, remove it where it is the user's own, and tell the first one."""
    stats.count("cache_corrupt")
    with contextlib.suppress(OSError):
        if not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid():
            _remove(path)
    _warn_once(f"{why}; it is made again, and so is whatever else cannot be used in {directory()}")


def _warn_once(text: str) -> None:
    global _told
    with _lock:
        first, _told = not _told, True
    if first:
        warnings.warn(text, CacheWarning, stacklevel=3)


def _note_written(size: int) -> None:
    """Clean up at this process's first write, and whenever it has written a sixteenth of what the cache may hold."""
    global _written, _cleaned
    with _lock:
        _written += size
        if _cleaned and _written < settings.get("cache_size") // 16:
            return
        _written, _cleaned = 0, True
    clean()


def _files(kind: str) -> Iterator[os.DirEntry[str]]:
    for folder in _scan(directory() / kind):
        if folder.is_dir(follow_symlinks=False):
            yield from _scan(Path(folder.path))


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        with contextlib.suppress(OSError):
            path.rmdir()  # an empty folder in an entry's place


def _remove_unfinished(kind: str, now: float) -> None:
    for item in _files(kind):
        if item.name.endswith(UNFINISHED) and _is_orphan(item, now):
            _remove(Path(item.path))


def _is_orphan(item: os.DirEntry[str], now: float) -> bool:
    """Whether the process that wrote an unfinished file is gone; of another machine's process only its age tells."""
    host, _, rest = item.name[: -len(UNFINISHED)].partition(".")[2].rpartition(".")[0].rpartition(".")
    if host == platform.node() and rest.isdecimal():
        return not _is_alive(int(rest))
    try:
        return now - item.stat(follow_symlinks=False).st_mtime > FOREIGN_SECONDS
    except OSError:
        return False


def _is_alive(process: int) -> bool:
    if process == os.getpid() or os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True

"""Reading files that others may have touched: regular ones of bounded size, and nothing else."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from xetile.errors import ArgumentError

# A module of a kernel has some hundred kilobytes, the driver's binary of it some megabytes.
MOST_MODULE = 256 << 20
MOST_MANIFEST = 64 << 20
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Opening a FIFO would wait for a writer; what is no regular file is refused below, before it is read.
_FLAGS |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class UnreadableError(OSError):
    """A file that must not be read; the message says why."""


def unwritable(path: Path, error: OSError) -> ArgumentError:
    """What is said of a file that cannot be written."""
    missing = not path.parent.is_dir()
    return ArgumentError(f"{str(path)!r} cannot be written: {error.strerror or error}",
                         hint=f"make its folder first: {path.parent}" if missing else "give a path that can be written")  # fmt: skip


def read(path: Path, most: int, *, own: bool = False, touch: bool = False) -> bytes:
    """The contents of a regular file of at most `most` bytes.

    own: it must be this user's, no link, and nobody else may write it. touch: it counts as used now.
    Raises UnreadableError, and OSError as `open` does.
    """
    try:
        file = os.open(path, _FLAGS | (getattr(os, "O_NOFOLLOW", 0) if own else 0))
    except ValueError as error:  # a zero byte in the name
        raise UnreadableError(f"{path!r}: {error}") from error
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise UnreadableError(f"{path} is no regular file") from error
        raise
    try:
        status = os.fstat(file)
        if why := _objection(status, most, own):
            raise UnreadableError(f"{path} {why}")
        if touch and os.utime in os.supports_fd:
            with contextlib.suppress(OSError):  # a file system that is only read
                os.utime(file)
        with os.fdopen(file, "rb", closefd=False) as stream:
            contents = stream.read(most + 1)  # it may have grown since
    finally:
        os.close(file)
    if len(contents) > most:
        raise UnreadableError(f"{path} has more than {most} bytes")
    return contents


def _objection(status: os.stat_result, most: int, own: bool) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    if status.st_size > most:
        return f"has {status.st_size} bytes; at most {most} are read"
    if not own or not hasattr(os, "geteuid"):
        return ""
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return "may be written by every user" if status.st_mode & stat.S_IWOTH else ""

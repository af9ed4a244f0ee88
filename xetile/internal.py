"""Mistakes of xetile's own: whatever a pass, the frontend, a writer or a backend raises by accident becomes an InternalError.

Where the code stood is read from the exception's frames, so that no pass needs to say which op it works on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from xetile.errors import InternalError, Location, XetileError

_OURS = tuple(str(place) + os.sep for place in (Path(__file__).parent, Path(__file__).parent.parent / "backends"))
# The memory of the machine, its files, who reads our output, and warnings that the user has made errors, are no mistake of ours.
_LIBRARY = str(Path(os.__file__).parent) + os.sep
_NOT_OURS = (XetileError, Warning, MemoryError, OSError)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name what is being done: an exception by accident in here becomes an InternalError that says so."""
    try:
        yield
    except Exception as error:
        tell(error, name)
        raise


def tell(error: Exception, name: str) -> None:
    """Raise the InternalError for an exception in a stage, if it is a mistake of ours."""
    found = of(error, name)
    if found is not None:
        raise found from error


def of(error: BaseException, name: str) -> InternalError | None:
    """The InternalError for an exception in a stage; None where it is no mistake of ours: a proper error, or the user's code's."""
    if isinstance(error, _NOT_OURS) or _ends_debugging(error) or not _is_ours(error):
        return None
    op = _op_at(error)
    at = _traced_at(error) or getattr(op, "loc", None)
    where = f" at {op.opname}" if op is not None else ""
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return InternalError(f"xetile has failed in {name}{where}: {text}", stage=name, at=at if isinstance(at, Location) else None)


def _ends_debugging(error: BaseException) -> bool:
    """Whether somebody has left a debugger, of which we import none; its own frames are the library's."""
    return type(error).__name__ == "BdbQuit"


def is_ours(file: str) -> bool:
    """Whether a file is one of xetile's."""
    return file.startswith(_OURS)


def _is_ours(error: BaseException) -> bool:
    """Whether xetile's code raised an exception, or called the library that did; the user's functions are called by ours too."""
    for frame in _innermost_first(error):
        file = frame.f_code.co_filename
        if file.startswith(_OURS):
            return True
        if not file.startswith("<") and f"{os.sep}site-packages{os.sep}" not in file and not file.startswith(_LIBRARY):
            return False
    return True


def _op_at(error: BaseException) -> Any:
    """The op that the innermost function with one was working on."""
    for frame in _innermost_first(error):
        values = frame.f_locals
        for name in ("op", *values):
            found = values.get(name)
            if isinstance(getattr(found, "opname", None), str) and getattr(found, "loc", None) is not None:
                return found
    return None


def _traced_at(error: BaseException) -> Any:
    """The place of the syntax that the frontend was working on."""
    for frame in _innermost_first(error):
        tracer, node = frame.f_locals.get("frame"), frame.f_locals.get("node")
        if tracer is not None and hasattr(node, "lineno") and hasattr(tracer, "location"):
            return tracer.location(node)
    return None


def _innermost_first(error: BaseException) -> Iterator[FrameType]:
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    yield from reversed(frames)

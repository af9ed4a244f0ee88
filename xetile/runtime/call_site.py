"""Where in the user's code a kernel is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from types import FrameType

from xetile import internal
from xetile.errors import InternalError, Location, XetileError
from xetile.runtime import reproducer, settings

_END_OF_LINE = 1 << 20


def outside() -> tuple[int, FrameType]:
    """The first frame that is not of xetile's runtime or library, and its level as `warnings.warn` in the calling function counts it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        ("xetile.runtime", "xetile.ops", "contextlib")
    ):
        level, frame = level + 1, frame.f_back
    return level, frame


def call_site() -> Location:
    """The user's call that xetile is working on; Python 3.10 knows only its line."""
    _, frame = outside()
    code, line = frame.f_code, frame.f_lineno
    column, end = 0, _END_OF_LINE
    if hasattr(code, "co_positions"):
        found = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
        first, last, start, stop = found
        if first is not None and start is not None:
            line, column = first, start
            end = stop if last == first and stop is not None else _END_OF_LINE
    name = code.co_name
    return Location(code.co_filename, line, column, end, "" if name.startswith("<") else name)


def without_ours(error: XetileError) -> XetileError:
    """The error as users are shown it: no frames of xetile, and a cause only where their own code raised it.

    With the setting `tracebacks`, and for mistakes of xetile's own, as it is.
    """
    if isinstance(error, InternalError) or settings.get("tracebacks"):
        return error
    cause = error.__cause__
    if cause is not None:
        trace = cause.__traceback__
        while trace is not None and internal.is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        error.__cause__ = cause.with_traceback(trace) if trace is not None else None
    error.__suppress_context__ = True
    return error.with_traceback(None)


@contextmanager
def errors_at_the_call() -> Iterator[None]:
    """Errors that have no place in the kernel's source get the place of the call; what is raised by accident is told as such."""
    try:
        with internal.stage("the call"):
            yield
    except XetileError as error:
        if isinstance(error, InternalError) and not error.reproducer:
            reproducer.keep(error, "")
        error.located(call_site())
        raise

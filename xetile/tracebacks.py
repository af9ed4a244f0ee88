"""What Python prints of an error of ours that nobody catches: the user's frames and the message.  XETILE_TRACEBACKS=1 shows all frames.

Kernels leave their frames out by themselves (`runtime.call_site`), wherever an error ends up; this is for all other functions, and
for programs that Python's own hook reports on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType

Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def install() -> None:
    """Leave out frames of ours from what the hook that is there prints; a second time does nothing."""
    if getattr(sys.excepthook, "__module__", "") != __name__:
        sys.excepthook = _hook_before(sys.excepthook)


def _hook_before(hook: Hook) -> Hook:
    def shown(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        from xetile.errors import InternalError, XetileError
        from xetile.runtime import settings

        if isinstance(error, XetileError) and not isinstance(error, InternalError) and not settings.get("tracebacks"):
            trace = users(trace)
            error.__traceback__ = trace
            if (cause := error.__cause__) is not None:
                own = users(cause.__traceback__)
                error.__cause__ = cause.with_traceback(own) if own is not None else None
            error.__suppress_context__ = True
        hook(kind, error, trace)

    return shown


def users(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without frames of ours, and without those of libraries that lead to ours, or that ours lead to."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    inward = _beside_ours(frames)
    outward = _beside_ours(frames[::-1])[::-1]
    kept: TracebackType | None = None
    for each, *left_out in reversed(list(zip(frames, inward, outward, strict=True))):
        if not any(left_out):
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def _beside_ours(frames: list[TracebackType]) -> list[bool]:
    """For each frame whether it is ours, or a library's that follows one of ours."""
    from xetile import internal, source_text

    found, after_ours = [], False
    for each in frames:
        file = each.tb_frame.f_code.co_filename
        is_library = file.startswith("<") or source_text.is_installed(file)
        after_ours = internal.is_ours(file) or (is_library and after_ours)
        found.append(after_ours)
    return found

"""What surrounds every command: errors without a traceback, time that runs out, readers that go away."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from xetile.errors import LimitError, XetileError

INTERRUPTED = 130  # what shells give for a command that Ctrl-C ended
SECONDS = 5.0
"""Of the processor's time, for reading and passes and again for the kernel, unless the command line says otherwise."""
_HERE = os.path.dirname(__file__) + os.sep
# An exception that some `except` swallowed comes again.
_AGAIN = 0.5


def guarded(run: Callable[[], int]) -> int:
    """Run a command; errors go to stderr without a traceback.  Returns the exit status."""
    try:
        status = run()
        if sys.stdout is not None:
            sys.stdout.flush()  # while a reader who has gone away can still be noticed
    except XetileError as error:
        if error.at is not None and error.at.file.startswith(_HERE):  # the command's own call, which is nobody's mistake
            error.at = None
        return _failed(f"{type(error).__name__}: {error}")
    except BrokenPipeError:  # who reads has seen enough
        _drop_unwritten()
        return 1
    except KeyboardInterrupt:
        _failed("interrupted")
        return INTERRUPTED
    except OSError as error:
        _drop_unwritten()
        return _failed(f"error: {error}")
    except MemoryError:
        return _failed("error: there is not enough memory for this")
    return status


def _drop_unwritten() -> None:
    """What standard output holds and cannot take would fail once more when Python ends, with a status of its own (120)."""
    with contextlib.suppress(ValueError, AttributeError):
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(why: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        print(why.encode("utf-8", "backslashreplace").decode(), file=sys.stderr)
    return 1


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise LimitError where the block takes more of the processor's time; 0 is no limit, and so is a system without such timers."""
    if seconds <= 0 or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> NoReturn:
        raise LimitError(f"gave up after {seconds:g} s", hint="--seconds N gives it more, 0 all it takes")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def leave(status: int) -> NoReturn:
    """End the process; at once where a kernel still runs that was given up, for its driver would wait for it."""
    if any(thread.daemon and thread.is_alive() and thread.name == "launch" for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(status)
    sys.exit(status)

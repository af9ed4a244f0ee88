"""A tool as a child process that may not take more than its share: text in, text out."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import Any

from xetile.records import dataclass

CPU_SECONDS = 4
"""Of the processor; a module of a megabyte takes less than one."""
SECONDS = 60
"""On the clock: a machine that is busy with other things takes longer."""
MOST_MEMORY = 3 << 29
MOST_OUTPUT = 64 << 20


@dataclass(frozen=True)
class Done:
    """What a tool said; `over`: which limit it passed, in words, else empty."""

    status: int
    output: str
    errors: str
    over: str = ""


def run(command: Sequence[str], text: str) -> Done:
    """Run a command on a text; it is ended where it takes too much time, memory or output."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=errors)
        _limit(process.pid)  # before it is given its input, so nothing has happened yet
        late = threading.Event()
        # Python waits with a timeout by sleeping, up to 50 ms at a time: longer than most modules take.
        clock = threading.Timer(SECONDS, _end, (process, late))
        clock.start()
        try:
            process.communicate(text.encode("utf-8", "surrogatepass"))
        finally:
            clock.cancel()
            process.kill()
            process.wait()
        status = process.returncode
        said = _contents(errors)
        over = f"it took more than {SECONDS} s" if late.is_set() else _passed(status, said)
        return Done(status, _contents(output), said, over)


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _limit(process: int) -> None:
    """Limits of the system for a process; where there are none of the kind, the clock is left."""
    if sys.platform != "linux":
        return
    import resource

    limits: dict[int, int] = {
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_AS: MOST_MEMORY,
        resource.RLIMIT_FSIZE: MOST_OUTPUT,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        with contextlib.suppress(OSError, ValueError):  # the system allows less already
            resource.prlimit(process, kind, (most, most))


def _passed(status: int, errors: str) -> str:
    if status in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)) and status:
        return f"it took more than {CPU_SECONDS} s"
    if status == -getattr(signal, "SIGXFSZ", 0) and status:
        return f"it wrote more than {MOST_OUTPUT} bytes"
    if status < 0 and ("out of memory" in errors.lower() or "bad_alloc" in errors):
        return f"it took more than {MOST_MEMORY >> 20} MiB"
    if status == -getattr(signal, "SIGSEGV", 0) and status:
        return "it crashed, as it does where its stack is too small for a text"
    return ""


def _contents(file: Any) -> str:
    file.seek(0)
    return str(file.read(MOST_OUTPUT + 1).decode("utf-8", "replace"))

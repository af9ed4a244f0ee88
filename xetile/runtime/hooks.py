"""Functions of the user's that are called around compiling and launching, and the messages about both.

    with xt.hooks.added(after_compile=lambda event: print(event.kernel, event.seconds)):
        ...

Messages go to the logger `xetile`; XETILE_LOG=info (or debug) shows them on stderr.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

from xetile.errors import XetileError
from xetile.records import dataclass

log = logging.getLogger("xetile")
log.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class CompileEvent:
    """A kernel being made ready.

    source     where it came from: "compiled", "disk" (SPIR-V from the cache); empty before.
    seconds    time that frontend, passes and writer (or reading the cache) took; build_seconds, the driver's.
    error      what went wrong, if it did.
    """

    kernel: str
    signature: str
    constants: Mapping[str, Any]
    target: str
    device: str
    source: str = ""
    seconds: float = 0.0
    build_seconds: float = 0.0
    error: BaseException | None = None


@dataclass(frozen=True)
class LaunchEvent:
    """A launch: `grid` workgroups of a kernel on a device; `event` is the backend's, after the launch, where there is one."""

    kernel: str
    device: str
    grid: tuple[int, ...]
    args: tuple[Any, ...] = field(repr=False)
    event: Any = None


Hook = Callable[[Any], None]
HOOKS: dict[str, tuple[Hook, ...]] = {"before_compile": (), "after_compile": (), "before_launch": (), "after_launch": ()}

# Read at each call: true while any launch hook is there, so that the fast path steps aside.
launching = False


def add(when: str, hook: Hook) -> Callable[[], None]:
    """Call `hook` with a CompileEvent or LaunchEvent at `when`: before_compile, after_compile, before_launch, after_launch.

    Returns a function that removes it.  An exception of a hook goes to the caller of the kernel.  Raises XetileError for another
    `when`.
    """
    if when not in HOOKS:
        raise XetileError(f"there is no hook {when!r}", hint=f"one of {', '.join(HOOKS)}")
    _set(when, (*HOOKS[when], hook))

    def remove() -> None:
        _set(when, tuple(kept for kept in HOOKS[when] if kept is not hook))

    return remove


@contextmanager
def added(**hooks: Hook) -> Iterator[None]:
    """These hooks within the block: `with xt.hooks.added(before_launch=f): ...`"""
    removers = [add(when, hook) for when, hook in hooks.items()]
    try:
        yield
    finally:
        for remove in removers:
            remove()


def _set(when: str, hooks: tuple[Hook, ...]) -> None:
    global launching
    HOOKS[when] = hooks
    launching = bool(HOOKS["before_launch"] or HOOKS["after_launch"])


def call(when: str, event: CompileEvent | LaunchEvent) -> None:
    """Tell all hooks of `when`."""
    for hook in HOOKS[when]:
        hook(event)


def around(event: LaunchEvent, launch: Callable[[], Any]) -> Any:
    """Launch, with the hooks before and after it."""
    call("before_launch", event)
    done = launch()
    call("after_launch", replace(event, event=done))
    return done


def show_messages() -> None:
    """Send messages of the level XETILE_LOG to stderr; a no-op when it is unset, or when the user has set up the logger."""
    from xetile.runtime import settings

    level = settings.get("log")
    if not level or any(not isinstance(handler, logging.NullHandler) for handler in log.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("xetile: %(message)s"))
    log.addHandler(handler)
    log.setLevel(level.upper())

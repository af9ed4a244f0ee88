"""Another device in place of "cpu": tests and generators run there what they run on the CPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from xetile.runtime import devices

_TARGETS = "(pvc|bmg|lnl|dg2)"
_LACKS = re.compile(rf"\b{_TARGETS} has |is compiled for \w+, and a driver for {_TARGETS} refuses its module")


def stand_in(other: str, tell: Callable[[str], None] = lambda name: None) -> None:
    """From now on the device `other` answers for "cpu" in this process; `tell` hears of each time."""
    find = devices._find

    def instead(selection: str) -> devices.DeviceInfo:
        if selection == "cpu":
            tell(other)
            return find(other)
        return find(selection)

    devices._find = instead


def lacking(error: Exception, printed: Sequence[str] = ()) -> str | None:
    """What a target says that it lacks: the error itself, or, where a test asserts that a kernel or a command runs, the text that its
    assertion holds or the last error that a command printed.
    """
    told = [getattr(error, "message", str(error)), *(printed[-1:] if isinstance(error, AssertionError) else ())]
    return next((line for text in told for line in text.splitlines() if _LACKS.search(line)), None)

"""What watches the passes of a compilation, as the settings say: verifying, printing, times."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xetile.runtime import settings

if TYPE_CHECKING:
    from xetile.passes.instruments import Times
    from xetile.passes.manager import Instrument

NAMES = ("verify_passes", "print_before", "print_after", "pass_times")


@contextmanager
def watched_by_settings(name: str) -> Iterator[None]:
    """Compile a kernel of this name as XETILE_VERIFY_PASSES, XETILE_PRINT_BEFORE, XETILE_PRINT_AFTER, XETILE_PASS_TIMES say."""
    verify, before, after, times = map(settings.get, NAMES)
    if not (verify or before or after or times):
        yield
        return
    from xetile.passes.instruments import Print, Times, Verify
    from xetile.passes.manager import watched

    clock = Times() if times else None
    chosen: list[Instrument] = [Print(words(before), words(after))] if before or after else []
    chosen += [Verify()] if verify else []
    chosen += [clock] if clock else []
    with watched(*chosen):
        yield
    if clock is not None:
        show_times(name, clock)


def show_times(name: str, times: Times) -> None:
    """Print what passes took."""
    print(f"// passes of {name}\n{times.table()}", file=sys.stderr)


def words(text: str) -> tuple[str, ...]:
    """The names of a list with commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())

"""Work without Python's collector of cycles: it would look at all that lives, again and again, while objects are only added."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def keep_what_is_there() -> None:
    """Count all objects as old, as they become when a collection finds them alive: none has to look at them for that.

    Nothing where somebody has frozen objects (`gc.freeze`): these stay what they are.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


@contextmanager
def paused() -> Iterator[None]:
    """No collections inside. One that is off already stays off: whoever switched it off switches it on again."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

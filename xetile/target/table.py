"""All targets by name."""

from __future__ import annotations

import importlib

from xetile.errors import DeviceError
from xetile.target.model import Target
from xetile.target.names import KNOWN

TARGETS: dict[str, Target] = {
    name: getattr(importlib.import_module(f"xetile.target.{known.home}"), name.upper()) for name, known in KNOWN.items()
}


def get_target(name: str | Target) -> Target:
    """The target called `name` (a target is returned as it is); raises DeviceError, naming all, where there is none."""
    if isinstance(name, Target):
        return name
    found = TARGETS.get(name)
    if found is not None:
        return found
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), TARGETS, n=1)
    raise DeviceError(
        f"there is no target {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""),
        hint="the targets are " + ", ".join(f"{t.name} ({t.description})" for t in TARGETS.values()),
    )

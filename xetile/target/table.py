"""All targets by name."""

from __future__ import annotations

from xetile.errors import DeviceError
from xetile.target.cpu import AMX, AVX2, AVX512, CPU
from xetile.target.intel import BMG, DG2, LNL, PVC
from xetile.target.model import Target

TARGETS: dict[str, Target] = {target.name: target for target in (PVC, BMG, LNL, DG2, CPU, AVX512, AVX2, AMX)}


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

"""Names of values: those of the user's text, which the generic form does not keep."""

from __future__ import annotations

import re

from xetile.errors import Location

_RESULTS = re.compile(r"(%[\w.$-]+(?:\s*,\s*%[\w.$-]+)*)\s*=\s*$")
_LOOK_BACK = 4096  # characters before an op in which the names of its results stand
_ANONYMOUS = re.compile(r"\d+")


def written(name: str) -> str:
    """The name in the generic text, where it is more than a number."""
    bare = name.removeprefix("%").split("#")[0]
    return "" if _ANONYMOUS.fullmatch(bare) else bare


def name_in_source(line: str, at: Location, generic: str) -> str:
    """The name that an argument has in the user's file, which the generic form does not keep; "" for one that is a number."""
    found = re.match(r"%([A-Za-z_][\w.$-]*|\d+)", line[at.column :])
    return written(found[0] if found else generic)


def results_in_source(line: str, at: Location) -> list[str]:
    """The names of an op's results in the user's file; "" for those that are numbers."""
    found = _RESULTS.search(line[max(0, at.column - _LOOK_BACK) : at.column])
    return [written(name.strip()) for name in found[1].split(",")] if found else []

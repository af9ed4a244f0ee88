"""How much text is read: what is larger than anything that a GPU could run is refused before it costs time or memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from xetile.errors import Location, MlirTextError

MOST_TEXT = 8 << 20
"""Characters of a module; a kernel that fills a GPU's instruction cache a hundred times has fewer."""
MOST_NESTED = 256
"""Brackets in brackets: mlir-opt's stack takes some thousands, Python's some hundreds."""
MOST_REGIONS = 64
"""Regions in regions: passes go down them by recursion."""
MOST_EXPANDED = 64 << 20
"""Characters that aliases stand for, over a whole text."""
MOST_ALIASES = 64
"""Aliases of aliases."""
MOST_DIGITS = 40
"""Of a number: 128 bits have 39."""
MOST_RESULTS = 4096
"""Of one op."""
MOST_ELEMENTS = 1 << 20
"""Of a value in registers: a workgroup of the largest kind has a megabyte of them."""
MOST_SHARED = 1 << 24
"""Bytes of shared local memory; the largest GPU has 128 KiB for a workgroup."""
MOST_RANK = 16

_TOKEN = re.compile(rf'"(?:[^"\\\n]|\\.)*"|//[^\n]*|->|[<>]=|[(\[{{<]|[)\]}}>]|[0-9][0-9A-Fa-fx]{{{MOST_DIGITS},}}')


def check_text(text: str, file: str) -> None:
    """Raise MlirTextError for a text that is too long, too deep, or holds a character that none does."""
    if len(text) > MOST_TEXT:
        raise MlirTextError(f"{file} has {len(text)} characters; at most {MOST_TEXT} are read")
    zero = text.find("\0")
    if zero >= 0:
        raise MlirTextError(f"cannot read {file}: it holds a zero character, so it is no text", at=_place(text, file, zero))
    depth = 0
    for found in _TOKEN.finditer(text):
        first = found[0][0]
        if found[0] in ("->", "<=", ">="):
            continue
        if first in "([{<":
            depth += 1
            if depth > MOST_NESTED:
                why = f"more than {MOST_NESTED} brackets stand in each other"
                raise MlirTextError(f"cannot read {file}: {why}", at=_place(text, file, found.start()))
        elif first in ")]}>":
            depth = max(0, depth - 1)
        elif first in "0123456789":
            at = _place(text, file, found.start())
            raise MlirTextError(f"cannot read {file}: a number has {len(found[0])} digits; no type holds it", at=at)


def check_size(shape: Sequence[int], what: str, most: int = MOST_ELEMENTS) -> None:
    """Raise MlirTextError (without a place) for a value with no elements, or with more than fit a GPU."""
    if 0 in shape or prod(shape) > most:
        raise MlirTextError(f"{shortened(what)} has {prod(shape)} elements", hint=f"values have 1 to {most}")


def shortened(text: str, most: int = 100) -> str:
    """A text as errors quote it."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _place(text: str, file: str, position: int) -> Location:
    line = text.count("\n", 0, position) + 1
    return Location(file, line, position - text.rfind("\n", 0, position) - 1)

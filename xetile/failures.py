"""What a kernel tells of a device_assert that did not hold, in memory that its launcher gives it, as an error."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from xetile.errors import KernelAssertionError, Location

Assertion = tuple[str, tuple[str, ...], Location | None]
"""A device_assert: its message, or C's format of values of these IR types where there are any, and its place."""

FAILURE_WORDS = 64
"""Words of that memory: 1 + the number of the assertion that failed first, the program's x, y and z, then the values of its
message, each in two words."""
FIRST_VALUE = 4
_CONVERSION = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(l?)([a-zA-Z])")
SHOWN_TYPES = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "tf32", "f32", "f64")


def failure(kernel: str, words: Sequence[int], assertions: Sequence[Assertion]) -> KernelAssertionError | None:
    """The error that the words of a finished launch tell of; None where all assertions held."""
    number, *program = (int(word) for word in words[:FIRST_VALUE])
    if number == 0:
        return None
    message, kinds, place = assertions[number - 1]
    pairs = [
        bytes(struct.pack("<II", *(int(w) & 0xFFFFFFFF for w in words[i : i + 2]))) for i in range(FIRST_VALUE, len(words), 2)
    ]
    formats = _formats(message) if kinds else []
    shown = tuple(_value(pair, kind, form) for pair, kind, form in zip(pairs, kinds, formats))
    text = message % shown if kinds else message
    x, y, z = program
    return KernelAssertionError(f"{text} (in program (x={x}, y={y}, z={z}) of {kernel})", at=place)


def _formats(message: str) -> list[str]:
    """The formats of a message, by length and kind: d, u, ld, lu, f, and so on."""
    return ["".join(parts) for parts in _CONVERSION.findall(message.replace("%%", ""))]


def _value(pair: bytes, kind: str, form: str) -> int | float:
    if form in "fegFEG":
        found: float = struct.unpack("<d", pair)[0] if kind == "f64" else struct.unpack("<f", pair[:4])[0]
        return found
    wide = form.startswith("l")
    code = "q" if wide else "i"
    number: int = struct.unpack("<" + (code.upper() if form[-1] in "uxX" else code), pair if wide else pair[:4])[0]
    return number

"""What kernels print: entries of the buffer for prints, written as C's printf would.

An entry is the address of its format string (64 bits), then for each value its type (32 bits) and the value, as IGC's printf writes
them.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator

from .dispatch import PRINT_BYTES, PRINT_START, Placed
from .errors import UnsupportedError

VALUES = {1: ("<b", 4), 2: ("<h", 4), 3: ("<i", 4), 4: ("<f", 4), 6: ("<q", 8), 7: ("<Q", 8), 8: ("<d", 8)}
"""By IGC's number of a type: how its value is packed, and the bytes that it takes."""
STRING = 5
CONVERSION = re.compile(r"%([-+ #0]*)(\d*)(?:\.(\d*))?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])")


def show(placed: Placed) -> None:
    """Write all that a launch printed to standard output."""
    memory = placed.memory
    (end,) = struct.unpack("<I", memory.view(placed.printed, 4).tobytes())
    data = memory.view(placed.printed, min(end, PRINT_BYTES)).tobytes()
    at = PRINT_START
    while at + 8 <= len(data):
        text, at = _entry(data, at, placed)
        sys.stdout.write(text)
    if end > PRINT_BYTES:
        sys.stdout.write(f"(prints beyond {PRINT_BYTES} bytes are lost)\n")
    sys.stdout.flush()


def _entry(data: bytes, at: int, placed: Placed) -> tuple[str, int]:
    (address,) = struct.unpack_from("<Q", data, at)
    at += 8
    out, place = [], 0
    form = _string(placed, address)
    for found in CONVERSION.finditer(form):
        out.append(form[place : found.start()])
        place = found.end()
        if found[5] == "%":
            out.append("%")
            continue
        (kind,) = struct.unpack_from("<I", data, at)
        at += 4
        if kind == STRING:
            out.append(_string(placed, struct.unpack_from("<Q", data, at)[0]))
            at += 8
            continue
        if kind not in VALUES:
            raise UnsupportedError(f"a printed value of type {kind}")
        (value,) = struct.unpack_from(VALUES[kind][0], data, at)
        at += VALUES[kind][1]
        out.append(_formatted(found, value))
    return "".join([*out, form[place:]]), at


def _formatted(found: re.Match[str], value: float) -> str:
    flags, width, precision, length, kind = found.groups()
    if kind in "ouxX" and value < 0:
        value += 1 << (64 if length in ("l", "ll", "j", "z") else 32)
    head = f"%{flags}{width}" + (f".{precision}" if precision is not None else "")
    return head % () + str(value) if kind == "p" else (head + {"i": "d", "u": "d"}.get(kind, kind)) % value


def _string(placed: Placed, address: int) -> str:
    def characters() -> Iterator[int]:
        at = address
        while byte := int(placed.memory.view(at, 1)[0]):
            yield byte
            at += 1

    placed.memory.check_string(address)
    return bytes(characters()).decode(errors="replace")

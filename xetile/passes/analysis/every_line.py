"""Tiles of every n-th line of an array: what is known of their sizes and strides by those of the array.

So many lines of the array side by side are one line, as far apart as these together, which ends where one of the array's lines does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xetile.dialects import arith
from xetile.ir.core import Value
from xetile.passes.analysis.polynomials import Polynomial, Reader
from xetile.target.block_rules import MOST_STEP


class EveryLine(NamedTuple):
    """Every n-th line (`every`) of an array whose lines lie a `pitch` apart. `row`: the array's line, where a line ends at such a one."""

    every: int
    pitch: Value
    row: Value


def every_line(width: Value, step: Value, is_pitch: Callable[[Value], bool]) -> EveryLine | None:
    """What of an array has lines of a width a step apart; None where they are not known to be lines of an array."""
    reader = Reader({})
    steps = reader.read(step)
    terms = [] if steps is None else list(steps.terms.items())
    if len(terms) != 1 or len(terms[0][0]) != 1:
        return None
    ((pitch,), every), widths = terms[0], reader.read(width)
    if not isinstance(pitch, Value) or not is_pitch(pitch) or not 1 < every <= MOST_STEP or widths is None:
        return None
    parts = widths.part(pitch)
    row = _found(parts[1], width) if parts is not None and _is_less(parts[0], every) else None
    return None if row is None else EveryLine(every, pitch, row)


def _is_less(lines: Polynomial, every: int) -> bool:
    """Whether so many lines are fewer than n, as a constant or as what a power of two leaves."""
    known, found = lines.known, lines.value
    if found is not None and isinstance(found.op, arith.AndI):
        known = next((n for v in found.op.operands if isinstance(n := arith.constant_of(v), int)), None)
    return known is not None and 0 <= known < every


def _found(row: Polynomial, width: Value) -> Value | None:
    """The value that a line's length is: a symbol, or a constant that is added to others."""
    known, terms = row.known, width.op.operands if width.op is not None else ()
    return row.value if known is None else next((v for v in (width, *terms) if arith.constant_of(v) == known), None)


__all__ = ["EveryLine", "every_line"]

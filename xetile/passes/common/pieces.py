"""Pieces of a value that a subgroup holds, as both ways of distributing make them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xetile.ir.core import Value


def made_once(pieces: Iterable[Value], make: Callable[[Value], Value]) -> tuple[Value, ...]:
    """What becomes of each piece, where one that comes again is made once."""
    made: dict[Value, Value] = {}
    for piece in (found := list(pieces)):
        if piece not in made:
            made[piece] = make(piece)
    return tuple(made[piece] for piece in found)

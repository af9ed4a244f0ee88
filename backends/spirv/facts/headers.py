"""Coordinates in headers of block messages that IGC must not know to be constants.

IGC (2.40.14) keeps the header of messages with blocks of one shape in a register. A coordinate that it knows it writes there once,
before the loop; those that it does not know, where they are needed. The header that begins with 0 serves both kinds, so in the second
iteration a message at 0 finds there what another one has left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import scf, xegpu
from xetile.dialects.arith import constant_of
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import loop_around

_MESSAGES = (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)


class Headers:
    """Which coordinates of an array's blocks of one shape change at run time.

    Xe2 adds a constant to each coordinate of a message. IGC has messages share a header where their coordinates are sums of the same numbers
    and constants, and one for each constant where a coordinate is nothing else: with a zero that it cannot know they share it too.
    """

    def __init__(self, kernel: Op, adds: bool = False) -> None:
        changing, zeros = set[tuple[xegpu.Surface, int]](), list[tuple[xegpu.Surface, Op, int]]()
        numbered: dict[tuple[Op | None, xegpu.Surface, int], list[Op]] = {}
        for op in kernel.find(_MESSAGES):
            surface = xegpu.surface_of(op)
            if surface is not None:
                if number := op.attributes.get(xegpu.HEADER, 0):
                    loop = loop_around(op)
                    numbered.setdefault((loop, surface, number), []).append(op)
                for dim in (-2, -1):
                    known = [constant_of(v) for v in _terms(op, dim)]
                    if None in known:
                        changing.add((surface, dim))
                    elif sum(known) == 0:
                        zeros.append((surface, op, dim))
        self._hidden = {(op, dim) for surface, op, dim in zeros if (surface, dim) in changing}
        self._alone = {ops[0] for ops in numbered.values() if len(ops) == 1}
        self._beside = {*_in_rounds(kernel), *(_beside(kernel) if adds else ())}

    def hides(self, op: Op, dim: int) -> bool:
        """Whether a message's coordinate, the last (-1) or the one before it, must be a 0 that the compiler cannot know."""
        return (op, dim) in self._hidden

    def is_alone(self, op: Op) -> bool:
        """Whether a load has a header that no other message of its loop has."""
        return op in self._alone

    def is_beside(self, op: Op, dim: int) -> bool:
        """Whether a zero that the compiler cannot know is added to a message's coordinate, a constant."""
        return (op, dim) in self._beside


MOST = 511
"""What a message adds has 10 bits with its sign."""


def _beside(kernel: Op) -> Iterator[tuple[Op, int]]:
    """Of loads in loops by one descriptor the coordinates that are constants, several of them, beside one that moves."""
    found: dict[tuple[Block, Value, int], dict[Op, int]] = {}
    for op in kernel.find(xegpu.LoadNd):
        if op.parent is None or not isinstance(op.parent.parent, scf.For):
            continue
        known = {dim: [constant_of(v) for v in _terms(op, dim)] for dim in (-2, -1)}
        for dim, other in ((-2, -1), (-1, -2)):
            if None not in known[dim] and None in known[other]:
                found.setdefault((op.parent, op.desc, dim), {})[op] = sum(known[dim])
    for (_, _, dim), places in found.items():
        if len(set(places.values())) > 1 and all(abs(at) <= MOST for at in places.values()):
            yield from ((op, dim) for op in places)


def _in_rounds(kernel: Op) -> Iterator[tuple[Op, int]]:
    """The coordinates that are constants of messages in a loop that runs once: IGC would keep a header for each of them."""
    for loop in kernel.find(scf.For):
        for op in loop.body.find(_MESSAGES) if scf.ONCE in loop.attributes else ():
            yield from ((op, dim) for dim in (-2, -1) if None not in map(constant_of, _terms(op, dim)))


def _terms(op: Any, dim: int) -> list[Value]:
    """What is added up to a coordinate: an offset of the message, and one of its descriptor."""
    return [offsets[dim] for offsets in (op.offsets, op.desc.op.offsets) if len(offsets) >= -dim]

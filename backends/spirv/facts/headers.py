"""Coordinates in headers of block messages that IGC must not know to be constants.

IGC (2.40.14) keeps the header of messages with blocks of one shape in a register. A coordinate that it knows it writes there once,
before the loop; those that it does not know, where they are needed. The header that begins with 0 serves both kinds, so in the second
iteration a message at 0 finds there what another one has left.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from xetile.dialects import arith, scf, xegpu
from xetile.dialects.affine import affine_of
from xetile.dialects.arith import constant_of
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import loop_around, op_around

from .branches import MESSAGES, parted_by_branches, terms_of


class Headers:
    """Which coordinates of an array's blocks of one shape change at run time.

    Xe2 adds a constant to each coordinate of a message. IGC has messages share a header where their coordinates are sums of the same numbers
    and constants, and one for each constant where a coordinate is nothing else: with a zero that it cannot know they share it too.
    """

    def __init__(self, kernel: Op, adds: bool = False) -> None:
        changing, zeros = set[tuple[xegpu.Surface, int]](), list[tuple[xegpu.Surface, Op, int]]()
        numbered: dict[tuple[Op | None, xegpu.Surface, int], list[Op]] = {}
        for op in kernel.find(MESSAGES):
            surface = xegpu.surface_of(op)
            if surface is not None:
                if number := op.attributes.get(xegpu.HEADER, 0):
                    loop = loop_around(op)
                    numbered.setdefault((loop, surface, number), []).append(op)
                for dim in (-2, -1):
                    known = [constant_of(v) for v in terms_of(op, dim)]
                    if None in known:
                        changing.add((surface, dim))
                    elif sum(known) == 0:
                        zeros.append((surface, op, dim))
        self._hidden = {(op, dim) for surface, op, dim in zeros if (surface, dim) in changing}
        self._alone = {ops[0] for ops in numbered.values() if len(ops) == 1}
        self._wrong = _wrong(kernel) if adds else set[xegpu.Surface]()
        self._beside = {*_in_rounds(kernel), *(_beside(kernel) if adds else ())}
        self._parted = parted_by_branches(kernel)

    def hides(self, op: Op, dim: int) -> bool:
        """Whether a message's coordinate, the last (-1) or the one before it, must be a 0 that the compiler cannot know."""
        return (op, dim) in self._hidden

    def is_alone(self, op: Op) -> bool:
        """Whether a load has a header that no other message of its loop has."""
        return op in self._alone

    def is_wrong(self, op: Op) -> bool:
        """Whether an odd number in a message's column must be one that the compiler cannot know."""
        return xegpu.surface_of(op) in self._wrong

    def is_beside(self, op: Op, dim: int) -> bool:
        """Whether a zero that the compiler cannot know is added to a message's coordinate, a constant."""
        return (op, dim) in self._beside

    def branch_of(self, op: Op, dim: int) -> int:
        """A number above 0 where a message's coordinate must not be known to be another one's on the other side of a branch."""
        return self._parted.get((op, dim), 0)


MOST = 511
"""What a message adds has 10 bits with its sign."""


_OFFSETS, _WRONG = 16, (11, 16 - 11)
"""By how much columns of two messages must not differ: what IGC (2.40.14) cannot add in a message (11, 27, -5 of 32 bits) it adds to a copy of
the header, all of whose words are the first one.
"""
_WORDS = (1, 2, 4)
"""Elements that may move as one."""


def _wrong(kernel: Op) -> set[xegpu.Surface]:
    """The surfaces with messages whose columns may differ so: of these odd numbers are hidden, as the difference is odd."""
    columns: dict[xegpu.Surface, set[int]] = {}
    for op in kernel.find(MESSAGES):
        surface = xegpu.surface_of(op)
        if surface is not None:
            columns.setdefault(surface, set()).add(column_of(op))
    return {
        surface
        for surface, known in columns.items()
        for words in _WORDS
        if {(a // words - b // words) % _OFFSETS for a, b in combinations(known, 2)} & {*_WRONG}
    }


def column_of(op: Any) -> int:
    """The constant in the column of a message, as LLVM collects it across casts."""
    return sum(affine_of(v, now=_uncast).constant for v in terms_of(op, -1))


def _uncast(value: Value) -> Value:
    while isinstance(value.op, arith.INTEGER_CASTS):
        value = value.op.operands[0]
    return value


def _beside(kernel: Op) -> Iterator[tuple[Op, int]]:
    """Of loads in loops by one descriptor the coordinates that are constants, several of them, beside one that moves."""
    found: dict[tuple[Block, Value, int], dict[Op, int]] = {}
    for op in kernel.find(xegpu.LoadNd):
        if op.parent is None or not isinstance(op_around(op), scf.For):
            continue
        known = {dim: [constant_of(v) for v in terms_of(op, dim)] for dim in (-2, -1)}
        for dim, other in ((-2, -1), (-1, -2)):
            if None not in known[dim] and None in known[other]:
                found.setdefault((op.parent, op.desc, dim), {})[op] = sum(known[dim])
    for (_, _, dim), places in found.items():
        if len(set(places.values())) > 1 and all(abs(at) <= MOST for at in places.values()):
            yield from ((op, dim) for op in places)


def _in_rounds(kernel: Op) -> Iterator[tuple[Op, int]]:
    """The coordinates that are constants of messages in a loop that runs once: IGC would keep a header for each of them."""
    for loop in kernel.find(scf.For):
        for op in loop.body.find(MESSAGES) if scf.ONCE in loop.attributes else ():
            yield from ((op, dim) for dim in (-2, -1) if None not in map(constant_of, terms_of(op, dim)))

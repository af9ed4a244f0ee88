"""Coordinates of block messages that IGC would not write again behind a branch.

IGC (2.40.14) keeps one header for the messages of a loop with blocks of one surface and shape. It writes a coordinate into it for the first
of them, and for each other one whose coordinate is not that of the message written before it: also where that one stands in a branch that
was not taken, and the header still has what an earlier iteration left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import reduce
from typing import Any

from xetile.dialects import xegpu
from xetile.dialects.affine import Affine, affine_of
from xetile.ir.core import Block, Op, Value

MESSAGES = (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)


def parted_by_branches(kernel: Op) -> dict[tuple[Op, int], int]:
    """For coordinates, the last (-1) or the one before it, of messages in loops a number above 0 where a branch may pass by a message before
    it that has the same header: those with other numbers must not be known to be the same.
    """
    found: dict[tuple[Op, int], int] = {}
    for loop in kernel.walk():
        if loop.repeats:
            for messages in _Messages(loop).by_header.values():
                found.update(_of_header(messages, loop))
    return found


def terms_of(op: Any, dim: int) -> list[Value]:
    """What is added up to a coordinate: an offset of the message, and one of its descriptor."""
    made = op.desc.op
    of_desc = made.offsets if isinstance(made, xegpu.CreateNdTdesc) else ()
    return [offsets[dim] for offsets in (op.offsets, of_desc) if len(offsets) >= -dim]


class _Messages:
    """The messages of a loop, not those of loops in it, by what they have a header for; each with the number of those before it that a branch
    may pass by on the way to the next.
    """

    def __init__(self, loop: Op) -> None:
        self.by_header: dict[Hashable, list[tuple[Op, int]]] = {}
        self._passed: set[Block] = set()  # what has been run where a message stands
        for region in loop.regions:
            self._passed.clear()  # compilers may put what a `while` asks behind what it does
            self._read(region)

    def _read(self, block: Block) -> None:
        self._passed.add(block)
        for op in block.ops:
            if isinstance(op, MESSAGES):
                self._add(op)
            elif not op.repeats:
                for region in op.regions:
                    self._read(region)
                    self._passed.discard(region)

    def _add(self, op: Any) -> None:
        if len(op.desc.type.shape) < 2:
            return
        messages, number = self.by_header.setdefault(xegpu.surface_of(op) or op.desc, []), 0
        if messages:
            last, number = messages[-1]
            number += last.parent not in self._passed
        messages.append((op, number))


def _of_header(messages: list[tuple[Op, int]], loop: Op) -> Iterator[tuple[tuple[Op, int], int]]:
    """The coordinates of messages of one header that change in the loop, with numbers above 0: others have headers of their own."""
    if not messages[-1][1]:
        return
    made = _made_in(loop)
    for op, number in messages:
        yield from (((op, dim), number) for dim in (-2, -1) if number and made & set(_sum(op, dim).coefficients))


def _sum(op: Op, dim: int) -> Affine:
    return reduce(Affine.plus, map(affine_of, terms_of(op, dim)), Affine({}))


def _made_in(loop: Op) -> set[Value]:
    """What an iteration makes anew."""
    ops = [op for region in loop.regions for op in region.walk()]
    blocks = [*loop.regions, *(region for op in ops for region in op.regions)]
    return {value for op in ops for value in op.results} | {arg for block in blocks for arg in block.args}

"""Loops and branches that give no values, written at the insertion point."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xetile.dialects import arith, scf
from xetile.dialects.types import I1, INDEX
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Value
from xetile.passes.vectors.numbers import Number, Numbers, Truth
from xetile.passes.vectors.storage import MemoryAccess


class Loops:
    """Writes loops over rows and columns; `lanes`: elements of a vector of 32-bit numbers."""

    def __init__(self, build: Builder, lanes: int) -> None:
        self.build = build
        self.lanes = lanes
        self.numbers = Numbers(build)
        self.access = MemoryAccess(build)

    def loop(self, low: Number, high: Number, step: int, body: Callable[[Value], None]) -> None:
        """A loop without values."""
        n = self.numbers
        block = Block([INDEX])
        with self.build.at(block):
            body(block.args[0])
            self.build(scf.Yield, ())
        self.build.op(scf.For, n.value(low), n.value(high), n.value(step), (), regions=[block], values=())

    def panels(self, columns: int, most: int, body: Callable[[Number, int], None], needed: Number | None = None) -> None:
        """`body(first column, columns)` for all columns, so many at a time as vectors have; loops where there are several of a width.

        needed: columns from which on nothing need be done.
        """
        n = self.numbers
        for (first, last), width in spans(columns, most):
            if last - first == width:
                there = needed is None or first == 0 or n.below(first, needed)
                self.either(there, partial(body, first, width), lambda: None)
            else:
                self.loop(first, last if needed is None else n.smaller(last, needed), width, partial(_with_width, body, width))

    def either(self, condition: Truth, make: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """One of two ways."""
        if isinstance(condition, bool):
            (make if condition else otherwise)()
            return
        blocks = [Block(), Block()]
        for block, way in zip(blocks, (make, otherwise)):
            with self.build.at(block):
                way()
                self.build(scf.Yield, ())
        self.build.op(scf.If, condition, regions=blocks, values=())

    def unless(self, condition: Truth, make: Callable[[], None]) -> None:
        if condition is False:
            make()
            return
        then = Block()
        with self.build.at(then):
            make()
            self.build(scf.Yield, ())
        wrong = self.build(arith.XOrI, condition, self.build(arith.Constant, value=True, result=I1))
        self.build.op(scf.If, wrong, regions=[then, Block()], values=())


def _with_width(body: Callable[[Number, int], None], width: int, column: Value) -> None:
    body(column, width)


def spans(width: int, most: int) -> list[tuple[tuple[int, int], int]]:
    """Columns cut into runs of vectors: ((first, last), elements of a vector), wide ones first."""
    found, start, size = [], 0, most
    while size:
        stop = start + (width - start) // size * size
        if stop > start:
            found.append(((start, stop), size))
        start, size = stop, size // 2
    return found

"""Gathers and scatters of neighbours: where offsets go up or down by one along a row, whole vectors are moved at a time.

People write rows of tables so, at places that are loaded: `row * stride + xt.arange(N)`. A vector whose mask is not true everywhere, which may
reach outside of the array, is moved element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType
from xetile.ir.core import Block, Op, Value, type_of
from xetile.passes.vectors.elementwise import resized
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Scattered
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Buffer, Splat

_CASTS = (*arith.INDEX_CASTS, arith.ExtSI)


def step_of(value: Value, dim: int, lower: Lowering, known: dict[Value, int | None]) -> int | None:
    """By how much neighbours along a dimension differ, all alike; None where nobody knows."""
    if value not in known:
        known[value] = None
        known[value] = _made(value, dim, lower, known)
    return known[value]


def _made(value: Value, dim: int, lower: Lowering, known: dict[Value, int | None]) -> int | None:
    op, held = value.op, lower.env.get(value)
    if isinstance(held, (Splat, Value)) or type_of(value, VectorType).shape[dim] == 1:
        return 0
    if isinstance(op, xetile.TileIota):
        return int(op.dim == dim)
    if isinstance(op, xetile.TileBroadcast):
        return 0 if op.source.type.shape[dim] == 1 else step_of(op.source, dim, lower, known)
    if op is None or not isinstance(op, (*_CASTS, arith.AddI, arith.SubI, arith.MulI)) or _may_wrap(value, lower):
        return None
    steps = [found for v in op.operands if (found := step_of(v, dim, lower, known)) is not None]
    if len(steps) < len(op.operands):
        return None
    if isinstance(op, arith.MulI):
        return 0 if steps == [0, 0] else _times(op, steps, lower)
    return steps[0] - steps[1] if isinstance(op, arith.SubI) else sum(steps)


def _may_wrap(value: Value, lower: Lowering) -> bool:
    """Whether one neighbour may be the largest number of its type and the next one the smallest: of types narrower than an index."""
    element = type_of(value, VectorType).element
    return element is not INDEX and element.bits < lower.index.bits


def _times(op: Op, steps: list[int], lower: Lowering) -> int | None:
    """A multiple by a constant."""
    for value, step in zip(op.operands, reversed(steps)):
        held = lower.env.get(value)
        number = arith.constant_of(held.scalar) if isinstance(held, Splat) else None
        if isinstance(number, int):
            return number * step
    return None


class Neighbours:
    """Accesses of one nest whose offsets along its rows are those of neighbours."""

    def __init__(self, lower: Lowering, dim: int) -> None:
        self.lower = lower
        self.dim = dim
        self._known: dict[Value, int | None] = {}

    def step(self, offsets: Value) -> int:
        """1 or -1: neighbours in that order; 0: others."""
        found = step_of(offsets, self.dim, self.lower, self._known)
        return found if found in (1, -1) else 0

    def load(self, place: Scattered, offsets: Value, mask: Value, padding: float, step: int) -> Value:
        """A vector of neighbours; where the mask is not true for all of them register by register, and element by element."""
        access, count = self.lower.access, type_of(offsets, VectorType).count

        def whole() -> Value:
            return self._turned(access.load(place.memory, self._first(offsets, step), count, place.element), step)

        def parts() -> Value:
            if count <= self.lower.lanes:
                return access.gather(place.memory, offsets, mask, padding, place.element)
            found, *given = self._buffers(count, place.element, offsets, mask)

            def part(first: Value) -> None:
                where, allowed = (self._part(buffer, first, v) for buffer, v in zip(given, (offsets, mask)))
                access.store(self.load(place, where, allowed, padding, step), found.memory, first)

            self.lower.edges.loop(0, count, self.lower.lanes, part)
            return access.load(found.memory, 0, count, place.element)

        found: Value = self._either(mask, whole, parts)
        return found

    def store(self, place: Scattered, value: Value, offsets: Value, mask: Value, step: int) -> None:
        """The same for a vector that is written."""
        access, count = self.lower.access, type_of(offsets, VectorType).count

        def whole() -> None:
            access.store(self._turned(value, step), place.memory, self._first(offsets, step))

        def parts() -> None:
            if count <= self.lower.lanes:
                access.scatter(place.memory, value, offsets, mask)
                return
            _, *given = self._buffers(count, place.element, offsets, mask, value)

            def part(first: Value) -> None:
                where, allowed, written = (self._part(buffer, first, v) for buffer, v in zip(given, (offsets, mask, value)))
                self.store(place, written, where, allowed, step)

            self.lower.edges.loop(0, count, self.lower.lanes, part)

        self._either(mask, whole, parts)

    def _buffers(self, count: int, element: ScalarType, *values: Value) -> list[Buffer]:
        """One for as many elements, and one for each of some vectors, which it holds."""
        elements = [element, *(type_of(v, VectorType).element for v in values)]
        made = [self.lower.buffers.allocate((1, count), each) for each in elements]
        for buffer, value in zip(made[1:], values):
            self.lower.access.store(value, buffer.memory, 0)
        for buffer in made:
            self.lower.buffers.release(buffer)
        return made

    def _part(self, buffer: Buffer, first: Value, whole: Value) -> Value:
        return self.lower.access.load(buffer.memory, first, self.lower.lanes, type_of(whole, VectorType).element)

    def _first(self, offsets: Value, step: int) -> Number:
        """The offset of the neighbour that comes first in memory."""
        build, last = self.lower.build, type_of(offsets, VectorType).count - 1
        return resized(build, build(vector.Extract, offsets, position=(0 if step == 1 else last,)), INDEX, signed=True)

    def _turned(self, value: Value, step: int) -> Value:
        if step == 1:
            return value
        return self.lower.build(vector.Shuffle, value, value, mask=tuple(reversed(range(type_of(value, VectorType).count))))

    def _either(self, mask: Value, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        """One of two ways, both of which give a vector, or none does."""
        build, access = self.lower.build, self.lower.access
        if vector.is_true(mask):
            return first()
        every = build(vector.MultiReduction, mask, access.constant(True, I1), kind="and", dims=(0,))
        blocks = [Block(), Block()]
        for block, way in zip(blocks, (first, second)):
            with build.at(block):
                found = way()
                build(scf.Yield, () if found is None else (found,))
        types = [v.type for v in blocks[0].terminator.operands]
        made = build.op(scf.If, every, regions=blocks, values=types)
        return made.results[0] if types else None

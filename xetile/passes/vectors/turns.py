"""Rows as columns: blocks that are turned in registers, and what is left over element by element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xetile.dialects import vector
from xetile.dialects.types import ScalarType
from xetile.ir.core import Value
from xetile.passes.vectors.numbers import Number

if TYPE_CHECKING:
    from xetile.passes.vectors.places import Edges


@dataclass(frozen=True)
class Matrix:
    """Rows of neighbours in a memory: element (r, c) is at `start + r * pitch + c`."""

    memory: Value
    start: Number
    pitch: Number


def copy_turned(edges: Edges, source: Matrix, target: Matrix, rows: int, columns: int, element: ScalarType) -> None:
    """Element (r, c) of the source, of so many rows and columns, becomes (c, r) of the target."""
    size = edges.lanes
    high, wide = rows // size * size, columns // size * size
    turn = Turn(edges, source, target, element)
    if high and wide:
        edges.loop(0, high, size, lambda r: edges.loop(0, wide, size, lambda c: turn.block(r, c)))
    if wide < columns and high:
        edges.loop(0, high, 1, lambda r: edges.loop(wide, columns, 1, lambda c: turn.one(r, c)))
    if high < rows:
        edges.loop(high, rows, 1, lambda r: edges.loop(0, columns, 1, lambda c: turn.one(r, c)))


@dataclass(frozen=True)
class Turn:
    """One copy."""

    edges: Edges
    source: Matrix
    target: Matrix
    element: ScalarType

    def one(self, row: Number, column: Number) -> None:
        """One element."""
        access = self.edges.access
        found = access.load_one(self.source.memory, self._index(self.source, row, column), self.element)
        access.store(found, self.target.memory, self._index(self.target, column, row))

    def block(self, row: Number, column: Number) -> None:
        """A block of as many rows as columns."""
        n, access, size = self.edges.numbers, self.edges.access, self.edges.lanes
        lines = [
            access.load(self.source.memory, self._index(self.source, n.add(row, i), column), size, self.element)
            for i in range(size)
        ]
        for i, line in enumerate(turned(self.edges, lines)):
            access.store(line, self.target.memory, self._index(self.target, n.add(column, i), row))

    def _index(self, matrix: Matrix, row: Number, column: Number) -> Number:
        n = self.edges.numbers
        return n.add(n.add(matrix.start, n.multiply(row, matrix.pitch)), column)


def turned(edges: Edges, lines: Sequence[Value]) -> list[Value]:
    """The columns of a block whose rows are given: halves of pairs of rows change places, then quarters, and so on."""
    size, made = len(lines), list(lines)
    distance = size // 2
    while distance:
        upper = tuple(j if not j & distance else size + j - distance for j in range(size))
        lower = tuple(j + distance if not j & distance else size + j for j in range(size))
        for i in (i for i in range(size) if not i & distance):
            a, b = made[i], made[i + distance]
            made[i], made[i + distance] = (edges.build(vector.Shuffle, a, b, mask=mask) for mask in (upper, lower))
        distance //= 2
    return made

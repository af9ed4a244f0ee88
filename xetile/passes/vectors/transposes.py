"""Rows as columns: blocks transposed in registers, and what is left over element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xetile.dialects import vector
from xetile.dialects.types import ScalarType
from xetile.ir.core import Value
from xetile.passes.vectors.loops import Loops
from xetile.passes.vectors.numbers import Number
from xetile.records import dataclass


@dataclass(frozen=True)
class StridedRows:
    """Rows of neighbours in a memory: element (r, c) is at `start + r * pitch + c`."""

    memory: Value
    start: Number
    pitch: Number


def copy_transposed(loops: Loops, source: StridedRows, target: StridedRows, rows: int, columns: int, element: ScalarType,
                    change: Callable[[Value], Value] | None = None) -> None:  # fmt: skip
    """Element (r, c) of the source, of so many rows and columns, becomes (c, r) of the target, changed by a function of vectors."""
    size = loops.lanes
    high, wide = rows // size * size, columns // size * size
    moved = Transposer(loops, source, target, element, change or (lambda value: value))
    if high and wide:
        loops.loop(0, high, size, lambda r: loops.loop(0, wide, size, lambda c: moved.block(r, c)))
    if wide < columns and high:
        loops.loop(0, high, 1, lambda r: loops.loop(wide, columns, 1, lambda c: moved.one(r, c)))
    if high < rows:
        loops.loop(high, rows, 1, lambda r: loops.loop(0, columns, 1, lambda c: moved.one(r, c)))


@dataclass(frozen=True)
class Transposer:
    """One copy."""

    loops: Loops
    source: StridedRows
    target: StridedRows
    element: ScalarType
    change: Callable[[Value], Value]

    def one(self, row: Number, column: Number) -> None:
        """One element."""
        access = self.loops.access
        found = access.load_one(self.source.memory, self._index(self.source, row, column), self.element)
        access.store(self.change(found), self.target.memory, self._index(self.target, column, row))

    def block(self, row: Number, column: Number) -> None:
        """A block of as many rows as columns."""
        n, access, size = self.loops.numbers, self.loops.access, self.loops.lanes
        lines = [
            access.load(self.source.memory, self._index(self.source, n.add(row, i), column), size, self.element)
            for i in range(size)
        ]
        for i, line in enumerate(transposed(self.loops, lines)):
            access.store(self.change(line), self.target.memory, self._index(self.target, n.add(column, i), row))

    def _index(self, matrix: StridedRows, row: Number, column: Number) -> Number:
        n = self.loops.numbers
        return n.add(n.add(matrix.start, n.multiply(row, matrix.pitch)), column)


def transposed(loops: Loops, lines: Sequence[Value]) -> list[Value]:
    """The columns of a block whose rows are given: halves of pairs of rows change places, then quarters, and so on."""
    size, made = len(lines), list(lines)
    distance = size // 2
    while distance:
        upper = tuple(j if not j & distance else size + j - distance for j in range(size))
        lower = tuple(j + distance if not j & distance else size + j for j in range(size))
        for i in (i for i in range(size) if not i & distance):
            a, b = made[i], made[i + distance]
            made[i], made[i + distance] = (loops.build(vector.Shuffle, a, b, mask=mask) for mask in (upper, lower))
        distance //= 2
    return made

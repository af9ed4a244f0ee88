"""Products of few rows, whose right operand is read where it lies, along its rows or its columns; and what all products are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from xetile.dialects import arith, math, scf, vector, xetile
from xetile.dialects.dot import DotPairs, DotQuads
from xetile.dialects.joint_matrix import Mad
from xetile.dialects.types import F32, F64, I8, I16, I32, I64, INDEX, ScalarType, VectorType
from xetile.ir.core import Block, Value
from xetile.passes.vectors.in_place import InPlace, rows_of
from xetile.passes.vectors.needed import copied_width
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Rows
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Splat, Stored, TileValue

PANEL_VECTORS = 2
"""Vectors of columns in a register tile."""
STREAMS, STREAMED_VECTORS = 8, 4
"""Rows of a right operand that are read at a time where it lies (for a single row of sums one: they wait for memory alone), and vectors
of sums that they add to."""
LINES = 8
"""Columns that are read at a time where they lie."""


def computed_in(op: xetile.TileMma | Mad) -> ScalarType:
    """The type in which a product is summed."""
    element = op.result.type.element
    if element.is_float:
        return F64 if element is F64 else F32
    return I64 if element.bits == 64 else I32


class FewRows:
    """One product, where its right operand is read in place."""

    def __init__(self, lower: Lowering, op: xetile.TileMma | Mad, a: Stored | InPlace, b: Stored | InPlace, acc: TileValue | None, out: Stored,
                 filled: Number, needed: tuple[Number, Number]) -> None:  # fmt: skip
        self.lower = lower
        self.build = lower.build
        self.numbers = lower.numbers
        self.rows_needed, self.columns_needed = needed
        self.left, self.b, self.acc, self.out = rows_of(a), b, acc, out
        self.right = b.rows if isinstance(b, InPlace) and b.lines is None else None
        self.columns_at = b.rows if isinstance(b, InPlace) and b.lines is not None else None
        self.element = computed_in(op)
        self.rows, self.depth = a.shape
        self.columns = b.shape[1]
        self.group = b.form.group
        self.narrow = b.form.element if self.group > 1 else None
        self.vector = lower.lanes * 32 // self.element.bits
        self.by_depth = self.columns == 1 and self.right is None and self.narrow is None and self.depth % self.vector == 0
        if self.by_depth and isinstance(b, Stored):
            self.columns_at = Rows(b.memory, 0, self.depth, b.form.element)
        self.in_place = isinstance(a, InPlace) and not self.by_depth  # there whole lines of the cache are read once
        self.apart = lower.edges.is_apart(self.left.pitch, self.left.element) if self.in_place else True
        self.steps = self.depth // self.group
        self.filled = self.numbers.divide(self.numbers.add(filled, self.group - 1), self.group)
        self.signed = op.lhs_unsigned is None
        self.corrections: Value | None = None

    @property
    def _most_sums(self) -> int:
        """Vectors of sums that registers hold beside operands."""
        return self.lower.target.product_rows * PANEL_VECTORS

    def _along_rows(self, right: Rows) -> None:
        """The right operand where it lies: a few of its rows at a time from end to end, as memory is read fastest; the sums go along."""
        n, edges = self.numbers, self.lower.edges
        lines = [n.add(self.left.start, n.multiply(i, self.left.pitch)) for i in range(self.rows)]
        if self.columns & (self.columns - 1) == 0 and self.rows * self.columns <= self._most_sums * self.vector:
            self._in_registers(lines, right)
            return
        width = max(1, STREAMED_VECTORS // self.rows) * self.vector
        if not (isinstance(self.acc, Stored) and self.acc.buffer is self.out.buffer):
            for i in range(self.rows):
                edges.panels(self.columns, width, partial(self._begin, i * self.columns))
        count = STREAMS if self.rows > 1 else 1
        whole = n.multiply(n.divide(self.filled, count), count)
        edges.loop(0, whole, count, lambda k: self._add_rows(lines, right, k, count, width))
        if count > 1:
            edges.loop(whole, self.filled, 1, lambda k: self._add_rows(lines, right, k, 1, width))

    def _begin(self, row: int, column: Number, width: int) -> None:
        place = self.numbers.add(row, column)
        self.lower.access.store(self._given(place, width), self.out.memory, place)

    def _add_rows(self, lines: Sequence[Number], right: Rows, k: Value, count: int, width: int) -> None:
        """What some rows of the right operand add to all sums."""
        n, access = self.numbers, self.lower.access
        steps = [n.add(k, j) for j in range(count)]
        factors = [[access.load_one(self.left.memory, n.add(line, step), self.element) for step in steps] for line in lines]
        starts = [n.add(right.start, n.multiply(step, right.pitch)) for step in steps]

        def columns(column: Number, size: int) -> None:
            rows = [access.load(right.memory, n.add(start, column), size, self.element) for start in starts]
            for i, parts in enumerate(factors):
                place = n.add(i * self.columns, column)
                total = access.load(self.out.memory, place, size, self.element)
                for part, row in zip(parts, rows):
                    total = self._step(access.splat(part, size), row, total)
                access.store(total, self.out.memory, place)

        self.lower.edges.panels(self.columns, width, columns, self.columns_needed)

    def _in_registers(self, lines: Sequence[Number], right: Rows) -> None:
        """All sums, where registers hold them while the right operand is read row by row."""
        n, access, width = self.numbers, self.lower.access, self.columns

        def add(k: Value, sums: Sequence[Value]) -> list[Value]:
            row = access.load(right.memory, n.add(right.start, n.multiply(k, right.pitch)), width, self.element)
            parts = [access.load_one(self.left.memory, n.add(line, k), self.element) for line in lines]
            return [self._step(access.splat(part, width), row, total) for part, total in zip(parts, sums)]

        places = [i * width for i in range(self.rows)]
        for place, total in zip(places, self._summed(0, self.filled, 1, [self._given(p, width) for p in places], add)):
            access.store(total, self.out.memory, place)

    def _by_lines(self) -> None:
        """All rows, which are few, times some columns at a time, as both lie."""
        n, edges = self.numbers, self.lower.edges
        buffer = self.lower.buffers.allocate((self.rows, self.depth + self.vector * self.group), self.left.element)
        lines, memory = self._between_zeros(buffer.memory), buffer.memory
        count = min(LINES, 1 << (self._most_sums // self.rows).bit_length() - 1)
        columns = n.smaller(self.columns, self.columns_needed)
        whole = n.multiply(n.divide(n.larger(columns, 0), count), count)
        edges.loop(0, whole, count, lambda c: self._dots(0, lines, memory, c, count))
        edges.loop(whole, columns, 1, lambda c: self._dots(0, lines, memory, c, 1))
        self.lower.buffers.release(buffer)

    def _between_zeros(self, memory: Value) -> list[Number]:
        """The left operand's rows in a buffer, each after a vector of zeros, with zeros up to whole vectors; gives where they begin."""
        n, access, width = self.numbers, self.lower.access, self.vector * self.group
        zeros, last = access.constant(0, VectorType((width,), self.left.element)), n.subtract(self.rows_needed, 1)
        lines = [i * (self.depth + width) + width for i in range(self.rows)]
        end = n.multiply(n.divide(n.larger(n.subtract(n.multiply(self.filled, self.group), 1), 0), width), width)
        for i, line in enumerate(lines):
            access.store(zeros, memory, line - width)
            access.store(zeros, memory, n.add(line, end))
            start = n.add(self.left.start, n.multiply(n.smaller(i, last), self.left.pitch))
            self._copy(self.left.memory, start, memory, line)
        return lines

    def _dots(self, row: Number, lines: Sequence[Number], left: Value, column: Number, count: int) -> None:
        """Rows times columns as they lie: neighbours along the depth share a vector, whose elements are summed at the end."""
        n, access, right = self.numbers, self.lower.access, self.columns_at
        assert right is not None
        kind, width = VectorType((self.vector,), self.element), self.vector * self.group
        taken = self.narrow or self.element
        starts = [n.add(right.start, n.multiply(n.add(column, j), right.pitch)) for j in range(count)]
        read = self.b.lines if isinstance(self.b, InPlace) else None

        def add(at: Number, sums: Sequence[Value], mask: Value | None) -> list[Value]:
            found = [access.load(right.memory, n.add(start, at), width, right.element) for start in starts]
            columns = [self.lower.convert(b, taken, signed=not self.b.form.unsigned) for b in found]
            rows = [access.load(left, n.add(line, at), width, taken) for line in lines]
            if mask is not None:
                zeros = access.constant(0, VectorType((width,), taken))
                rows, columns = ([self.build(arith.Select, mask, v, zeros) for v in part] for part in (rows, columns))
            return [self._step(a, b, acc) for (a, b), acc in zip(product(rows, columns), sums)]

        sums = [access.constant(0, kind) for _ in range(len(lines) * count)]
        whole = n.multiply(self.filled, self.group) if read is None else read.whole
        sums = self._summed(0, whole, width, sums, lambda k, held: add(k, held, None))
        if (
            read is not None and read.end is not read.whole
        ):  # the last vector goes over what the one before it has, which is left out
            at, first = n.subtract(read.end, width), n.subtract(width, n.subtract(read.end, read.whole))
            sums = self._summed(read.whole, read.end, width, sums, lambda _, held: add(at, held, self._from(first, width, taken)))
        for (i, j), value in zip(product(range(len(lines)), range(count)), sums):
            place = n.add(n.multiply(n.add(row, i), self.columns), n.add(column, j))
            total = self.build(vector.MultiReduction, value, self._given_one(place), kind="add", dims=(0,))
            access.store(total, self.out.memory, place)

    def _summed(self, low: Number, high: Number, step: int, start: Sequence[Value],
                add: Callable[[Value, Sequence[Value]], list[Value]]) -> list[Value]:  # fmt: skip
        """A loop that adds to sums."""
        n, types = self.numbers, [v.type for v in start]
        body = Block([INDEX, *types])
        with self.build.at(body):
            k, *held = body.args
            self.build(scf.Yield, add(k, held))
        return list(
            self.build.op(scf.For, n.value(low), n.value(high), n.value(step), start, regions=[body], values=types).results
        )

    def _from(self, first: Number, count: int, element: ScalarType) -> Value:
        """Which of so many places are not before one."""
        number = {64: I64, 32: I32, 16: I16}[element.bits]
        places = self.lower.access.constant(tuple(range(count)), VectorType((count,), number))
        least = self.lower.access.splat(self.lower.index_as(self.numbers.value(first), number), count)
        return self.build(arith.CmpI, places, least, predicate="sge")

    def _given_one(self, place: Number) -> Value:
        """What an element's sum begins with."""
        if self.acc is None:
            return self.lower.access.constant(0, self.element)
        if isinstance(self.acc, Splat):
            return self.lower.convert(self.acc.scalar, self.element, signed=True)
        return self.lower.access.load_one(self.acc.memory, place, self.element)

    def _given(self, place: Number, width: int) -> Value:
        if self.acc is None:
            return self.lower.access.constant(0, VectorType((width,), self.element))
        if isinstance(self.acc, Splat):
            return self.lower.access.splat(self.lower.convert(self.acc.scalar, self.element, signed=True), width)
        return self.lower.access.load(self.acc.memory, place, width, self.element)

    def _step(self, a: Value, b: Value, acc: Value) -> Value:
        if self.narrow is I8:  # the biased operand is of the other kind
            return self.build(DotQuads, acc, *((b, a) if self.signed else (a, b)))
        if self.narrow is not None:
            return self.build(DotPairs, acc, a, b)
        if self.element.is_float:
            return self.build(math.Fma, a, b, acc)
        return self.build(arith.AddI, acc, self.build(arith.MulI, a, b))

    def _copy(self, source: Value, start: Number, target: Value, place: Number) -> None:
        """As much of a row of the left operand as is read, the last vector over a part of the one before it."""
        n, access, width = self.numbers, self.lower.access, copied_width(self.lower, self.depth)
        read = n.multiply(self.filled, self.group)

        def vector_at(column: Value) -> None:
            at = n.larger(n.smaller(column, n.subtract(read, width)), 0)
            access.store(access.load(source, n.add(start, at), width, self.left.element), target, n.add(place, at))

        self.lower.edges.loop(0, read, width, vector_at)

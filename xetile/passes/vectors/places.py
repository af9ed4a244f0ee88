"""Tiles of memory: where their elements are, and what happens at the edges of an array.

A loop nest reads and writes rows of neighbours without a test. A tile that reaches outside of its array, or whose neighbours in a
row are not neighbours in memory, is copied to a padded buffer before the nest (from one after it): the same nest serves both,
since only the address and the pitch are chosen at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from xetile.dialects import arith
from xetile.dialects.types import I1, ScalarType, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.passes.vectors.loops import Loops, spans
from xetile.passes.vectors.numbers import Number, Truth
from xetile.passes.vectors.storage import Buffer, Buffers, Shape, memory_element
from xetile.passes.vectors.streams import LEAST_RUN, goes_past_caches
from xetile.passes.vectors.transposes import StridedRows, copy_transposed
from xetile.records import dataclass
from xetile.target import Target


@dataclass(frozen=True)
class Line:
    """One dimension of a tile: `offset` of its first element, `extent` of the array, `stride` between neighbours."""

    offset: Number
    extent: Number
    stride: Number


@dataclass(frozen=True, eq=False)
class Place:
    """A tile: a memory of one dimension, and the tile's rows and columns; `lead` are the array's dimensions before these.

    only_written: the kernel reads nothing of the array.
    """

    memory: Value
    element: ScalarType
    shape: Shape
    rows: Line
    columns: Line
    lead: tuple[Line, ...] = ()
    only_written: bool = False

    def carried(self) -> Sequence[Value]:
        """Offsets go through loops."""
        return [self.rows.offset, self.columns.offset, *(line.offset for line in self.lead)]

    def with_carried(self, values: Sequence[Value]) -> Place:
        """The tile with other offsets."""
        row, column, *outer = values
        lead = tuple(replace(line, offset=at) for line, at in zip(self.lead, outer))
        return replace(self, rows=replace(self.rows, offset=row), columns=replace(self.columns, offset=column), lead=lead)

    def fixed(self) -> tuple[Value | int, ...]:
        """What does not go through loops."""
        lines = (self.rows, self.columns, *self.lead)
        return (self.memory, *(n for line in lines for n in (line.extent, line.stride)))

    def transposed(self) -> Place:
        """Rows as columns."""
        return replace(self, shape=(self.shape[1], self.shape[0]), rows=self.columns, columns=self.rows)


@dataclass(frozen=True, eq=False)
class Scattered:
    """A tile whose every element has an offset of its own, an element of a value."""

    memory: Value
    element: ScalarType
    offsets: Value


@dataclass(frozen=True)
class Rows:
    """Rows that a nest may touch without a test: element (r, c) is at `start + r * pitch + c`.

    streams: whether vectors are to be written past the caches.
    """

    memory: Value
    start: Number
    pitch: Number
    element: ScalarType
    streams: Truth = False


class Edges(Loops):
    """Copies between tiles and padded buffers, and the choice between a tile and its buffer."""

    def __init__(self, build: Builder, buffers: Buffers, target: Target) -> None:
        super().__init__(build, target.vector_lanes)
        self.buffers = buffers
        self.way_bytes = target.cache_way_bytes
        self.stream_bytes = target.stream_bytes

    def start(self, place: Place) -> Number:
        """Where the tile's first element is."""
        n = self.numbers
        return n.add(*(n.multiply(line.offset, line.stride) for line in (*place.lead, place.rows, place.columns)))

    def inside(self, place: Place, read: tuple[Number, Number] | None = None) -> Truth:
        """Whether all elements are in the array, or so many rows and columns of them."""
        n, (rows, columns) = self.numbers, read or place.shape
        return n.both(self._lead_inside(place), *self._line_inside(place.rows, rows), *self._line_inside(place.columns, columns))

    def _line_inside(self, line: Line, size: Number) -> list[Truth]:
        n = self.numbers
        return [n.at_most(0, line.offset), n.at_most(n.add(line.offset, size), line.extent)]

    def _lead_inside(self, place: Place) -> Truth:
        n = self.numbers
        tests = [t for line in place.lead for t in (n.at_most(0, line.offset), n.below(line.offset, line.extent))]
        return n.both(*tests)

    def element(self, place: Place, row: Number, column: Number) -> tuple[Number, Truth]:
        """Where an element of the tile is, and whether it is in the array."""
        n = self.numbers
        at = [n.add(line.offset, i) for line, i in ((place.rows, row), (place.columns, column))]
        tests = [t for i, line in zip(at, (place.rows, place.columns)) for t in (n.at_most(0, i), n.below(i, line.extent))]
        index = n.add(self.start(place), n.multiply(row, place.rows.stride), n.multiply(column, place.columns.stride))
        return index, n.both(self._lead_inside(place), *tests)

    def direct(self, place: Place, read: tuple[Number, Number] | None = None) -> Truth:
        """Whether a nest may touch the tile itself, or so many rows and columns of it."""
        return self.numbers.both(self.inside(place, read), self.numbers.equal(place.columns.stride, 1))

    def reading(self, place: Place, padding: float, *, apart: bool = False,
                read: tuple[Number, Number] | None = None) -> tuple[Rows, Buffer | None]:  # fmt: skip
        """Rows that hold the tile's elements, padded; and the buffer that may be behind them, to be released, or None.

        apart: several rows are read at a time, so that they must not fall on the same lines of the cache.
        read: rows and columns beyond which nothing is read.
        """
        if self.is_transposed(place):
            return self._reading_transposed(place, padding)
        direct = self.direct(place, read)
        if apart:
            direct = self.numbers.both(direct, self.is_apart(place.rows.stride, place.element))
        if direct is True:
            return Rows(place.memory, self.start(place), place.rows.stride, place.element), None
        buffer = self.buffers.allocate(place.shape, place.element)
        self.unless(direct, lambda: self.copy_in(place, buffer.memory, padding))
        return self._chosen(direct, place, buffer.memory), buffer

    def is_apart(self, pitch: Number, element: ScalarType) -> Truth:
        """Whether neighbouring rows do not begin at the same place of a cache's way."""
        n, period = self.numbers, self.way_bytes * 8 // memory_element(element).bits
        pitch = n.known(pitch)
        if isinstance(pitch, int):
            return pitch % period != 0
        return self.build(arith.CmpI, self.build(arith.RemUI, pitch, n.value(period)), n.value(0), predicate="ne")

    def is_transposed(self, place: Place) -> bool:
        """Whether neighbours in memory are neighbours in a column."""
        known = self.numbers.known
        return known(place.rows.stride) == 1 and known(place.columns.stride) != 1 and min(place.shape) >= self.lanes

    def _reading_transposed(self, place: Place, padding: float) -> tuple[Rows, Buffer | None]:
        """By columns, transposed in registers; at the edges of the array from a padded buffer, which holds them column by column."""
        rows, columns = place.shape
        buffer = self.buffers.allocate(place.shape, place.element)
        lines, edge = self.reading(place.transposed(), padding)
        source = StridedRows(lines.memory, lines.start, lines.pitch)
        copy_transposed(self, source, StridedRows(buffer.memory, 0, columns), columns, rows, memory_element(place.element))
        if edge is not None:
            self.buffers.release(edge)
        return Rows(buffer.memory, 0, columns, place.element), buffer

    def writing(self, place: Place) -> tuple[Rows, Buffer | None, Callable[[], None]]:
        """Rows to write to, the buffer that may be behind them, and what brings them to the tile afterwards."""
        if self.is_transposed(place):
            return self._writing_transposed(place)
        direct = self.direct(place)
        streams = self.numbers.both(direct, self._streams(place))
        if direct is True:
            return Rows(place.memory, self.start(place), place.rows.stride, place.element, streams), None, lambda: None
        buffer = self.buffers.allocate(place.shape, place.element)
        finish = lambda: self.unless(direct, lambda: self.copy_out(place, buffer.memory))  # noqa: E731
        return replace(self._chosen(direct, place, buffer.memory), streams=streams), buffer, finish

    def _writing_transposed(self, place: Place) -> tuple[Rows, Buffer | None, Callable[[], None]]:
        """To a buffer, whose blocks are transposed in registers afterwards."""
        rows, columns = place.shape
        buffer = self.buffers.allocate(place.shape, place.element)

        def finish() -> None:
            lines, edge, write = self.writing(place.transposed())
            target = StridedRows(lines.memory, lines.start, lines.pitch)
            copy_transposed(self, StridedRows(buffer.memory, 0, columns), target, rows, columns, memory_element(place.element))
            write()
            if edge is not None:
                self.buffers.release(edge)

        return Rows(buffer.memory, 0, columns, place.element), buffer, finish

    def _streams(self, place: Place) -> Truth:
        """Whether rows of a tile, all inside of its array, are to be written past the caches."""
        run = place.shape[1] * memory_element(place.element).bits // 8
        if not (self.stream_bytes and place.only_written and run >= LEAST_RUN):
            return False
        lines = [(line.extent, line.stride) for line in (*place.lead, place.rows, place.columns)]
        return goes_past_caches(self, place.memory, place.element, lines, self.start(place), self.stream_bytes)

    def _chosen(self, direct: Truth, place: Place, copy: Value) -> Rows:
        rows = Rows(place.memory, self.start(place), place.rows.stride, place.element)
        return self.chosen(direct, rows, copy, place.shape[1])

    def chosen(self, direct: Truth, rows: Rows, copy: Value, width: int) -> Rows:
        """Rows, or those of a copy of so many columns."""
        n = self.numbers
        if direct is False:
            return Rows(copy, 0, width, rows.element)
        if direct is True:
            return rows
        memory = self.build(arith.Select, direct, rows.memory, copy)
        return Rows(memory, n.choose(direct, rows.start, 0), n.choose(direct, rows.pitch, width), rows.element)

    # Copies, row by row: what lies in the array from column `low` to `high`, padding around it.

    def copy_in(self, place: Place, copy: Value, padding: float) -> None:
        """The tile's elements to a buffer, padding where the tile is outside."""
        rows, columns = place.shape
        kept = memory_element(place.element)
        if place.element is I1:
            padding = int(bool(padding))

        def row(r: Value) -> None:
            low, high = self._span(place, r)
            at = self.numbers.multiply(r, columns)
            partly = self.numbers.below(self.numbers.subtract(high, low), columns)
            self.either(partly, lambda: self._fill(copy, at, columns, padding, kept), lambda: None)
            self._move(place, r, low, high, lambda c: self.numbers.add(at, c), copy, inwards=True)

        self.loop(0, rows, 1, row)

    def copy_out(self, place: Place, copy: Value) -> None:
        """A buffer's elements to the tile where it is inside."""
        rows, columns = place.shape

        def row(r: Value) -> None:
            low, high = self._span(place, r)
            at = self.numbers.multiply(r, columns)
            self._move(place, r, low, high, lambda c: self.numbers.add(at, c), copy, inwards=False)

        self.loop(0, rows, 1, row)

    def _span(self, place: Place, r: Value) -> tuple[Number, Number]:
        """The columns of a row that are in the array."""
        n, width = self.numbers, place.shape[1]
        line = n.add(place.rows.offset, r)
        there = n.both(self._lead_inside(place), n.at_most(0, line), n.below(line, place.rows.extent))
        low = n.smaller(n.larger(n.subtract(0, place.columns.offset), 0), width)
        high = n.smaller(n.larger(n.subtract(place.columns.extent, place.columns.offset), low), width)
        return low, n.choose(there, high, low)

    def _fill(self, copy: Value, at: Number, width: int, padding: float, kept: ScalarType) -> None:
        for start, count in spans(width, self.lanes):
            vectors = Vectors(self, kept, count)
            if start[1] - start[0] == count:
                self.access.store(vectors.constant(padding), copy, self.numbers.add(at, start[0]))
            else:
                self.loop(start[0], start[1], count,
                          lambda c, v=vectors: self.access.store(v.constant(padding), copy, self.numbers.add(at, c)))  # type: ignore[misc]  # fmt: skip

    def _move(self, place: Place, r: Value, low: Number, high: Number, there: Callable[[Number], Number], copy: Value,
              *, inwards: bool) -> None:  # fmt: skip
        n, kept = self.numbers, memory_element(place.element)
        stride = n.known(place.columns.stride)
        base = n.add(self.start(place), n.multiply(r, place.rows.stride))
        plain = replace(place, element=kept)

        def one(c: Value) -> None:
            self._one(plain, n.add(base, n.multiply(c, stride)), there(c), copy, inwards)

        def vectors_of(count: int) -> None:
            """The last one over a part of the one before it: element by element what is left takes longer than all before."""
            vectors, last = Vectors(self, kept, count), n.subtract(high, count)

            def vector_at(c: Value) -> None:
                at = n.smaller(c, last)
                vectors.move(place.memory, n.add(base, at), copy, there(at), inwards)

            self.loop(low, high, count, vector_at)

        move: Callable[[], None] = partial(self.loop, low, high, 1, one)
        for count in self._counts(place.shape[1], kept) if stride == 1 else ():
            move = partial(self.either, n.at_most(count, n.subtract(high, low)), partial(vectors_of, count), move)
        move()

    def _counts(self, columns: int, element: ScalarType) -> list[int]:
        """Elements of the vectors that copy a row: of a quarter of a register and of a whole one, where a row has so many."""
        most = self.lanes * 32 // element.bits
        return [count for count in (most // 4, most) if count <= columns]

    def _one(self, place: Place, index: Number, there: Number, copy: Value, inwards: bool) -> None:
        source, target = (place.memory, copy) if inwards else (copy, place.memory)
        first, second = (index, there) if inwards else (there, index)
        self.access.store(self.access.load_one(source, first, place.element), target, second)


class Vectors:
    """Vectors of one length and element type."""

    def __init__(self, edges: Edges, element: ScalarType, count: int) -> None:
        self.access = edges.access
        self.element = element
        self.count = count

    def constant(self, value: float) -> Value:
        """The same number in all places."""
        return self.access.constant(value, VectorType((self.count,), self.element))

    def move(self, outer: Value, index: Number, copy: Value, there: Number, inwards: bool) -> None:
        """Neighbours from one memory to the other."""
        source, target = (outer, copy) if inwards else (copy, outer)
        first, second = (index, there) if inwards else (there, index)
        self.access.store(self.access.load(source, first, self.count, self.element), target, second)

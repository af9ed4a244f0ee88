"""Tiles of memory: where their elements are, and what happens at the edges of an array.

A loop nest reads and writes rows of neighbours without a test. Of a tile that reaches outside of its array the vectors that are not all
inside are copied to a padded buffer before the nest (from one after it), and so is a tile whose neighbours in a row are not neighbours in
memory: the same nest serves all, since only addresses are chosen at run time.
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
class Edge:
    """The part of a tile that lies in a padded buffer, from whose beginning its rows follow one another.

    rows        the first of the tile's rows that are in the array, and the one behind the last.
    columns     how many of a row's columns are in the array, from its first one on.
    """

    copy: Value
    rows: tuple[Number, Number]
    columns: Number


@dataclass(frozen=True)
class Rows:
    """Rows that a nest may touch without a test: element (r, c) is at `start + r * pitch + c`.

    streams: whether vectors are to be written past the caches. edge: what lies elsewhere, see `Edges.where`.
    """

    memory: Value
    start: Number
    pitch: Number
    element: ScalarType
    streams: Truth = False
    edge: Edge | None = None


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

    def reading(self, place: Place, padding: float, *, apart: bool = False, read: tuple[Number, Number] | None = None,
                vector: int = 0, inside: bool = False) -> tuple[Rows, Buffer | None]:  # fmt: skip
        """Rows that hold the tile's elements, padded; and the buffer that may be behind them, to be released, or None.

        apart: several rows are read at a time, so that they must not fall on the same lines of the cache.
        read: rows and columns beyond which nothing is read.
        vector: columns that are read at a time; only those that are not all in the array are copied, for a caller who asks `where`.
        inside: the tile is known to be `direct`.
        """
        if self.is_transposed(place):
            return self._reading_transposed(place, padding)
        direct = inside or self.direct(place, read)
        if apart:
            direct = self.numbers.both(direct, self.is_apart(place.rows.stride, place.element))
        if direct is True:
            return Rows(place.memory, self.start(place), place.rows.stride, place.element), None
        buffer = self.buffers.allocate(place.shape, place.element)
        if vector and self._may_part(place):
            rows, first = self._parted(place, buffer.memory, vector)
            self.unless(direct, lambda: self.copy_in(place, buffer.memory, padding, first, read))
            return rows, buffer
        self.unless(direct, lambda: self.copy_in(place, buffer.memory, padding))
        return self._chosen(direct, place, buffer.memory), buffer

    def _may_part(self, place: Place) -> bool:
        """Whether vectors of a tile that an array ends in may be read from the array while others are copied."""
        return bool(self.numbers.known(place.columns.stride) == 1)

    def _parted(self, place: Place, copy: Value, vector: int) -> tuple[Rows, Number]:
        """The tile, vectors that are not all in the array in a copy; and the first column of a row that is, where the row is in the array."""
        n, (high, width) = self.numbers, place.shape
        bounds = []
        for line, size in ((place.rows, high), (place.columns, width)):
            low = n.smaller(n.larger(n.subtract(0, line.offset), 0), size)
            bounds.append((low, n.smaller(n.larger(n.subtract(line.extent, line.offset), low), size)))
        rows, (low, end) = bounds
        columns = n.choose(n.both(self._lead_inside(place), n.at_most(low, 0)), end, 0)
        found = Rows(place.memory, self.start(place), place.rows.stride, place.element, edge=Edge(copy, rows, columns))
        return found, self._first_apart(columns, width, vector)

    def _first_apart(self, columns: Number, width: int, vector: int) -> Number:
        """The first column of the first vector of a row, as `panels` takes them, that is not all among so many columns."""
        n, first = self.numbers, 0
        for (start, stop), count in spans(width, vector):
            if stop - start == count:
                first = n.choose(n.at_most(stop, columns), stop, first)
            else:
                first = n.smaller(n.multiply(n.divide(columns, count), count), stop)
        return first

    def where(self, rows: Rows, width: int, row: Number, column: Number, count: int) -> tuple[Value, Number]:
        """The memory and the place in it of some neighbours in a row, of a tile of so many columns."""
        n, edge = self.numbers, rows.edge
        index = n.add(n.add(rows.start, n.multiply(row, rows.pitch)), column)
        if edge is None:
            return rows.memory, index
        low, high = edge.rows
        there = n.choose(n.both(n.at_most(low, row), n.below(row, high)), edge.columns, 0)
        inside = n.at_most(n.add(column, count), there)
        if inside is True:
            return rows.memory, index
        other = n.add(n.multiply(row, width), column)
        if inside is False:
            return edge.copy, other
        return self.build(arith.Select, inside, rows.memory, edge.copy), n.choose(inside, index, other)

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

    def writing(self, place: Place, vector: int = 0, written: tuple[Number, Number] | None = None, *,
                inside: bool = False) -> tuple[Rows, Buffer | None, Callable[[], None]]:  # fmt: skip
        """Rows to write to, the buffer that may be behind them, and what brings them to the tile afterwards; `vector` as for `reading`.

        written: rows and columns beyond which nothing is.
        """
        if self.is_transposed(place):
            return self._writing_transposed(place)
        direct = inside or self.direct(place, written)
        streams = self.numbers.both(direct, self._streams(place))
        if direct is True:
            return Rows(place.memory, self.start(place), place.rows.stride, place.element, streams), None, lambda: None
        buffer = self.buffers.allocate(place.shape, place.element)
        rows, first = self._chosen(direct, place, buffer.memory), 0
        if vector and self._may_part(place):
            rows, first = self._parted(place, buffer.memory, vector)
        high = place.shape[0] if written is None else written[0]
        finish = lambda: self.unless(direct, lambda: self.copy_out(place, buffer.memory, first, high))  # noqa: E731
        return replace(rows, streams=streams), buffer, finish

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

    def copy_in(self, place: Place, copy: Value, padding: float, first: Number = 0,
                read: tuple[Number, Number] | None = None) -> None:  # fmt: skip
        """The tile's elements to a buffer, padding where the tile is outside; of rows in the array those from a column on.

        read: rows and columns from which on nobody looks.
        """
        columns = place.shape[1]
        rows, end = read or place.shape
        kept = memory_element(place.element)
        if place.element is I1:
            padding = int(bool(padding))

        def row(r: Value) -> None:
            low, high = self._span(place, r)
            at = self.numbers.multiply(r, columns)
            n = self.numbers
            partly, begin = n.below(n.subtract(high, low), end), 0 if first == 0 else n.choose(n.below(low, high), first, 0)
            self.either(partly, lambda: self._fill(copy, at, (begin, end), columns, padding, kept), lambda: None)
            low = self.numbers.smaller(self.numbers.larger(low, first), high)
            self._move(place, r, low, high, lambda c: self.numbers.add(at, c), copy, inwards=True)

        self.loop(0, rows, 1, row)

    def copy_out(self, place: Place, copy: Value, first: Number, rows: Number) -> None:
        """So many rows of a buffer to the tile where it is inside, from a column on."""
        columns = place.shape[1]

        def row(r: Value) -> None:
            low, high = self._span(place, r)
            low = self.numbers.smaller(self.numbers.larger(low, first), high)
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

    def _fill(self, copy: Value, at: Number, there: tuple[Number, Number], width: int, padding: float, kept: ScalarType) -> None:
        """Padding in a row of so many columns, from one on where a vector begins up to another one."""
        n, (begin, end) = self.numbers, there

        def fill(vectors: Vectors, column: Number) -> None:
            self.access.store(vectors.constant(padding), copy, n.add(at, column))

        for (start, stop), count in spans(width, self.lanes):
            vectors = Vectors(self, kept, count)
            if stop - start == count:
                fill(vectors, start)
            else:
                low = n.larger(start, n.multiply(n.divide(begin, count), count))
                self.loop(low, n.smaller(stop, end), count, partial(fill, vectors))

    def _move(self, place: Place, r: Value, low: Number, high: Number, there: Callable[[Number], Number], copy: Value,
              *, inwards: bool) -> None:  # fmt: skip
        n, kept = self.numbers, memory_element(place.element)
        stride = n.known(place.columns.stride)
        base = n.add(self.start(place), n.multiply(r, place.rows.stride))
        plain = replace(place, element=kept)

        def one(c: Value) -> None:
            self._one(plain, n.add(base, n.multiply(c, stride)), there(c), copy, inwards)

        if stride != 1:
            self.loop(low, high, 1, one)
            return

        def vector_at(count: int, c: Number) -> None:
            Vectors(self, kept, count).move(place.memory, n.add(base, c), copy, there(c), inwards)

        length, width = n.subtract(high, low), place.shape[1]
        most = min(self.lanes * 32 // kept.bits, 1 << width.bit_length() - 1)
        end = n.add(low, n.multiply(n.divide(length, most), most))
        self.loop(low, end, most, partial(vector_at, most))
        # What is left by halves: none of them goes over another one, whose bytes a load would wait for.
        while (most := most // 2) > 0:
            count, at = most, end
            there_is = n.at_most(n.add(at, count), high)
            self.either(there_is, partial(vector_at, count, at), lambda: None)
            end = n.choose(there_is, n.add(at, count), at)

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

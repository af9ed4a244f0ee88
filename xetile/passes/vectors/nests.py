"""Loop nests: ops on tiles of one shape, one after the other on each vector, so that what is between them stays in registers.

A nest collects ops as long as they fit it; `run` writes its loops. What ops outside of it use goes to buffers, sums of rows and
columns too. A nest with sums over columns (dim 0) has rows inside, all others have columns inside. Tiles that lie in memory column by
column are run through so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from functools import partial, reduce
from typing import Any

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.types import INDEX, ScalarType, VectorType
from xetile.errors import UncoveredError
from xetile.ir.core import Block, Op, Value
from xetile.passes.common.reductions import combiner
from xetile.passes.vectors.elementwise import apply
from xetile.passes.vectors.ends import MOST_VECTORS, Tails, ends_of
from xetile.passes.vectors.loops import spans
from xetile.passes.vectors.needed import read_of
from xetile.passes.vectors.neighbours import Neighbours
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Edge, Place, Rows, Scattered
from xetile.passes.vectors.state import Lowering, Nest
from xetile.passes.vectors.storage import Buffer, Splat, Stored, memory_element
from xetile.passes.vectors.streams import STREAM_ALIGNMENT, STREAMS
from xetile.passes.vectors.words import ColumnWords
from xetile.records import dataclass

MANY_OPS = 24
"""Values in a nest beyond which registers allow only one vector of each."""
FEW_OPS = 16
"""Ops of a nest that are worth writing twice."""
MOST_ROWS = 8
"""Rows that sums of wide rows of memory take at a time: more of them, a power of two apart, fall on the same lines of a cache."""
WIDE_ROW = 4096
"""Bytes from which a row of memory is worth reading along: one after the other, several in turns."""


@dataclass
class Chunk:
    """Where a vector of a nest lies, and what values are there; `inside`: all of it is in the arrays."""

    row: Number
    column: Number
    count: int
    inside: bool = False
    values: dict[Value, Value] = field(default_factory=dict)


class NestWriter:
    """Writes one nest."""

    def __init__(self, lower: Lowering, nest: Nest) -> None:
        self.lower = lower
        self.nest = nest
        self.build = lower.build
        self.numbers = lower.numbers
        self.access = lower.access
        nest.by_columns = self._lies_by_columns()
        self.rows, self.columns = nest.size
        self.sources: dict[Op, Rows] = {}
        self.targets: dict[Op, Rows] = {}
        self.outputs: dict[Value, Stored] = {}
        self.reductions: list[Op] = [op for op in nest.ops if isinstance(op, xetile.TileReduce)]
        self.rows_read: Number | None = None
        self.neighbours = Neighbours(self.lower, 0 if nest.transposed else 1)
        self.ends: tuple[Number, Number] = (self.rows, self.columns)
        self.tails: Tails = {}

    def run(self) -> None:
        """Prepare, run through, finish."""
        for inner in self.nest.ops:
            for result in inner.results:
                if self.lower.is_used_outside(result, self.nest):
                    self.outputs[result] = self.lower.output(result, self.nest)
        self.rows_read = self._rows_of_a_panel()
        words = ColumnWords.of(self.lower, self.nest, self.outputs)
        if words is None:
            self._run_through()
        else:
            self.lower.edges.either(words.fits, words.copy, self._run_through)
        self.lower.env.update(self.outputs)

    def _run_through(self) -> None:
        """In two ways where there are few ops: one for tiles that lie in their arrays, and one with all that edges ask for."""
        edges = self.lower.edges
        tiles = [self._place(op.tile) for op in self.nest.ops if isinstance(op, (xetile.LoadTile, xetile.StoreTile))]
        several = self.rows_read is None and len(self.nest.ops) <= FEW_OPS
        whole = several and self.numbers.both(*(edges.direct(place) for place in tiles if not edges.is_transposed(place)))
        if tiles:
            edges.either(whole, partial(self._run, whole=True), self._run)
        else:
            self._run()

    def _run(self, *, whole: bool = False) -> None:
        vector, edges = self._width(), self.lower.edges
        self.ends, self.tails = (self.rows, self.columns), {}
        if not whole:
            rows = None if self.rows_read is None else self.numbers.smaller(self.rows, self.rows_read)
            self.ends, self.tails = ends_of(self.lower, self.nest, self.outputs) if rows is None else ((rows, self.columns), {})
        borrowed: list[Buffer | None] = []
        finishes: list[Callable[[], None]] = []
        for op in self.nest.ops:
            if isinstance(op, xetile.LoadTile):
                place = self._place(op.tile)
                self.sources[op], buffer = edges.reading(place, self._padding(op), read=self.ends, vector=vector, inside=whole)
                borrowed.append(buffer)
            elif isinstance(op, xetile.StoreTile):
                self.targets[op], buffer, finish = edges.writing(self._place(op.tile), vector, self.ends, inside=whole)
                borrowed.append(buffer)
                finishes.append(finish)
        if any(self._dim(op) == 0 for op in self.reductions):
            self._columns_outside()
        else:
            self._rows_outside()
        for finish in finishes:
            finish()
        for buffer in borrowed:
            if buffer is not None:
                self.lower.buffers.release(buffer)

    def _rows_of_a_panel(self) -> Number | None:
        """How many rows of a right operand, which is only loaded, products read; None where they may read all."""
        (op, *others), outputs = self.nest.ops, self.outputs.values()
        if others or not isinstance(op, xetile.LoadTile) or self.nest.transposed or any(not at for _, at in op.value.uses):
            return None  # AMX takes left operands in panels, too: the depth is their columns
        return read_of(op, self.lower) if all(out.form.panel and out.form.group == 1 for out in outputs) else None

    def _lies_by_columns(self) -> bool:
        """Whether the nest's tiles lie so in memory, and what it shares with other nests has no order: scalars and sums."""
        nest, env = self.nest, self.lower.env
        tiles = [env[op.tile] for op in nest.ops if isinstance(op, (xetile.LoadTile, xetile.StoreTile))]
        if not tiles or not all(map(self.lower.edges.is_transposed, tiles)):
            return False
        given = {v for op in nest.ops for v in op.operands if v not in nest.defined}
        if any(isinstance(held := env[v], Scattered) or (isinstance(held, Stored) and held.shape == nest.shape) for v in given):
            return False
        elements = (r for op in nest.ops if not isinstance(op, xetile.TileReduce) for r in op.results)
        return not any(self.lower.is_used_outside(r, nest) for r in elements)

    def _place(self, tile: Value) -> Place:
        return self.nest.place(self.lower.env[tile])

    def _padding(self, op: xetile.LoadTile | xetile.LoadGather) -> float:
        return float(op.padding) if op.tile.type.element.is_float else int(op.padding)

    def _dim(self, op: Any) -> int:
        return self.nest.dim(op.dims[0])

    # Loops.

    def _width(self) -> int:
        """Elements of a vector value: several registers where there are enough."""
        panels = {out.form.panel for out in self.outputs.values() if out.form.panel}
        if panels:
            return max(panels)
        scattered = [op.tile for op in self.nest.ops if isinstance(op, (xetile.StoreScatter, xetile.LoadGather))]
        one_by_one = any(not self.neighbours.step(self.lower.env[tile].offsets) for tile in scattered)
        lanes: int = self.lower.lanes
        many = 1 if one_by_one or len(self.nest.ops) > MANY_OPS else MOST_VECTORS
        while many > 1 and lanes * many > self.columns:
            many //= 2
        return lanes * many

    def _each_row(self, body: Callable[[Number], None]) -> None:
        if self.rows == 1:
            body(0)
        else:
            self.lower.edges.loop(0, self.ends[0], 1, body)

    def _rows_outside(self) -> None:
        group = max((out.form.group for out in self.outputs.values()), default=1)
        if group > 1:
            self.lower.edges.loop(0, self.rows, group, lambda r: self._row_group(r, group))
        else:
            self._each_row(self._row)

    def _row_group(self, row: Number, group: int) -> None:
        """Several rows at a time, for those that lie together in words."""
        self.lower.edges.panels(self.columns, self._width(), partial(self._chunk_group, row, group))

    def _chunk_group(self, row: Number, group: int, column: Number, count: int) -> None:
        chunks = [Chunk(self.numbers.add(row, i), column, count) for i in range(group)]
        for chunk in chunks:
            self._chunk(chunk)
        for value, out in self.outputs.items():
            size = out.form.group
            for first in range(0, group, size) if size > 1 else ():
                parts = [chunk.values[value] for chunk in chunks[first : first + size]]
                self.lower.store_group(out, parts, self.numbers.add(row, first), column, count)

    def _row(self, row: Number) -> None:
        parts: dict[Op, list[Value]] = {op: [] for op in self.reductions}
        n, end, direct = self.numbers, self.ends[1], self._inside(row)
        first: Number
        last: Number
        for (first, last), count in spans(self.columns, self._width()):
            if last - first == count and (first == 0 or end == self.columns):
                self._gather(parts, self._chunk(Chunk(row, first, count)))
                continue
            last = n.smaller(last, end)
            start = [self._start(op, count) for op in self.reductions]
            if direct is not None:
                inside = n.larger(n.smaller(n.multiply(n.divide(direct, count), count), last), first)
                start = self._carried_loop(first, inside, count, start, partial(self._along, row, count, True))
                first = inside
            sums = self._carried_loop(first, last, count, start, partial(self._along, row, count, False))
            for op, value in zip(self.reductions, sums):
                parts[op].append(value)
        for op, values in parts.items():
            total: Any = None
            for value in values:
                one = self._fold(op, value)
                total = one if total is None else self._combine(op, total, one)
            if op.result in self.outputs:
                self.access.store(total, self.outputs[op.result].memory, row)

    def _along(self, row: Number, count: int, inside: bool, column: Value) -> list[Value]:
        return self._chunk(Chunk(row, column, count, inside))

    def _inside(self, row: Number) -> Number | None:
        """How many columns of a row are in all arrays, from the first one on; None where vectors are tested one by one."""
        n, edges = self.numbers, self._edges()
        if not edges or len(self.nest.ops) > FEW_OPS:
            return None
        there = [n.choose(n.both(n.at_most(edge.rows[0], row), n.below(row, edge.rows[1])), edge.columns, 0) for edge in edges]
        return reduce(n.smaller, there)

    def _gather(self, parts: dict[Op, list[Value]], given: list[Value]) -> None:
        for op, value in zip(self.reductions, given):
            tail = self.tails.get(op)
            parts[op].append(value if tail is None else self._combine(op, self._start(op, value.type.count), value))  # type: ignore[attr-defined]

    def _columns_outside(self) -> None:
        """Sums over rows: panel by panel, or block of rows by block of rows where these are long and come from memory."""
        block = self._rows_at_a_time()
        if block == self.rows:
            self._panels(partial(self._column, 0, None))
            return
        self._panels(self._start_column)
        self.lower.edges.loop(0, self.ends[0], block, lambda first: self._panels(partial(self._column, first, block)))

    def _panels(self, body: Callable[[Number, int], None]) -> None:
        self.lower.edges.panels(self.columns, self._width(), body, None if self.ends[1] == self.columns else self.ends[1])

    def _rows_at_a_time(self) -> int:
        """A divisor of the rows."""
        widest = max((rows.element.bits // 8 for rows in self.sources.values()), default=0)
        if widest * self.columns < WIDE_ROW or not all(op.result in self.outputs for op in self.reductions):
            return self.rows
        return next(count for count in range(MOST_ROWS, 0, -1) if self.rows % count == 0)

    def _start_column(self, column: Number, count: int) -> None:
        for op in self.reductions:
            self.access.store(self._start(op, count), self.outputs[op.result].memory, column)

    def _column(self, first: Number, rows: int | None, column: Number, count: int) -> None:
        """Combine so many rows from the first on with what the outputs hold; None: all rows, into the outputs."""
        if rows is None:
            start = [self._start(op, count) for op in self.reductions]
        else:
            kinds = [(self.outputs[op.result].memory, self._element(op)) for op in self.reductions]
            start = [self.access.load(memory, column, count, element) for memory, element in kinds]
        n, ends = self.numbers, [self.ends[0]] if rows is None else [self.numbers.add(first, rows), self.ends[0]]
        last = reduce(n.smaller, ends)
        direct = self._inside(n.subtract(last, 1))  # and so from the first row on, as far as columns are
        all_there = (
            False if direct is None else n.both(n.at_most(n.add(column, count), direct), n.at_most(self._first_there(), first))
        )
        self.lower.edges.either(
            all_there, *(partial(self._rows_of, first, last, column, count, start, way) for way in (True, False))
        )

    def _first_there(self) -> Number:
        return reduce(self.numbers.larger, (edge.rows[0] for edge in self._edges()))

    def _edges(self) -> list[Edge]:
        return [rows.edge for rows in (*self.sources.values(), *self.targets.values()) if rows.edge is not None]

    def _rows_of(self, first: Number, last: Number, column: Number, count: int, start: list[Value], inside: bool) -> None:
        sums = self._carried_loop(first, last, 1, start, lambda r: self._chunk(Chunk(r, column, count, inside)))
        for op, value in zip(self.reductions, sums):
            if op.result in self.outputs:
                self.access.store(value, self.outputs[op.result].memory, column)

    def _carried_loop(self, low: Number, high: Number, step: int, start: list[Value],
                      body: Callable[[Value], list[Value]]) -> list[Value]:  # fmt: skip
        """A loop that combines what the body gives for each reduction."""
        n = self.numbers
        block = Block([INDEX, *(v.type for v in start)])
        with self.build.at(block):
            given = body(block.args[0])
            self.build(scf.Yield, [self._combine(op, a, b) for op, a, b in zip(self.reductions, block.args[1:], given)])
        loop = self.build.op(scf.For, n.value(low), n.value(high), n.value(step), start, regions=[block],
                             values=[v.type for v in start])  # fmt: skip
        return list(loop.results)

    # Reductions.

    def _element(self, op: Any) -> ScalarType:
        element: ScalarType = op.source.type.element
        return self.lower.element(element)

    def _start(self, op: Any, count: int) -> Value:
        """What changes nothing, or the number that stands beyond a nest's end where the nest ends before its tiles."""
        element, n = self._element(op), self.numbers
        neutral, tail = vector.identity(op.kind, element), self.tails.get(op)
        if tail is None:
            return self.access.constant(neutral, VectorType((count,), element))
        size = (self.rows, self.columns)[self._dim(op)]
        whole = n.at_most(size, tail[1])
        scalars = [self.access.constant(number, element) for number in (neutral, tail[0].number)]
        return self.access.splat(self.build(arith.Select, n.truth(whole), *scalars), count)

    def _combine(self, op: Any, a: Value, b: Value) -> Value:
        return self.build(combiner(op.kind, self._element(op).is_float), a, b)

    def _fold(self, op: Any, value: Value) -> Value:
        """The elements of a vector combined."""
        element = self._element(op)
        start = self.access.constant(vector.identity(op.kind, element), element)
        return self.build(vector.MultiReduction, value, start, kind=op.kind, dims=(0,))

    # One vector of everything.

    def _chunk(self, chunk: Chunk) -> list[Value]:
        """Run the ops on one vector; gives what each reduction takes."""
        stores: list[Callable[[], None]] = []
        given: list[Value] = []
        for op in self.nest.ops:
            if isinstance(op, xetile.TileReduce):
                given.append(self.fetch(op.source, chunk))
            elif isinstance(op, xetile.StoreTile):
                value, rows = self.fetch(op.value, chunk), self.targets[op]
                stores.append(partial(self._store, value, rows, chunk))
            elif isinstance(op, xetile.StoreScatter):
                parts = [self.fetch(v, chunk) for v in (op.value, self.lower.env[op.tile].offsets, op.mask)]
                stores.append(partial(self._scatter, self.lower.env[op.tile], parts))
            else:
                (result,) = op.results
                chunk.values[result] = self._make(op, chunk)
        for value, out in self.outputs.items():
            if value in chunk.values and out.form.group == 1:
                self._write(out, chunk.values[value], chunk)
        for store in stores:
            store()
        return given

    def _store(self, value: Value, rows: Rows, chunk: Chunk) -> None:
        memory, index = self._where(rows, chunk)
        plain = partial(self.access.store, value, memory, index)
        size = chunk.count * memory_element(rows.element).bits // 8
        self.lower.edges.either(rows.streams if size % STREAM_ALIGNMENT == 0 else False, partial(plain, **STREAMS), plain)

    def _where(self, rows: Rows, chunk: Chunk) -> tuple[Value, Number]:
        rows = replace(rows, edge=None) if chunk.inside else rows
        return self.lower.edges.where(rows, self.columns, chunk.row, chunk.column, chunk.count)

    def _write(self, out: Stored, value: Value, chunk: Chunk) -> None:
        n, form = self.numbers, out.form
        value = self.lower.convert(value, form.element, signed=not form.unsigned)
        if not form.panel:
            self.access.store(value, out.memory, n.add(n.multiply(chunk.row, self.columns), chunk.column))
            return
        index = n.add(n.multiply(chunk.column, self.rows), n.multiply(chunk.row, chunk.count))
        self.access.store(value, out.memory, index)

    def _make(self, op: Op, chunk: Chunk) -> Value:
        if isinstance(op, xetile.LoadTile):
            rows = self.sources[op]
            return self.access.load(*self._where(rows, chunk), chunk.count, rows.element)
        if isinstance(op, xetile.LoadGather):
            return self._gathered(op, self.lower.env[op.tile], chunk)
        if isinstance(op, xetile.TileIota):
            return self._iota(op, chunk)
        if isinstance(op, xetile.TileBroadcast):
            return self._stretched(op, chunk)
        return apply(self.lower.build, op, [self.fetch(v, chunk) for v in op.operands], chunk.count, self.lower.index)

    def _gathered(self, op: xetile.LoadGather, place: Scattered, chunk: Chunk) -> Value:
        offsets, mask = self.fetch(place.offsets, chunk), self.fetch(op.mask, chunk)
        step, padding = self.neighbours.step(place.offsets), self._padding(op)
        if step:
            return self.neighbours.load(place, offsets, mask, padding, step)
        return self.access.gather(place.memory, offsets, mask, padding, place.element)

    def _scatter(self, place: Scattered, parts: list[Value]) -> None:
        value, offsets, mask = parts
        step = self.neighbours.step(place.offsets)
        if step:
            self.neighbours.store(place, value, offsets, mask, step)
        else:
            self.access.scatter(place.memory, value, offsets, mask)

    def _iota(self, op: xetile.TileIota, chunk: Chunk) -> Value:
        element = self.lower.element(INDEX)
        inner = self.nest.dim(op.dim) == 1
        at = chunk.column if inner else chunk.row
        first = self.access.splat(self.lower.index_as(self.numbers.value(at), element), chunk.count)
        if not inner:
            return first
        steps = self.access.constant(tuple(range(chunk.count)), VectorType((chunk.count,), element))
        if chunk.count == 1:
            return first
        return self.build(arith.AddI, first, steps)

    def fetch(self, value: Value, chunk: Chunk) -> Value:
        """A value of the nest's shape on the chunk's elements; a scalar for all of them."""
        if value in chunk.values:
            return chunk.values[value]
        held = self.lower.env[value]
        if isinstance(held, Splat):
            return self.access.splat(held.scalar, chunk.count)
        if isinstance(held, Stored):
            index = self.numbers.add(self.numbers.multiply(chunk.row, self.columns), chunk.column)
            return self._from(held, index, chunk.count)
        if isinstance(held, Value) and isinstance(held.type, ScalarType):
            return self.access.splat(held, chunk.count)
        raise UncoveredError(f"a value {value.type} in a loop over vectors")

    def _from(self, held: Stored, index: Number, count: int) -> Value:
        if held.form.panel:
            raise UncoveredError("a matrix operand that is used elsewhere too")
        return self.access.load(held.memory, index, count, held.form.element)

    def _stretched(self, op: xetile.TileBroadcast, chunk: Chunk) -> Value:
        held, shape = self.lower.env[op.source] if op.source not in chunk.values else None, op.source.type.shape
        if held is None or isinstance(held, Splat):
            return self.fetch(op.source, chunk)
        rows, columns = reversed(shape) if self.nest.transposed else shape
        if (rows, columns) == (self.rows, self.columns):
            return self.fetch(op.source, chunk)
        if columns == 1:
            index = chunk.row if rows > 1 else 0
            return self.access.splat(self.access.load_one(held.memory, index, held.form.element), chunk.count)
        return self._from(held, chunk.column, chunk.count)

"""Matrix products: accumulators in registers over all of K, B in panels, A element by element.

A register tile has `target.product_rows` rows, a strip, and two vectors of columns; rows and columns that are left over get tiles of their
own, outside of the loops over whole ones. Narrow types are widened where their values are stored, once for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from xetile.dialects import arith, math, scf, vector, xetile
from xetile.dialects.dot import DotPairs, DotQuads
from xetile.dialects.joint_matrix import Mad, is_cleared_by
from xetile.dialects.types import BF16, F32, F64, I8, I16, I32, I64, INDEX, ScalarType, VectorType
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import block_of
from xetile.passes.vectors.in_place import InPlace, rows_of
from xetile.passes.vectors.joint_products import JointProduct, joint_form
from xetile.passes.vectors.loops import spans
from xetile.passes.vectors.needed import copied_width, filled, needed
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Rows
from xetile.passes.vectors.state import Lowering, shape2
from xetile.passes.vectors.storage import Buffer, Form, Splat, Stored, TileValue
from xetile.passes.vectors.units import unit_of

LOWER = Table()

PANEL_VECTORS = 2
"""Vectors of columns in a register tile."""
STREAMS, STREAMED_VECTORS = 8, 4
"""Rows of a right operand that are read at a time where it lies (for a single row of sums one: they wait for memory alone), and vectors
of sums that they add to."""
LINES = 8
"""Columns that are read at a time where they lie."""
QUADS = 16
"""Bytes of which the depth must be a multiple: what a row of them adds up to is summed by vectors."""


def computed_in(op: xetile.TileMma | Mad) -> ScalarType:
    """The type in which a product is summed."""
    element = op.result.type.element
    if element.is_float:
        return F64 if element is F64 else F32
    return I64 if element.bits == 64 else I32


def panel_width(lower: Lowering, element: ScalarType) -> int:
    """Columns of a register tile."""
    return max(1, PANEL_VECTORS * lower.lanes * 32 // element.bits)


def operand_form(lower: Lowering, op: Op, position: int) -> Form | None:
    """How an operand of a product is stored; None where the op is none, or it is no operand."""
    if not isinstance(op, (xetile.TileMma, Mad)) or position > 1:
        return None
    unit = unit_of(lower, op)
    if unit is not None:
        return joint_form(op, position, unit)
    element = computed_in(op)
    unsigned = (op.lhs_unsigned, op.rhs_unsigned)[position] is not None
    narrow = narrow_element(lower, op)
    if narrow is I8:
        biased = position == 1 and (op.lhs_unsigned is None) == (op.rhs_unsigned is None)
        return Form(I8, panel_width(lower, element) if position else 0, unsigned, 4 if position else 1, biased)
    if narrow is not None:
        return Form(narrow, panel_width(lower, element) if position else 0, unsigned, group=2 if position else 1)
    return Form(element, panel_width(lower, element) if position else 0, unsigned)


def narrow_element(lower: Lowering, op: xetile.TileMma | Mad) -> ScalarType | None:
    """The type in which the processor multiplies several neighbours, where it has that for the operands: of bytes four, or as i16 two."""
    a, b = op.a.type.element, op.b.type.element
    (_, depth), (_, columns) = op.a.type.shape, op.b.type.shape
    known = lower.target.pair_products
    if a is not b or columns % 4 or computed_in(op) not in (F32, I32):
        return None
    if a is I8 and I8.name in known and depth % QUADS == 0:
        return I8
    half = BF16 if a is BF16 else I16 if a is I8 else None
    return half if half is not None and half.name in known and depth % 2 == 0 else None


@LOWER(xetile.TileMma, Mad)
def _product(op: xetile.TileMma | Mad, lower: Lowering) -> TileValue:
    element = computed_in(op)
    forms = [operand_form(lower, op, i) for i in (0, 1)]
    unit, depth = unit_of(lower, op), filled(op, lower)
    left = lower.env.get(op.a)
    if not isinstance(left, InPlace) and not (
        unit is not None and isinstance(left, Stored) and left.form == Form(op.a.type.element)
    ):
        left = lower.materialize(op.a, forms[0])
    b = lower.env.get(op.b)
    if not isinstance(b, InPlace):
        b = lower.materialize(op.b, forms[1])
    acc: TileValue | None = None if op.acc is None else lower.env[op.acc]
    plain = Form(element)
    own = op.result.type.element
    copied = isinstance(acc, Stored) and own is not element
    # Of other constants Intel's CPU runtime (2026.22.10) makes matrices of 0, and it ends by numbers of run time.
    filled_by_elements = unit is not None and isinstance(acc, Splat) and not is_cleared_by(acc.scalar)
    if op.acc is not None and (copied or filled_by_elements):
        acc = lower.materialize(op.acc, plain)
    out = None
    if own is element and not _shares_buffer(acc, left, b):
        out = in_place_of(op, op.acc, acc, lower)
    if out is None:
        out = lower.output(op.result) if own is element else lower.new(shape2(op.result.type), plain)
    if unit is not None:
        assert isinstance(b, Stored), "in place there are no groups"
        JointProduct(lower, op, unit, left, b, acc, out, depth).run()
    else:
        Product(lower, op, left, b, acc, out, depth, needed(op, lower)).run()
    if own is element:
        return out
    result = lower.output(op.result)
    lower.copy(out, result)
    return result


def _shares_buffer(acc: TileValue | None, *operands: TileValue | InPlace) -> bool:
    """Whether the sum's start is an operand, too: later register tiles read of it what earlier ones would overwrite."""
    return isinstance(acc, Stored) and any(isinstance(v, Stored) and v.buffer is acc.buffer for v in operands)


def in_place_of(op: Op, value: Value | None, held: TileValue | None, lower: Lowering) -> Stored | None:
    """A value's own buffer for the result of an op, where nobody needs what is in it after this op."""
    if value is None or not isinstance(held, Stored) or op.parent is not block_of(value):
        return None
    wanted = lower.destinations.get(op.result)
    if wanted is not None and wanted[0] is not held.buffer:
        return None
    block = op.parent
    assert block is not None
    before, lower.at[block] = lower.at[block], block.ops.index(op)
    free = all(lower.is_dead(v) for v in held.buffer.values)
    lower.at[block] = before
    if not free:
        return None
    held.buffer.values.append(op.result)
    return held


class Product:
    """One product of stored operands."""

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

    def run(self) -> None:
        """Strip after strip of rows, and in each panel after panel: a strip stays in the first cache, the panels in the second."""
        if self.right is not None:
            self._along_rows(self.right)
            return
        if isinstance(self.b, InPlace) and self.b.lines is not None:
            self._by_lines()
            return
        if self.b.form.biased:
            buffer = self.lower.buffers.allocate((self.rows, 1), I32)
            self.corrections = buffer.memory
            self.lower.edges.loop(0, self.numbers.smaller(self.rows, self.rows_needed), 1, self._correct)
        height = min(self.rows, self.lower.target.product_rows)
        whole = self.rows // height * height
        if whole == height:
            there = isinstance(self.rows_needed, int) or self.numbers.below(0, self.rows_needed)
            self.lower.edges.either(there, lambda: self._strip(0, height), lambda: None)
        else:
            self.lower.edges.loop(0, self.numbers.smaller(whole, self.rows_needed), height, lambda r: self._strip(r, height))
        if self.rows > whole:
            there = self.numbers.below(whole, self.rows_needed)
            self.lower.edges.either(there, lambda: self._strip(whole, self.rows - whole), lambda: None)
        if self.b.form.biased:
            self.lower.buffers.release(buffer)

    def _strip(self, row: Number, height: int) -> None:
        """All register tiles of some rows."""
        n = self.numbers
        strip, buffer = self._near(row, height)
        lines = [n.add(strip.start, n.multiply(i, strip.pitch)) for i in range(height)]
        if self.by_depth:
            self._dots(row, lines, strip.memory, 0, 1)
            return
        self.lower.edges.panels(
            self.columns,
            self.b.form.panel,
            lambda column, width: self._tile(row, lines, strip.memory, column, width),
            self.columns_needed,
        )
        if buffer is not None:
            self.lower.buffers.release(buffer)

    def _near(self, row: Number, height: int) -> tuple[Rows, Buffer | None]:
        """The left operand's rows from one on; copied where they would fall on the same lines of the cache, or not all are needed."""
        n, left, edges = self.numbers, self.left, self.lower.edges
        rows = Rows(left.memory, n.add(left.start, n.multiply(row, left.pitch)), left.pitch, left.element)
        limited = self.in_place and not isinstance(self.rows_needed, int)
        near = n.both(self.apart, n.at_most(n.add(row, height), self.rows_needed)) if limited else self.apart
        if height == 1 or near is True:
            return rows, None
        buffer = self.lower.buffers.allocate((height, self.depth), left.element)
        last = n.subtract(n.subtract(self.rows_needed, 1), row) if limited else height

        def line(r: Value) -> None:
            start = n.add(rows.start, n.multiply(n.smaller(r, last) if limited else r, rows.pitch))
            self._copy(rows.memory, start, buffer.memory, n.multiply(r, self.depth))

        edges.unless(near, lambda: edges.loop(0, height, 1, line))
        return edges.chosen(near, rows, buffer.memory, self.depth), buffer

    def _copy(self, source: Value, start: Number, target: Value, place: Number) -> None:
        """As much of a row of the left operand as is read, the last vector over a part of the one before it."""
        n, access, width = self.numbers, self.lower.access, copied_width(self.lower, self.depth)
        read = n.multiply(self.filled, self.group)

        def vector_at(column: Value) -> None:
            at = n.larger(n.smaller(column, n.subtract(read, width)), 0)
            access.store(access.load(source, n.add(start, at), width, self.left.element), target, n.add(place, at))

        self.lower.edges.loop(0, read, width, vector_at)

    def _along_rows(self, right: Rows) -> None:
        """The right operand where it lies: a few of its rows at a time from end to end, as memory is read fastest; the sums go along."""
        n, edges = self.numbers, self.lower.edges
        lines = [n.add(self.left.start, n.multiply(i, self.left.pitch)) for i in range(self.rows)]
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

    def _tile(self, row: Number, lines: list[Number], left: Value, column: Number, width: int) -> None:
        n = self.numbers
        places = [n.add(n.multiply(n.add(row, i), self.columns), column) for i in range(len(lines))]
        panel = n.multiply(column, self.steps)
        start = [self._start(n.add(row, i), place, width) for i, place in enumerate(places)]
        body = Block([INDEX, *(v.type for v in start)])
        with self.build.at(body):
            k, *sums = body.args
            b = self._right(panel, k, width)
            b = b if self.narrow is None else self._parts(b)
            self.build(scf.Yield, [self._step(self._spread(left, line, k, width), b, acc) for line, acc in zip(lines, sums)])
        loop = self.build.op(scf.For, n.value(0), n.value(self.filled), n.value(1), start, regions=[body],
                             values=[v.type for v in start])  # fmt: skip
        for place, value in zip(places, loop.results):
            self.lower.access.store(value, self.out.memory, place)

    def _by_lines(self) -> None:
        """All rows, which are few, times some columns at a time, as both lie."""
        n, edges = self.numbers, self.lower.edges
        buffer = self.lower.buffers.allocate((self.rows, self.depth + self.vector * self.group), self.left.element)
        lines, memory = self._between_zeros(buffer.memory), buffer.memory
        most = self.lower.target.product_rows * PANEL_VECTORS // self.rows
        count = min(LINES, 1 << most.bit_length() - 1)
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

    def _right(self, panel: Number, k: Value, width: int) -> Value:
        """A row of the right operand's panel."""
        n, access = self.numbers, self.lower.access
        assert isinstance(self.b, Stored)
        return access.load(self.b.memory, n.add(panel, n.multiply(k, width)), width, self._word)

    def _correct(self, row: Value) -> None:
        """What the product of a row with bytes whose first bit is flipped lacks: its sum 128 times, less for unsigned ones."""
        n, build, access, row_of = self.numbers, self.build, self.lower.access, self.left
        start = n.add(row_of.start, n.multiply(row, row_of.pitch))
        total = access.constant(0, I32)
        for (first, last), count in spans(self.depth, self.lower.lanes * self.group):
            sums = access.constant(0, VectorType((count // self.group,), I32))
            for at in range(first, last, count):
                a = access.load(row_of.memory, n.add(start, at), count, I8)
                ones = access.constant(1, a.type)
                sums = build(DotQuads, sums, *((ones, a) if self.signed else (a, ones)))
            total = build(vector.MultiReduction, sums, total, kind="add", dims=(0,))
        total = build(arith.MulI, total, access.constant(-128 if self.signed else 128, I32))
        assert self.corrections is not None
        access.store(total, self.corrections, row)

    def _start(self, row: Number, place: Number, width: int) -> Value:
        start = self._given(place, width)
        if self.corrections is None:
            return start
        access = self.lower.access
        return self.build(arith.AddI, start, access.splat(access.load_one(self.corrections, row, I32), width))

    def _given(self, place: Number, width: int) -> Value:
        if self.acc is None:
            return self.lower.access.constant(0, VectorType((width,), self.element))
        if isinstance(self.acc, Splat):
            return self.lower.access.splat(self.lower.convert(self.acc.scalar, self.element, signed=True), width)
        return self.lower.access.load(self.acc.memory, place, width, self.element)

    @property
    def _word(self) -> ScalarType:
        return self.element if self.narrow is None else I32

    def _parts(self, words: Value) -> Value:
        """Words as what they hold."""
        assert self.narrow is not None
        (count,) = words.type.shape  # type: ignore[attr-defined]
        return self.build(vector.Bitcast, words, result=VectorType((self.group * count,), self.narrow))

    def _step(self, a: Value, b: Value, acc: Value) -> Value:
        if self.narrow is I8:  # the biased operand is of the other kind
            return self.build(DotQuads, acc, *((b, a) if self.signed else (a, b)))
        if self.narrow is not None:
            return self.build(DotPairs, acc, a, b)
        if self.element.is_float:
            return self.build(math.Fma, a, b, acc)
        return self.build(arith.AddI, acc, self.build(arith.MulI, a, b))

    def _spread(self, memory: Value, line: Number, k: Value, width: int) -> Value:
        """An element of the left operand, or a pair, in all places."""
        n, access = self.numbers, self.lower.access
        if self.narrow is None:
            return access.splat(access.load_one(memory, n.add(line, k), self.element), width)
        parts = access.load(memory, n.add(line, n.multiply(k, self.group)), self.group, self.narrow)
        word = self.build(vector.Extract, self.build(vector.Bitcast, parts, result=VectorType((1,), I32)), position=(0,))
        return self._parts(access.splat(word, width))

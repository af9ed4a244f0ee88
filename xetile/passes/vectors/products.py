"""Matrix products: accumulators in registers over all of K, B in panels, A element by element.

A register tile has `target.product_rows` rows, a strip, and two vectors of columns; rows and columns that are left over get tiles of their
own, outside of the loops over whole ones. Narrow types are widened where their values are stored, once for each element.
"""

from __future__ import annotations

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.dot import DotQuads
from xetile.dialects.joint_matrix import Mad, is_cleared_by
from xetile.dialects.types import BF16, F32, I8, I16, I32, INDEX, ScalarType, VectorType
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import block_of
from xetile.passes.vectors.few_rows import PANEL_VECTORS, FewRows, computed_in
from xetile.passes.vectors.in_place import InPlace
from xetile.passes.vectors.joint_products import JointProduct, joint_form
from xetile.passes.vectors.loops import spans
from xetile.passes.vectors.needed import filled, needed
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Rows
from xetile.passes.vectors.state import Lowering, shape2
from xetile.passes.vectors.storage import Buffer, Form, Splat, Stored, TileValue
from xetile.passes.vectors.units import unit_of

LOWER = Table()

QUADS = 16
"""Bytes of which the depth must be a multiple: what a row of them adds up to is summed by vectors."""


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


class Product(FewRows):
    """One product of stored operands."""

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

    @property
    def _word(self) -> ScalarType:
        return self.element if self.narrow is None else I32

    def _parts(self, words: Value) -> Value:
        """Words as what they hold."""
        assert self.narrow is not None
        (count,) = words.type.shape  # type: ignore[attr-defined]
        return self.build(vector.Bitcast, words, result=VectorType((self.group * count,), self.narrow))

    def _spread(self, memory: Value, line: Number, k: Value, width: int) -> Value:
        """An element of the left operand, or a pair, in all places."""
        n, access = self.numbers, self.lower.access
        if self.narrow is None:
            return access.splat(access.load_one(memory, n.add(line, k), self.element), width)
        parts = access.load(memory, n.add(line, n.multiply(k, self.group)), self.group, self.narrow)
        word = self.build(vector.Extract, self.build(vector.Bitcast, parts, result=VectorType((1,), I32)), position=(0,))
        return self._parts(access.splat(word, width))

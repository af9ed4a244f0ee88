"""Matrix products: accumulators in registers over all of K, B in panels, A element by element.

A register tile has `target.product_rows` rows and two vectors of columns; rows and columns that are left over get tiles of their
own, outside of the loops over whole ones. Narrow types are widened where their values are stored, once for each element.
"""

from __future__ import annotations

from xetile.dialects import arith, math, scf, vector, xetile
from xetile.dialects.dot import DotPairs
from xetile.dialects.joint_matrix import Mad
from xetile.dialects.types import BF16, F32, F64, I8, I16, I32, I64, INDEX, ScalarType, VectorType
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.vectors.in_place import InPlace, rows_of
from xetile.passes.vectors.joint_products import JointProduct, joint_form, unit_of
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Place
from xetile.passes.vectors.state import Lowering, shape2
from xetile.passes.vectors.storage import Form, Splat, Stored, TileValue

LOWER = Table()

PANEL_VECTORS = 2
"""Vectors of columns in a register tile."""


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
    half = pair_element(lower, op)
    if half is not None:
        return Form(half, panel_width(lower, element) if position else 0, unsigned, group=2 if position else 1)
    return Form(element, panel_width(lower, element) if position else 0, unsigned)


def pair_element(lower: Lowering, op: xetile.TileMma | Mad) -> ScalarType | None:
    """The 16-bit type in which the processor multiplies pairs, where it has that for the operands: of bytes it is i16."""
    a, b = op.a.type.element, op.b.type.element
    (_, depth), (_, columns) = op.a.type.shape, op.b.type.shape
    half = BF16 if a is b is BF16 else I16 if a is b is I8 else None
    if half is None or half.name not in lower.target.pair_products or depth % 2 or columns % 4:
        return None
    return half if computed_in(op) in (F32, I32) else None


@LOWER(xetile.TileMma, Mad)
def _product(op: xetile.TileMma | Mad, lower: Lowering) -> TileValue:
    element = computed_in(op)
    forms = [operand_form(lower, op, i) for i in (0, 1)]
    left = lower.env.get(op.a)
    if not isinstance(left, InPlace):
        left = lower.materialize(op.a, forms[0])
    b = lower.materialize(op.b, forms[1])
    acc: TileValue | None = None if op.acc is None else lower.env[op.acc]
    plain = Form(element)
    own = op.result.type.element
    if op.acc is not None and own is not element and isinstance(acc, Stored):
        acc = lower.materialize(op.acc, plain)
    out = in_place_of(op, op.acc, acc, lower) if own is element else None
    if out is None:
        out = lower.output(op.result) if own is element else lower.new(shape2(op.result.type), plain)
    unit, filled = unit_of(lower, op), _filled(op, lower)
    if unit is not None:
        JointProduct(lower, op, unit, rows_of(left), b, acc, out, filled).run()
    else:
        Product(lower, left, b, acc, out, element, filled).run()
    if own is element:
        return out
    result = lower.output(op.result)
    lower.copy(out, result)
    return result


def in_place_of(op: Op, value: Value | None, held: TileValue | None, lower: Lowering) -> Stored | None:
    """A value's own buffer for the result of an op, where nobody needs what is in it after this op."""
    if value is None or not isinstance(held, Stored) or op.parent is not _home(value):
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


def _filled(op: xetile.TileMma | Mad, lower: Lowering) -> Number:
    """The depth from which on both operands are padding: products of zeros add nothing to a sum (but to the sign of a zero)."""
    n, depth = lower.numbers, op.a.type.shape[1]
    ends: list[Number] = []
    for value in (op.a, op.b):
        load, place = value.op, None
        if isinstance(load, xetile.LoadTile) and not load.padding:
            place = lower.env.get(load.tile)
        if not isinstance(place, Place):
            return depth
        line = place.columns if value is op.a else place.rows
        ends.append(n.subtract(line.extent, line.offset))
    return n.larger(n.smaller(n.larger(*ends), depth), 0)


def _home(value: Value) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


class Product:
    """One product of stored operands."""

    def __init__(self, lower: Lowering, a: Stored | InPlace, b: Stored, acc: TileValue | None, out: Stored,
                 element: ScalarType, filled: Number) -> None:  # fmt: skip
        self.lower = lower
        self.build = lower.build
        self.numbers = lower.numbers
        self.left, self.b, self.acc, self.out = rows_of(a), b, acc, out
        self.element = element
        self.rows, self.depth = a.shape
        self.filled = filled
        self.half = b.form.element if b.form.group > 1 else None
        if self.half is not None:
            self.depth //= 2
            self.filled = self.numbers.divide(self.numbers.add(filled, 1), 2)
        self.columns = b.shape[1]

    def run(self) -> None:
        """Panel after panel, and in each register tile after register tile: a panel stays in the first cache."""
        self.lower.edges.panels(self.columns, self.b.form.panel, self._panel)

    def _panel(self, column: Number, width: int) -> None:
        height = min(self.rows, self.lower.target.product_rows)
        whole = self.rows // height * height
        if whole == height:
            self._tile(0, column, height, width)
        else:
            self.lower.edges.loop(0, whole, height, lambda r: self._tile(r, column, height, width))
        if self.rows > whole:
            self._tile(whole, column, self.rows - whole, width)

    def _tile(self, row: Number, column: Number, height: int, width: int) -> None:
        n = self.numbers
        places = [n.add(n.multiply(n.add(row, i), self.columns), column) for i in range(height)]
        lines = [n.add(self.left.start, n.multiply(n.add(row, i), self.left.pitch)) for i in range(height)]
        panel = n.multiply(column, self.depth)
        start = [self._start(place, width) for place in places]
        body = Block([INDEX, *(v.type for v in start)])
        with self.build.at(body):
            k, *sums = body.args
            b = self.lower.access.load(self.b.memory, n.add(panel, n.multiply(k, width)), width, self._word)
            b = b if self.half is None else self._halves(b)
            self.build(scf.Yield, [self._step(line, k, b, acc, width) for line, acc in zip(lines, sums)])
        loop = self.build.op(scf.For, n.value(0), n.value(self.filled), n.value(1), start, regions=[body],
                             values=[v.type for v in start])  # fmt: skip
        for place, value in zip(places, loop.results):
            self.lower.access.store(value, self.out.memory, place)

    def _start(self, place: Number, width: int) -> Value:
        if self.acc is None:
            return self.lower.access.constant(0, VectorType((width,), self.element))
        if isinstance(self.acc, Splat):
            return self.lower.access.splat(self.lower.convert(self.acc.scalar, self.element, signed=True), width)
        return self.lower.access.load(self.acc.memory, place, width, self.element)

    @property
    def _word(self) -> ScalarType:
        return self.element if self.half is None else I32

    def _halves(self, words: Value) -> Value:
        """Words as pairs."""
        assert self.half is not None
        (count,) = words.type.shape  # type: ignore[attr-defined]
        return self.build(vector.Bitcast, words, result=VectorType((2 * count,), self.half))

    def _step(self, line: Number, k: Value, b: Value, acc: Value, width: int) -> Value:
        a = self._spread(line, k, width)
        if self.half is not None:
            return self.build(DotPairs, acc, a, b)
        if self.element.is_float:
            return self.build(math.Fma, a, b, acc)
        return self.build(arith.AddI, acc, self.build(arith.MulI, a, b))

    def _spread(self, line: Number, k: Value, width: int) -> Value:
        """An element of the left operand, or a pair, in all places."""
        n, access, memory = self.numbers, self.lower.access, self.left.memory
        if self.half is None:
            return access.splat(access.load_one(memory, n.add(line, k), self.element), width)
        pair = access.load(memory, n.add(line, n.multiply(k, 2)), 2, self.half)
        word = self.build(vector.Extract, self.build(vector.Bitcast, pair, result=VectorType((1,), I32)), position=(0,))
        return self._halves(access.splat(word, width))

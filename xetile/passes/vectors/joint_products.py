"""Matrix products by AMX: joint matrices, two by two in its registers.

Left operands lie in panels of one matrix' depth, so that the rows of a matrix follow each other, or in rows; right ones in panels of two
matrices' columns with the rows of a word together, as the unit reads them.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects import joint_matrix as jm
from xetile.dialects.memory import flat
from xetile.dialects.types import INDEX, ScalarType
from xetile.ir.core import Block, Value
from xetile.passes.vectors.in_place import InPlace, rows_of
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Form, Stored, TileValue
from xetile.target.mma import Mma

SIDE = 2
"""Matrices beside and above each other: with their operands they fill the unit's eight registers."""
PACKED_COLUMNS = 128
"""Columns of a product from which a left operand that is read from memory is worth packing: rows of a matrix that lie apart come from the
second cache line by line, for each panel again (packed, 2048x2048x2048 took 0.8 to 0.9 of the time, packing apart)."""


def joint_form(op: Any, position: int, unit: Mma) -> Form:
    """How an operand of a product by AMX is stored."""
    element = op.operands[position].type.element
    if position:
        return Form(element, SIDE * unit.n, group=jm.group_of(element))
    from_memory = isinstance(op.a.op, xetile.LoadTile) and op.a.op.parent is op.parent
    return Form(element) if from_memory and op.b.type.shape[1] < PACKED_COLUMNS else Form(element, unit.k)


class JointProduct:
    """One product of stored operands."""

    def __init__(self, lower: Lowering, op: xetile.TileMma | jm.Mad, unit: Mma, a: Stored | InPlace, b: Stored, acc: TileValue | None,
                 out: Stored, filled: Number) -> None:  # fmt: skip
        self.lower, self.build, self.numbers = lower, lower.build, lower.numbers
        self.op, self.left, self.b, self.acc, self.out = op, rows_of(a), b, acc, out
        self.packed = bool(a.form.panel)
        self.m, self.n, self.k = unit.shape
        (self.rows, self.depth), (_, self.columns) = op.a.type.shape, op.b.type.shape
        self.element: ScalarType = op.a.type.element
        self.sums = jm.JointMatrixType((self.m, self.n), op.result.type.element, "acc")
        n = self.numbers
        self.end = n.multiply(n.divide(n.add(filled, self.k - 1), self.k), self.k)
        self.right = lower.build(gpu.ElementCast, b.memory, result=flat(self.element))

    def run(self) -> None:
        """Panel after panel, and in each block after block."""
        self.lower.edges.panels(self.columns, self.b.form.panel, self._panel)

    def _panel(self, column: Number, width: int) -> None:
        high = SIDE * self.m
        whole = self.rows // high * high
        if whole:
            self.lower.edges.loop(0, whole, high, lambda r: self._block(r, column, SIDE, width))
        if whole < self.rows:
            self._block(whole, column, (self.rows - whole) // self.m, width)

    def _block(self, row: Number, column: Number, height: int, width: int) -> None:
        n, wide = self.numbers, width // self.n
        places = [
            n.add(n.multiply(n.add(row, i * self.m), self.columns), n.add(column, j * self.n))
            for i in range(height)
            for j in range(wide)
        ]
        start = [self._start(place) for place in places]
        body = Block([INDEX, *(v.type for v in start)])
        with self.build.at(body):
            k, *sums = body.args
            a = [self._left(n.add(row, i * self.m), k) for i in range(height)]
            b = [self._right(column, j, k, width) for j in range(wide)]
            self.build(scf.Yield, [self._mad(a[i // wide], b[i % wide], acc) for i, acc in enumerate(sums)])
        loop = self.build.op(scf.For, n.value(0), n.value(self.end), n.value(self.k), start, regions=[body],
                             values=[v.type for v in start])  # fmt: skip
        for place, value in zip(places, loop.results):
            self.build.op(jm.Store, value, self.out.memory, n.value(place), n.value(self.columns))

    def _start(self, place: Number) -> Value:
        n, element = self.numbers, self.sums.element
        if isinstance(self.acc, Stored):
            return self.build(jm.Load, self.acc.memory, n.value(place), n.value(self.columns), layout="row", result=self.sums)
        return self.build(jm.Fill, self.build(arith.Constant, value=0, result=element), result=self.sums)

    def _left(self, row: Number, k: Value) -> Value:
        n, kind = self.numbers, jm.JointMatrixType((self.m, self.k), self.element, "a")
        if self.packed:
            index, pitch = n.add(n.multiply(k, self.rows), n.multiply(row, self.k)), self.k
        else:
            index, pitch = n.add(self.left.start, n.multiply(row, self.left.pitch), k), self.left.pitch
        return self.build(jm.Load, self.left.memory, n.value(index), n.value(pitch), layout="row", result=kind)

    def _right(self, column: Number, j: int, k: Value, width: int) -> Value:
        n, kind = self.numbers, jm.JointMatrixType((self.k, self.n), self.element, "b")
        group = self.b.form.group
        index = n.add(n.multiply(column, self.depth), n.multiply(k, width), j * self.n * group)
        return self.build(jm.Load, self.right, n.value(index), n.value(width * group), layout="packed", result=kind)

    def _mad(self, a: Value, b: Value, acc: Value) -> Value:
        marks = {name: self.op.attributes[name] for name in ("lhs_unsigned", "rhs_unsigned") if name in self.op.attributes}
        return self.build(jm.Mad, a, b, acc, **marks)

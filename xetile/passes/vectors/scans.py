"""Running sums and extremes: along columns a vector for each row; along rows each vector by itself, and what comes before it added."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xetile.dialects import scf, vector, xetile
from xetile.dialects.types import INDEX, VectorType
from xetile.ir.core import Block, Value, type_of
from xetile.ir.dispatch import Table
from xetile.passes.common.reductions import combiner
from xetile.passes.vectors.loops import spans
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Splat, Stored, memory_element

LOWER = Table()


@LOWER(xetile.TileScan)
def _scan(op: xetile.TileScan, lower: Lowering) -> Stored:
    source = lower.env[op.source]
    if isinstance(source, Splat):
        source = lower.materialize(op.source)
    scan = _Scan(lower, op.kind, source, lower.output(op.result))
    (scan.along_rows if op.dim == 1 else scan.along_columns)()
    return scan.out


class _Scan:
    """One scan of a stored value, to another one or to itself."""

    def __init__(self, lower: Lowering, kind: str, source: Stored, out: Stored) -> None:
        self.lower, self.build, self.numbers, self.access = lower, lower.build, lower.numbers, lower.access
        self.source, self.out, self.element = source, out, source.form.element
        self.rows, self.columns = source.shape
        self.combine = combiner(kind, self.element.is_float)

    def along_columns(self) -> None:
        """Vectors of neighbours, row by row."""

        def line(width: int, column: Number) -> None:
            pitch = self.columns
            self._line(lambda i: self.numbers.add(column, self.numbers.multiply(i, pitch)), self.rows, width, self._total, None)

        for (first, last), width in spans(self.columns, self.lower.lanes):
            self.lower.edges.loop(first, last, width, partial(line, width))

    def along_rows(self) -> None:
        """As many elements at a time as a register has."""
        width = self.lower.lanes * 32 // memory_element(self.element).bits

        def row(r: Value) -> None:
            start, before = self.numbers.multiply(r, self.columns), None
            for (first, last), count in spans(self.columns, width):

                def at(i: Number, first: int = first, count: int = count) -> Number:
                    return self.numbers.add(start, first, self.numbers.multiply(i, count))

                before = self._line(at, (last - first) // count, count, self._behind, before)

        self.lower.edges.loop(0, self.rows, 1, row)

    def _line(self, place: Callable[[Number], Number], steps: int, width: int, add: Callable[[Value | None, Value], Value],
              before: Value | None) -> Value:  # fmt: skip
        """Vectors one after the other, each added to what the ones before it give; gives what the last one does."""

        def step(i: Number, before: Value | None) -> Value:
            total = add(before, self.access.load(self.source.memory, place(i), width, self.element))
            self.access.store(total, self.out.memory, place(i))
            return total

        total = step(0, before)
        if steps == 1:
            return total
        block = Block([INDEX, total.type])
        with self.build.at(block):
            self.build(scf.Yield, [step(block.args[0], block.args[1])])
        n = self.numbers
        loop = self.build.op(scf.For, n.value(1), n.value(steps), n.value(1), [total], regions=[block], values=[total.type])
        return loop.results[0]

    def _total(self, before: Value | None, value: Value) -> Value:
        return value if before is None else self.build(self.combine, before, value)

    def _behind(self, before: Value | None, value: Value) -> Value:
        """The running totals of a vector behind the last element of another one: of twice as many elements in each step."""
        (count,) = type_of(value, VectorType).shape
        distance = 1
        while distance < count:
            moved = self.build(vector.Shuffle, value, value, mask=tuple(max(i - distance, 0) for i in range(count)))
            total = self.build(self.combine, moved, value)
            value = self.build(vector.Shuffle, value, total, mask=tuple(i if i < distance else count + i for i in range(count)))
            distance *= 2
        if before is None:
            return value
        last = type_of(before, VectorType).shape[0] - 1
        return self.build(self.combine, self.build(vector.Shuffle, before, before, mask=(last,) * count), value)

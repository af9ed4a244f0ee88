"""Right operands that lie column by column in memory: what shares a word of a panel shares one there, so that whole words change places.

They go into panels at once, where others are transposed first and packed then.
"""

from __future__ import annotations

from xetile.dialects import arith, gpu, xetile
from xetile.dialects.memory import flat
from xetile.dialects.types import I32, VectorType
from xetile.ir.core import Value
from xetile.passes.vectors.numbers import Number, Truth
from xetile.passes.vectors.places import Place
from xetile.passes.vectors.state import TOP_BITS, Lowering, Nest
from xetile.passes.vectors.storage import Stored, memory_element
from xetile.passes.vectors.transposes import StridedRows, copy_transposed
from xetile.records import dataclass


@dataclass(frozen=True)
class ColumnWords:
    """The packing of a tile of memory."""

    lower: Lowering
    place: Place
    out: Stored

    @staticmethod
    def of(lower: Lowering, nest: Nest, outputs: dict[Value, Stored]) -> ColumnWords | None:
        """For a nest that does nothing but load such a tile for a product."""
        load = nest.ops[0]
        if len(nest.ops) > 1 or not isinstance(load, xetile.LoadTile) or nest.transposed:
            return None
        place, out = lower.env[load.tile], outputs.get(load.result)
        if out is None or not out.form.panel or not isinstance(place, Place) or not lower.edges.is_transposed(place):
            return None
        element = out.form.element
        packs = element is place.element is memory_element(element) and element.bits * out.form.group == I32.bits
        return ColumnWords(lower, place, out) if packs else None

    @property
    def fits(self) -> Truth:
        """Whether the tile is inside of its array, and its columns are whole words."""
        n, edges, group = self.lower.numbers, self.lower.edges, self.out.form.group
        return n.both(edges.inside(self.place), self._divides(group, edges.start(self.place)), self._divides(group, self._pitch))

    @property
    def _pitch(self) -> Number:
        return self.lower.numbers.known(self.place.columns.stride)

    def _divides(self, group: int, number: Number) -> Truth:
        if isinstance(number, int):
            return number % group == 0
        n = self.lower.numbers
        return n.equal(self.lower.build(arith.RemUI, number, n.value(group)), 0)

    def copy(self) -> None:
        """Panel by panel."""
        lower, n, group = self.lower, self.lower.numbers, self.out.form.group
        depth, columns = self.out.shape
        word, memory = self.out.form.word, self.place.memory
        memory = memory if word is self.place.element else lower.build(gpu.ElementCast, self.place.memory, result=flat(word))
        start, pitch = (n.divide(number, group) for number in (lower.edges.start(self.place), self._pitch))
        bias = self._biased if self.out.form.biased else None

        def panel(column: Number, width: int) -> None:
            source = StridedRows(memory, n.add(start, n.multiply(column, pitch)), pitch)
            target = StridedRows(self.out.memory, n.multiply(column, depth // group), width)
            copy_transposed(lower.edges, source, target, width, depth // group, word, bias)

        lower.edges.panels(columns, self.out.form.panel, panel)

    def _biased(self, words: Value) -> Value:
        kind = words.type
        bits = self.lower.access.constant(TOP_BITS, kind if isinstance(kind, VectorType) else I32)
        return self.lower.build(arith.XOrI, words, bits)

"""What is known of rows of memory: what divides where they begin, and how long they are, also by the rules that launches see arrays obey."""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.affine import Affine
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import MemRefType, ScalarType, VectorType
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.numbers import Numbers
from xetile.target.block_rules import BlockRules

MOST = 1 << 30
"""What divides 0, and more than anybody asks for."""
_SAME = (vector.Broadcast, vector.ShapeCast, xetile.TileBroadcast, xetile.TileTranspose, *arith.INTEGER_CASTS)


class ArrayRows:
    """Facts of a kernel whose arrays obey the rules of block messages, but for those that its launch has seen break them."""

    def __init__(self, kernel: GpuFunc, rules: BlockRules) -> None:
        self._rules = rules
        self._numbers = analyses.get(Numbers, kernel)
        self._args = kernel.specs
        arrays = {spec.param: arg.type for arg, spec in self._args.items() if isinstance(arg.type, MemRefType)}
        unfit = kernel.scattered
        self._arrays = {name: kind for name, kind in arrays.items() if name not in unfit and (kind.strides or (0,))[-1] == 1}

    def is_array(self, base: Value) -> bool:
        """Whether memory is an array of rows that begins where block messages take it."""
        return isinstance(base.type, MemRefType) and base in self._args and self._args[base].param in self._arrays

    def is_length(self, value: Value | int, element: ScalarType) -> bool:
        """Whether a number of elements is as long as rows may be that block messages take."""
        size, known = element_bytes(element), value if isinstance(value, int) else arith.constant_of(value)
        if isinstance(known, int):
            width = known * size
            return self._rules.min_width_bytes <= width <= self._rules.longest_row and width % self._rules.width_multiple == 0
        assert not isinstance(value, int)
        array = self._array_of_length(value)
        return array is not None and element_bytes(array.element) == size

    def height_of(self, base: Value, pitch: Affine, end: Value | int | None) -> Value | None:
        """How many rows an array of rank 2 has, if its rows lie a pitch apart and end there; None for other numbers."""
        name = self._args[base].param
        sizes = {(spec.kind, spec.axis): arg for arg, spec in self._args.items() if spec.param == name}
        stride, length = sizes.get(("stride", 0)), sizes.get(("dim", 1))
        if stride is None or pitch.less(stride) != 0 or end is not length or self._arrays[name].rank != 2:
            return None
        return sizes.get(("dim", 0))

    def divisor(self, value: Value) -> int:
        """A power of two that is known to divide a number, or all numbers of a vector."""
        op = value.op
        if isinstance(op, _SAME):
            return self.divisor(op.operands[0])
        if isinstance(op, (arith.AddI, arith.SubI)):
            return min(map(self.divisor, op.operands))
        if isinstance(op, arith.MulI):
            left, right = map(self.divisor, op.operands)
            return min(left * right, MOST)
        known = arith.constant_of(value)
        if isinstance(value.type, VectorType):
            return _power_in(known) if isinstance(known, int) else 1
        return max(_power_in(1 << self._numbers.zeros(value)[0]), self._seen(value))

    def divisor_of(self, found: Affine) -> int:
        """The same of a sum."""
        terms = (min(_power_in(n) * self.divisor(v), MOST) for v, n in found.coefficients.items())
        return min([_power_in(found.constant), *terms])

    def _seen(self, value: Value) -> int:
        """By the launch, of the length of a row, and of the steps from row to row and from matrix to matrix."""
        rules, spec = self._rules, self._args.get(value)
        array = self._arrays.get(spec.param) if spec is not None else None
        if spec is None or array is None:
            return 1
        multiples = {"dim": (rules.width_multiple, 1), "stride": (rules.pitch_multiple, 2)}
        multiple, behind = multiples.get(spec.kind, (1, 1))
        if spec.kind == "stride" and spec.axis < array.rank - behind:
            multiple, behind = rules.base_alignment, array.rank - spec.axis
        return max(1, multiple // element_bytes(array.element)) if spec.axis == array.rank - behind else 1

    def _array_of_length(self, value: Value) -> MemRefType | None:
        """The array whose rows are as long as a value."""
        spec = self._args.get(value)
        array = self._arrays.get(spec.param) if spec is not None and spec.kind == "dim" else None
        return array if spec is not None and array is not None and spec.axis == array.rank - 1 else None


def _power_in(number: int) -> int:
    """The power of two that divides a number."""
    return min(number & -number, MOST) if number else MOST


__all__ = ["ArrayRows"]

"""Accumulators and other whole vectors whose elements may be the same in all lanes, which IGC's vectorizer gets wrong.

Of computed numbers that are the same in all lanes (`xt.sum(x, axis=1) + a @ b`) IGC's vectorizer (2.40.14) makes one instruction that
writes the first element alone. It does so whatever takes the vector: a product's accumulator, assembly, a block message, a reduction, or
a phi whose other operands differ between lanes.
"""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I1, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.reach import reached
from xetile.ir.variables import variables

from .comparisons import Lanes
from .uses import count_of, is_constant, moves


class Sums:
    """Which values of a kernel must be hidden where they become accumulators of products, or are carried as such."""

    def __init__(self, kernel: Op, lanes: Lanes) -> None:
        self._lanes = lanes
        self._variables = variables(kernel).holding
        products = kernel.find(xegpu.Dpas)
        self._accumulators = _added_to(kernel, products)

    def begins(self, value: Value) -> bool:
        """Whether an accumulator begins with computed numbers that may be the same in all lanes. What loops and branches carry is hidden where
        it is given to them.
        """
        computed = value.op is not None and not value.op.regions and constant_of(value) is None
        return computed and not self._lanes.differ(value)

    def is_given(self, value: Value, carried: Value) -> bool:
        """The same of what a loop or branch is given for an accumulator that it carries."""
        return carried in self._accumulators and self.begins(value)

    def is_carried(self, value: Value) -> bool:
        """Whether a loop or a branch carries a value."""
        return value in self._variables

    def is_mixed(self, value: Value, carried: Value, parts: bool) -> bool:
        """Whether a loop or a branch may be given what lanes have alike for a value of which they may have others; `parts`: as lanes decide
        for themselves.
        """
        holders = self._variables[carried].holders
        if value in holders or self._lanes.surely_differs(value) or is_constant(value) or self._lanes.differ(value):
            return False
        if not any(map(_is_of_vectors, holders)):
            return False
        return (parts or self._may_differ(carried)) and not self._may_differ(value)

    def _may_differ(self, carried: Value) -> bool:
        """Whether something that becomes a value may differ between lanes, on any way."""
        given = reached([carried], lambda v: self._variables[v].given if v in self._variables else ())
        begins = (v for v in given if v is not carried and v not in self._variables)
        return any(not is_constant(v) and self._lanes.meets_others(v) for v in begins)

    def alike(self, value: Value) -> bool:
        """Whether arithmetic makes numbers that lanes may have alike: where they are only placed there is nothing to make one
        instruction of.
        """
        return element_of(value.type) is not I1 and _is_of_arithmetic(value) and not self._lanes.differ(value)

    def computes(self, op: Op) -> bool:
        """Whether an op computes floats that lanes may have alike: of a vector as a whole IGC may write the first element alone, whatever
        takes it, such as a product's accumulator (`acc * (scale[:, None] + zeros)`), what a block message stores (`x + c * c` of a column
        c in all columns), or a reduction.
        """
        value = op.results[0]
        return isinstance(op, Elementwise) and element_of(value.type).is_float and self.alike(value)


def _is_of_vectors(value: Value) -> bool:
    """Whether a value is, or is put into, a vector of several elements."""
    return count_of(value.type) > 1 or any(moves(op) and count_of(op.results[0].type) > 1 for op in value.users)


def _added_to(kernel: Op, products: Sequence[xegpu.Dpas]) -> set[Value]:
    """The values that products add to, or to parts of which they do, through loops and branches."""
    if not products:
        return set()
    holds = variables(kernel).holding

    def taken(value: Value) -> Sequence[Value]:
        op = value.op
        if value in holds:
            return holds[value].given
        if isinstance(op, xegpu.Dpas):
            return () if op.acc is None else (op.acc,)
        return op.operands if op is not None and moves(op) else ()

    accumulators: list[Value] = [op.acc for op in products if op.acc is not None]
    return set(reached(accumulators, taken))


def _is_of_arithmetic(value: Value) -> bool:
    op = value.op
    if op is None or op.regions or isinstance(op, (xegpu.Dpas, arith.Constant, gpu.Shuffle)) or op.accesses:
        return False
    return any(map(_is_of_arithmetic, op.operands)) if moves(op) else True

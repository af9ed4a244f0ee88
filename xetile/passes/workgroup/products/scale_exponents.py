"""Scaled products that only exponentials see become powers of two: `exp(a @ b * c - m)` is `exp2(a @ b * (c * log2(e)) - m2)`.

The hardware has powers of two. An exponential is one of x times log2(e), which is one instruction more for each element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import e, isfinite, log, log2
from typing import Any

import numpy as np

from xetile.dialects import arith, math, scf, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F32, element_of, shape_of
from xetile.dialects.vector import Broadcast, is_one_number
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Use, Value, Variable
from xetile.ir.interfaces import variables_of
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

LOG2_E = log2(e)
LN_2 = log(2)
_EXTREMES = ("maximumf", "minimumf", "maxnumf", "minnumf")
_OPEN = (math.Exp, math.Exp2, math.Tanh, math.Erf, math.Sin, math.Cos, math.Log, math.Log2)
_PLACES = (arith.NegF, xetile.TileBroadcast, xetile.TileTranspose, xetile.TileConvLayout)


def scale_exponents(module: GpuModule, target: Target) -> GpuModule:
    """Multiply by c * log2(e) in place of c what products gave, where differences of it go to exponentials, and take these to base 2.

    Before and after: xetile at workgroup level. What the products become, largest elements and what loops carry of them included, must
    go to exponentials and nowhere else, but for columns that a loop gives, which are scaled back. The last bits of a product's sums are
    open (`xt.tile_mma`), and with them those of the sums' multiples: those of one number move together here. So do multiples of
    functions (`cap * tanh(a @ b)`), whose last bits are open too, and what is added to such a multiple as a multiple of one number.
    """
    done: set[Op] = set()
    for op in module.find(math.Exp):
        if op not in done and op.parent is not None:
            found = _Exponents(module)
            if found.reach(op.operands[0]):
                found.rewrite()
            done |= found.powers
    return module


class _Exponents:
    """Numbers that are scaled together: `scaled` products, `numbers` that are known, what follows from both, and the `powers` of it."""

    def __init__(self, module: GpuModule) -> None:
        self.variables: dict[Value, Variable] = {v: variable for variable in variables_of(module) for v in variable.holders}
        self.sources: dict[Use, Variable] = {source: variable for variable in variables_of(module) for source in variable.sources}
        self.values: set[Value] = set()
        self.scaled: set[Op] = set()
        self.powers: set[Op] = set()
        self.numbers: set[Use] = set()
        self.narrow: set[arith.Binary] = set()
        self.escapes: set[Value] = set()

    def reach(self, start: Value) -> bool:
        """Whether all that hangs together with a value may be scaled."""
        waiting = [start]
        while waiting:
            value = waiting.pop()
            if value in self.values:
                continue
            self.values.add(value)
            made, used = self._made_of(value), list(self._goes_to(value))
            if made is None or None in used:
                return False
            waiting += [*made, *(v for v in used if v is not None)]
        exact = all(n == 0 or not isfinite(n) for n in self._known())
        fit = all(abs(n * LOG2_E) < _LARGEST for n in self._known() if isfinite(n))
        return bool(self.scaled) and fit and (exact or not self.escapes)

    def _known(self) -> Iterator[float]:
        return (float(constant_of(op.operands[position])) for op, position in self.numbers)

    def _made_of(self, value: Value) -> list[Value] | None:
        """The values that must be scaled for this one to be; None where it is made in another way."""
        if element_of(value.type) is not F32:
            return None
        op = value.op
        if value in self.variables:
            variable = self.variables[value]
            return [*self._operands(variable.sources), *variable.holders]
        if op is None:
            return None
        if isinstance(op, arith.MulF) and (_is_product(op) or any(map(_is_sum, op.result.users))):
            self.scaled.add(op)
            return []
        if isinstance(op, arith.SubF) and self._is_narrow(op):
            self.narrow.add(op)
            return self._operands([(op, 0)])
        if isinstance(op, (*arith.FLOAT_EXTREMES, arith.SubF, *_PLACES)) or _is_extreme(op) or _is_sum(op):
            return self._operands((op, position) for position in range(len(op.operands)))
        if isinstance(op, arith.Select):
            return self._operands([(op, 1), (op, 2)])
        return None

    def _operands(self, uses: Iterable[Use]) -> list[Value]:
        """Those of operands that are no known numbers, which are noted."""
        found = []
        for op, position in uses:
            value = op.operands[position]
            if isinstance(constant_of(value), (int, float)):
                self.numbers.add((op, position))
            else:
                found.append(value)
        return found

    def _is_narrow(self, op: arith.Binary) -> bool:
        """Whether a loaded column or row is subtracted from what goes to exponentials alone."""
        spread = op.rhs.op
        if not isinstance(spread, xetile.TileBroadcast) or not all(isinstance(user, math.Exp) for user in op.result.users):
            return False
        column: Value = spread.source
        while isinstance(column.op, _PLACES):
            column = column.op.operands[0]
        return isinstance(column.op, xetile.LoadTile)

    def _goes_to(self, value: Value) -> Iterator[Value | None]:
        """What is scaled with a value; None where it goes somewhere else."""
        for op, position in value.uses:
            if isinstance(op, math.Exp):
                self.powers.add(op)
            elif (op, position) in self.sources:
                yield self.sources[op, position].holders[0]
            elif isinstance(op, (*arith.FLOAT_EXTREMES, arith.SubF, *_PLACES)) or _is_extreme(op) or _is_sum(op):
                yield op.results[0]
            elif isinstance(op, arith.Select) and position > 0:
                yield op.result
            elif isinstance(value.op, scf.For) and 1 in shape_of(value.type):
                self.escapes.add(value)
            else:
                yield None

    def rewrite(self) -> None:
        """Scale the products and the numbers, and take powers of two."""
        rewrite = Rewriter()
        for op in self.scaled:
            position = 1 if is_one_number(op.operands[1]) else 0
            with rewrite.before(op), rewrite.located(op.loc):
                rewrite.set_operand(op, position, _times(rewrite, op.operands[position]))
        for difference in self.narrow:
            spread: Any = difference.rhs.op
            with rewrite.before(spread), rewrite.located(difference.loc):
                column = _multiple(rewrite, spread.source, LOG2_E)
                rewrite.set_operand(difference, 1, rewrite.clone(spread, [column]).results[0])
        for op, position in self.numbers:
            number = op.operands[position]
            with rewrite.before(op), rewrite.located(op.loc):
                rewrite.set_operand(op, position, _times(rewrite, number))
        for value in self.escapes:
            self._scale_back(rewrite, value)
        for op in self.powers:
            with rewrite.before(op), rewrite.located(op.loc):
                made = rewrite(math.Exp2, op.operands[0])
            rewrite.replace(op, made)

    def _scale_back(self, rewrite: Rewriter, value: Value) -> None:
        """What others than these take of what a loop gives."""
        with rewrite.after(value):
            old = _multiple(rewrite, value, LN_2)

        def outside(op: Op) -> bool:
            passed = any((op, at) in self.sources for at in range(len(op.operands)))
            return op is not old.op and op not in self.powers and not passed and self.values.isdisjoint(op.results)

        rewrite.replace_uses(value, old, outside)


_LARGEST = float(np.finfo(np.float32).max)


def _is_extreme(op: Op) -> bool:
    return isinstance(op, xetile.TileReduce) and op.kind in _EXTREMES


def _is_sum(op: Op) -> bool:
    """Whether an op adds a multiple of one number to a multiple of a product (`a @ b * c + slope * distance`)."""
    terms = [value.op for value in op.operands] if isinstance(op, arith.AddF) else []
    multiples = all(isinstance(term, arith.MulF) and any(map(is_one_number, term.operands)) for term in terms)
    return multiples and any(term is not None and _is_product(term) for term in terms)


def _is_product(op: Op) -> bool:
    """Whether what a product of tiles gave, or a function whose last bits are open too, is multiplied by one number."""
    for value, factor in (op.operands, op.operands[::-1]):
        while isinstance(value.op, _PLACES):
            value = value.op.operands[0]
        if isinstance(value.op, (xetile.TileMma, *_OPEN)) and is_one_number(factor):
            return True
    return False


def _times(build: Builder, value: Value) -> Value:
    """A known number, or one number in all elements, times log2(e)."""
    number = constant_of(value)
    if isinstance(number, (int, float)):
        made: Value = build(arith.Constant, value=float(np.float32(number * LOG2_E)), result=value.type)
        return made
    assert isinstance(value.op, Broadcast)
    spread: Value = build(Broadcast, _multiple(build, value.op.source, LOG2_E), result=value.type)
    return spread


def _multiple(build: Builder, value: Value, factor: float) -> Value:
    number = build(arith.Constant, value=float(np.float32(factor)), result=value.type)
    made: Value = build(arith.MulF, value, number)
    return made

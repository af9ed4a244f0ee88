"""Largest and smallest elements of scaled products are found before they are scaled: `max(a @ b * c)` is `max(a @ b) * c` for c > 0.

Multiples that nobody else reads then meet the difference behind them, `exp(a @ b * c - largest)`, and are rounded with it
(`fuse_scaled_sums`): one instruction less for each element. Of a number c that is known at run time alone the sign goes to an operand
of the product that loops leave as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isinf
from typing import Any

from xetile.dialects import arith, math, scf, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import BF16, F16, F32, I32, VectorType, element_of
from xetile.dialects.vector import Broadcast
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import is_fixed, is_invariant
from xetile.passes.common.carry import in_first_iteration
from xetile.target import Target

_EXTREMES = ("maximumf", "minimumf", "maxnumf", "minnumf")
# Multiplied by -1, 0 and 1 they lose nothing.
_SIGNED = (F16, BF16)
_SMALLEST = 2.0**-126
"""The smallest normal number: an infinite one times it is infinite."""
_ALL_BUT_SIGN = 2**31 - 1


def scale_extremes(module: GpuModule, target: Target) -> GpuModule:
    """Scale the largest and smallest elements of products, and what is subtracted from, in place of the products.

    Before and after: xetile at workgroup level. A multiple of a product in f32 by one number, or what masks leave of it beside
    infinite numbers, must go to reductions that choose an element, and to differences as what is subtracted from, and nowhere else.
    Rounding keeps the order of multiples: what the reductions give is the same.
    """
    for op in [op for op in module.walk() if isinstance(op, arith.MulF)]:
        found = _multiple_of(op)
        if found is not None and found.reach() and found.may_be_positive():
            found.rewrite()
    return module


@dataclass
class _Multiple:
    """A product times one number, and what is made of it: `values` are it and what masks leave of it."""

    op: arith.Binary
    product: Value
    factor: Value
    values: list[Value] = field(default_factory=list)
    reductions: list[xetile.TileReduce] = field(default_factory=list)
    differences: list[Op] = field(default_factory=list)

    def reach(self) -> bool:
        """Whether all that reads the multiple may read the product in its place."""
        self.values = [self.op.result]
        for value in self.values:
            for user, position in value.uses:
                if "wg_map" in user.attributes:
                    return False
                if isinstance(user, arith.Select) and position and _is_infinite(user.operands[3 - position]):
                    self.values.append(user.result)
                elif isinstance(user, xetile.TileReduce) and user.kind in _EXTREMES:
                    self.reductions.append(user)
                elif isinstance(user, arith.SubF) and position == 0:
                    self.differences.append(user)
                else:
                    return False
        return bool(self.reductions)

    def may_be_positive(self) -> bool:
        """Whether the number is positive, or its sign may go to operands of the product that a loop leaves as they are."""
        number = constant_of(self.factor)
        if isinstance(number, (int, float)):
            return number >= _SMALLEST and not isinf(number)
        loop, spread = self._loop, self.factor.op
        if loop is None or not isinstance(spread, Broadcast) or not is_fixed(spread.source, loop):
            return False
        links = set(self._links())
        return all(link.parent is loop.body and _fixed_operand(link, loop, links) is not None for link in links)

    @property
    def _loop(self) -> scf.For | None:
        around = self.op.parent.parent if self.op.parent is not None else None
        return around if isinstance(around, scf.For) else None

    def _links(self) -> Iterator[xetile.TileMma]:
        """The products that make the product, one starting from the other."""
        value: Value | None = self.product
        while value is not None and constant_of(value) != 0:
            assert isinstance(value.op, xetile.TileMma)
            yield value.op
            value = value.op.acc

    def rewrite(self) -> None:
        """Scale what is read of the multiple."""
        rewrite = Rewriter()
        if constant_of(self.factor) is None:
            self._move_sign(rewrite)
        rewrite.replace_uses(self.op.result, self.product)
        for reduce in self.reductions:
            with rewrite.after(reduce.result):
                scaled = rewrite(arith.MulF, reduce.result, self._spread(rewrite, reduce.result.type))
            rewrite.replace_uses(reduce.result, scaled, lambda op, made=scaled.op: op is not made)  # type: ignore[misc]
        for difference in self.differences:
            with rewrite.before(difference):
                value = difference.operands[0]
                rewrite.set_operand(difference, 0, rewrite(arith.MulF, value, self._spread(rewrite, value.type)))
        rewrite.erase(self.op)

    def _spread(self, build: Builder, type_: Any) -> Value:
        """The number in all elements."""
        number = constant_of(self.factor)
        if isinstance(number, (int, float)):
            known: Value = build(arith.Constant, value=number, result=type_)
            return known
        assert isinstance(self.factor.op, Broadcast)
        spread: Value = build(Broadcast, self.factor.op.source, result=type_)
        return spread

    def _move_sign(self, rewrite: Rewriter) -> None:
        """Make the number positive, and give operands of the products its sign; of 0 they are 0, for masks leave infinite numbers."""
        loop, spread = self._loop, self.factor.op
        assert loop is not None
        assert isinstance(spread, Broadcast)
        links, signed = list(self._links()), dict[Value, Value]()
        with rewrite.before(loop), rewrite.located(self.op.loc):
            number = in_first_iteration(spread.source, loop, rewrite)
            # By their bits: comparisons of floats are taken to differ between lanes.
            bits, nothing = rewrite(arith.Bitcast, number, result=I32), rewrite(arith.Constant, value=0, result=I32)
            rest = rewrite(arith.AndI, bits, rewrite(arith.Constant, value=_ALL_BUT_SIGN, result=I32))
            is_zero = rewrite(arith.CmpI, rest, nothing, predicate="eq")
            is_less = rewrite(arith.CmpI, bits, nothing, predicate="slt")
            smallest = rewrite(arith.Constant, value=_SMALLEST, result=F32)
            positive = rewrite(arith.Select, is_zero, smallest, rewrite(math.AbsF, number))
            self.factor = rewrite(Broadcast, positive, result=self.factor.type)
            for link in links:
                position = _fixed_operand(link, loop, set(links))
                assert position is not None
                operand = link.operands[position]
                if operand not in signed:
                    zero, one, less = (
                        rewrite(arith.Constant, value=float(n), result=element_of(operand.type)) for n in (0, 1, -1)
                    )
                    sign = rewrite(arith.Select, is_zero, zero, rewrite(arith.Select, is_less, less, one))
                    signed[operand] = rewrite(arith.MulF, operand, rewrite(Broadcast, sign, result=operand.type))
                rewrite.set_operand(link, position, signed[operand])


def _multiple_of(op: Any) -> _Multiple | None:
    """What a multiplication scales by one number, where that is a product."""
    if "wg_map" in op.attributes or element_of(op.result.type) is not F32:
        return None
    for product, factor in (op.operands, op.operands[::-1]):
        one = isinstance(factor.op, Broadcast) and not isinstance(factor.op.source.type, VectorType)
        if _is_product(product) and (one or isinstance(constant_of(factor), (int, float))):
            return _Multiple(op, product, factor)
    return None


def _is_product(value: Value) -> bool:
    """Whether a value is a product that one op reads, and so is what it starts from down to zero."""
    op = value.op
    if not isinstance(op, xetile.TileMma) or not value.has_one_use or "wg_map" in op.attributes:
        return False
    return op.acc is None or constant_of(op.acc) == 0 or _is_product(op.acc)


def _fixed_operand(product: xetile.TileMma, loop: scf.For, links: set[xetile.TileMma]) -> int | None:
    """The position of an operand that a loop leaves as it is and that only `links` read in it; None where there is none."""
    for position in (0, 1):
        value = product.operands[position]
        if element_of(value.type) not in _SIGNED or value.op is None or value.op.constant_like or not is_invariant(value, loop):
            continue
        if all(user in links or _stands_outside(user, loop) for user in value.users):
            return position
    return None


def _stands_outside(op: Op, loop: scf.For) -> bool:
    around: Any = op
    while around is not None and around is not loop:
        around = around.parent.parent if around.parent is not None else None
    return around is None


def _is_infinite(value: Value) -> bool:
    number = constant_of(value)
    return isinstance(number, float) and isinf(number)

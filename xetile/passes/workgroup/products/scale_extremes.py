"""Largest and smallest elements of scaled products are found before they are scaled: `max(a @ b * c)` is `max(a @ b) * c` for c > 0.

Multiples that nobody else reads then meet the difference behind them, `exp(a @ b * c - largest)`, and are rounded with it: one
instruction less for each element. Of a number c that is known at run time alone the sign goes to an operand of the product that loops
leave as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from xetile.dialects import arith, math, scf, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.layouts import map_of
from xetile.dialects.types import BF16, F16, F32, I32, element_of
from xetile.dialects.vector import Broadcast, is_one_number
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import enclosing, op_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import is_fixed, is_invariant
from xetile.passes.analysis.staying import loaded
from xetile.passes.common.carry import in_first_iteration
from xetile.records import dataclass
from xetile.target import Target

_EXTREMES = ("maximumf", "minimumf", "maxnumf", "minnumf")
# Multiplied by -1 they lose nothing.
_SIGNED = (F16, BF16)


def make_scales_positive(module: GpuModule, target: Target) -> GpuModule:
    """Let numbers that scale products be positive where largest or smallest elements are chosen of the multiples.

    Before and after: xetile at workgroup level. The sign of a number that is known at run time goes to operands of the products that
    their loop leaves as they are and that nothing else in it reads; the multiples stay what they were.
    """
    for op in module.find(arith.MulF):
        found = _multiple_of(op)
        if found is not None and found.reach(masked=True) and found.may_move_sign():
            found.move_sign()
    return module


def scale_extremes(module: GpuModule, target: Target) -> GpuModule:
    """Scale the largest and smallest elements of products in place of the products.

    Before and after: xetile at workgroup level with maps. A multiple of a product in f32 by one positive number must go to reductions
    that choose an element, and to differences with rows and columns as what is subtracted from, and nowhere else: no mask, for it then
    would take registers of its own for what it chooses. Rounding keeps the order of multiples: what the reductions give is the same.
    """
    for op in module.find(arith.MulF):
        found = _multiple_of(op)
        if found is not None and found.reach(masked=False) and found.is_positive():
            found.scale_later()
    return module


@dataclass
class _Multiple:
    """A product times one number, and what reads it."""

    op: arith.Binary
    product: Value
    factor: Value
    reductions: list[xetile.TileReduce] = field(default_factory=list)
    differences: list[arith.Binary] = field(default_factory=list)

    def reach(self, *, masked: bool) -> bool:
        """Whether all that reads the multiple, or what masks leave of it, chooses elements of it or subtracts from it."""
        values = [self.op.result]
        for value in values:
            for user, position in value.uses:
                if masked and isinstance(user, arith.Select) and position:
                    values.append(user.result)
                elif isinstance(user, xetile.TileReduce) and user.kind in _EXTREMES:
                    self.reductions.append(user)
                elif isinstance(user, arith.SubF) and position == 0 and _is_spread(user.rhs):
                    self.differences.append(user)
                else:
                    return False
        return bool(self.reductions)

    def is_positive(self) -> bool:
        """Whether the number is."""
        number = constant_of(self.factor)
        if isinstance(number, (int, float)):
            return number > 0
        return isinstance(self.factor.op, Broadcast) and isinstance(self.factor.op.source.op, math.AbsF)

    def scale_later(self) -> None:
        """Scale what is read of the multiple."""
        rewrite = Rewriter()
        rewrite.replace_uses(self.op.result, self.product)
        for reduce in self.reductions:
            with rewrite.after(reduce.result):
                assert self.factor.op is not None
                spread = rewrite.clone(self.factor.op, self.factor.op.operands, [reduce.result.type]).results[0]
                _map(spread, reduce)
                scaled = rewrite(arith.MulF, reduce.result, spread, **map_of(reduce))
            rewrite.replace_uses(reduce.result, scaled, lambda op, made=scaled.op: op is not made)  # type: ignore[misc]
        for difference in self.differences:
            row = difference.rhs.op
            assert isinstance(row, xetile.TileBroadcast)
            with rewrite.before(difference):
                if all(isinstance(user, math.Exp2) for user in difference.result.users):
                    # Powers take either sign: the product's is that of a number which the loop leaves as it is.
                    fused = rewrite(math.Fma, self.product, self._less(rewrite), row.result, **map_of(difference))
                    made = rewrite(arith.NegF, fused, **map_of(difference))
                else:
                    less = rewrite(arith.NegF, row.source, **map_of(row.source.op))
                    start = rewrite.clone(row, [less]).results[0]
                    made = rewrite(math.Fma, self.product, self.factor, start, **map_of(difference))
                rewrite.replace(difference, made)
        rewrite.erase(self.op)

    def _less(self, rewrite: Rewriter) -> Value:
        """The number less than zero by as much."""
        number, spread = constant_of(self.factor), self.factor.op
        assert spread is not None
        if isinstance(number, (int, float)):
            made: Value = rewrite(arith.Constant, value=-number, result=self.factor.type, **map_of(spread))
            return made
        assert isinstance(spread, Broadcast)
        return rewrite.clone(spread, [rewrite(arith.NegF, spread.source)]).results[0]

    def may_move_sign(self) -> bool:
        """Whether the number's sign is known at run time alone, and may go to operands of the product."""
        loop, spread = self._loop, self.factor.op
        if loop is None or not isinstance(spread, Broadcast) or not is_fixed(spread.source, loop) or self.is_positive():
            return False
        links = set(self._links())
        return all(link.parent is loop.body and _fixed_operand(link, loop, links) is not None for link in links)

    @property
    def _loop(self) -> scf.For | None:
        around = op_around(self.op)
        return around if isinstance(around, scf.For) else None

    def _links(self) -> Iterator[xetile.TileMma]:
        """The products that make the product, one starting from the other."""
        value: Value | None = self.product
        while value is not None and constant_of(value) != 0:
            assert isinstance(value.op, xetile.TileMma)
            yield value.op
            value = value.op.acc

    def move_sign(self) -> None:
        """Give the sign of the number to operands of the products."""
        rewrite, loop, spread = Rewriter(), self._loop, self.factor.op
        assert loop is not None
        assert isinstance(spread, Broadcast)
        links, signed = list(self._links()), dict[Value, Value]()
        with rewrite.before(loop), rewrite.located(self.op.loc):
            number = in_first_iteration(spread.source, loop, rewrite)
            # By its bits: comparisons of floats are taken to differ between lanes.
            bits, nothing = rewrite(arith.Bitcast, number, result=I32), rewrite(arith.Constant, value=0, result=I32)
            is_less = rewrite(arith.CmpI, bits, nothing, predicate="slt")
            for link in links:
                position = _fixed_operand(link, loop, set(links))
                assert position is not None
                operand = link.operands[position]
                if operand not in signed:
                    one, less = (rewrite(arith.Constant, value=n, result=element_of(operand.type)) for n in (1.0, -1.0))
                    sign = rewrite(Broadcast, rewrite(arith.Select, is_less, less, one), result=operand.type)
                    signed[operand] = rewrite(arith.MulF, operand, sign)
                rewrite.set_operand(link, position, signed[operand])
        with rewrite.before(self.op):
            positive = rewrite(Broadcast, rewrite(math.AbsF, spread.source), result=self.factor.type)
            rewrite.set_operand(self.op, self.op.operands.index(self.factor), positive)


def _multiple_of(op: Any) -> _Multiple | None:
    """What a multiplication scales by one number, where that is a product."""
    if element_of(op.result.type) is not F32:
        return None
    for product, factor in (op.operands, op.operands[::-1]):
        if _is_product(product) and is_one_number(factor):
            return _Multiple(op, product, factor)
    return None


def _is_product(value: Value) -> bool:
    """Whether a value is a product that one op reads, and so is what it starts from down to zero."""
    op = value.op
    if not isinstance(op, xetile.TileMma) or not value.has_one_use:
        return False
    return op.acc is None or constant_of(op.acc) == 0 or _is_product(op.acc)


def _is_spread(value: Value) -> bool:
    """Whether a value is a row or column in all rows or columns, which some op has made."""
    return isinstance(value.op, xetile.TileBroadcast) and value.op.source.op is not None


def _fixed_operand(product: xetile.TileMma, loop: scf.For, links: set[xetile.TileMma]) -> int | None:
    """The position of an operand that is loaded before a loop and that only `links` read in it; None where there is none.

    Before loops that compute their operands, registers are full already.
    """
    for position in (0, 1):
        value = product.operands[position]
        if element_of(value.type) not in _SIGNED or loaded(value) is None or not is_invariant(value, loop):
            continue
        if all(user in links or loop not in (user, *enclosing(user)) for user in value.users):
            return position
    return None


def _map(value: Value, op: Op) -> None:
    """Give a value the map of another op's result."""
    assert value.op is not None
    value.op.attributes.update(map_of(op))

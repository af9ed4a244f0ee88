"""Look-ups in tables of a few numbers, which the lanes of a subgroup hold: xetile's, at each level."""

from __future__ import annotations

from xetile.dialects.types import MemRefType, ScalarType, element_of
from xetile.ir.core import Elementwise, Typed, Value, attribute, operand, result


class LookUp(Elementwise, name="xetile.look_up", pure=True):
    """`base[codes]`: elements of a row of `size` numbers that nothing in the kernel writes; codes are bytes without a sign below 16."""

    format = "$base `[` $codes `]` `,` $size attr-dict `:` type($base) `,` type($codes)"
    base: Typed[MemRefType] = operand(MemRefType)
    size: Value = operand()
    codes: Value = operand()
    result: Value = result(infer=lambda op: op.operands[2].type.with_element(op.operands[0].type.element))

    @property
    def table(self) -> Value:
        """What tells this table from others."""
        return self.base

    @property
    def element(self) -> ScalarType:
        """The numbers' type."""
        return self.base.type.element


class Choose(Elementwise, name="xetile.choose", pure=True):
    """Elements of a table that is known: `bits` are those of its numbers, 16 at most, in the result's type; codes are bytes without a
    sign, each the place of a number.
    """

    format = "$bits `[` $codes `]` attr-dict `:` type($codes) `->` type($result)"
    bits: tuple[int, ...] = attribute("array")
    codes: Value = operand()
    result: Value = result()

    @property
    def table(self) -> tuple[int, ...]:
        """What tells this table from others of its type."""
        return self.bits

    @property
    def element(self) -> ScalarType:
        """The numbers' type."""
        return element_of(self.result.type)

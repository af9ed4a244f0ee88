"""The range of floats that are whole numbers whatever is loaded: converted bytes or few bits, and sums of these."""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I8, element_of

from .uses import Row, origin

EXACT = 1 << 11
"""All whole numbers up to it are f16."""

Range = tuple[int, int]


def whole_range(row: Row) -> Range | None:
    """The least and the largest that an element can be; None where it may be no whole number, or one that f16 has not."""
    value, index = origin(row)
    op, number = value.op, constant_of(value)
    if isinstance(number, float) and number == int(number):
        found: Range | None = (int(number), int(number))
    elif isinstance(op, arith.SIToFP) and element_of(op.operand.type) is I8:
        found = -128, 127
    elif isinstance(op, arith.UIToFP):
        found = _bits((op.operand, index))
    elif isinstance(op, (arith.ExtF, arith.TruncF)):
        found = whole_range((op.operand, index))
    elif isinstance(op, (arith.AddF, arith.SubF)):
        a, b = (whole_range((v, index)) for v in op.operands)
        if a is None or b is None:
            return None
        found = (a[0] + b[0], a[1] + b[1]) if isinstance(op, arith.AddF) else (a[0] - b[1], a[1] - b[0])
    else:
        return None
    return found if found is not None and found[0] >= -EXACT and found[1] <= EXACT else None


def _bits(row: Row) -> Range | None:
    """Of integers without a sign: those of a byte, or that a mask leaves."""
    value, _ = origin(row)
    mask, most = constant_of(value.op.operands[1]) if isinstance(value.op, arith.AndI) else None, (1 << I8.bits) - 1
    if isinstance(mask, int) and 0 <= mask <= most:
        return 0, mask
    return (0, most) if element_of(value.type) is I8 else None

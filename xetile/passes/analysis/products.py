"""Matrix products: their element types as the target names them, and the operands that a value ends up as."""

from __future__ import annotations

from typing import Any, NamedTuple

from xetile.dialects import xegpu, xetile
from xetile.dialects.types import ScalarType, element_of
from xetile.ir.core import Elementwise, Value


class MmaTypes(NamedTuple):
    """Element types of a product as the target names them, and whether it is worked out as its transpose."""

    lhs: str
    rhs: str
    acc: str
    transposed: bool = False


def mma_types(op: Any) -> MmaTypes:
    """What `Target.find_mma` is asked for a product: u8 where an operand is marked unsigned."""
    a, b, acc = (v.type.element for v in (*op.operands[:2], op.result))
    return MmaTypes(signed(a, op.lhs_unsigned), signed(b, op.rhs_unsigned), acc.name, "transposed" in op.attributes)


def signed(element: ScalarType, unsigned: object) -> str:
    """An operand's element type as the target names it."""
    return "u" + element.name[1:] if unsigned is not None else element.name


def mma_uses(value: Value) -> set[tuple[str, MmaTypes] | None]:
    """The roles ("a" or "b", with the product's types) in which matrix products take a value; None for any other use."""
    found: set[tuple[str, MmaTypes] | None] = set()
    for op, position in value.uses:
        if isinstance(op, (xetile.TileMma, xegpu.Dpas)) and position < 2:
            found.add(("ab"[position], mma_types(op)))
        elif isinstance(op, (xetile.TilePack, xetile.TileUnpack, xegpu.ConvertLayout)):
            found |= mma_uses(op.results[0])
        else:
            found.add(None)
    return found


_WORD = 32
"""Bits of elements of which lanes hold one by one what an operand's lanes do, before as after a conversion."""


def operand_uses(value: Value) -> set[tuple[str, MmaTypes] | None]:
    """As `mma_uses`, also through conversions of 32 bits to 32 bits: what is loaded as an operand is one when it is converted."""
    if element_of(value.type).bits != _WORD:
        return mma_uses(value)
    found: set[tuple[str, MmaTypes] | None] = set()
    for op, _ in value.uses:
        if isinstance(op, Elementwise) and len(op.operands) == 1 and element_of(op.results[0].type).bits == _WORD:
            found |= operand_uses(op.results[0])
        else:
            return mma_uses(value)
    return found

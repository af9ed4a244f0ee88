"""Elementwise ops on vectors: the same ops, on other shapes; an index in a vector is a plain integer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile.dialects import arith
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Value

if TYPE_CHECKING:
    from xetile.passes.vectors.lower import Lowering


def apply(lower: Lowering, op: Op, operands: list[Value], count: int) -> Value:
    """The op on vectors of `count` elements (0: on scalars)."""
    element = element_of(op.results[0].type)
    if isinstance(op, (arith.IndexCast, arith.IndexCastUI)) and count:
        return resized(lower, operands[0], lower.element(element), signed=isinstance(op, arith.IndexCast))
    kind = typed(lower.element(element), count) if count else element
    return lower.build.clone(op, operands, [kind], _kept(op)).result


def _kept(op: Op) -> dict[str, Any]:
    return {k: v for k, v in op.attributes.items() if k not in ("wg_map", "input_map")}


def typed(element: ScalarType, count: int) -> Any:
    """A vector type; the element itself for no count."""
    return VectorType((count,), element) if count else element


def resized(lower: Lowering, value: Value, target: ScalarType, *, signed: bool) -> Value:
    """Integers of a vector in another width."""
    element = element_of(value.type)
    if element is target:
        return value
    kind = VectorType(value.type.shape, target) if isinstance(value.type, VectorType) else target
    if INDEX in (element, target):
        return lower.build(arith.IndexCast if signed else arith.IndexCastUI, value, result=kind)
    if target.bits < element.bits:
        return lower.build(arith.TruncI, value, result=kind)
    return lower.build(arith.ExtSI if signed else arith.ExtUI, value, result=kind)

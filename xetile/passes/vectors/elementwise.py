"""Elementwise ops on vectors: the same ops, on other shapes; an index in a vector is a plain integer."""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.ir.builder import Builder
from xetile.ir.core import Attributes, Op, Value


def apply(build: Builder, op: Op, operands: list[Value], count: int, index: ScalarType) -> Value:
    """The op on vectors of `count` elements (0: on what all elements are); `index`: what elements of an index are in a vector."""
    element = element_of(op.results[0].type)
    held = index if element is INDEX else element
    if isinstance(op, arith.INDEX_CASTS):
        return resized(build, operands[0], held, signed=isinstance(op, arith.IndexCast))
    return build.clone(op, operands, [typed(held, count)], _kept(op)).result


def _kept(op: Op) -> Attributes:
    return {k: v for k, v in op.attributes.items() if k not in ("wg_map", "input_map")}


def typed(element: ScalarType, count: int) -> ScalarType | VectorType:
    """A vector type; the element itself for no count."""
    return VectorType((count,), element) if count else element


def resized(build: Builder, value: Value, target: ScalarType, *, signed: bool) -> Value:
    """Integers of a vector in another width."""
    element = element_of(value.type)
    if element is target:
        return value
    kind = VectorType(value.type.shape, target) if isinstance(value.type, VectorType) else target
    if INDEX in (element, target):
        return build(arith.IndexCast if signed else arith.IndexCastUI, value, result=kind)
    if target.bits < element.bits:
        return build(arith.TruncI, value, result=kind)
    return build(arith.ExtSI if signed else arith.ExtUI, value, result=kind)

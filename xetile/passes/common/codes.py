"""Whole numbers that bytes without a sign hold, such as codes of 4 bits, whatever type they are computed in."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from xetile.dialects import arith, vector, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I8, I32, INDEX, VectorType
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.rearranged import rearranged

_CASTS = (arith.ExtUI, arith.ExtSI, *arith.INDEX_CASTS)
_SHIFTS = (arith.ShRUI, arith.ShRSI)

Make = Callable[[Rewriter], Value]


def exact_byte(value: Value) -> tuple[int, Make] | None:
    """(the largest, how it is made) of numbers that bytes without a sign hold."""
    op, element = value.op, type_of(value, VectorType).element
    number = constant_of(op.operands[1]) if op is not None and len(op.operands) == 2 else None
    if isinstance(op, arith.AndI) and isinstance(number, int) and 0 <= number < 256:
        return number, lambda build: with_number(build, arith.AndI, _lowest(build, op.operands[0]), number)
    found = exact_byte(op.operands[0]) if isinstance(op, (*_CASTS, *_SHIFTS)) else None
    if found is not None and (
        found[0] < 128 or isinstance(op, (arith.ExtUI, arith.IndexCastUI, arith.ShRUI)) or element is not I8
    ):
        if isinstance(op, _CASTS):
            signed = isinstance(op, (arith.ExtSI, arith.IndexCast)) and type_of(op.operands[0], VectorType).element is I8
            return None if signed and found[0] > 127 else found
        if isinstance(number, int) and 0 <= number < I8.bits:
            return found[0] >> number, lambda build: with_number(build, arith.ShRUI, found[1](build), number)
    moved = rearranged(value)
    codes = [] if moved is None else [exact_byte(source) for source in moved.sources]
    if codes and None not in codes:
        return max(each[0] for each in codes if each), lambda build: _bytes(build, value)
    return (255, lambda build: value) if element is I8 else None


def _lowest(build: Rewriter, value: Value) -> Value:
    """The lowest eight bits of numbers."""
    if type_of(value, VectorType).element is I8:
        return value
    op = value.op
    exact = exact_byte(value)
    if isinstance(op, _CASTS):
        return _lowest(build, op.operands[0])
    if exact is not None:
        return exact[1](build)
    return _bytes(build, value)


def _bytes(build: Rewriter, value: Value) -> Value:
    kind, op = type_of(value, VectorType), value.op
    if kind.element is I8:
        return value
    if kind.element is INDEX and isinstance(op, _SHIFTS) and _is_word(op.operands[0]) and _most(op.operands[1]) < I32.bits:
        # The bits that come from above an i32 are its sign.
        word, by = (build(arith.IndexCast, v, result=kind.with_element(I32)) for v in op.operands)
        value, kind = build(arith.ShRSI, word, by), kind.with_element(I32)
    return build(arith.IndexCast if kind.element is INDEX else arith.TruncI, value, result=kind.with_element(I8))


def _is_word(value: Value) -> bool:
    """Whether an index is a number of 32 bits with its sign."""
    return isinstance(value.op, arith.IndexCast) and type_of(value.op.operand, VectorType).element is I32


def _most(value: Value) -> float:
    """No element is larger, nor negative; infinity where that is not known."""
    op, number = value.op, constant_of(value)
    if isinstance(number, int):
        return number if number >= 0 else inf
    if isinstance(op, (vector.Broadcast, xetile.TileBroadcast, xetile.TileTranspose, vector.ShapeCast, *_CASTS)):
        return _most(op.operands[0])
    known = constant_of(op.operands[1]) if isinstance(op, (arith.AndI, arith.MulI)) else None
    if not isinstance(known, int) or known < 0:
        return inf
    assert op is not None
    return known if isinstance(op, arith.AndI) else known * _most(op.operands[0])


def with_number(build: Rewriter, op: type[Op], value: Value, number: int) -> Value:
    """A value and one number for all its elements."""
    made: Value = build(op, value, build(arith.Constant, value=number, result=value.type))
    return made

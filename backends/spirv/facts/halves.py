"""Half precision: which ops of f16 IGC computes in f32."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.dialects import arith, vector
from xetile.dialects.types import F16, element_of
from xetile.ir.core import Op, Value
from xetile.ir.reach import reached

from .uses import moves

_IN_F16 = (arith.AddF, arith.SubF, arith.MulF)
_CHOICES = (arith.NegF, arith.Select, *arith.FLOAT_EXTREMES)
"""Ops that round nothing."""


def rounding_is_lost(op: Op) -> bool:
    """Whether IGC (2.40.14) computes an op of f16 numbers in f32: its operands all are rounded from f32, and its result is widened again.

    It drops all of these conversions together, and keeps digits that f16 has not.
    """
    return element_of(op.results[0].type) is F16 and _is_widened(op.results[0]) and all(map(_is_narrowed, op.operands))


def _is_narrowed(value: Value) -> bool:
    """Whether f16 numbers are computed in f32, or of such numbers."""

    def beneath(value: Value) -> Iterable[Value]:
        op = value.op
        return (v for v in op.operands if element_of(v.type) is F16) if op is not None and _is_computed(op) else ()

    made = (v.op for v in reached([value], beneath) if v.op is not None)
    return any(_is_computed(op) and not (_rounds_nothing(op) or isinstance(op, _IN_F16)) for op in made)


def _is_widened(value: Value) -> bool:
    """Whether something is computed in f32 of f16 numbers."""
    same = reached([value], lambda v: (result for op in v.users if _rounds_nothing(op) for result in op.results))
    return any(not (_rounds_nothing(op) or isinstance(op, _IN_F16) or op.accesses) for v in same for op in v.users)


def _is_computed(op: Op) -> bool:
    return not op.accesses and not isinstance(op, (arith.Constant, arith.Bitcast, vector.Bitcast))


def _rounds_nothing(op: Op) -> bool:
    return moves(op) or isinstance(op, _CHOICES)

"""Half precision: which ops of f16 IGC computes in f32."""

from __future__ import annotations

from xetile.dialects import arith, vector
from xetile.dialects.types import F16, element_of
from xetile.ir.core import Op, Value

from .uses import moves

_IN_F16 = (arith.AddF, arith.SubF, arith.MulF)
_CHOICES = (arith.NegF, arith.Select, arith.MaximumF, arith.MinimumF, arith.MaxNumF, arith.MinNumF)
"""Ops that round nothing."""


def rounding_is_lost(op: Op) -> bool:
    """Whether IGC (2.40.14) computes an op of f16 numbers in f32: its operands all are rounded from f32, and its result is widened again.

    It drops all of these conversions together, and keeps digits that f16 has not.
    """
    return element_of(op.results[0].type) is F16 and _is_widened(op.results[0]) and all(map(_is_narrowed, op.operands))


def _is_narrowed(value: Value) -> bool:
    """Whether f16 numbers are computed in f32, or of such numbers."""
    seen, beneath = {value}, [value]
    while beneath:
        op = beneath.pop().op
        if op is None or op.accesses or isinstance(op, (arith.Constant, arith.Bitcast, vector.Bitcast)):
            continue
        if not (moves(op) or isinstance(op, (*_IN_F16, *_CHOICES))):
            return True
        beneath += [v for v in op.operands if element_of(v.type) is F16 and v not in seen]
        seen.update(op.operands)
    return False


def _is_widened(value: Value) -> bool:
    """Whether something is computed in f32 of f16 numbers."""
    seen, ahead = {value}, [value]
    while ahead:
        for op in ahead.pop().users:
            if moves(op) or isinstance(op, _CHOICES):
                ahead += [result for result in op.results if result not in seen]
                seen.update(op.results)
            elif not (isinstance(op, _IN_F16) or op.accesses):
                return True
    return False

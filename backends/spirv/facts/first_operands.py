"""Which values become first operands of products, and nothing else: computed in f16 (`emit/first`), or of bytes in f32 and narrowed."""

from __future__ import annotations

from xetile.dialects import arith, math, xegpu
from xetile.dialects.types import BF16, F16, element_of
from xetile.ir.core import Op, Value

from .uses import moves

COMPUTED: dict[type[Op], str] = {arith.AddF: "add", arith.SubF: "sub", arith.MulF: "mul"}
CHOSEN: dict[type[Op], str] = {arith.MaximumF: "max", arith.MinimumF: "min"}
WIDENED = (arith.ExtF, arith.SIToFP, arith.UIToFP)
_SINGLE = (*COMPUTED, math.Fma)
_DEEPEST = 16
"""Ops from a value to products that are followed."""


def multiplies(value: Value, depth: int = _DEEPEST) -> bool:
    """Whether products take a value, or what is computed of it in f16, as their first operand, and nothing else takes it."""
    return (
        bool(value.users)
        and depth > 0
        and all(
            multiplies(op.results[0], depth - 1)
            if moves(op) or type(op) in COMPUTED or type(op) in CHOSEN
            else isinstance(op, xegpu.Dpas) and op.lhs is value and value not in (op.rhs, op.acc)
            for op in value.users
        )
    )


def passes_through(value: Value, depth: int = _DEEPEST) -> bool:
    """Whether what is computed of a value in f32 is narrowed to such operands, and nothing else takes it."""
    if depth == 0 or not value.users:
        return False
    for op in value.users:
        if isinstance(op, arith.TruncF):
            if element_of(op.result.type) not in (F16, BF16) or not multiplies(op.result):
                return False
        elif not (moves(op) or type(op) in _SINGLE) or not passes_through(op.results[0], depth - 1):
            return False
    return True

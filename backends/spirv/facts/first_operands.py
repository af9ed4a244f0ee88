"""Which values become first operands of products, and nothing else: computed in f16 (`emit/first`), or of bytes in f32 and narrowed."""

from __future__ import annotations

from xetile.dialects import arith, math, vector, xegpu
from xetile.dialects.types import BF16, F16, element_of
from xetile.dialects.xegpu.shared_operands import is_stored
from xetile.ir.core import Op, Value

from .uniform_scalars import is_uniform
from .uses import moves

COMPUTED: dict[type[Op], str] = {arith.AddF: "add", arith.SubF: "sub", arith.MulF: "mul"}
CHOSEN: dict[type[Op], str] = {arith.MaximumF: "max", arith.MinimumF: "min"}
SIGNED: dict[type[Op], tuple[str, int]] = {math.AbsF: ("and", 0x7FFF), arith.NegF: ("xor", 0x8000)}
"""What changes the signs of f16 and bf16: an operation on their bits."""
WIDENED = (arith.ExtF, arith.SIToFP, arith.UIToFP)
_HALVES = (*COMPUTED, *CHOSEN, *SIGNED)
_SINGLE = (*COMPUTED, math.Fma)
_DEEPEST = 16
"""Ops from a value to products that are followed."""


def multiplies(value: Value, depth: int = _DEEPEST) -> bool:
    """Whether products take a value, or what is computed of it in f16, as their first operand, and nothing else takes it; or block messages
    that bring it to them.
    """
    return (
        bool(value.users)
        and depth > 0
        and all(
            multiplies(op.results[0], depth - 1)
            if moves(op) or type(op) in _HALVES or _is_way(op, value)
            else is_stored(op, value) or (isinstance(op, xegpu.Dpas) and op.lhs is value and value not in (op.rhs, op.acc))
            for op in value.users
        )
    )


def _is_way(op: Op, value: Value) -> bool:
    """Whether an op chooses by one condition for all elements, and a value is one of those between which it does."""
    return isinstance(op, arith.Select) and op.condition is not value and condition_of(op) is not None


def condition_of(op: arith.Select) -> Value | None:
    """The scalar by which an op chooses, where all lanes have the same and IGC knows that."""
    made = op.condition.op
    one = made.source if isinstance(made, vector.Broadcast) else op.condition
    return one if is_uniform(one) else None


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

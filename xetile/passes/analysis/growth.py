"""By how much the whole numbers of a loop grow from one iteration to the next."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith
from xetile.ir.core import Value
from xetile.passes.analysis.recurrences import is_invariant


def growth_of(value: Value, loop: Any) -> int | None:
    """By what a value grows from one iteration to the next; None where that is not known."""
    if is_invariant(value, loop):
        return 0
    if value.owner is loop.body:
        step = arith.constant_of(loop.step) if value.index == 0 else _carried_growth(value, loop)
        return step if isinstance(step, int) else None
    if isinstance(value.op, (arith.AddI, arith.SubI, arith.MulI)):
        left, right = (growth_of(v, loop) for v in value.op.operands)
        if left is None or right is None:
            return None
        if isinstance(value.op, arith.MulI):
            return _scaled(value.op, left, right)
        return left + right if isinstance(value.op, arith.AddI) else left - right
    return None


def _scaled(product: Any, left: int, right: int) -> int | None:
    """How a product grows of which one factor is a constant."""
    factors = [arith.constant_of(v) for v in product.operands]
    by, growth = (factors[0], right) if isinstance(factors[0], int) else (factors[1], left)
    return by * growth if isinstance(by, int) else None


def _carried_growth(value: Value, loop: Any) -> Any:
    """What a loop adds to a value that it carries, where it does nothing else to it."""
    given = loop.body.terminator.operands[value.index - 1]
    if not isinstance(given.op, arith.AddI) or value not in given.op.operands:
        return None
    return arith.constant_of(given.op.operands[1 if given.op.operands[0] is value else 0])

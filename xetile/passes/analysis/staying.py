"""How much a loop keeps in registers from its first iteration to its last."""

from __future__ import annotations

from xetile.dialects import scf, xetile
from xetile.dialects.types import VectorType
from xetile.ir.core import Value
from xetile.passes.analysis.recurrences import is_invariant
from xetile.target import Target

STAYING = 0.6
"""The share of a subgroup's registers that values may take which stay for a whole loop, beside those that come and go."""


def stays(loop: scf.For, subgroups: int, target: Target) -> bool:
    """Whether what a workgroup of so many subgroups keeps through a loop leaves registers enough for what each iteration computes."""
    return staying_bytes(loop) <= target.largest_grf * STAYING * subgroups


def staying_bytes(loop: scf.For) -> int:
    """Bytes of what a workgroup carries through a loop, and of what it takes from before it in each iteration."""
    inside = {v for op in loop.body.walk() for v in op.operands}
    staying = {*loop.body.args, *(v for v in inside if is_invariant(v, loop) and not (v.op is not None and v.op.constant_like))}
    kinds = [v.type for v in staying if isinstance(v.type, VectorType)]
    return sum(kind.count * kind.element.bits // 8 for kind in kinds)


def loaded(operand: Value) -> xetile.LoadTile | None:
    """The load of a product's operand, or of what that is the transpose of; None of what is worked out."""
    made = operand.op.source.op if isinstance(operand.op, xetile.TileTranspose) else operand.op
    return made if isinstance(made, xetile.LoadTile) else None

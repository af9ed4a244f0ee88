"""What the ops that take a value, or parts of it, do with it."""

from __future__ import annotations

from xetile.dialects import arith, vector, xegpu
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import accesses_memory

SUMS = (arith.AddI, arith.SubI, arith.OrI, arith.XOrI)
SCALINGS = (arith.MulI, arith.ShLI)
_HANDS_ON = (*SUMS, *SCALINGS, arith.AndI, arith.TruncI)
"""Ops modulo the width, which have one result whatever they take for the sign."""


def moves(op: Op | None) -> bool:
    """Whether an op only places elements, or adds what it is given to a descriptor."""
    return isinstance(op, (vector.Broadcast, vector.Extract, vector.Insert, vector.ExtractStridedSlice, vector.InsertStridedSlice,
                           vector.ShapeCast, vector.Shuffle, vector.Transpose, xegpu.CreateTdesc, xegpu.UpdateOffset))  # fmt: skip


def reaches(value: Value, *kinds: type[Op]) -> bool:
    """Whether an op of some kinds takes parts of a value."""
    return any(isinstance(op, kinds) or (moves(op) and reaches(op.results[0], *kinds)) for op in value.users)


def tells_sign(value: Value) -> bool:
    """Whether some op needs to know more of a value, or of parts of it, than its bits."""
    return any(
        (moves(op) and tells_sign(op.results[0])) or not (moves(op) or isinstance(op, _HANDS_ON) or accesses_memory(op))
        for op in value.users
    )

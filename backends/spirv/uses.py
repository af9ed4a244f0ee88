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
    """Whether some op needs to know more than the bits of a value, of parts of it, or of what is made of its bits: a compiler that takes
    the sign for known may hand that on.
    """
    seen, ahead = {value}, [value]
    while ahead:
        for op in ahead.pop().users:
            if moves(op) or isinstance(op, _HANDS_ON):
                ahead += [result for result in op.results if result not in seen]
                seen.update(op.results)
            elif not accesses_memory(op):
                return True
    return False


def is_constant(value: Value) -> bool:
    """Whether a compiler may find out what a value is: computed of constants alone."""
    op = value.op
    return isinstance(op, arith.Constant) or (
        op is not None and op.pure and bool(op.operands) and all(map(is_constant, op.operands))
    )

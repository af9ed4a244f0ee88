"""Scalars that IGC, too, knows to be the same in all lanes.

Only these may be scalar operands of assembly: IGC (2.40.14) refuses a module in which another one is.
"""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import arith, gpu, math, scf, xegpu
from xetile.dialects.types import I1, I16, I32, VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import runs_again
from xetile.ir.reach import reached

from .uses import moves

_PLAIN = (
    arith.AddF, arith.SubF, arith.MulF, arith.DivF, arith.NegF, arith.ExtF, arith.SIToFP, arith.UIToFP,
    math.Fma, math.Rounding, math.Sqrt, math.Rsqrt, math.Exp2,
)  # fmt: skip
"""Of ops that take or make floats those in which nothing is compared or selected: what is, is written as numbers of each lane."""


def is_uniform(value: Value) -> bool:
    """Whether a scalar is computed of the kernel's arguments, constants, the workgroup's number, and what loops over such numbers count and
    carry.
    """
    return all(_made_of(v) is not None for v in reached([value], lambda v: _made_of(v) or ()))


def _made_of(value: Value) -> Sequence[Value] | None:
    """The values that must be uniform for this one to be; None where it is not."""
    op = value.op
    if isinstance(op, (arith.Constant, gpu.BlockId)):
        return ()
    if isinstance(op, gpu.ReinterpretCast):
        return (op.source,)
    if isinstance(value.type, VectorType):
        return None
    if op is not None:
        return op.operands if _is_plain(op) or is_one_load(op) else None
    around = value.owner.parent
    if not isinstance(around, scf.For):
        return () if isinstance(around, gpu.GpuFunc) else None
    at = around.body.args.index(value) - 1
    carried = (around.init[at], around.body.terminator.operands[at]) if at >= 0 else ()
    return (around.lower, around.upper, around.step, *carried)


def is_one_load(op: Op) -> bool:
    """Whether an op loads one number of 16 or 32 bits by an offset, for a loop: its result is uniform where its operands are.

    A number that is needed once goes to a register of all lanes instead (a histogram on DG2: 1,931 instructions, 1,953 otherwise).
    """
    is_load = isinstance(op, xegpu.Load) and op.offsets is not None and element_of(op.value.type).bits in (I16.bits, I32.bits)
    return is_load and (runs_again(op) or _goes_to_loops(op))


def _goes_to_loops(op: Op) -> bool:
    """Whether a loop takes what an op makes, as it is or moved."""
    users = op.results[0].users
    return any(runs_again(user) or (moves(user) and _goes_to_loops(user)) for user in users)


def _is_plain(op: Op) -> bool:
    """Whether an op of uniform operands is written as one whose result IGC knows to be uniform."""
    kinds = [element_of(v.type) for v in (*op.operands, *op.results)] if isinstance(op, Elementwise) else []
    floats = any(kind.is_float for kind in kinds)
    return bool(kinds) and (not floats or (isinstance(op, _PLAIN) and I1 not in kinds))

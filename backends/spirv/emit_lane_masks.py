"""Numbers of 16 bits that some lanes keep and others replace by a constant: a word of each lane masks them (`lane_masks`).

IGC (2.40.14) compares anew for each such choice, and spills where there are many.
"""

from __future__ import annotations

from xetile.dialects import arith, vector
from xetile.dialects.types import VectorType, element_of

from .emit import Emitter
from .emit_values import Fragment, count_of, from_chunks, spans
from .encode import Id
from .lane_masks import BOTH, MaskCall
from .uses import is_constant

BITS, AT_ONCE = 16, 8
FEWEST = 16
"""Numbers of a lane that one condition chooses, from which on it takes less to mask them."""


def masked(e: Emitter, op: arith.Select) -> Fragment | None:
    """The choice by masks; None where it is none between numbers of 16 bits and a constant, the same for all numbers of a lane."""
    kind, condition = op.result.type, op.condition.op
    if e.places is None or not isinstance(kind, VectorType) or element_of(kind).bits != BITS or count_of(kind) % AT_ONCE:
        return None
    if not isinstance(condition, vector.Broadcast) or isinstance(condition.source.type, VectorType):
        return None
    chosen = sum(count_of(user.results[0].type) for user in op.condition.users if isinstance(user, arith.Select))
    if chosen < FEWEST or is_constant(op.condition) or not is_constant(op.operands[2]):
        return None
    numbers: Fragment = e[op.operands[1]]
    constants: Fragment = e[op.operands[2]]
    keeps, constant = e.scalar(condition.source), constants.get(e, e.i16, 0, 1)
    own = _both(e, keeps, e.constant(e.i16, -1), e.constant(e.i16, 0))
    other = _both(e, keeps, e.constant(e.i16, 0), constant)
    made = [
        e.call_assembly(MaskCall(n).text(e.subgroup_size), e.vector(e.i16, n), [x, own, other])
        for (_, n), x in zip(spans(count_of(kind), e.chunk), numbers.chunks(e, e.i16), strict=True)
    ]
    return from_chunks(e, element_of(kind), count_of(kind), made, e.i16)


def _both(e: Emitter, condition: Id, yes: Id, no: Id) -> Id:
    """One of two numbers for each lane, in both halves of a register."""
    return e.once(("masked", condition, yes, no), lambda: e.splat(e.i16, e.emit("OpSelect", e.i16, condition, yes, no), BOTH))

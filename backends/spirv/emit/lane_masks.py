"""Selects that replace what lies outside of a tile by a constant: as bit masks, where selects take more instructions.

For 16-bit numbers in some lanes IGC (2.40.14) compares again for each select, and spills where there are many. For rows that subgroups
share it compares for each row whether a subgroup has it, and moves most of the flags to registers and back.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector
from xetile.dialects.arith import constant_of
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Value

from ..assembly.lane_masks import BOTH, MaskCall, RowMaskCall
from ..facts.uses import count_of, is_constant
from ..module.encode import Id
from .emitter import Emitter
from .values import Fragment, from_chunks, spans

HALF, WORD = 16, 32
AT_ONCE = 8
FEWEST = 16
"""Numbers of 16 bits of a lane that one condition chooses, from which on it takes less to mask them."""


def masked(e: Emitter, op: arith.Select) -> Fragment | None:
    """The choice by masks; None where it is none between a value and one number that takes less so, or where lanes diverge."""
    kind = op.result.type
    if e.places is None or not isinstance(kind, VectorType) or count_of(kind) % AT_ONCE or e.diverges(op):
        return None
    if not isinstance(constant_of(op.operands[2]), (int, float)):
        return None
    by_bits = {HALF: _some_lanes, WORD: _some_rows}.get(element_of(kind).bits)
    return None if by_bits is None else by_bits(e, op)


def _some_lanes(e: Emitter, op: arith.Select) -> Fragment | None:
    """Numbers of 16 bits, of which one condition keeps all that a lane has."""
    kind: Any = op.result.type
    condition = op.condition.op
    if not isinstance(condition, vector.Broadcast) or isinstance(condition.source.type, VectorType):
        return None
    chosen = sum(count_of(user.results[0].type) for user in op.condition.users if isinstance(user, arith.Select))
    if chosen < FEWEST or is_constant(op.condition):
        return None
    numbers: Fragment = e[op.operands[1]]
    constants: Fragment = e[op.operands[2]]
    keeps, constant = e.scalar(condition.source), constants.get(e, e.i16, 0, 1)
    own = _both(e, keeps, e.constant(e.i16, -1), e.constant(e.i16, 0))
    other = _both(e, keeps, e.constant(e.i16, 0), constant)
    made = [
        e.call_assembly(MaskCall(n), e.vector(e.i16, n), [x, own, other])
        for (_, n), x in zip(spans(count_of(kind), e.chunk), numbers.chunks(e, e.i16), strict=True)
    ]
    return from_chunks(e, element_of(kind), count_of(kind), made, e.i16)


def _some_rows(e: Emitter, op: arith.Select) -> Fragment | None:
    """Rows of 32 bits, which a number that all lanes have alike keeps or not: each lane finds that out for the row of its own number."""
    kind: Any = op.result.type
    compared, count = op.condition.op, count_of(kind)
    if not isinstance(compared, arith.CmpI) or compared.predicate != "ult" or not isinstance(compared.lhs.op, vector.Broadcast):
        return None
    place, ends = compared.lhs.op.source, constant_of(compared.rhs)
    if isinstance(place.type, VectorType) or is_constant(place) or not isinstance(ends, tuple):
        return None
    step, lanes = ends[1] - ends[0], e.subgroup_size
    even = all(end == ends[0] + step * row for row, end in enumerate(ends))
    if not even or step == 0 or count > min(lanes, e.chunk) or not e.alike_in_lanes(place):
        return None
    first = _first_row(compared, ends, step, lanes)
    keeps = e.once(("row masks", place, ends[0] - step * first, step), lambda: _kept(e, place, ends[0] - step * first, step))
    numbers: Fragment = e[op.operands[1]]
    constants: Fragment = e[op.operands[2]]
    own = e.emit("OpSelect", e.i32, keeps, e.constant(e.i32, -1), e.constant(e.i32, 0))
    other = e.emit("OpSelect", e.i32, keeps, e.constant(e.i32, 0), constants.get(e, e.i32, 0, 1))
    operands = [numbers.get(e, e.i32, 0, count), own, other]
    words = e.call_assembly(RowMaskCall(count, first), e.vector(e.i32, count), operands)
    form = e.form(element_of(kind))  # in which instructions on two registers take them
    return from_chunks(
        e, element_of(kind), count, [words if form == e.i32 else e.emit("OpBitcast", e.vector(form, count), words)]
    )


def _first_row(compared: arith.CmpI, ends: tuple[int, ...], step: int, lanes: int) -> int:
    """The lane that compares for the first row: others compare for the rows of other choices, as many as there are lanes together."""
    others = [constant_of(user.rhs) for user in compared.lhs.users if isinstance(user, arith.CmpI) and user.lhs is compared.lhs]
    front = max((ends[0] - other[0]) // step for other in others if isinstance(other, tuple) and (ends[0] - other[0]) % step == 0)
    first: int = front % lanes
    return first if first + len(ends) <= lanes else 0


def _kept(e: Emitter, place: Value, first: int, step: int) -> Id:
    """Whether a place lies in front of where the row of the lane's number ends."""
    lane = e.resize(e.lane, e.i32, e.index)
    end = e.add(e.index, e.multiply(e.index, lane, step), e.constant(e.index, first))
    return e.emit("OpULessThan", e.bool, e.scalar(place), end)


def _both(e: Emitter, condition: Id, yes: Id, no: Id) -> Id:
    """One of two numbers for each lane, in both halves of a register."""
    return e.once(("masked", condition, yes, no), lambda: e.splat(e.i16, e.emit("OpSelect", e.i16, condition, yes, no), BOTH))

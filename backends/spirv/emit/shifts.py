"""Selects between two shuffles that shift lanes (`facts/lane_shifts`): by assembly, or by the shuffle that takes both operands."""

from __future__ import annotations

from xetile.dialects import arith, gpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I1, I32, VectorType, element_of

from ..assembly.lane_shifts import Choice, Shift
from ..facts.lane_shifts import distance_of
from ..module.encode import Id
from .cast import extend, truncate
from .emitter import Emitter
from .values import Fragment, Piece, from_chunks, spans

_WIDEST = 32
"""Bits of what lanes exchange at once."""


def shifted(e: Emitter, op: arith.Select, distance: int) -> Fragment | None:
    """The value of each lane; None where all lanes may have the same, which IGC keeps once, and pieces take as one of each."""
    ahead, other = op.true_value.op, op.false_value.op
    assert isinstance(ahead, gpu.Shuffle) and isinstance(other, gpu.Shuffle)
    if e.may_be_alike(ahead.value) or e.may_be_alike(other.value):
        e.now((ahead, other))
        return None
    first, second = e[ahead.value], e[other.value]
    if first.element is not I1:
        return _shifted(e, first, second, distance)
    one, two = (extend(e, x, I32, signed=False) for x in (first, second))
    return truncate(e, _shifted(e, one, two, distance), I1)


def shifted_or_not(e: Emitter, op: arith.Select) -> Fragment | None:
    """The choice between what is shifted and what is not, whole registers at a time; None for other choices.

    IGC chooses numbers of 8 and 16 bits row by row, bytes by way of 16 bits.
    """
    if isinstance(op.condition.type, VectorType) or not e.for_intel or not distance_of(op.true_value.op):
        return None
    one, two, element = _joined(e[op.true_value]), _joined(e[op.false_value]), element_of(op.result.type)
    forms = {x.natural_form(e) for x in (one, two)}
    whole = element is not I1 and one.bits(e) * e.subgroup_size % (e.target.grf_bytes * 8) == 0
    if len(forms) > 1 or not whole or constant_of(op.condition) is not None or not e.alike_in_lanes(op.condition):
        return None
    form = e.integer(min(e.width[forms.pop()], _WIDEST))
    condition = e.scalar(op.condition)
    mask = e.once(("shift mask", condition), lambda: e.emit("OpSelect", e.i32, condition, e.number(-1), e.number(0)))
    counts = [n for _, n in spans(one.bits(e) // e.width[form], e.chunk)]
    made = [
        e.call_assembly(Choice(e.subgroup_size, e.width[form], n, e.target.grf_bytes), e.vector(form, n), [*pair, mask])
        for n, pair in zip(counts, zip(one.chunks(e, form), two.chunks(e, form), strict=True), strict=True)
    ]
    return from_chunks(e, element, one.count, made, form)


def _shifted(e: Emitter, first: Fragment, second: Fragment, distance: int) -> Fragment:
    one, two = _joined(first), _joined(second)
    # In the form that both have: what a block message brings for a product has several numbers in a word.
    forms = {x.natural_form(e) for x in (one, two)}
    width = e.width[forms.pop()] if len(forms) == 1 else e.width[e.form(first.element)]
    form = e.integer(min(width, _WIDEST))
    pairs = zip(one.chunks(e, form), two.chunks(e, form), strict=True)
    counts = [n for _, n in spans(one.bits(e) // e.width[form], e.chunk)]
    made = [_vector(e, form, count, *pair, distance) for count, pair in zip(counts, pairs, strict=True)]
    return from_chunks(e, first.element, first.count, made, form)


def _vector(e: Emitter, form: Id, count: int, first: Id, second: Id, distance: int) -> Id:
    kind = e.vector(form, count)
    if not e.for_intel:
        return e.emit("OpSubgroupShuffleDownINTEL", kind, first, second, e.number(distance))
    piece = Shift(e.subgroup_size, e.width[form], count, distance, e.target.grf_bytes)
    return e.call_assembly(piece, kind, [first, second])


def _joined(fragment: Fragment) -> Fragment:
    """The same, of as few pieces as it has: those that lie side by side are one."""
    pieces: list[Piece] = []
    for piece in fragment.pieces:
        last = pieces[-1] if pieces else None
        if last is not None and last.chunk is piece.chunk and last.first + last.bits == piece.first:
            pieces[-1] = Piece(last.chunk, last.first, last.bits + piece.bits)
        else:
            pieces.append(piece)
    return Fragment(fragment.element, fragment.count, pieces)

"""Bytes that second operands of products are computed of, as the SPIR-V writer computes them (`backends/spirv/emit/packed`): each step for as
many bytes of a message as lie together, so that products share it. What is computed for the first of them lives until the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import VectorType, element_of
from xetile.estimate.parts import Atom, Parts
from xetile.ir.core import Elementwise, Op, Value

BYTE, WORD = 8, 32
WORDS = 8
"""Words of each lane that are computed at once; half as many of messages that bring no multiple of them."""
HALF_BITS, HALF = 4, 16
_PARTS = (vector.ExtractStridedSlice, vector.ShapeCast)
_SHIFTS = (arith.ShLI, arith.ShRUI)
_STEPS = (*_SHIFTS, arith.ShRSI, arith.AndI, arith.OrI, arith.XOrI, arith.AddI, arith.SubI)
_Key = tuple[object, ...]


class ByteSteps:
    """The registers of steps on bytes of a kernel."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        # Of what steps give: which step on which bytes, and how many words these are.
        self._made: dict[Value, tuple[_Key, int]] = {}
        self._atoms: dict[_Key, Atom] = {}

    def parts(self, op: Op) -> Parts | None:
        """Where a step's result lies; None of ops that are none, or are done for each operand by itself."""
        if (
            not isinstance(op, _STEPS)
            or not isinstance(op.results[0].type, VectorType)
            or element_of(op.results[0].type).bits != BYTE
        ):
            return None
        given, number = op.operands[0], arith.constant_of(op.operands[1])
        found = self._made.get(given) or _loaded(given)
        if found is None or number is None or any(_is_for_each(op, number, other) for other in _beside(op)):
            return None
        before, words = found
        # What is masked behind a shift is so by it.
        masks = isinstance(op, arith.AndI) and isinstance(given.op, _SHIFTS) and given in self._made and len(given.users) == 1
        key: _Key = before if masks else (before, type(op), number)
        if key not in self._atoms:
            kind = element_of(op.results[0].type)
            self._atoms[key] = Atom(words * WORD // BYTE * self._lanes, kind.name, op.opname, op.loc)
        self._made[op.results[0]] = key, words
        return ((self._atoms[key], op.results[0].type.count * BYTE),)


def _beside(op: Op) -> Iterator[Op | None]:
    """What gives the bytes that stand by turns with those of a step in operands of products: of those after the same ops, the step's place."""
    ahead: list[tuple[Value, tuple[type[Op], ...]]] = [(op.results[0], ())]
    seen = set[Value]()
    while ahead:
        value, between = ahead.pop()
        for user in value.users:
            if isinstance(user, vector.Shuffle):
                yield from (_before(other, between) for other in user.operands if other is not value)
            elif (
                isinstance(user, (*_PARTS, Elementwise, vector.Bitcast))
                and user.operands[0] is value
                and user.results[0] not in seen
            ):
                seen.add(user.results[0])
                ahead.append((user.results[0], between if isinstance(user, _PARTS) else (*between, type(user))))


def _before(value: Value, between: Sequence[type[Op]]) -> Op | None:
    """What gives a value before some ops, which are the last ones on the way to it."""
    for kind in reversed(between):
        made = _maker(value)
        if not isinstance(made, kind):
            return None
        value = made.operands[0]
    return _maker(value)


def _maker(value: Value) -> Op | None:
    while isinstance(value.op, _PARTS):
        value = value.op.operands[0]
    return value.op


def _is_for_each(op: Op, number: object, other: Op | None) -> bool:
    """Whether a step is done for each operand, behind that by which bytes come by turns: both have it. So are codes of four bits in the lower
    and upper halves of one byte, by one shift.
    """
    if type(other) is type(op) and arith.constant_of(other.operands[1]) == number:
        return True
    if other is None:
        return False
    upper, lower = (op, other) if isinstance(op, arith.ShRUI) else (other, op)
    if not isinstance(upper, arith.ShRUI) or arith.constant_of(upper.operands[1]) != HALF_BITS:
        return False
    masked = isinstance(lower, arith.AndI) and arith.constant_of(lower.operands[1]) == HALF - 1
    return masked and lower.operands[0] is upper.operands[0]


def _loaded(value: Value) -> tuple[_Key, int] | None:
    """Which words of a message bytes are in, of those that are computed at once, and how many words these are."""
    first, source = 0, value
    while isinstance(source.op, _PARTS):
        if isinstance(source.op, vector.ExtractStridedSlice):
            if len(source.op.offsets) != 1:
                return None
            first += source.op.offsets[0]
        source = source.op.operands[0]
    made, kind = source.op, source.type
    words_of_memory = isinstance(made, vector.Bitcast) and isinstance(made.source.op, xegpu.LoadNd)
    if not isinstance(kind, VectorType) or not (words_of_memory or (isinstance(made, xegpu.LoadNd) and made.packed)):
        return None
    whole = kind.count * BYTE // WORD
    words = WORDS if whole % WORDS == 0 else WORDS // 2
    return (source, first * BYTE // WORD // words), words


__all__ = ["ByteSteps"]

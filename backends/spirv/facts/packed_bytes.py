"""Bytes that second operands of products are computed of (`packing`): loaded, and what is done to all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I8, VectorType, element_of
from xetile.ir.core import Op, Value

from ..assembly.gather import WORD_BITS
from .lane_shifts import distance_of
from .packed import Alike, Apart, Bytes, ByTurns, Choice
from .uses import Row, count_of, origin

ROWS = 16
"""Rows of 16-bit numbers in one operand."""
OPERAND_BYTES = 32
"""The same of bytes."""


def of_operand(rows: Sequence[Row], number: int) -> list[Row]:
    """The rows of an operand of the ops that compute some rows."""
    return [(value.op.operands[number], index) for value, index in rows if value.op is not None]


def same_number(rows: Sequence[Row]) -> int | float | None:
    """The constant that all rows are."""
    found = {constant_of(value) for value, _ in rows}
    number = found.pop() if len(found) == 1 else None
    return number if isinstance(number, (int, float)) else None


def is_run(rows: Sequence[Row]) -> bool:
    """Whether rows are neighbours in one value."""
    value, first = rows[0]
    return all(row == (value, first + i) for i, row in enumerate(rows))


def condition_of(rows: Sequence[Row]) -> Value | None:
    """The scalar by which all rows are selected."""
    found = {origin(row) for row in of_operand(rows, 0)} if rows else set()
    scalar = {value for value, _ in found if not isinstance(value.type, VectorType)}
    return scalar.pop() if len(scalar) == 1 and len({value for value, _ in found}) == 1 else None


def bytes_of(rows: Sequence[Row], home: object) -> Bytes | None:
    """Bytes of one loaded value, or of one of two, after the same steps; or of two such by turns."""
    rows = [origin(row) for row in rows]
    (value, first), kind, found = rows[0], type(rows[0][0].op), None
    if (kind in OF_BYTES or (kind is arith.Select and not distance_of(value.op))) and all(
        type(v.op) is kind and v.op.parent is home for v, _ in rows
    ):
        found = _chosen_bytes(rows, home) if kind is arith.Select else _step(rows, home, OF_BYTES[kind])
    elif kind is arith.TruncI:
        narrowed = _narrowed(rows, home)
        found = narrowed[0] if narrowed is not None and not narrowed[1] else None
    elif _lie_in_words(value) and first % 4 == 0 and is_run(rows):
        found = Bytes(value, first)
    return _by_turns(rows, home) if found is None and len(rows) >= ROWS // 2 else found


def _by_turns(rows: Sequence[Row], home: object) -> Bytes | None:
    """Of two by turns, or of four: two such by turns."""
    a, b = (bytes_of(rows[at::2], home) for at in range(2))
    return None if a is None or b is None else Bytes(ByTurns(a, b, len(rows)), 0)


def _narrowed(rows: Sequence[Row], home: object) -> tuple[Bytes, int] | None:
    """(neighbouring bytes of words, by how many bits less than eight each word is shifted besides): the lowest bytes of shifted words."""
    ops = [value.op for value, _ in rows]
    if not all(isinstance(op, arith.TruncI) and op.parent is home for op in ops):
        return None
    words = [origin(row) for row in of_operand(rows, 0)]
    if not all(isinstance(value.op, arith.AndI) for value, _ in words):
        return _of_words(words)
    found = _masked_words(words, _of_words([origin(row) for row in of_operand(words, 0)]))
    return None if found is None else (found, 0)


def _of_words(rows: Sequence[Row]) -> tuple[Bytes, int] | None:
    places, shifts = list[Row](), set[int]()
    for value, index in rows:
        word, at, shift = value, index, 0
        if isinstance(value.op, (arith.ShRUI, arith.ShRSI)):
            number = constant_of(value.op.operands[1])
            if not isinstance(number, int) or not 0 <= number < WORD_BITS:
                return None
            (word, at), shift = origin((value.op.operands[0], index)), number
        if element_of(word.type).bits != WORD_BITS or not isinstance(word.op, xegpu.LoadNd):
            return None
        places.append((word, WORD_BITS // I8.bits * at + shift // I8.bits))
        shifts.add(shift % I8.bits)
    (value, first), (rest, *others), each = places[0], shifts, WORD_BITS // I8.bits
    if others or first % each:
        return None
    if is_run(places):
        return Bytes(value, first), rest
    words = tuple((value, at // each) for value, at in places[::each])
    whole = [(value, at * each + n) for value, at in words for n in range(each)]
    return (Bytes(Apart(words), 0), rest) if whole == places and len(words) % 2 == 0 else None


def _masked_words(rows: Sequence[Row], found: tuple[Bytes, int] | None) -> Bytes | None:
    """Bytes of words after a mask, which leaves none of the bytes behind them."""
    mask = same_number(of_operand(rows, 1))
    if found is None or not isinstance(mask, int) or not 0 <= mask < 1 << I8.bits - found[1]:
        return None
    return (found[0].then("shr", found[1]) if found[1] else found[0]).then("and", mask)


def _lie_in_words(value: Value) -> bool:
    """Whether a value is loaded so that four rows lie in each word of a lane: packed, or as words of transposed memory."""
    op = value.op
    if isinstance(op, arith.Select) and distance_of(op):
        assert isinstance(op.true_value.op, gpu.Shuffle)
        return _lie_in_words(origin((op.true_value.op.value, 0))[0])
    if isinstance(op, vector.Bitcast):
        return isinstance(op.source.op, xegpu.LoadNd) and element_of(op.source.type).bits == WORD_BITS
    return isinstance(op, xegpu.LoadNd) and bool(op.packed)


def are_registers(found: Bytes) -> bool:
    """Whether bytes are all those of some registers."""
    if isinstance(found.value, Choice):
        return are_registers(found.value.a) and are_registers(found.value.b)
    if isinstance(found.value, (ByTurns, Apart)):
        return isinstance(found.value, ByTurns)
    count = count_of(found.value.type) * element_of(found.value.type).bits // I8.bits
    return found.first % OPERAND_BYTES == 0 and count % OPERAND_BYTES == 0


def _step(rows: Sequence[Row], home: object, step: Callable[[Bytes, int | Alike], Bytes | None]) -> Bytes | None:
    given = [origin(row) for row in of_operand(rows, 0)]
    before = bytes_of(given, home)
    if before is None and all(isinstance(value.op, arith.AndI) for value, _ in rows):
        return _masked_words(rows, _narrowed(given, home))
    others = {origin(row) for row in of_operand(rows, 1)}
    number: int | Alike | None = None
    if (constant := same_number(list(others))) is not None:
        number = int(constant)
    elif len(others) == 1:
        number = Alike(*others.pop())
    return None if number is None or before is None else step(before, number)


def _chosen_bytes(rows: Sequence[Row], home: object) -> Bytes | None:
    condition = condition_of(rows)
    a, b = (bytes_of(of_operand(rows, i), home) for i in (1, 2))
    if condition is None or a is None or b is None:
        return None
    choice = Choice(condition, a, b)
    return choice.shifted() or Bytes(choice, 0)


def _shifted(before: Bytes, name: str, number: int | Alike) -> Bytes | None:
    return before.then(name, number) if isinstance(number, Alike) or 0 <= number < I8.bits else None


def _shifted_with_sign(before: Bytes, number: int | Alike) -> Bytes | None:
    """Shifted without it, the sign is the highest bit that may be set: flipped, it is worth that much less."""
    if isinstance(number, Alike):
        return None
    shifted, sign = _shifted(before, "shr", number), 0x80 >> number if number >= 0 else 0
    return shifted and shifted.then("xor", sign).then("add", -sign)


OF_BYTES: dict[type[Op], Callable[[Bytes, int | Alike], Bytes | None]] = {
    arith.AndI: lambda before, number: before.then("and", number),
    arith.OrI: lambda before, number: before.then("or", number),
    arith.XOrI: lambda before, number: before.then("xor", number),
    arith.ShLI: lambda before, number: _shifted(before, "shl", number),
    arith.ShRUI: lambda before, number: _shifted(before, "shr", number),
    arith.ShRSI: _shifted_with_sign,
    arith.AddI: lambda before, number: before.then("add", number),
    arith.SubI: lambda before, number: before.then("add", -number) if isinstance(number, int) else before.then("sub", number),
}

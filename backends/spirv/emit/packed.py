"""Second operands of products, computed two numbers to a word by assembly on whole registers (`facts/packing` finds them)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from xetile.dialects import tables
from xetile.dialects.types import F16, element_of
from xetile.ir.core import Value
from xetile.ir.interfaces import runs_again

from ..assembly.both_halves import CODES, LARGE, BothHalvesCall
from ..assembly.both_halves import SHIFTS as HALVES
from ..assembly.byte_steps import ALIKE, EACH, LANE, ON_BYTES, SHIFTS, AcrossCall, ByTurnsCall, StepCall, TwiceCall
from ..assembly.call import WORDS, Call
from ..assembly.code_pairs import ENTRIES, HalvesCall, LookUpPairsCall, PairsOfTableCall, PlacesCall
from ..assembly.float_codes import FloatCodesCall
from ..assembly.gather import WORD_BITS
from ..assembly.packed import OPERATIONS, TOO_MUCH, PackedCall, bits_of
from ..assembly.pairs import PairsOfSinglesCall
from ..facts.packed import (
    Across,
    Alike,
    Apart,
    Bytes,
    ByTurns,
    Choice,
    Chosen,
    Computed,
    FloatCodes,
    LookedUp,
    Narrowed,
    Number,
    Packed,
    Picked,
    Power,
    Step,
    Stepped,
    Together,
    Widened,
    WithBits,
    Words,
    both_halves,
    upper_halves,
)  # fmt: skip
from ..facts.uniform_scalars import is_uniform
from ..facts.whole_numbers import EXACT, whole_range
from ..module.encode import Id
from .emitter import Emitter
from .hidden import hidden_value, hidden_zero
from .look_up import table_of
from .power import emit_power, power_of_byte
from .singles import Singles
from .values import Fragment


def packed_operand(e: Emitter, packed: Packed) -> Id:
    """The words of an operand, made once."""
    return e.once(("packed", packed), lambda: _words(e, packed))


def _words(e: Emitter, packed: Packed) -> Id:
    if isinstance(packed, Words):
        fragment: Fragment = e[packed.value]
        return fragment.get(e, e.i32, packed.first // 2, WORDS)
    if isinstance(packed, Together):
        parts = [piece for value, at in packed.rows for piece in e[value].slice(e, at, 1).pieces]
        return Fragment(F16, len(packed.rows), parts).get(e, e.i32, 0, WORDS)
    if isinstance(packed, Widened):
        return _widened(e, packed)
    if isinstance(packed, LookedUp):
        return _looked_up(e, packed)
    if isinstance(packed, FloatCodes):
        value, words, first = _bytes(e, packed.bytes)
        call = FloatCodesCall(first, words, packed.format.shift, packed.format.mask)
        return e.call_assembly(call, e.vector(e.i32, WORDS), [value])
    if isinstance(packed, Stepped):
        return _bytes(e, packed.bytes)[0]
    if isinstance(packed, Narrowed):
        return Singles(
            e, partial(packed_operand, e), partial(_bytes, e), partial(_single_table, e), partial(_pairs_of_singles, e)
        ).narrowed(packed)
    if isinstance(packed, WithBits):
        return _call(e, PackedCall(packed.name, b="number", number=packed.bits), packed_operand(e, packed.packed))
    if isinstance(packed, Chosen):
        return _select(e, packed.condition, packed_operand(e, packed.a), packed_operand(e, packed.b), WORDS)
    assert isinstance(packed, Computed), packed
    if packed.name == "sub" and isinstance(packed.a, Widened) and isinstance(packed.b, Alike) and _is_whole(packed.a, packed.b):
        return _less_whole(e, packed.a, packed.b)
    a, b = packed_operand(e, packed.a), packed.b
    if isinstance(b, Number):
        name, number = ("add", bits_of(-b.value)) if packed.name == "sub" else (packed.name, bits_of(b.value))
        return _call(e, PackedCall(name, b="number", number=number), a)
    given, make = _SHARED.get(type(b), ("words", None))
    other = packed_operand(e, b) if make is None else e.once(("packed", b), partial(make, e, b))
    return _call(e, PackedCall(packed.name, b=given), a, other)


def _widened(e: Emitter, packed: Widened) -> Id:
    kind = packed.kind
    if packed.bf16 and f"{kind}_bf16" not in OPERATIONS:
        return _call(e, PackedCall("f16_bf16"), packed_operand(e, replace(packed, bf16=False)))
    if packed.bf16:
        value, words, first = _bytes(e, packed.bytes)
        return _call(e, PackedCall(f"{kind}_bf16", first, words, number=packed.bias), value)
    if packed.kind == "u8" and both_halves(packed.bytes) is not None:
        number = bits_of(packed.bias - TOO_MUCH[packed.kind])
        return _call(
            e, PackedCall("add", b="number", number=number), e.once(("packed", packed, None), lambda: _too_large(e, packed))
        )
    packed = upper_halves(packed)  # which has another bias
    value, words, first = _bytes(e, packed.bytes)
    number = bits_of(packed.bias - TOO_MUCH[packed.kind]) if packed.kind in TOO_MUCH else 0
    return _call(e, PackedCall(packed.kind, first, words, number=number), value)


def _too_large(e: Emitter, packed: Widened) -> Id:
    """Bytes as f16, as much too large as they are at first."""
    halves = both_halves(packed.bytes) if packed.kind == "u8" else None
    if halves is not None:
        value, words, first = _bytes(e, halves)
        constants = [_constant(e, number) for number in (HALVES, CODES, LARGE)]
        return e.call_assembly(
            BothHalvesCall(first, words), e.vector(e.i32, WORDS), [value, *constants], ["rw", *["rw.u"] * len(constants)]
        )
    value, words, first = _bytes(e, packed.bytes)
    return _call(e, PackedCall(f"{packed.kind}_large", first, words), value)


def _constant(e: Emitter, number: int) -> Id:
    """A word that stays in a register: IGC would move a number that it knows to one for each piece of assembly."""
    return e.at_entry(("packed", "constant", number), lambda: e.add(e.i32, hidden_zero(e, e.i32), e.number(number)))


def _is_whole(packed: Widened, one: Alike) -> bool:
    """Whether a lane's number is whole, and f16 has it with what bytes have too much at first."""
    found = whole_range((one.value, one.index)) if packed.kind in ("u8", "s8") and not packed.bf16 else None
    return found is not None and abs(TOO_MUCH[packed.kind] - packed.bias) + max(map(abs, found)) <= EXACT


def _less_whole(e: Emitter, packed: Widened, one: Alike) -> Id:
    """Bytes less a whole number of the lane, by one sum: the number takes what they have too much at first."""
    a = e.once(("packed", packed, None), lambda: _too_large(e, packed))
    half = e.form(F16)
    number = e.emit(
        "OpFAdd", half, e[one.value].get(e, half, one.index, 1), e.constant(half, TOO_MUCH[packed.kind] - packed.bias)
    )
    word = e.once(("packed", packed.kind, packed.bias, one), lambda: _twice(e, e.emit("OpBitcast", e.integer(16), number)))
    return _call(e, PackedCall("sub", b="lane"), a, word)


def _places(e: Emitter, packed: LookedUp) -> tuple[Id, int, int]:
    """Places of numbers in the register of what the lanes hold, a word for each code, as `_bytes` gives bytes."""
    return _bytes(e, packed.bytes.then("shl", 2))


def _single_table(e: Emitter, packed: LookedUp) -> tuple[Id, int, int, Id]:
    return *_places(e, packed), table_of(e, packed.op).get(e, e.f32, 0, 1)


def _looked_up(e: Emitter, packed: LookedUp) -> Id:
    table = table_of(e, packed.op)
    word = e.at_entry(("packed", "table", packed.op.element, packed.op.table), lambda: _as_word(e, table))
    if _takes_pairs(e, packed):
        return _in_pairs(e, packed, word)
    places, words, first = _places(e, packed)
    return _call(e, PackedCall("table", first, words, b="lane"), places, word)


def _in_pairs(e: Emitter, packed: LookedUp, word: Id) -> Id:
    """By two codes at a time."""
    places, words, first = _places_of_pairs(e, packed, wide=False)
    pairs = e.at_entry(
        ("packed", "pairs", packed.op.element, packed.op.table), lambda: _piece(e, PairsOfTableCall(), ENTRIES, word)
    )
    return _piece(e, LookUpPairsCall(first, words), WORDS, places, pairs)


def _places_of_pairs(e: Emitter, packed: LookedUp, *, wide: bool) -> tuple[Id, int, int]:
    """Places of two codes, as `_bytes` gives bytes. Steps on all bytes are the same wherever these lie."""
    value, words, first = _bytes(e, replace(packed.bytes, steps=()))
    value = e.once(("packed", "halves", value), lambda: _piece(e, HalvesCall(words), words, value))
    value = _stepped(e, packed.bytes.then("shl", 2 + wide), value, words)
    return e.once(("packed", "places", wide, value), lambda: _piece(e, PlacesCall(words, wide), words, value)), words, first


def _pairs_of_singles(e: Emitter, packed: LookedUp) -> tuple[Id, int, int, Id] | None:
    """Places of two codes, and a table of all pairs of f32; None where one code at a time is looked up."""
    if not e.kernel.pairs or not isinstance(packed.op, tables.LookUp) or not _takes_pairs(e, packed):
        return None
    number = table_of(e, packed.op).get(e, e.f32, 0, 1)
    call, kind = PairsOfSinglesCall(), e.vector(e.i64, ENTRIES)
    key = ("packed", "pairs", packed.op.element, packed.op.table)
    pairs = e.at_entry(key, lambda: e.call_assembly(call, kind, [number]))
    return *_places_of_pairs(e, packed, wide=True), pairs


def _takes_pairs(e: Emitter, packed: LookedUp) -> bool:
    """Whether two codes are looked up at once: all pairs of f16 take sixteen registers, and are made once for what a loop takes."""
    return runs_again(packed.op) and e.subgroup_size == ENTRIES and not e.kernel.crowded


def _piece(e: Emitter, call: Call, words: int, *operands: Id) -> Id:
    return e.call_assembly(call, e.vector(e.i32, words), operands)


def _as_word(e: Emitter, table: Fragment) -> Id:
    """A lane's number of 16 bits in a word."""
    return e.emit("OpUConvert", e.i32, table.get(e, e.integer(16), 0, 1))


def _call(e: Emitter, call: Call, *operands: Id) -> Id:
    return e.call_assembly(call, e.vector(e.i32, WORDS), operands)


def _in_both_halves(e: Emitter, one: Alike) -> Id:
    """A lane's number in both halves of a word."""
    return _twice(e, e[one.value].get(e, e.integer(16), one.index, 1))


def _twice(e: Emitter, half: Id) -> Id:
    return e.call_assembly(TwiceCall(), e.i32, [half])


def _power(e: Emitter, power: Power) -> Id:
    """A factor that is a power of two, in both halves of a word."""
    if power.bias is not None:
        factors = e.once(("packed", "powers", replace(power, is_second=False)), lambda: power_of_byte(e, power))
        return e.emit("OpCompositeExtract", e.i32, factors, int(power.is_second))
    return _twice(e, e.emit("OpBitcast", e.integer(16), e.emit("OpFConvert", e.form(F16), emit_power(e, power))))


def _across(e: Emitter, one: Across) -> Id:
    """Numbers of neighbouring lanes, two to a word."""
    half = e[one.value].get(e, e.integer(16), 0, 1)
    return e.call_assembly(AcrossCall(one.first), e.vector(e.i32, WORDS), [half])


def _select(e: Emitter, condition: Value, a: Id, b: Id, words: int) -> Id:
    """One of two vectors of words by a scalar."""
    conditions = e.emit("OpCompositeConstruct", e.vector(e.bool, words), *[e.scalar(condition)] * words)
    return e.emit("OpSelect", e.vector(e.i32, words), conditions, a, b)


def _bytes(e: Emitter, given: Bytes) -> tuple[Id, int, int]:
    """(a vector of words, how many they are, in which the sixteen bytes begin): as many as lie together, so that steps are shared."""
    if isinstance(given.value, ByTurns):
        value, words, first = _by_turns(e, given.value)
    elif isinstance(given.value, Apart):
        value, words, first = e.once(("packed", given.value), partial(_together, e, given.value)), len(given.value.words), 0
    else:
        value, words, first = _chosen(e, given.value) if isinstance(given.value, Choice) else _loaded(e, given.value, given.first)
    return _stepped(e, given, value, words), words, first


def _stepped(e: Emitter, given: Bytes, value: Id, words: int) -> Id:
    """Bytes after their steps."""
    for step in _masked(given.without_carries().steps):
        value = e.once(("packed", step, value), partial(_step, e, *step, value, words))
    return value


def _masked(steps: Sequence[Step]) -> Iterator[tuple[str, int | Picked | Alike, int]]:
    """Steps with the bits that are kept of each byte: what is masked before or after a shift is so by it, and two shifts by known numbers
    are one.
    """
    made: list[tuple[str, int | Picked | Alike, int]] = []
    for name, number in steps:
        last, before, kept = made[-1] if made else ("", 0, 255)
        if name == "and" and last in SHIFTS and isinstance(number, int):
            made[-1] = (last, before, kept & number)
        elif name == "shl" and last == "and" and isinstance(before, int) and isinstance(number, int):
            made[-1] = (name, number, before << number & 255)
        elif name == "shl" and last == "shr" and isinstance(before, int) and isinstance(number, int) and number <= before:
            made[-1] = ("shr", before - number, (255 >> before & kept) << number & 255)
        else:
            made.append((name, number, 255))
    yield from made


def _loaded(e: Emitter, value: Value, first: int) -> tuple[Id, int, int]:
    whole = e[value].count * element_of(value.type).bits // WORD_BITS
    words = WORDS if whole % WORDS == 0 else WORDS // 2
    start = first // 4 // words * words
    return e[value].get(e, e.i32, start, words), words, first // 4 - start


def _together(e: Emitter, given: Apart) -> Id:
    """Words of several values as a vector."""
    words = [e[value].get(e, e.i32, at, 1) for value, at in given.words]
    return e.emit("OpCompositeConstruct", e.vector(e.i32, len(words)), *words)


def _by_turns(e: Emitter, given: ByTurns) -> tuple[Id, int, int]:
    made = given.count // 4
    a, b, words, first = _beside(e, given.a, given.b, made // 2)
    call = ByTurnsCall(words, first, made)
    return (
        e.once(("packed", call, a, b), lambda: e.call_assembly(call, e.vector(e.i32, made), [a, b])),
        made,
        0,
    )


def _beside(e: Emitter, one: Bytes, other: Bytes, count: int) -> tuple[Id, Id, int, int]:
    """Two vectors of as many words, and where the bytes begin in both; of `count` words where they begin at different ones."""
    (a, size, first), (b, words, start) = (_bytes(e, taken) for taken in (one, other))
    if (size, first) == (words, start):
        return a, b, words, start
    kind = e.vector(e.i32, count)
    a, b = (e.emit("OpVectorShuffle", kind, x, x, *range(at, at + count)) for x, at in ((a, first), (b, start)))
    return a, b, count, 0


def _chosen(e: Emitter, given: Choice) -> tuple[Id, int, int]:
    a, b, words, start = _beside(e, given.a, given.b, WORDS // 2)
    key = ("packed", "choice", given.condition, a, b)
    return e.once(key, partial(_select, e, given.condition, a, b, words)), words, start


def _step(e: Emitter, name: str, number: int | Picked | Alike, kept: int, value: Id, words: int) -> Id:
    """One operation with one number on all bytes of words."""
    if name not in SHIFTS and name not in ON_BYTES:
        return _added(e, name, number, value, words)
    given: int | Id
    mask: int | Id = 255
    if name not in SHIFTS:
        given = number if isinstance(number, int) else _each(e, _scalar(e, number))
    elif isinstance(number, int):
        given, mask = number, _kept(name, number) & kept
    else:
        given, mask = _amount(e, number), _kept_of(e, name, number, kept)
    alike = not isinstance(number, int) and is_uniform(number.condition if isinstance(number, Picked) else number.value)
    call = StepCall(name, words, *((ALIKE if alike else LANE) if isinstance(x, Id) else x for x in (given, mask)))
    operands = [x for x in (given, mask) if isinstance(x, Id)]
    constraints = ["rw", *["rw.u" if alike else "rw"] * len(operands)]
    return e.call_assembly(call, e.vector(e.i32, words), [value, *operands], constraints)


def _kept(name: str, number: int) -> int:
    """The bits of a byte that a shift leaves in it."""
    return 255 >> number if name == "shr" else 255 << number & 255 if name == "shl" else 255


def _kept_of(e: Emitter, name: str, number: Picked | Alike, kept: int) -> int | Id:
    """The same of a shift by one of two numbers, or by one of the lane, in each byte where they are not known; of those in `kept`."""
    if isinstance(number, Picked):
        a, b = (_kept(name, n) & kept for n in (number.a, number.b))
        return a if a == b else e.emit("OpSelect", e.i32, e.scalar(number.condition), e.number(a * EACH), e.number(b * EACH))
    opcode = "OpShiftRightLogical" if name == "shr" else "OpShiftLeftLogical"
    return _each(e, e.emit("OpBitwiseAnd", e.i32, e.emit(opcode, e.i32, e.number(255), _amount(e, number)), e.number(kept)))


def _amount(e: Emitter, number: Picked | Alike) -> Id:
    """By how much words are shifted: devices take an amount modulo their 32 bits, of bytes 8 leave nothing."""
    scalar = _scalar(e, number)
    if isinstance(number, Picked):
        return scalar
    return e.ext(e.i32, "u_min", hidden_value(e, e.i32, scalar), e.number(8))  # IGC would limit a byte, and widen that


def _scalar(e: Emitter, number: Picked | Alike) -> Id:
    """A lane's number as a word."""
    if isinstance(number, Picked):
        # IGC would pick known numbers as bytes, and widen them.
        a, b = (e.add(e.i32, hidden_zero(e, e.i32), e.number(n)) for n in (number.a, number.b))
        return e.emit("OpSelect", e.i32, e.scalar(number.condition), a, b)
    return e.emit("OpUConvert", e.i32, e[number.value].get(e, e.integer(8), number.index, 1))


def _each(e: Emitter, number: Id) -> Id:
    """A number in each byte of a word."""
    return e.emit("OpIMul", e.i32, number, e.number(EACH))


def _added(e: Emitter, name: str, number: int | Picked | Alike, value: Id, words: int) -> Id:
    """Bytes plus or minus one number."""
    tops, rests = (0x80 * EACH, 0x7F * EACH)
    kind = e.vector(e.i32, words)
    if isinstance(number, int):
        return _sum(e, kind, name, value, *(e.constant(e.i32, n, words) for n in (number * EACH, tops, rests)))
    # Word by word: a vector of one number, which all lanes share, would be made in registers.
    numbers = (_each(e, _scalar(e, number)), e.constant(e.i32, tops), e.constant(e.i32, rests))
    each = [e.emit("OpCompositeExtract", e.i32, value, i) for i in range(words)]
    return e.emit("OpCompositeConstruct", kind, *[_sum(e, e.i32, name, word, *numbers) for word in each])


def _sum(e: Emitter, kind: Id, name: str, a: Id, b: Id, tops: Id, rests: Id) -> Id:
    """Bytes that add up or are subtracted, without what they carry: all bits but the highest, which are added without a carry."""
    low = e.emit("OpBitwiseOr" if name == "sub" else "OpBitwiseAnd", kind, a, tops if name == "sub" else rests)
    low = e.emit("OpISub" if name == "sub" else "OpIAdd", kind, low, e.emit("OpBitwiseAnd", kind, b, rests))
    high = e.emit("OpBitwiseXor", kind, a, b)
    high = e.emit("OpBitwiseXor", kind, high, tops) if name == "sub" else high
    return e.emit("OpBitwiseXor", kind, low, e.emit("OpBitwiseAnd", kind, high, tops))


_SHARED: dict[type, tuple[str, Callable[[Emitter, Any], Id]]] = {
    Alike: ("lane", _in_both_halves), Power: ("lane", _power), Across: ("words", _across),
}  # fmt: skip
"""Second operands that all rows of a lane share, or all lanes of a row: how a piece takes them, and what makes them."""

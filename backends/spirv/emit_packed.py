"""Second operands of products, computed two numbers to a word by instructions on whole registers (`assembly`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from xetile.ir.core import Value

from .assembly import WORDS, Call
from .emit import Emitter
from .emit_look_up import table_of
from .emit_singles import Singles
from .emit_values import Fragment
from .encode import Id
from .packed import Alike, Bytes, Choice, Chosen, Computed, LookedUp, Narrowed, Number, Packed, Widened, Words, upper_halves

_ADDED = {"u8": 1024, "s8": 1152, "u4": 64, "s4": 72}
"""What bytes have too much where they become f16 (`OPERATIONS`)."""


def packed_operand(e: Emitter, packed: Packed) -> Id:
    """The words of an operand, made once."""
    return e.once(("packed", packed), lambda: _words(e, packed))


def _words(e: Emitter, packed: Packed) -> Id:
    if isinstance(packed, Words):
        fragment: Fragment = e[packed.value]
        return fragment.get(e, e.i32, packed.first // 2, WORDS)
    if isinstance(packed, Widened):
        return _widened(e, packed)
    if isinstance(packed, LookedUp):
        return _looked_up(e, packed)
    if isinstance(packed, Narrowed):
        return Singles(e, partial(packed_operand, e), partial(_bytes, e), partial(_single_table, e)).narrowed(packed)
    if isinstance(packed, Chosen):
        return _select(e, packed.condition, packed_operand(e, packed.a), packed_operand(e, packed.b), WORDS)
    assert isinstance(packed, Computed), packed
    a, b = packed_operand(e, packed.a), packed.b
    if isinstance(b, Number):
        name, number = ("add", _f16_bits(-b.value)) if packed.name == "sub" else (packed.name, _f16_bits(b.value))
        return _call(e, Call(name, b="number", number=number), a)
    if isinstance(b, Alike):
        one = b
        return _call(e, Call(packed.name, b="lane"), a, e.once(("packed", one), lambda: _in_both_halves(e, one)))
    return _call(e, Call(packed.name, b="words"), a, packed_operand(e, b))


def _widened(e: Emitter, packed: Widened) -> Id:
    kind = packed.kind
    if packed.bf16 and (kind not in _ADDED or packed.bias):
        return _call(e, Call("f16_bf16"), packed_operand(e, replace(packed, bf16=False)))
    if packed.bf16:
        value, words, first = _bytes(e, packed.bytes)
        return _call(e, Call(f"{kind}_bf16", first, words), value)
    packed = upper_halves(packed)
    kind = packed.kind
    value, words, first = _bytes(e, packed.bytes)
    number = _f16_bits(packed.bias - _ADDED[kind]) if kind in _ADDED else 0
    return _call(e, Call(kind, first, words, number=number), value)


def _places(e: Emitter, packed: LookedUp) -> tuple[Id, int, int]:
    """Places of numbers in the register of what the lanes hold, as `_bytes` gives bytes."""
    value, words, first = _bytes(e, packed.bytes)
    # Codes are below 16: no bit of one comes into the next byte.
    two = partial(e.emit, "OpShiftLeftLogical", e.vector(e.i32, words), value, e.constant(e.i32, 2, words))
    return e.once(("packed", "places", value), two), words, first


def _single_table(e: Emitter, packed: LookedUp) -> tuple[Id, int, int, Id]:
    return *_places(e, packed), table_of(e, packed.op).get(e, e.f32, 0, 1)


def _looked_up(e: Emitter, packed: LookedUp) -> Id:
    places, words, first = _places(e, packed)
    table = table_of(e, packed.op)
    word = e.at_entry(("packed", "table", packed.op.base), lambda: _as_word(e, table))
    return _call(e, Call("table", first, words, b="lane"), places, word)


def _as_word(e: Emitter, table: Fragment) -> Id:
    """A lane's number of 16 bits in a word."""
    return e.emit("OpUConvert", e.i32, table.get(e, e.integer(16), 0, 1))


def _call(e: Emitter, call: Call, *operands: Id) -> Id:
    return e.call_assembly(call.text(e.subgroup_size), e.vector(e.i32, WORDS), operands)


def _f16_bits(number: float) -> int:
    return int(np.float16(number).view(np.uint16))


def _in_both_halves(e: Emitter, one: Alike) -> Id:
    """A lane's number in both halves of a word."""
    half = e[one.value].get(e, e.integer(16), one.index, 1)
    word = e.emit("OpUConvert", e.i32, half)
    return e.emit("OpBitwiseOr", e.i32, word, e.emit("OpShiftLeftLogical", e.i32, word, e.number(16)))


def _select(e: Emitter, condition: Value, a: Id, b: Id, words: int) -> Id:
    """One of two vectors of words by a scalar."""
    conditions = e.emit("OpCompositeConstruct", e.vector(e.bool, words), *[e.scalar(condition)] * words)
    return e.emit("OpSelect", e.vector(e.i32, words), conditions, a, b)


def _bytes(e: Emitter, given: Bytes) -> tuple[Id, int, int]:
    """(a vector of words, how many they are, in which the sixteen bytes begin): as many as lie together, so that steps are shared."""
    value, words, first = _chosen(e, given.value) if isinstance(given.value, Choice) else _loaded(e, given.value, given.first)
    for step in given.steps:
        value = e.once(("packed", step, value), partial(_step, e, *step, value, words))
    return value, words, first


def _loaded(e: Emitter, value: Value, first: int) -> tuple[Id, int, int]:
    whole = e[value].count // 4
    words = WORDS if whole % WORDS == 0 else WORDS // 2
    start = first // 4 // words * words
    return e[value].get(e, e.i32, start, words), words, first // 4 - start


def _chosen(e: Emitter, given: Choice) -> tuple[Id, int, int]:
    (a, count, first), (b, words, start) = (_bytes(e, taken) for taken in (given.a, given.b))
    if (count, first) != (words, start):
        four = range(WORDS // 2)
        a, b = (
            e.emit("OpVectorShuffle", e.vector(e.i32, WORDS // 2), x, x, *(at + i for i in four))
            for x, at in ((a, first), (b, start))
        )
        words, start = WORDS // 2, 0
    key = ("packed", "choice", given.condition, a, b)
    return e.once(key, partial(_select, e, given.condition, a, b, words)), words, start


def _step(e: Emitter, name: str, number: int | Alike, value: Id, words: int) -> Id:
    """One operation with one number on all bytes of words."""
    kind = e.vector(e.i32, words)
    if not isinstance(number, Alike):
        return _with_number(e, kind, name, value, _Numbers(e, name, number, words))
    # Word by word: a vector of one number, which all lanes share, would be made in registers.
    numbers = _Numbers(e, name, e.emit("OpUConvert", e.i32, e[number.value].get(e, e.integer(8), number.index, 1)), 1)
    each = [e.emit("OpCompositeExtract", e.i32, value, i) for i in range(words)]
    return e.emit("OpCompositeConstruct", kind, *[_with_number(e, e.i32, name, word, numbers) for word in each])


class _Numbers:
    """What a step takes beside its bytes: the amount of a shift and what it keeps, or the number in each byte."""

    def __init__(self, e: Emitter, name: str, number: int | Id, words: int) -> None:
        self.tops, self.rests = (e.constant(e.i32, byte * _EACH, words) for byte in (0x80, 0x7F))
        shift = _SHIFTS.get(name)
        if not isinstance(number, Id):
            kept = 255 if shift is None else 255 >> number if name == "shr" else 255 << number & 255
            self.amount, self.kept = (e.constant(e.i32, n, words) for n in (number, kept * _EACH))
            self.each = e.constant(e.i32, number * _EACH, words)
            return
        each = number
        if shift is not None:
            each = e.emit("OpBitwiseAnd", e.i32, e.emit(shift, e.i32, e.number(255), number), e.number(255))
        self.amount = number
        self.each = self.kept = e.emit("OpIMul", e.i32, each, e.number(_EACH))


def _with_number(e: Emitter, kind: Id, name: str, value: Id, numbers: _Numbers) -> Id:
    if name in _SHIFTS:
        return e.emit("OpBitwiseAnd", kind, e.emit(_SHIFTS[name], kind, value, numbers.amount), numbers.kept)
    if name in _BITWISE:
        return e.emit(_BITWISE[name], kind, value, numbers.each)
    return _sum(e, kind, name, value, numbers.each, numbers.tops, numbers.rests)


def _sum(e: Emitter, kind: Id, name: str, a: Id, b: Id, tops: Id, rests: Id) -> Id:
    """Bytes that add up or are subtracted, without what they carry: all bits but the highest, which are added without a carry."""
    low = e.emit("OpBitwiseOr" if name == "sub" else "OpBitwiseAnd", kind, a, tops if name == "sub" else rests)
    low = e.emit("OpISub" if name == "sub" else "OpIAdd", kind, low, e.emit("OpBitwiseAnd", kind, b, rests))
    high = e.emit("OpBitwiseXor", kind, a, b)
    high = e.emit("OpBitwiseXor", kind, high, tops) if name == "sub" else high
    return e.emit("OpBitwiseXor", kind, low, e.emit("OpBitwiseAnd", kind, high, tops))


_EACH = 0x01010101
"""One in each byte of a word."""
_SHIFTS = {"shr": "OpShiftRightLogical", "shl": "OpShiftLeftLogical"}
_BITWISE = {"and": "OpBitwiseAnd", "or": "OpBitwiseOr", "xor": "OpBitwiseXor"}

"""Second operands of products, computed two numbers to a word by instructions on whole registers (`assembly`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from .assembly import TARGET, WORDS, Call
from .emit import Emitter
from .emit_values import Fragment
from .encode import Id
from .packing import Alike, Bytes, Computed, Number, Packed, Widened, Words

_ADDED = {"u8": 1024, "s8": 1152}
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
    value, words, first = _bytes(e, packed.bytes)
    if packed.bf16:
        return _call(e, Call(f"{kind}_bf16", first, words), value)
    number = _f16_bits(packed.bias - _ADDED[kind]) if kind in _ADDED else 0
    return _call(e, Call(kind, first, words, number=number), value)


def _call(e: Emitter, call: Call, *operands: Id) -> Id:
    kind = e.vector(e.i32, WORDS)
    kinds = [e.module.type_of(x) for x in operands]
    code = e.module.assembly(call.text(e.subgroup_size), ",".join(["=rw", *["rw"] * len(operands)]), kind, *kinds, target=TARGET)
    return e.emit("OpAsmCallINTEL", kind, code, *operands)


def _f16_bits(number: float) -> int:
    return int(np.float16(number).view(np.uint16))


def _in_both_halves(e: Emitter, one: Alike) -> Id:
    """A lane's number in both halves of a word."""
    half = e[one.value].get(e, e.integer(16), one.index, 1)
    word = e.emit("OpUConvert", e.i32, half)
    return e.emit("OpBitwiseOr", e.i32, word, e.emit("OpShiftLeftLogical", e.i32, word, e.number(16)))


def _bytes(e: Emitter, given: Bytes) -> tuple[Id, int, int]:
    """(a vector of words, how many they are, in which the sixteen bytes begin): as many as lie together, so that steps are shared."""
    whole = e[given.value].count // 4
    words = WORDS if whole % WORDS == 0 else WORDS // 2
    start = given.first // 4 // words * words
    value = e[given.value].get(e, e.i32, start, words)
    for step in given.steps:
        value = e.once(("packed", step, value), partial(_step, e, *step, value, words))
    return value, words, given.first // 4 - start


def _step(e: Emitter, name: str, number: int, value: Id, words: int) -> Id:
    """One operation with a constant on all bytes of words."""
    kind = e.vector(e.i32, words)

    def constant(byte: int) -> Id:
        return e.constant(e.i32, byte * 0x01010101, words)

    if name in _BITWISE:
        return e.emit(_BITWISE[name], kind, value, constant(number))
    shift, kept = ("OpShiftRightLogical", 255 >> number) if name == "shr" else ("OpShiftLeftLogical", 255 << number & 255)
    return e.emit("OpBitwiseAnd", kind, e.emit(shift, kind, value, e.constant(e.i32, number, words)), constant(kept))


_BITWISE = {"and": "OpBitwiseAnd", "or": "OpBitwiseOr", "xor": "OpBitwiseXor"}

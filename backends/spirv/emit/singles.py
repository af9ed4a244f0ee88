"""Second operands of products, computed in f32 and narrowed at last (`facts/packed.Narrowed`): assembly on two registers at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from xetile.dialects.types import F32

from ..assembly.byte_steps import LANE
from ..assembly.pairs import LookUpSinglesCall, NarrowPairsCall, PairCall, PairTableCall
from ..assembly.singles import LESS, NarrowCall, RaiseBytesCall, RaiseCall, TableCall
from ..assembly.wide import Given, One, Pair, SpreadCall, Vector
from ..facts.packed import (
    Across,
    Alike,
    Bytes,
    Calculated,
    Computed,
    FloatCodes,
    Lifted,
    LookedUp,
    Narrowed,
    Number,
    OtherByte,
    Packed,
    Raised,
    Shared,
    Single,
    Whole,
)
from ..facts.uniform_scalars import is_uniform
from ..module.encode import Id
from .cast import convert_float
from .emitter import Emitter
from .hidden import hidden_from_lanes, of_lanes
from .wide import compute

ROWS = 8
"""Rows of each half."""
_LARGEST = float(np.finfo(np.float32).max)
PlacesOf = Callable[[LookedUp], tuple[Id, int, int, Id]]
"""Words of places in a table, how many, the first to take, and this lane's number of the table."""
PairsOf = Callable[[LookedUp], "tuple[Id, int, int, Id] | None"]
"""The same of places of two numbers, and the table of all pairs; None where those are not to be taken."""


class Singles:
    """Emits expressions of f32; `words` makes those of two rows to a word, `bytes_of` and `places` what they are made of."""

    def __init__(
        self,
        e: Emitter,
        words: Callable[[Packed], Id],
        bytes_of: Callable[[Bytes], tuple[Id, int, int]],
        places: PlacesOf,
        pairs: PairsOf,
    ) -> None:
        self.e, self.words, self.bytes_of, self.places, self.pairs = e, words, bytes_of, places, pairs

    def narrowed(self, packed: Narrowed) -> Id:
        """The words of an operand."""
        single = packed.single if packed.bf16 else _shifted(packed.single)
        if _is_looked_up(single):
            return self._in_pairs(replace(packed, single=single))
        call, kind = NarrowCall("bf16" if packed.bf16 else "f16"), self.e.vector(self.e.i32, ROWS)
        return self.e.call_assembly(call, kind, [self.half(single, odd) for odd in (False, True)])

    def _in_pairs(self, packed: Narrowed) -> Id:
        """The same of numbers of a table, in pairs of rows."""
        call, e = NarrowPairsCall("bf16" if packed.bf16 else "f16"), self.e
        halves = [self._eight(packed.single, second) for second in (False, True)]
        return e.call_assembly(call, e.vector(e.i32, ROWS), halves)

    def _eight(self, single: Single, second: bool) -> Id:
        """The first or the second eight rows, made once."""
        return self.e.once(("pairs", single, second), lambda: self._made_eight(single, second))

    def _made_eight(self, single: Single, second: bool) -> Id:
        if isinstance(single, LookedUp):
            pairs = self.pairs(single)
            if pairs is not None:
                places, count, first, table = pairs
                return self._call(LookUpSinglesCall(second, first, count), places, table)
            places, count, first, number = self.places(single)
            return self._call(PairTableCall(second, first, count), places, number)
        assert isinstance(single, Calculated), single
        name, b = single.name, single.b
        if name == "sub" and isinstance(b, Number):
            name, b = "add", Number(-b.value)
        if isinstance(b, Alike) and not is_uniform(b.value):
            other: tuple[Given, Id | None] = Pair(), self.e.once(("pair", b), partial(self._pair, b))
        elif isinstance(b, Across):
            other = self._across(b, SpreadCall(ROWS, b.first + ROWS * second))
        else:
            other = self._operand(b, odd=False) if isinstance(b, (Alike, Number)) else (Vector(ROWS), self._eight(b, second))
        return self._compute(name, self._eight(single.a, second), other)

    def _pair(self, one: Alike) -> Id:
        """A lane's number for two rows."""
        e = self.e
        x = e.once(("single", one), lambda: self._one(one))
        return e.call_assembly(PairCall(), e.vector(e.f32, 2), [x])

    def half(self, single: Single, odd: bool) -> Id:
        """The even or the odd rows, made once."""
        return self.e.once(("single", single, odd), lambda: self._half(single, odd))

    def _half(self, single: Single, odd: bool) -> Id:
        if isinstance(single, Raised):
            return self._raised(single, odd)
        if isinstance(single, Lifted):
            return self._call(RaiseCall("bf16" if single.bf16 else "f16", odd), self.words(single.packed))
        if isinstance(single, LookedUp):
            places, count, first, number = self.places(single)
            return self._call(TableCall(odd, first, count), places, number)
        assert isinstance(single, Calculated), single
        name, b = single.name, single.b
        if name == "sub" and isinstance(b, Number):  # a number has no sign of its own in an instruction
            name, b = "add", Number(-b.value)
        return self._compute(name, self.half(single.a, odd), self._operand(b, odd))

    def _raised(self, single: Raised, odd: bool) -> Id:
        whole = (Whole.shifted if single.shifted else Whole.of)(single.widened)
        value, count, first = self.bytes_of(whole.bytes)
        if single.other is None:
            return self._call(RaiseBytesCall(whole.name, odd, first, count, whole.number & 0xFFFF), value)
        number = self.e.once(("single", single.other, whole.number), partial(self._number, single.other, whole.number))
        given = LESS if single.other.name == "sub" and not whole.number else LANE
        return self._call(RaiseBytesCall(whole.name, odd, first, count, given), value, number)

    def _number(self, other: OtherByte, number: int) -> Id:
        """What is added to all bytes of a lane, in a word, or subtracted where that is the lane's byte alone."""
        e = self.e
        byte = e[other.value].slice(e, other.index, 1).get(e, e.integer(8), 0, 1)
        word, signed = e.doubled.get(byte, (None, False))
        if number == 0 and word is not None and signed == other.signed:
            return word
        x = e.emit("OpSConvert" if other.signed else "OpUConvert", e.i32, byte)
        if e.may_be_alike(other.value):
            x = of_lanes(e, e.i32, x, 1)
        if number == 0:
            return x
        return e.emit("OpISub" if other.name == "sub" else "OpIAdd", e.i32, e.number(number), x)

    def _operand(self, single: Single, odd: bool) -> tuple[Given, Id | None]:
        """A second operand."""
        if isinstance(single, Number):
            return single.value, None
        if isinstance(single, Alike):
            return One(is_uniform(single.value)), self.e.once(("single", single), lambda: self._one(single))
        if isinstance(single, Across):
            return self._across(single, SpreadCall(ROWS, single.first + odd, step=2))
        return Vector(ROWS), self.half(single, odd)

    def _one(self, one: Alike) -> Id:
        """A lane's number as f32."""
        e = self.e
        x = convert_float(e, e[one.value].slice(e, one.index, 1), F32).scalar(e)
        if e.may_be_alike(one.value) and not is_uniform(one.value):
            x = hidden_from_lanes(e, x)
        return x if one.factor == 1 else self._times(x, one.factor)

    def _times(self, x: Id, factor: float) -> Id:
        """A number times a power of two. What only this makes infinite stays the largest number: zeros stay zeros by it, and all f16
        that are none become infinite.
        """
        e = self.e
        made, largest = e.emit("OpFMul", e.f32, x, e.constant(e.f32, factor)), _LARGEST
        if factor < 1:
            return made
        kept = e.ext(e.f32, "fmin", e.ext(e.f32, "fmax", made, e.constant(e.f32, -largest)), e.constant(e.f32, largest))
        finite = e.emit("OpFOrdLessThan", e.bool, e.ext(e.f32, "fabs", x), e.constant(e.f32, float("inf")))
        return e.emit("OpSelect", e.f32, finite, kept, made)

    def _across(self, one: Across, call: SpreadCall) -> tuple[Given, Id]:
        """Eight numbers of lanes, each in all of them."""
        e = self.e
        x = e.once(("single", one.value), lambda: convert_float(e, e[one.value], F32).scalar(e))
        kind = e.vector(e.f32, ROWS)
        return Vector(ROWS), e.once((call, x), lambda: e.call_assembly(call, kind, [x]))

    def _compute(self, name: str, rows: Id, other: tuple[Given, Id | None]) -> Id:
        return compute(self.e, name, ROWS, [(Vector(ROWS), rows), other])

    def _call(self, call: RaiseCall | RaiseBytesCall | TableCall | PairTableCall | LookUpSinglesCall, *operands: Id) -> Id:
        return self.e.call_assembly(call, self.e.vector(self.e.f32, ROWS), operands)


def _is_looked_up(single: Single) -> bool:
    """Whether numbers are those of a table, and what is computed of them and of numbers of the lane."""
    if isinstance(single, Calculated):
        return _is_looked_up(single.a) and (isinstance(single.b, Shared) or _is_looked_up(single.b))
    return isinstance(single, LookedUp)


def _shifted(single: Single) -> Single:
    """Numbers times one number, where it is an instruction less to make the numbers larger or smaller by a power of two.

    The other number takes the power, which is exact as far as f16 reaches: what is rounded has no digits there (`_times`).
    """
    if not isinstance(single, Calculated) or single.name != "mul" or not isinstance(single.b, (Alike, Number)):
        return single
    a = single.a
    if isinstance(a, Raised) and a.other is None:
        factor = Whole.shifted(a.widened).factor
        a = replace(a, shifted=factor != 1)
    elif isinstance(a, Lifted) and isinstance(a.packed, Computed) and isinstance(a.packed.a, FloatCodes):
        assert isinstance(a.packed.b, Number)
        factor, a = a.packed.b.value, replace(a, packed=a.packed.a)
    else:
        return single
    if isinstance(single.b, Alike):
        return replace(single, a=a, b=replace(single.b, factor=single.b.factor * factor))
    with np.errstate(over="ignore"):
        number = float(np.float32(single.b.value * factor))
    return replace(single, a=a, b=Number(number)) if np.isfinite(number) else single

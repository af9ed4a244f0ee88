"""What second operands of products are computed of (`packing` finds it): expressions of two rows to a word, and of f32 on the way there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xetile.dialects import tables
from xetile.dialects.types import F16
from xetile.ir.core import Value
from xetile.records import dataclass

from ..assembly.float_codes import FloatFormat, float_format

PLUS = "plus"
"""A step that adds: no byte carries."""
_LARGEST = 255
_TOP = 0x80
"""The highest bit of a byte."""


@dataclass(frozen=True)
class Bytes:
    """Sixteen bytes of a lane, or as many as an operand has: from the `first` of a value, or one of two by a condition or by turns, after
    steps of (operation, number), each on all of them. The number is known, or one of two, or one of the lane.
    """

    value: Value | Choice | ByTurns | Apart
    first: int
    steps: tuple[Step, ...] = ()

    def most(self) -> int:
        """No byte is larger, taken without sign."""
        bound = 255 if isinstance(self.value, (Value, Apart)) else max(self.value.a.most(), self.value.b.most())
        for name, given in self.steps:
            number = given if isinstance(given, int) else {"and": 255, "shr": 0}.get(name, 255)  # those that leave most
            both = (1 << max(bound, number).bit_length()) - 1
            kept = {"and": min(bound, number), "shr": bound >> number, "or": both, "xor": both, "slide": 255}
            bound = min(255, bound + number) if name in ("add", PLUS) else kept.get(name, 255)
        return bound

    def without_carries(self) -> Bytes:
        """The same bytes, where sums that no byte carries of are those of words: a difference is one of what lies 128 higher."""
        made = replace(self, steps=())
        for name, number in self.steps:
            added = _without_carry(made.most(), number) if name == "add" and isinstance(number, int) else None
            made = replace(made, steps=(*made.steps, *(((name, number),) if added is None else added)))
        return made

    def then(self, name: str, number: int | Alike) -> Bytes:
        """The same bytes after one more step; what is shifted out and back is masked."""
        if name == "shr" and isinstance(number, int) and self.steps[-1:] == (("shl", number),):
            return replace(self, steps=(*self.steps[:-1], ("and", 255 >> number)))
        return replace(self, steps=(*self.steps, (name, number & 255 if isinstance(number, int) else number)))

    def leaves(self) -> Iterable[Value]:
        """The values that are read."""
        yield from (number.value for _, number in self.steps if isinstance(number, Alike))
        yield from (number.condition for _, number in self.steps if isinstance(number, Picked))
        if isinstance(self.value, Value):
            yield self.value
        elif isinstance(self.value, Apart):
            yield from (value for value, _ in self.value.words)
        else:
            yield from (self.value.condition,) if isinstance(self.value, Choice) else ()
            yield from (*self.value.a.leaves(), *self.value.b.leaves())


def _without_carry(most: int, number: int) -> list[Step] | None:
    """Steps that add a number to bytes up to `most`."""
    if most + number <= _LARGEST:
        return [(PLUS, number)]
    less = number - _TOP
    if less < 0 or most + less > _LARGEST:
        return None
    return [*[(PLUS, less)] * (less > 0), ("xor", _TOP)]


@dataclass(frozen=True)
class Choice:
    """Bytes `a` where a scalar condition holds, `b` elsewhere."""

    condition: Value
    a: Bytes
    b: Bytes

    def shifted(self) -> Bytes | None:
        """The same by one shift, where one choice is the upper bits of the same bytes and the other as many lower ones."""
        for a, b, numbers in ((self.a, self.b, (True, False)), (self.b, self.a, (False, True))):
            *before, last = a.steps or (None,)
            if last is None or last[0] != "shr" or not isinstance(last[1], int):
                continue
            low = ("and", 255 >> last[1])
            if (a.value, a.first, (*before, low)) == (b.value, b.first, b.steps):
                picked = Picked(self.condition, *(last[1] * is_upper for is_upper in numbers))
                return replace(a, steps=(*before, ("shr", picked), low))
        return None


@dataclass(frozen=True)
class ByTurns:
    """`count` bytes, of `a` and of `b` by turns."""

    a: Bytes
    b: Bytes
    count: int


@dataclass(frozen=True)
class Apart:
    """Words of several values, four bytes each: (a value, which of its elements)."""

    words: tuple[tuple[Value, int], ...]


@dataclass(frozen=True)
class Picked:
    """The number `a` where a scalar condition holds, `b` elsewhere."""

    condition: Value
    a: int
    b: int


@dataclass(frozen=True)
class Widened:
    """Bytes as f16 or bf16, exactly: of integers plus a whole number."""

    kind: str  # "s8", "u8", "s4" and "u4" (sixteenths of those), "f8E4M3FN", "f8E5M2"
    bytes: Bytes
    bias: int = 0
    bf16: bool = False


@dataclass(frozen=True)
class Stepped:
    """Thirty-two bytes of a lane as they are after their steps: an operand of bytes."""

    bytes: Bytes


@dataclass(frozen=True)
class LookedUp:
    """Numbers of the table of a look-up, by bytes."""

    op: tables.LookUp | tables.Choose
    bytes: Bytes


@dataclass(frozen=True)
class FloatCodes:
    """Codes of four bits as f16 of their bits: in the upper halves of bytes, whose lower ones hold anything."""

    bytes: Bytes
    format: FloatFormat


@dataclass(frozen=True)
class Words:
    """Numbers as they lie in a value, from the `first`."""

    value: Value
    first: int


@dataclass(frozen=True)
class Together:
    """Numbers of 16 bits that are computed row by row: (a value, which of its elements)."""

    rows: tuple[tuple[Value, int], ...]


@dataclass(frozen=True)
class Alike:
    """One number of the lane for all rows, times a power of two."""

    value: Value
    index: int
    factor: float = 1.0


@dataclass(frozen=True)
class Across:
    """One number for each row, the same in all lanes: what a lane has in a scalar, from the lane `first` on."""

    value: Value
    first: int


Step = tuple[str, "int | Picked | Alike"]


@dataclass(frozen=True)
class Power:
    """One of two factors of f16 that one number of the lane for all rows is, a power of two, times 2 to the power of `exponent`
    (`power_scales`); with `bias` the value is the byte that is less than the power by it.
    """

    value: Value
    index: int
    exponent: int
    is_second: bool
    bias: int | None = None


@dataclass(frozen=True)
class Number:
    """One number for all rows of all lanes."""

    value: float


@dataclass(frozen=True)
class Computed:
    """An operation of f16: "add", "sub" or "mul"; `b` may be one number of the lane, or one for each row."""

    name: str
    a: Packed
    b: Packed


@dataclass(frozen=True)
class WithBits:
    """Numbers of 16 bits after an operation with the bits of a known one: "and" and "xor" change signs, "max" and "min" choose (of bf16
    "max_bf16" and "min_bf16").
    """

    name: str
    packed: Packed
    bits: int


@dataclass(frozen=True)
class Chosen:
    """`a` where a scalar condition holds, `b` elsewhere."""

    condition: Value
    a: Packed
    b: Packed


@dataclass(frozen=True)
class Narrowed:
    """What is computed of f32, as f16 or bf16."""

    single: Single
    bf16: bool


Shared = Number | Alike | Across
"""What all rows of a lane share, or all lanes of a row."""
Packed = Widened | Stepped | LookedUp | FloatCodes | Words | Together | Shared | Power | Computed | WithBits | Chosen | Narrowed


@dataclass(frozen=True)
class OtherByte:
    """A byte of the lane that is added to bytes or subtracted ("add", "sub"), before they become floats."""

    name: str
    value: Value
    index: int
    signed: bool


@dataclass(frozen=True)
class Raised:
    """Bytes as f32: integers plus a whole number, and a byte of the lane; `shifted`: times a power of two, as `Whole.shifted` has them."""

    widened: Widened
    shifted: bool = False
    other: OtherByte | None = None


@dataclass(frozen=True)
class Lifted:
    """Numbers of 16 bits as f32."""

    packed: Packed
    bf16: bool


@dataclass(frozen=True)
class Calculated:
    """An operation of f32: "add", "sub" or "mul"; `b` may be one number of the lane, or one for each row."""

    name: str
    a: Single
    b: Single


Single = Raised | Lifted | LookedUp | Calculated | Shared
"""Sixteen rows of f32."""


_CODES = 15
"""The largest code of four bits."""
_OPERAND_CODES = 16
"""Codes of an operand of numbers of 16 bits."""
_SHIFT_BACK, _MASK, _TURN = ("shr", 4), ("and", _CODES), ("xor", 8)
_UPPER = ("and", _CODES << 4)


def upper_halves(widened: Widened) -> Widened:
    """The same numbers without a shift, where they are codes of four bits in the upper halves of bytes."""
    steps, kind = widened.bytes.steps, ""
    if widened.kind == "u8" and steps[-1:] == (_SHIFT_BACK,):
        kind, steps, bias = "u4", steps[:-1], widened.bias
    elif (widened.kind, widened.bias, steps[-2:]) == ("u8", -8, (_SHIFT_BACK, _TURN)):
        kind, steps, bias = "s4", steps[:-2], 0
    if not kind:
        return widened
    return replace(widened, kind=kind, bytes=replace(widened.bytes, steps=(*steps, _UPPER)), bias=bias)


def both_halves(bytes: Bytes) -> Bytes | None:
    """The bytes whose lower and upper codes of four bits these are by turns, the lower one of each first."""
    turns = bytes.value
    if not isinstance(turns, ByTurns) or bytes.steps or turns.a.steps[-1:] != (_MASK,):
        return None
    taken = replace(turns.a, steps=turns.a.steps[:-1])
    upper = (taken.then(*_SHIFT_BACK), taken.then(*_SHIFT_BACK).then(*_MASK))
    return taken if turns.b in upper and turns.count == _OPERAND_CODES else None


def as_floats(looked_up: LookedUp) -> Packed:
    """Numbers of a table, without one where their bits are those of the codes."""
    op, bytes = looked_up.op, looked_up.bytes
    format = float_format(op.bits) if isinstance(op, tables.Choose) and op.element is F16 else None
    if format is None:
        return looked_up
    if bytes.steps[-1:] == (_SHIFT_BACK,):
        bytes = replace(bytes, steps=bytes.steps[:-1])
    else:
        before = bytes.steps[:-1] if bytes.steps[-1:] == (_MASK,) else bytes.steps
        bytes = replace(bytes, steps=(*before, ("slide", 4)))
    codes = FloatCodes(bytes, format)
    return codes if format.exponent == 0 else Computed("mul", codes, Number(2.0**format.exponent))


@dataclass(frozen=True)
class Whole:
    """Bytes as integers of 16 bits: an operation of `singles`, what it takes, the number that it adds, and what is to be multiplied."""

    name: str
    bytes: Bytes
    number: int = 0
    factor: float = 1.0

    @classmethod
    def of(cls, widened: Widened) -> Whole:
        """The numbers themselves."""
        return cls(f"{widened.kind}_whole", widened.bytes, widened.bias)

    @classmethod
    def shifted(cls, widened: Widened) -> Whole:
        """Codes of four bits in the upper bits of bytes or words, which takes an instruction less: a code less 8 is a number with a sign."""
        bytes, bias = widened.bytes, widened.bias
        if widened.kind == "u8" and bias == -8 and bytes.steps[-2:] in ((_MASK, _TURN), (_SHIFT_BACK, _TURN)):
            before = replace(bytes, steps=bytes.steps[:-2])
            return cls("low4", before, 0, 2.0**-12) if bytes.steps[-2] == _MASK else cls("high4", before, 0, 2.0**-4)
        if widened.kind == "u8" and bytes.steps[-1:] == (_SHIFT_BACK,):
            return cls("u8_whole", replace(bytes, steps=(*bytes.steps[:-1], _UPPER)), bias * 16, 2.0**-4)
        return cls.of(widened)

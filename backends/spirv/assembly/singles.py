"""Pieces between narrow numbers and f32, for operands of products.

A second operand has two rows to a word. As f32 eight registers hold its even rows, eight others the odd ones: so instructions on two
registers read and write every second row.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.records import dataclass

from .byte_steps import LANE, Given
from .call import ROWS, WORDS, Call, declared, part_of
from .gather import WORD_BITS

_PAIRS = range(0, WORDS, 2)
_EVEN, _ODD = "02468ace", "13579bdf"
_TABLE_ROW = (
    "addr_add (M1_NM, {lanes}) P{row}(0)<1> &BD {register}(0,{start})<1;1,0>\n"
    "mov (M1_NM, {lanes}) OD({row},0)<1> r[P{row}(0),0]<1,0>:d"
)
_UPPER = "0xFFFF0000:ud"
LESS = "less"
"""A number that is an operand, as `byte_steps.LANE`, and is subtracted."""

# Two registers of f32 from {row} on: O the result, A the operand, with the type of its elements behind it (`_ALIASES`); {odd} is the
# half of words that is taken.
_RAISING = {
    "f16": ("mov ({wide}) OF({row},0)<1> AH({row},{odd})<2;1,0>", "convert_float8(as_half16(x).s{rows})"),
    "bf16": ("{half} ({wide}) OD({row},0)<1> AD({row},0)<1;1,0> {bits}", "as_float8({shifted})"),
}
_INTEGERS = {
    "u8_whole": ("add", "U", "{number}", "convert_short16(as_uchar16(x)) + (short16)((short){number})"),
    "s8_whole": ("add", "S", "{number}", "convert_short16(as_char16(x)) + (short16)((short){number})"),
    "low4": ("shl", "U", "12", "convert_short16(as_uchar16(x)) << (short16)(12)"),
    "high4": ("and", "S", "0xFFF0", "convert_short16(as_char16(x)) & (short16)(-16)"),
}
"""How integers of 16 bits are made of bytes: an instruction, the bytes' type, and the number that it takes; the same in OpenCL C."""
_ALIASES = {"F": ("f", 1), "D": ("ud", 1), "H": ("hf", 2), "W": ("w", 2), "U": ("ub", 4), "S": ("b", 4)}


@dataclass(frozen=True)
class RaiseCall(Call, name="singles"):
    """Eight rows as f32, the even or the odd ones, of numbers of 16 bits: "f16" or "bf16"."""

    name: str
    odd: bool

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [_declared("O", letter, WORDS, 0, lanes) for letter in "FD"]
        lines += [_declared("A", letter, WORDS, 1, lanes) for letter in "DH"]
        half, bits = ("and", _UPPER) if self.odd else ("shl", f"{WORD_BITS // 2}:d")
        for row in _PAIRS:
            fields = {"row": row, "odd": int(self.odd), "half": half, "bits": bits, "wide": f"M1_NM, {2 * lanes}"}
            lines.append(_RAISING[self.name][0].format(**fields))
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        shifted = f"x & {_UPPER.partition(':')[0]}u" if self.odd else "x << 16"
        c = _RAISING[self.name][1].format(rows=_ODD if self.odd else _EVEN, shifted=shifted)
        return f"float8 {self.symbol}(uint8 x) {{ return {c}; }}"


@dataclass(frozen=True)
class NarrowRowsCall(Call, name="singles narrow_rows"):
    """Eight rows of f32 as f16 or bf16, as a first operand has them."""

    name: str

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        kind = {"f16": "hf", "bf16": "bf"}[self.name]
        lines = [declared("O", ROWS * lanes, 0, kind), declared("A", ROWS * lanes, 1, "f")]
        places = (f"O({row // 2},{row % 2 * lanes})<1> A({row},0)<1;1,0>" for row in range(ROWS))
        return [*lines, *(f"mov (M1_NM, {lanes}) {place}" for place in places)]

    def function(self) -> str:
        """That function in OpenCL C."""
        each = "as_ushort(convert_half({}))" if self.name == "f16" else "bf16_of({})"
        numbers = ", ".join(each.format(f"a.s{row}") for row in range(ROWS))
        return f"ushort{ROWS} {self.symbol}(float{ROWS} a) {{ return (ushort{ROWS})({numbers}); }}"


@dataclass(frozen=True)
class RaiseBytesCall(Call, name="singles bytes"):
    """Eight rows as f32, the even or the odd ones, of bytes as integers (`_INTEGERS`).

    Each integer is made where its f32 will be: what lies in the upper half of a word would have to be moved first. `number`: what is
    added, or LANE where that is a word of each lane, LESS where such a word is subtracted.
    """

    operation: str
    odd: bool
    first: int
    words: int
    number: Given = 0

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [_declared("O", "F", WORDS, 0, lanes), *(_declared("A", letter, self.words, 1, lanes) for letter in "US")]
        lines += [declared(f"WI{row}", 4 * lanes, None, "w") for row in _PAIRS]
        opcode, given, number, _ = _INTEGERS[self.operation]
        if isinstance(self.number, int):
            number = number.format(number=f"0x{self.number:04X}") + ":w"
        else:
            lines.append(declared("BW", 2 * lanes, 2, "w"))
            number = number.format(number=f"{'(-)' * (self.number == LESS)}BW(0,0)<0;{lanes},2>")
        for row in _PAIRS:
            source = f"A{given}({self.first + row // 2},{int(self.odd)})<2;{lanes},4>"
            lines.append(f"{opcode} (M1_NM, {2 * lanes}) WI{row}(0,0)<2> {source} {number}")
        lines += [f"mov (M1_NM, {2 * lanes}) OF({row},0)<1> WI{row}(0,0)<2;1,0>" for row in _PAIRS]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        of_lane = not isinstance(self.number, int)
        given = {LANE: "b", LESS: "(-b)"}[self.number] if isinstance(self.number, str) else f"({self.number})"
        made = _INTEGERS[self.operation][3].format(number=given)
        x = f"const uint4 x = {part_of(self.first, self.words)};"
        rows = _ODD if self.odd else _EVEN
        params = f"uint{self.words} a" + ", int b" * of_lane
        return f"float8 {self.symbol}({params}) {{ {x} return convert_float8(({made}).s{rows}); }}"


@dataclass(frozen=True)
class TableCall(Call, name="singles table"):
    """Eight rows of a table of f32, the even or the odd ones: each lane has one number `b`, bytes are places, four bytes to a number."""

    odd: bool
    first: int
    words: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly; addresses for one instruction at a time. They are added to neighbouring words, which two rows become
        together: of what lies further apart IGC makes them row by row.
        """
        lines = [_declared("O", "D", WORDS, 0, lanes)]
        lines += [_declared("A", "D", self.words, 1, lanes), _declared("B", "D", 1, 2, lanes)]
        lines += [declared("TD", WORDS // 2 * lanes, None, "ud"), declared("TW", WORDS * lanes, "TD", "uw")]
        lines += [declared(f"X{pair}{half}", 2 * lanes, None, "uw") for pair in range(WORDS // 4) for half in range(2)]
        lines += [f".decl P{row} v_type=A num_elts={lanes}" for row in range(WORDS)]
        for word in range(0, WORDS // 2, 2):
            given = f"AD({self.first + word},0)<1;1,0>"
            if self.odd:
                lines.append(f"shr (M1_NM, {2 * lanes}) TD({word},0)<1> {given} 8:ud")
                given = f"TD({word},0)<1;1,0>"
            lines.append(f"and (M1_NM, {2 * lanes}) TD({word},0)<1> {given} 0x00FF00FF:ud")
            for half in range(2):
                lines.append(f"mov (M1_NM, {2 * lanes}) X{word // 2}{half}(0,0)<1> TW({word},{half})<2;1,0>")
        for row in range(WORDS):
            lines.append(_TABLE_ROW.format(row=row, register=f"X{row // 4}{row % 2}", start=row // 2 % 2 * lanes, lanes=lanes))
        return lines

    def function(self) -> str:
        """That function in OpenCL C: every lane is handed each of its numbers."""
        rows = _ODD if self.odd else _EVEN
        numbers = ", ".join(f"sub_group_shuffle(one, (uint)(x.s{row} >> 2))" for row in rows)
        x = f"const uchar16 x = as_uchar16({part_of(self.first, self.words)});"
        return f"float8 {self.symbol}(uint{self.words} a, float one) {{ {x} return (float8)({numbers}); }}"


@dataclass(frozen=True)
class NarrowCall(Call, name="singles narrow"):
    """Even and odd rows of f32 as f16 or bf16, two to a word. Only the even halves of words are written two registers at a time."""

    name: str

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        kind, step = {"f16": ("hf", 2), "bf16": ("bf", 1)}[self.name]
        lines = [declared("O", 2 * WORDS * lanes, 0, kind)]
        lines += [_declared(register, "F", WORDS, at, lanes) for register, at in (("A", 1), ("B", 2))]
        for row in range(0, WORDS, step):
            lines.append(f"mov (M1_NM, {step * lanes}) O({row},0)<2> AF({row},0)<1;1,0>")
        lines += self._odd(lanes)
        return lines

    def _odd(self, lanes: int) -> Iterator[str]:
        """Conversions to f16 begin at whole words, so that the odd rows are moved on."""
        if self.name == "bf16":
            yield from (f"mov (M1_NM, {lanes}) O({row},1)<2> BF({row},0)<1;1,0>" for row in range(WORDS))
            return
        count = 2 * WORDS * lanes
        yield from (declared("T", count, None, "hf"), declared("TW", count, "T", "uw"), declared("OW", count, 0, "uw"))
        yield from (f"mov (M1_NM, {2 * lanes}) T({row},0)<2> BF({row},0)<1;1,0>" for row in _PAIRS)
        yield from (f"mov (M1_NM, {2 * lanes}) OW({row},1)<2> TW({row},0)<2;1,0>" for row in _PAIRS)

    def function(self) -> str:
        """That function in OpenCL C."""
        if self.name == "f16":
            made = "half16 o; o.even = convert_half8(a); o.odd = convert_half8(b);"
        else:
            parts = {"even": "a", "odd": "b"}
            made = "ushort16 o; " + " ".join(
                f"o.{part} = (ushort8)({', '.join(f'bf16_of({x}.s{i})' for i in range(WORDS))});" for part, x in parts.items()
            )
        return f"uint8 {self.symbol}(float8 a, float8 b) {{ {made} return as_uint8(o); }}"


@dataclass(frozen=True)
class RaiseRowsCall(Call, name="singles rows"):
    """Of a first operand, eight rows of bytes ("s8", "u8") as f32, by way of integers where the f32 will be."""

    kind: str

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", ROWS * lanes, 0)]
        lines.append(declared("A", ROWS * lanes, 1, {"s8": "b", "u8": "ub"}[self.kind]))
        rows, wide = range(0, ROWS, 2), f"M1_NM, {2 * lanes}"
        lines += [declared(f"W{row}", 4 * lanes, None, "w") for row in rows]
        lines += [f"mov ({wide}) W{row}(0,0)<2> A({row // 4},{row % 4 * lanes})<1;1,0>" for row in rows]
        lines += [f"mov ({wide}) O({row},0)<1> W{row}(0,0)<2;1,0>" for row in rows]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        signed = f"as_char{ROWS}(a)" if self.kind == "s8" else "a"
        return f"float{ROWS} {self.symbol}(uchar{ROWS} a) {{ return convert_float{ROWS}({signed}); }}"


def _declared(register: str, letter: str, words: int, operand: int, lanes: int) -> str:
    """The declaration of an operand's registers by a type's letter."""
    kind, elements = _ALIASES[letter]
    return declared(register + letter, words * lanes * elements, operand, kind)

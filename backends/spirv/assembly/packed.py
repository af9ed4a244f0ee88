"""Pieces that compute on whole registers of words: 32 numbers of 16 bits for 16 lanes at a time.

Of a product's second operand a lane has two numbers in a word; of its first one, which is flat, a register has two rows. SPIR-V's arithmetic
takes one number of each lane: two instructions for a register of words. `OPERATIONS` has what a piece does, in vISA and in OpenCL C.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from xetile.records import dataclass

from .call import ROWS, WORDS, Call, declared, part_of


@dataclass(frozen=True)
class Operation:
    """`lines` of vISA for one register of words, or for two that begin with {pair}; `c`: the whole of it in OpenCL C, of bytes `x` or
    words `a` and `b`, {n} numbers that become {out}; `scratch`: the letters of registers that lines need beside these, one each;
    `pairs`: of two each, for two registers of words; `doubles`: of two each, for one; `constant`: a word K, which no instruction of
    three operands has room for; `looks_up`: numbers of other lanes (`one` in C), by addresses P; `choices`: by conditions P.
    """

    lines: tuple[str, ...]
    c: str
    scratch: str = ""
    pairs: str = ""
    doubles: str = ""
    constant: int | None = None
    looks_up: bool = False
    choices: bool = False


# In the lines: O the result, A and B operands, others scratch registers, each with the type of its elements behind it (W and V
# signed and unsigned integers of 16 bits, H f16, D whole words, F f32, S and U signed and unsigned bytes); {row} of words, {word}, {byte}
# and {next} of the bytes that become it, in the region {bytes}; {wide} numbers or {lanes} words at a time; {number} an f16.
_ROW = "({row},0)<1;1,0>"
_FROM_UNSIGNED, _FROM_SIGNED = "AU({word},{byte}){bytes}", "AS({word},{byte}){bytes}"


_AS_BF16 = "as_uint8(convert_ushort16(as_uint16(convert_float16({})) >> (uint16)(16)))"
_UPPER_HALF = "mov ({wide}) OV({row},0)<2> XV{pair}(0,1)<2;1,0>"
"""The upper half of an f32 is what a number of 8 digits is as bf16: that of the odd rows stays where it is made."""


def _whole_as_bf16(bytes: str, kind: str) -> Operation:
    """Bytes and a whole number, of the even and of the odd rows in words: IGC moves others there before they become f32."""
    lines = (
        *(f"add ({{wide}}) {to}I{{pair}}(0,0)<1> A{bytes}({{word}},{at})<2;{{rows}},4> {{whole}}:d" for to, at in ("T0", "U1")),
        "mov ({wide}) XF{pair}(0,0)<1> TI{pair}(0,0)<1;1,0>",
        "mov ({wide}) OF({row},0)<1> UI{pair}(0,0)<1;1,0>",
        _UPPER_HALF,
    )
    return Operation(lines, _AS_BF16.format(f"convert_short16(as_{kind}16(x)) + (short16)({{whole}})"), pairs="TUX")


_F16_AS_BF16 = Operation(
    (
        "mov ({wide}) XF{pair}(0,0)<1> AH({row},0)<2;1,0>",
        "shr ({wide}) TD{pair}(0,0)<1> AD({row},0)<1;1,0> 16:uw",
        "mov ({wide}) OF({row},0)<1> TH{pair}(0,0)<2;1,0>",
        _UPPER_HALF,
    ),
    _AS_BF16.format("as_half16(a)"),
    pairs="TX",
)


def _chosen(where: str, sign: str) -> Operation:
    """The second number where the first compares so with it."""
    lines = (f"cmp.{where} ({{wide}}) P{{row}} AH{_ROW} {{b}}", f"(!P{{row}}) sel ({{wide}}) OH({{row}},0)<1> AH{_ROW} {{b}}")
    return Operation(
        lines, f"{{out}}(select(as_half{{n}}(a), as_half{{n}}(b), as_half{{n}}(a) {sign} as_half{{n}}(b)))", choices=True
    )


def _chosen_bf16(where: str, sign: str) -> Operation:
    """The same of bf16 and a number, which are compared as f32."""
    lines = (f"shl ({{wide}}) TD{{row}}(0,0)<1> AV{_ROW} 16:uw", f"cmp.{where} ({{wide}}) P{{row}} TF{{row}}(0,0)<1;1,0> {{single}}",
             f"(!P{{row}}) sel ({{wide}}) OV({{row}},0)<1> AV{_ROW} {{bits}}")  # fmt: skip
    (x, a), (y, b) = (
        (bits, f"as_float{{n}}(convert_uint{{n}}({bits}) << 16)") for bits in (f"as_ushort{{n}}({each})" for each in "ab")
    )
    return Operation(lines, f"{{out}}(select({x}, {y}, convert_ushort{{n}}({a} {sign} {b})))", doubles="T", choices=True)


# The sign comes in two bits, of which the exponent has one. One more carries into that bit where all others are ones, which is
# NaN: then all bits of the exponent are. The biases differ by 8; subnormal f16 are operands (emit/f8). Two registers at a time: what
# the lower number of a word carries further ends in bits of the sum that nothing takes.
_E4M3 = (
    f"shl ({{wide}}) OW({{row}},0)<1> {_FROM_SIGNED} 7:w",
    "add ({wide}) TD{pair}(0,0)<1> OD({row},0)<1;1,0> 0x00800080:ud",
    "bfn.x6A ({wide}) OD({row},0)<1> OD({row},0)<1;1,0> TD{pair}(0,0)<1;1,0> K(0,0)<0;1,0>",
)
_SIGN_OF_E4M3 = 0x40004000  # where it comes again, in both numbers of a word

OPERATIONS = {
    # 0x6400 is 1024 as f16, whose last digit is 1.
    "u8": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_UNSIGNED} 0x6400:w", f"add ({{wide}}) OH({{row}},0)<1> OH{_ROW} {{number}}"),
        "{out}(convert_half{n}(as_uchar{n}(x)) + ((half)(1024) + {number}))",
    ),
    "s8": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_SIGNED} 0x6480:w", f"add ({{wide}}) OH({{row}},0)<1> OH{_ROW} {{number}}"),
        "{out}(convert_half{n}(as_char{n}(x)) + ((half)(1152) + {number}))",
    ),
    # The same without the second sum.
    "u8_large": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_UNSIGNED} 0x6400:w",), "{out}(convert_half{n}(as_uchar{n}(x)) + (half)(1024))"
    ),
    "s8_large": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_SIGNED} 0x6480:w",), "{out}(convert_half{n}(as_char{n}(x)) + (half)(1152))"
    ),
    # The upper halves of bytes: 0x5400 is 64 as f16, whose last digit is 1/16.
    "u4": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_UNSIGNED} 0x5400:w", f"add ({{wide}}) OH({{row}},0)<1> OH{_ROW} {{number}}"),
        "{out}(convert_half{n}(as_uchar{n}(x)) * (half)(0.0625) + ((half)(64) + {number}))",
    ),
    "s4": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_SIGNED} 0x5480:w", f"add ({{wide}}) OH({{row}},0)<1> OH{_ROW} {{number}}"),
        "{out}(convert_half{n}(as_char{n}(x)) * (half)(0.0625) + ((half)(72) + {number}))",
    ),
    "f8E5M2": Operation(
        (f"shl ({{wide}}) OW({{row}},0)<1> {_FROM_UNSIGNED} 8:w",), "{out}(convert_ushort{n}(as_uchar{n}(x)) << (ushort{n})(8))"
    ),
    "f8E4M3FN": Operation(
        (*_E4M3, f"mul ({{wide}}) OH({{row}},0)<1> OH{_ROW} 0x5C00:hf"), "{e4m3}(x, (half)(256))",
        pairs="T", constant=_SIGN_OF_E4M3,
    ),
    "f8E4M3FN_smaller": Operation(_E4M3, "{e4m3}(x, (half)(1))", pairs="T", constant=_SIGN_OF_E4M3),
    # Bytes are places in the register of what the lanes hold, a word each. There are addresses for one instruction at a time.
    "table": Operation(
        tuple(
            f"addr_add (M1_NM, 16) P{{row}}(0)<1> &BD AU({{word}},{{{byte}}})<4;2,1>\n"
            f"mov (M1_NM, 16) OW({{row}},{half})<1> r[P{{row}}(0),0]<1,0>:w" for half, byte in ((0, "byte"), (16, "further"))
        ),
        "xetile_packed_table(x, one)", looks_up=True,
    ),
    "u8_bf16": _whole_as_bf16("U", "uchar"),
    "s8_bf16": _whole_as_bf16("S", "char"),
    "f16_bf16": _F16_AS_BF16,
    "add": Operation((f"add ({{wide}}) OH({{row}},0)<1> AH{_ROW} {{b}}",), "{out}(as_half{n}(a) + as_half{n}(b))"),
    "sub": Operation((f"add ({{wide}}) OH({{row}},0)<1> AH{_ROW} (-){{b}}",), "{out}(as_half{n}(a) - as_half{n}(b))"),
    # Of two equal numbers, and of NaN and a number, the first one.
    "max": _chosen("lt", "<"),
    "min": _chosen("gt", ">"),
    "max_bf16": _chosen_bf16("lt", "<"),
    "min_bf16": _chosen_bf16("gt", ">"),
    "mul": Operation((f"mul ({{wide}}) OH({{row}},0)<1> AH{_ROW} {{b}}",), "{out}(as_half{n}(a) * as_half{n}(b))"),
    # Bits, of f16 and of bf16.
    "and": Operation((f"and ({{wide}}) OV({{row}},0)<1> AV{_ROW} {{bits}}",), "a & b"),
    "xor": Operation((f"xor ({{wide}}) OV({{row}},0)<1> AV{_ROW} {{bits}}",), "a ^ b"),
}  # fmt: skip
TOO_MUCH = {"u8": 1024, "s8": 1152, "u4": 64, "s4": 72}
"""What bytes, and codes in their upper halves, have too much where they become f16, before the second sum."""
_ALIASES = (
    *(("O", letter, kind, 0) for letter, kind in (("W", "w"), ("V", "uw"), ("H", "hf"), ("F", "f"), ("D", "ud"))),
    *(("A", letter, kind, 1) for letter, kind in (("U", "ub"), ("S", "b"), ("H", "hf"), ("V", "uw"), ("D", "ud"))),
    ("B", "H", "hf", 2),
    ("B", "D", "d", 2),
)
_IN_PAIRS = (("I", "d", 2), ("F", "f", 2), ("H", "hf", 4), ("V", "uw", 4))
"""Other names of two scratch registers: a letter, a type, and how many numbers of it they have for each lane."""
_ROWS_AT_ONCE = 4
"""Registers between an instruction and the next that takes its result: fewer must wait, more are live together."""
_ELEMENTS = {"f": 1, "d": 1, "ud": 1, "w": 2, "uw": 2, "hf": 2, "ub": 4, "b": 4}


def bits_of(number: float, kind: Any = np.float16) -> int:
    """The bits of a number as f16, or as another type of 16 bits."""
    return int(np.array(number, kind).view(np.uint16))


@dataclass(frozen=True)
class PackedCall(Call, name="packed"):
    """`first` and `words`: of bytes, where they begin in how many words; `b`: "" where there is no second operand,
    "words", "lane" (one number of each lane) or "number"; `number`: bits of an f16; `flat`: of a first operand, row after row.
    """

    name: str
    first: int = 0
    words: int = WORDS
    b: str = ""
    number: int = 0
    flat: bool = False

    @property
    def registers(self) -> int:
        """Registers of the result."""
        return ROWS // 2 if self.flat else WORDS

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        sizes = (self.registers, self.words, self.registers if self.b == "words" else 1)
        operation = OPERATIONS[self.name]
        named_there = "".join(operation.lines)
        lines = [
            declared(register + letter, sizes[at] * lanes * _ELEMENTS[kind], at, kind)
            for register, letter, kind, at in _ALIASES
            if (register + letter in named_there or (at == 2 and self.b in ("words", "lane")))
        ]
        lines += self._scratch(operation, lanes)
        number = f"0x{self.number:04X}:hf"
        b = {"words": f"BH{_ROW}", "lane": "BH(0,0)<1;1,0>"}.get(self.b, number)
        rows = range(self.registers)
        at_once = [rows[first : first + _ROWS_AT_ONCE] for first in rows[::_ROWS_AT_ONCE]]
        for line, row in [(line, row) for rows in at_once for line in operation.lines for row in rows]:
            if row % 2 and "{pair}" in line:
                continue
            byte = row % 2 * (2 * lanes if self.flat else 2)
            fields = {"row": row, "pair": row, "word": self.first + row // 2, "byte": byte, "next": byte + 1, "number": number}
            fields |= {"further": byte + 2 * lanes, "bytes": "<1;1,0>" if self.flat else "<4;2,1>"}
            fields |= {"wide": f"M1_NM, {2 * lanes}", "lanes": f"M1_NM, {lanes}", "rows": lanes}
            fields |= {"whole": f"0x{self.number & 0xFFFFFFFF:08X}"}
            fields |= {"bits": f"0x{self.number:04X}:uw", "single": f"0x{self.number:04X}0000:f"}
            lines.append(line.replace("{b}", b).format(**fields))
        return lines

    def _scratch(self, operation: Operation, lanes: int) -> Iterator[str]:
        """The declarations of registers beside the operands'."""
        rows = range(self.registers)
        for name in [f"{letter}{{}}{row}" for letter in operation.scratch for row in rows]:
            whole = name.format("F")
            yield declared(whole, lanes, None)
            yield from (declared(name.format(letter), 2 * lanes, whole, kind) for letter, kind in (("W", "w"), ("V", "uw")))
        for name in [f"{letter}{{}}{row}" for letter in operation.pairs for row in rows[::2]]:
            whole = name.format("D")
            yield declared(whole, 2 * lanes, None, "ud")
            yield from (declared(name.format(letter), size * lanes, whole, kind) for letter, kind, size in _IN_PAIRS)
        for name in [f"{letter}{{}}{row}" for letter in operation.doubles for row in rows]:
            yield from (
                declared(name.format("D"), 2 * lanes, None, "ud"),
                declared(name.format("F"), 2 * lanes, name.format("D")),
            )
        if operation.constant is not None:
            yield from (declared("K", 1, None, "ud"), f"mov (M1_NM, 1) K(0,0)<1> 0x{operation.constant:08X}:ud")
        if operation.looks_up:
            yield from (f".decl P{row} v_type=A num_elts={lanes}" for row in rows)
        if operation.choices:
            yield from (f".decl P{row} v_type=P num_elts={2 * lanes}" for row in rows)

    def function(self) -> str:
        """That function in OpenCL C."""
        fields = {"number": f"as_half((ushort)({self.number}))", "whole": str(self.number)}
        if self.flat:
            kind, given = f"ushort{ROWS}", f"{'ushort' if 2 * self.words == ROWS else 'uchar'}{ROWS} a"
            operands = {"words": f", {kind} b", "lane": ", ushort2 both"}
            made = {"lane": f"{kind} b = ({kind})(both, both, both, both); ", "number": f"{kind} b = ({kind})({self.number}); "}
            taken = f"const uchar{ROWS} x = a; " if not self.b else ""
            fields |= {"n": str(ROWS), "out": f"as_{kind}", "e4m3": "xetile_flat_e4m3"}
        else:
            kind, given = f"uint{WORDS}", f"uint{self.words} a"
            operands = {"words": f", {kind} b", "lane": ", uint one"}
            made = {"lane": f"{kind} b = ({kind})(one); ", "number": f"{kind} b = ({kind})({self.number * 0x10001}u); "}
            bytes = not self.b or OPERATIONS[self.name].looks_up
            taken = f"uint4 x = {part_of(self.first, self.words)}; " if bytes else ""
            fields |= {"n": str(2 * WORDS), "out": f"as_{kind}", "e4m3": "xetile_packed_e4m3"}
        body = f"{made.get(self.b, '')}{taken}return {OPERATIONS[self.name].c.format(**fields)};"
        return f"{kind} {self.symbol}({given}{operands.get(self.b, '')}) {{ {body} }}"

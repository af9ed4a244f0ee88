"""Pieces of assembly (vISA, SPV_INTEL_inline_assembly) that compute on whole registers of words: 32 numbers for 16 lanes at a time.

A lane has two numbers of 16 bits in a word. SPIR-V's arithmetic takes one number of each lane, so it takes two instructions for a
register of words and cannot say that one does. Each piece starts with a comment that names it; `OPERATIONS` says, by that name, what
it is in OpenCL C, for devices that emulate.
"""

from __future__ import annotations

from dataclasses import dataclass

WORDS = 8
"""Words of a product's second operand in a lane."""
TARGET = "genx64-unknown-unknown"


@dataclass(frozen=True)
class Operation:
    """`lines` of vISA for one register of words; `c`: the whole of it in OpenCL C, of bytes `x` or words `a` and `b`."""

    lines: tuple[str, ...]
    c: str


# In the lines: O the result, A and B operands, T a scratch register, each with the type of its elements behind it (W and V
# signed and unsigned integers of 16 bits, H f16, S and U signed and unsigned bytes); {row} of words, {word} and {byte} of the bytes that
# become it; {wide} numbers at a time; {number} an f16.
_ROW = "({row},0)<1;1,0>"
_FROM_UNSIGNED, _FROM_SIGNED = "AU({word},{byte})<4;2,1>", "AS({word},{byte})<4;2,1>"
OPERATIONS = {
    # 0x6400 is 1024 as f16, whose last digit is 1.
    "u8": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_UNSIGNED} 0x6400:w", f"add ({{wide}}) OH({{row}},0)<1> OH{_ROW} {{number}}"),
        "as_uint8(convert_half16(as_uchar16(x)) + ((half)(1024) + {number}))",
    ),
    "s8": Operation(
        (f"add ({{wide}}) OW({{row}},0)<1> {_FROM_SIGNED} 0x6480:w", f"add ({{wide}}) OH({{row}},0)<1> OH{_ROW} {{number}}"),
        "as_uint8(convert_half16(as_char16(x)) + ((half)(1152) + {number}))",
    ),
    "f8E5M2": Operation(
        (f"shl ({{wide}}) OW({{row}},0)<1> {_FROM_UNSIGNED} 8:w",), "as_uint8(convert_ushort16(as_uchar16(x)) << (ushort16)(8))"
    ),
    # The sign comes in two bits, of which the exponent has one. One more carries into that bit where all others are ones, which is
    # NaN: then all bits of the exponent are. The biases differ by 8; subnormal f16 are operands (emit_f8).
    "f8E4M3FN": Operation(
        (f"shl ({{wide}}) OW({{row}},0)<1> {_FROM_SIGNED} 7:w", f"add ({{wide}}) TW{{row}}(0,0)<1> OW{_ROW} 0x80:w",
         f"bfn.x6A ({{wide}}) OV({{row}},0)<1> OV{_ROW} TV{{row}}(0,0)<1;1,0> 0x4000:uw",
         f"mul ({{wide}}) OH({{row}},0)<1> OH{_ROW} 0x5C00:hf"),
        "xetile_packed_e4m3(x)",
    ),
    "add": Operation((f"add ({{wide}}) OH({{row}},0)<1> AH{_ROW} {{b}}",), "as_uint8(as_half16(a) + as_half16(b))"),
    "sub": Operation((f"add ({{wide}}) OH({{row}},0)<1> AH{_ROW} (-){{b}}",), "as_uint8(as_half16(a) - as_half16(b))"),
    "mul": Operation((f"mul ({{wide}}) OH({{row}},0)<1> AH{_ROW} {{b}}",), "as_uint8(as_half16(a) * as_half16(b))"),
}  # fmt: skip
_ALIASES = (("O", "W", "w", 0), ("O", "H", "hf", 0), ("O", "V", "uw", 0), ("A", "U", "ub", 1), ("A", "S", "b", 1), ("A", "H", "hf", 1),
            ("B", "H", "hf", 2))  # fmt: skip
_ROWS_AT_ONCE = 4
"""Registers between an instruction and the next that takes its result: fewer must wait, more are live together."""
_ELEMENTS = {"w": 2, "uw": 2, "hf": 2, "ub": 4, "b": 4}


@dataclass(frozen=True)
class Call:
    """One piece of assembly. `first` and `words`: of bytes, where they begin in how many words; `b`: "" where there is no second operand,
    "words", "lane" (one number of each lane) or "number"; `number`: bits of an f16.
    """

    name: str
    first: int = 0
    words: int = WORDS
    b: str = ""
    number: int = 0

    def text(self, lanes: int) -> str:
        """The assembly."""
        named = (self.name, self.first, self.words, self.b or "-", self.number)
        lines = [f"// {_MARK} {' '.join(map(str, named))}", "{"]
        sizes = (WORDS, self.words, WORDS if self.b == "words" else 1)
        lines += [
            f".decl {register}{letter} v_type=G type={kind} num_elts={sizes[at] * lanes * _ELEMENTS[kind]} align=wordx32 alias=<${at}, 0>"
            for register, letter, kind, at in _ALIASES
            if at < (3 if self.b in ("words", "lane") else 2)
        ]
        operation = OPERATIONS[self.name]
        if any("TW" in line for line in operation.lines):  # one register each, so that few live at one time
            for row in range(WORDS):
                lines.append(f".decl TW{row} v_type=G type=w num_elts={lanes * 2} align=wordx32")
                lines.append(f".decl TV{row} v_type=G type=uw num_elts={lanes * 2} align=wordx32 alias=<TW{row}, 0>")
        number = f"0x{self.number:04X}:hf"
        b = {"words": f"BH{_ROW}", "lane": "BH(0,0)<1;1,0>"}.get(self.b, number)
        at_once = [range(first, first + _ROWS_AT_ONCE) for first in range(0, WORDS, _ROWS_AT_ONCE)]
        for line, row in [(line, row) for rows in at_once for line in operation.lines for row in rows]:
            fields = {
                "row": row,
                "word": self.first + row // 2,
                "byte": row % 2 * 2,
                "number": number,
                "wide": f"M1_NM, {2 * lanes}",
            }
            lines.append(line.replace("{b}", b).format(**fields))
        return "\n".join([*lines, "}", ""])

    @property
    def symbol(self) -> str:
        """The name of the function that is the same."""
        return f"xetile_packed_{self.name}_{self.first}_{self.words}_{self.b}_{self.number:04x}"

    def function(self) -> str:
        """That function in OpenCL C."""
        number = f"as_half((ushort)({self.number}))"
        given = {"": "", "number": "", "words": ", uint8 b", "lane": ", uint one"}[self.b]
        head = f"uint{self.words} a{given}"
        x = "a" if self.words == WORDS // 2 else "a.s0123" if self.first == 0 else "a.s4567"
        prepared = {"lane": "uint8 b = (uint8)(one); ", "number": f"uint8 b = (uint8)({self.number * 0x10001}u); "}.get(
            self.b, ""
        )
        if not self.b:
            prepared += f"uint4 x = {x}; "
        return f"uint8 {self.symbol}({head}) {{ {prepared}return {OPERATIONS[self.name].c.format(number=number)}; }}"


_MARK = "xetile packed"


def call_of(text: str) -> Call | None:
    """The piece of assembly that a text is; None for another's."""
    head = text.split("\n", 1)[0]
    if not head.startswith(f"// {_MARK} "):
        return None
    name, first, words, b, number = head.split()[3:]
    return Call(name, int(first), int(words), b.strip("-"), int(number))

"""What all pieces of assembly (vISA, SPV_INTEL_inline_assembly) have in common: a name, by which they are read back, and their text.

A piece is a frozen dataclass. Its text begins with a comment of its name and the values of its fields; `call_of` makes it again of that,
for devices that emulate: there it is a function in OpenCL C.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from struct import pack, unpack
from typing import Any, ClassVar, TypeVar

TARGET = "genx64-unknown-unknown"
WORDS = 8
"""Words of a product's second operand in a lane."""
ROWS = 8
"""Numbers of 16 bits of a first operand in a lane."""

CallT = TypeVar("CallT", bound="Call")
_HEAD = "// xetile "
_KINDS: dict[str, type[Call]] = {}


class Call:
    """A piece of assembly, which gives a subgroup what a function in OpenCL C gives: `class Twice(Call, name="bytes twice")`."""

    _name: ClassVar[str]

    def __init_subclass__(cls, *, name: str) -> None:
        cls._name = name
        _KINDS[name] = cls

    def text(self, lanes: int) -> str:
        """The assembly for a subgroup of so many lanes."""
        return "\n".join([f"{_HEAD}{' '.join(self._key())}", "{", *self.lines(lanes), "}", ""])

    def lines(self, lanes: int) -> Sequence[str]:
        """Its declarations and instructions."""
        raise NotImplementedError

    def _key(self) -> list[str]:
        """What tells it from others."""
        return [self._name, *self.to_words()]

    @property
    def symbol(self) -> str:
        """The name of the function that is the same."""
        return "xetile_" + "".join(c if c.isalnum() else "m" if c == "-" else "_" for c in "_".join(self._key()))

    def function(self) -> str:
        """That function in OpenCL C."""
        raise NotImplementedError

    def to_words(self) -> list[str]:
        """The values of its fields as words, `-` for none."""
        return [_word(getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]

    @classmethod
    def of_words(cls: type[CallT], words: Sequence[str]) -> CallT:
        """The piece with such fields."""
        return cls(*(_value(word, str(field.type)) for word, field in zip(words, fields(cls))))  # type: ignore[arg-type]


def call_of(text: str) -> Call | None:
    """The piece of assembly that a text is; None for another's. The files of the kinds that it may be must have been loaded."""
    head = text.split("\n", 1)[0]
    words = head.removeprefix(_HEAD).split() if head.startswith(_HEAD) else []
    for count in (2, 1):
        kind = _KINDS.get(" ".join(words[:count]))
        if kind is not None:
            return kind.of_words(words[count:])
    return None


def _word(value: Any) -> str:
    if isinstance(value, float):
        return bits_of(value)
    return str(int(value) if isinstance(value, bool) else value) or "-"


def _value(word: str, kind: str) -> Any:
    if kind in ("bool", "float"):
        return word == "1" if kind == "bool" else number_of(word)
    return int(word) if word.lstrip("-").isdigit() else word.strip("-")


def bits_of(number: float) -> str:
    """The bits of an f32, as an operand of assembly has them."""
    return f"{unpack('<I', pack('<f', number))[0]:08X}"


def number_of(bits: str) -> float:
    """The f32 of such bits."""
    number: float = unpack("<f", pack("<I", int(bits, 16)))[0]
    return number


def declared(name: str, count: int, of: int | str | None, kind: str = "f") -> str:
    """The declaration of registers by a name and a type: those of an operand, of another name, or new ones."""
    align = "dword" if count == 1 else "wordx32"
    alias = "" if of is None else f" alias=<{of if isinstance(of, str) else f'${of}'}, 0>"
    return f".decl {name} v_type=G type={kind} num_elts={count} align={align}{alias}"


def chosen(names: tuple[str, str, str], by: str, rows: Iterable[int], wide: int) -> list[str]:
    """Registers of the second or, where a number of all lanes is 0, of the third of some names become the first's, `wide` words from each row.

    No boolean function of three operands: where one begins inside of a register IGC (2.40.14) makes several instructions of it, and
    forgets which function it was.
    """
    out, one, other = names
    lines = [f".decl P{by} v_type=P num_elts={wide}", f"cmp.ne (M1_NM, {wide}) P{by} {by}(0,0)<0;1,0> 0x0:ud"]
    return lines + [
        f"(P{by}) sel (M1_NM, {wide}) {out}({row},0)<1> {one}({row},0)<1;1,0> {other}({row},0)<1;1,0>" for row in rows
    ]


def part_of(first: int, words: int) -> str:
    """The four words of bytes that a piece takes of its operand `a`, in OpenCL C."""
    return "a" if words == WORDS // 2 else f"a.s{''.join(f'{word:x}' for word in range(first, first + WORDS // 2))}"

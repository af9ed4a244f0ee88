"""Pieces that do one thing to all bytes of words, two registers at a time. SPIR-V's arithmetic takes one word of each lane: one register."""

from __future__ import annotations

from xetile.records import dataclass

from .call import WORDS, Call, declared

EACH = 0x01010101
"""One in each byte of a word."""
SHIFTS = {"shr": ">>", "shl": "<<", "slide": "<<"}
"""By so many bits; what slides goes on in the next byte, whose lower bits do not matter."""
ON_BYTES = {"and": "&", "or": "|", "xor": "^", "plus": "+"}
"""What does the same to each byte of a word: of sums those that no byte carries of."""
_OPCODES = {"plus": "add", "slide": "shl"}


LANE, ALIKE = "lane", "alike"
"""A number that is an operand: a word of each lane, or one of all of them."""
Given = int | str


@dataclass(frozen=True)
class StepCall(Call, name="bytes"):
    """An operation with one number on `words` words, an even count. A shift keeps the bits of `mask` in each byte."""

    name: str
    words: int
    number: Given
    mask: Given = 255

    @property
    def _operands(self) -> list[tuple[str, Given]]:
        """The operands beside the words: their names, and which lanes have them."""
        return [(letter, given) for letter, given in (("B", self.number), ("C", self.mask)) if isinstance(given, str)]

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared(letter, self.words * lanes, at, "ud") for at, letter in enumerate("OA")]
        lines += [declared(name, lanes if given == LANE else 1, at, "ud") for at, (name, given) in enumerate(self._operands, 2)]
        wide, is_shift = f"M1_NM, {2 * lanes}", self.name in SHIFTS

        def operand(letter: str, given: Given, factor: int) -> str:
            if isinstance(given, int):
                return f"0x{given * factor:08X}:ud"
            return f"{letter}(0,0)<0;{lanes},1>" if given == LANE else f"{letter}(0,0)<0;1,0>"

        number, mask = operand("B", self.number, 1 if is_shift else EACH), operand("C", self.mask, EACH)
        rows = range(0, self.words, 2)
        name = _OPCODES.get(self.name, self.name)
        lines += [f"{name} ({wide}) O({row},0)<1> A({row},0)<1;1,0> {number}" for row in rows]
        lines += [f"and ({wide}) O({row},0)<1> O({row},0)<1;1,0> {mask}" for row in rows if is_shift and self.mask != 255]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind, is_shift = f"uint{self.words}", self.name in SHIFTS
        params = ", ".join([f"{kind} a", *(f"uint {name.lower()}" for name, _ in self._operands)])
        number = "b" if isinstance(self.number, str) else f"{self.number * (1 if is_shift else EACH)}u"
        mask = "c" if isinstance(self.mask, str) else f"{self.mask * EACH}u"
        made = f"a {SHIFTS[self.name] if is_shift else ON_BYTES[self.name]} ({kind})({number})"
        return f"{kind} {self.symbol}({params}) {{ return ({made}) & ({kind})({mask}); }}"


@dataclass(frozen=True)
class TwiceCall(Call, name="bytes twice"):
    """A number of 16 bits of each lane, in both halves of a word; `flat`: in both rows of a register of a first operand."""

    flat: bool = False

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", 2 * lanes, 0, "uw"), declared("A", lanes, 1, "uw")]
        taken = f"<0;{lanes},1>" if self.flat else "<1;2,0>"
        return [*lines, f"mov (M1_NM, {2 * lanes}) O(0,0)<1> A(0,0){taken}"]

    def function(self) -> str:
        """The same in OpenCL C."""
        if self.flat:
            return f"ushort2 {self.symbol}(ushort a) {{ return (ushort2)(a); }}"
        return f"uint {self.symbol}(ushort a) {{ return (uint)a * 0x10001u; }}"


@dataclass(frozen=True)
class AcrossCall(Call, name="bytes across"):
    """Of a number of 16 bits of each lane the sixteen from lane `first` on, an even one, two to a word, in all lanes; `flat`: the
    eight from there on, each in all lanes of a row of a first operand.
    """

    first: int
    flat: bool = False

    def lines(self, lanes: int) -> list[str]:
        """The assembly: what two neighbouring lanes have is a word; a flat operand has two rows in a register."""
        kind, numbers, taken = ("uw", 2, self.first) if self.flat else ("d", 1, self.first // 2)
        lines = [declared("O", WORDS * lanes, 0, kind)]
        lines.append(declared("A", lanes * numbers // 2, 1, kind))
        lines += [
            f"mov (M1_NM, {2 * lanes}) O({row // numbers},0)<1> A(0,{taken + row})<1;{lanes},0>" for row in range(0, WORDS, 2)
        ]
        return lines

    def function(self) -> str:
        """The same in OpenCL C."""
        given = [f"sub_group_shuffle((uint)a, {self.first + at}u)" for at in range(WORDS if self.flat else 2 * WORDS)]
        if self.flat:
            rows = ", ".join(f"(ushort){number}" for number in given)
            return f"ushort{WORDS} {self.symbol}(ushort a) {{ return (ushort{WORDS})({rows}); }}"
        words = (f"{high} << 16 | {low}" for low, high in zip(given[::2], given[1::2], strict=True))
        return f"uint{WORDS} {self.symbol}(ushort a) {{ return (uint{WORDS})({', '.join(words)}); }}"


@dataclass(frozen=True)
class ByTurnsCall(Call, name="bytes by_turns"):
    """Bytes of two operands of `words` words by turns, from the word `first` of each on: `made` words, an even count."""

    words: int
    first: int
    made: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly: two bytes of a lane at a time become words of 16 bits."""
        lines = [declared("O", 2 * self.made * lanes, 0, "uw")]
        lines += [declared(letter, 4 * self.words * lanes, at, "ub") for at, letter in enumerate("AB", 1)]
        wide = f"M1_NM, {2 * lanes}"
        for row in range(self.made):
            part = f"({self.first + row // 2},{row % 2 * 2})<4;2,1>"
            lines += [f"shl ({wide}) O({row},0)<1> B{part} 8:w", f"or ({wide}) O({row},0)<1> O({row},0)<1;1,0> A{part}"]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        part = "".join(f"{self.first + row // 2:x}" for row in range(self.made))
        kind, made = f"uint{self.words}", f"uint{self.made}"
        apart = f"({made})({', '.join(['0', '16'] * (self.made // 2))})"
        halves = " ".join(f"{made} {x} = ({given}.s{part} >> {apart}) & 0xffffu;" for x, given in (("x", "a"), ("y", "b")))
        return (
            f"{made} {self.symbol}({kind} a, {kind} b) {{ {halves}"
            " return ((x | x << 8) & 0xff00ffu) | ((y | y << 8) & 0xff00ffu) << 8; }"
        )

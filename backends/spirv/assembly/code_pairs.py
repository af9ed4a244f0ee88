"""Look-ups of two codes of four bits at once: numbers of 16 bits, two to a word.

A table of 16 numbers makes one of 256 pairs, sixteen registers of words; the codes of two rows are one place in it. So an operand of a
product takes one address and one move for 16 words, where one number at a time takes two of each.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import WORDS, Call, declared, part_of

ENTRIES = 16
"""Numbers of a table, one for each lane, and registers of a table of pairs."""
_PLACES = 0x03FC03FC
"""The bits of two places in a word: of eight bits, four bytes to a pair."""


@dataclass(frozen=True)
class PairsOfTableCall(Call, name="codes pairs"):
    """All pairs of a table whose numbers are the lower halves of the lanes' words: the lower number by lanes, the upper one by words."""

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", ENTRIES * lanes, 0, "ud"), declared("A", lanes, 1, "ud")]
        lines += [declared("T", lanes, None, "ud"), f"shl (M1_NM, {lanes}) T(0,0)<1> A(0,0)<1;1,0> 16:d"]
        lines += [f"or (M1_NM, {lanes}) O({row},0)<1> A(0,0)<1;1,0> T(0,{row})<0;1,0>" for row in range(ENTRIES)]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        words = ", ".join(f"a | sub_group_shuffle(a, {row}u) << 16" for row in range(ENTRIES))
        return f"uint16 {self.symbol}(uint a) {{ return (uint16)({words}); }}"


@dataclass(frozen=True)
class HalvesCall(Call, name="codes halves"):
    """Halves of `words` words, an even count, beside each other: of each two words their lower halves, then their upper ones.

    Addresses are taken from words of 16 bits that lie so; of others IGC moves those of each word first.
    """

    words: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared(letter, 2 * self.words * lanes, at, "uw") for at, letter in enumerate("OA")]
        for row in range(self.words):
            lines.append(f"mov (M1_NM, {2 * lanes}) O({row},0)<1> A({row // 2 * 2},{row % 2})<2;1,0>")
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind, half = f"uint{self.words}", ENTRIES // 2
        lines = [f"const uint l = get_sub_group_local_id(), at = l % {half}u * 2; uint p, q; {kind} o;"]
        for row in range(self.words):
            # Called by all lanes alike.
            x, y = (f"sub_group_shuffle(a.s{row // 2 * 2 + word}, at{{}}) >> {row % 2 * 16}u & 0xffffu" for word in range(2))
            for name, part in (("p", ""), ("q", " + 1")):
                lines.append(f"{{ uint x = {x.format(part)}, y = {y.format(part)}; {name} = l < {half} ? x : y; }}")
            lines.append(f"o.s{row} = p | q << 16;")
        return f"{kind} {self.symbol}({kind} a) {{ {' '.join(lines)} return o; }}"


@dataclass(frozen=True)
class PlacesCall(Call, name="codes places"):
    """Codes in bits 2 to 5 of each byte of `words` words, an even count: of two bytes one place in a table of pairs. `wide`: in bits 3 to 6,
    of pairs of f32.
    """

    words: int
    wide: bool = False

    @property
    def _mask(self) -> int:
        return _PLACES << self.wide

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared(letter, self.words * lanes, at, "ud") for letter, at in (("O", 0), ("A", 1), ("T", None))]
        lines += [declared("K", 1, None, "ud"), f"mov (M1_NM, 1) K(0,0)<1> 0x{self._mask:08X}:ud"]
        rows, wide = range(0, self.words, 2), f"M1_NM, {2 * lanes}"
        lines += [f"shr ({wide}) T({row},0)<1> A({row},0)<1;1,0> 4:ud" for row in rows]
        lines += [f"bfn.xE0 ({wide}) O({row},0)<1> A({row},0)<1;1,0> T({row},0)<1;1,0> K(0,0)<0;1,0>" for row in rows]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"uint{self.words}"
        return f"{kind} {self.symbol}({kind} a) {{ return (a | a >> ({kind})(4)) & ({kind})({self._mask}u); }}"


@dataclass(frozen=True)
class LookUpPairsCall(Call, name="codes table"):
    """The words of an operand from a table of pairs, by places in four of `words` words from the `first` on, an even one (`HalvesCall`)."""

    first: int
    words: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly; addresses for one instruction at a time."""
        lines = [declared("O", WORDS * lanes, 0, "d")]
        lines += [declared("A", 2 * self.words * lanes, 1, "uw"), declared("B", ENTRIES * lanes, 2, "d")]
        lines += [f".decl P{row} v_type=A num_elts={lanes}" for row in range(WORDS)]
        for row in range(WORDS):
            place = f"A({self.first + row // 4 * 2 + row % 2},{row // 2 % 2 * lanes})<1;1,0>"
            lines.append(f"addr_add (M1_NM, {lanes}) P{row}(0)<1> &B {place}")
            lines.append(f"mov (M1_NM, {lanes}) O({row},0)<1> r[P{row}(0),0]<1,0>:d")
        return lines

    def function(self) -> str:
        """That function in OpenCL C: the first word of a lane has its number of the table in the lower half."""
        lines, half = [], ENTRIES // 2
        for row in range(WORDS):
            word = f"sub_group_shuffle(x.s{row // 4 * 2 + row % 2}, l / 2 + {row // 2 % 2 * half}u)"
            lines.append(f"p = {word} >> (l % 2 * 16u + 2u);")
            lines.append(f"o.s{row} = sub_group_shuffle(one, p & 15u) | sub_group_shuffle(one, p >> 4 & 15u) << 16;")
        x = f"const uint4 x = {part_of(self.first, self.words)}; const uint one = b.s0 & 0xffffu;"
        lane = "const uint l = get_sub_group_local_id(); uint p; uint8 o;"
        return f"uint8 {self.symbol}(uint{self.words} a, uint16 b) {{ {x} {lane} {' '.join(lines)} return o; }}"

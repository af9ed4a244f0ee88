"""Codes of four bits, lower and upper half of each byte by turns, as two rows of a product's second operand.

They need not become bytes of their own first. One instruction reads each byte of a lane twice and shifts it by two numbers: what it writes
are the two rows of a word.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import WORDS, Call, declared

SHIFTS, CODES, LARGE = 0x00040000, 0x000F000F, 0x64006400
"""For both halves of a word: how far a byte is shifted, the bits that are left, and 1024 as f16, whose last digit is 1."""
_BYTES = 4
"""In a word."""


@dataclass(frozen=True)
class BothHalvesCall(Call, name="halves"):
    """Codes of the bytes of two of `words` words, from the `first` on, as f16 that are 1,024 too large; constants are words of all lanes."""

    first: int
    words: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", 2 * WORDS * lanes, 0, "uw")]
        lines += [declared("OD", WORDS * lanes, 0, "ud"), declared("A", 4 * self.words * lanes, 1, "ub")]
        lines += [declared("B", 2, 2, "uw"), declared("C", 1, 3, "ud"), declared("D", 1, 4, "ud")]
        wide = f"M1_NM, {2 * lanes}"
        for row in range(WORDS):
            byte = f"A({self.first + row // _BYTES},{row % _BYTES})<4;2,0>"
            lines.append(f"shr ({wide}) O({row},0)<1> {byte} B(0,0)<0;2,1>")
        for row in range(0, WORDS, 2):
            lines.append(f"bfn.xF8 ({wide}) OD({row},0)<1> OD({row},0)<1;1,0> C(0,0)<0;1,0> D(0,0)<0;1,0>")
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        words = ", ".join(
            f"(a.s{self.first + row // _BYTES:x} >> {8 * (row % _BYTES)}u & 15u)"
            f" | (a.s{self.first + row // _BYTES:x} >> {8 * (row % _BYTES) + 4}u & 15u) << 16"
            for row in range(WORDS)
        )
        kind = f"uint{WORDS}"
        return f"{kind} {self.symbol}(uint{self.words} a, uint b, uint c, uint d) {{ return ({kind})({words}) | ({kind})(d); }}"

"""Codes of four bits that are floats of few digits, with the sign on top: as f16 made of their bits, whose exponents are too small.

Each code is the upper half of a byte, so that its sign fills all bits above it where the byte becomes a number of 16 bits. Shifted, these
hold the sign where f16 has it, and the other bits where f16 has digits and exponent.
"""

from __future__ import annotations

import numpy as np

from xetile.records import dataclass

from .call import WORDS, Call, declared, part_of

CODES = 16
CODE_BITS = 4
_EXPONENTS = 16
"""Powers of two from 1 on that are numbers of f16, by which the numbers are multiplied."""


@dataclass(frozen=True)
class FloatFormat:
    """How a code becomes bits of f16: itself with its sign in all bits above, shifted, and of that the bits of `mask`; times two to the power
    of `exponent` it is the number.
    """

    shift: int
    mask: int
    exponent: int


def float_format(bits: tuple[int, ...]) -> FloatFormat | None:
    """That of a table of sixteen f16, each exactly; None where there is none."""
    if len(bits) != CODES:
        return None
    numbers = np.array(bits, np.uint16).view(np.float16)
    codes = np.arange(CODES) - CODES * (np.arange(CODES) >= CODES // 2)
    for exponent in range(_EXPONENTS):
        with np.errstate(all="ignore"):
            small = (numbers.astype(np.float64) * 2.0**-exponent).astype(np.float16)
        if not (small.astype(np.float64) * 2.0**exponent == numbers).all():
            return None
        held = small.view(np.uint16)
        mask = int(np.bitwise_or.reduce(held))
        for shift in range(CODE_BITS, 16 - CODE_BITS + 1):
            if ((codes << shift) & mask == held).all():
                return FloatFormat(shift, mask, exponent)
    return None


@dataclass(frozen=True)
class FloatCodesCall(Call, name="floats"):
    """The words of an operand, of codes in four of `words` words of bytes from the `first` on."""

    first: int
    words: int
    shift: int
    mask: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("OW", 2 * WORDS * lanes, 0, "w"), declared("OD", WORDS * lanes, 0, "ud")]
        lines.append(declared("A", 4 * self.words * lanes, 1, "b"))
        for row in range(WORDS):
            place = f"A({self.first + row // 2},{row % 2 * 2})<4;2,1>"
            lines.append(f"shl (M1_NM, {2 * lanes}) OW({row},0)<1> {place} {self.shift - CODE_BITS}:w")
        for row in range(0, WORDS, 2):
            lines.append(f"and (M1_NM, {2 * lanes}) OD({row},0)<1> OD({row},0)<1;1,0> 0x{self.mask * 0x10001:08X}:ud")
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        codes = f"as_char16({part_of(self.first, self.words)})"
        made = f"(convert_short16({codes}) << (short16)({self.shift - CODE_BITS})) & (short16)((short){self.mask})"
        return f"uint{WORDS} {self.symbol}(uint{self.words} a) {{ return as_uint{WORDS}({made}); }}"

"""Scales that are two to the power of a byte, as two factors of f16 (`facts/power_scales`).

The f16's exponent is made of the byte by 16-bit integers, both halves of all words at once. By way of f32 it takes half as many
instructions again: the power itself, and conversions of both factors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.records import dataclass

from .call import Call, declared

_DIGITS, _BIAS = 10, 15
"""Of f16: digits behind the exponent, and what the exponent of 1 is."""
_ONE, _MOST, _LARGEST, _INFINITE = 0x3C00, 0x7800, 0x7BFF, 0x7C00
"""Bits of f16: 1, the largest power of two, the largest number, and infinity."""
_LAST = 2 * _BIAS + 1
"""The least power by which every code but zero becomes infinite: two factors that are no more than the largest power do not reach it."""
_INFINITE_POWER = 128
"""Which power of two is infinite as f32."""
_Words = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class PowersCall(Call, name="powers"):
    """Two words of a lane, each a factor in both halves, of a byte: by itself, or in both halves of a word (`doubled`). `zero`: of the byte
    one above it the first factor is the smallest power; `last`: from this byte on all codes become infinite; `infinite`: so are scales.
    """

    zero: int
    last: int
    infinite: int
    doubled: bool

    @classmethod
    def of(cls, bias: int, exponent: int, *, doubled: bool) -> PowersCall:
        """Of two to the power of a byte and `bias`, for codes that are too small by two to the power of `exponent`."""
        none = -bias - exponent  # where both factors are 1
        return cls(none - _BIAS, none + _LAST, _INFINITE_POWER - bias, doubled)

    def parts(self, byte: _Words) -> tuple[_Words, _Words]:
        """Bits of the two factors."""
        power = np.minimum(np.maximum(byte - self.zero, 0), _LAST + _BIAS) << _DIGITS
        beyond = byte + _INFINITE - self.infinite
        first = np.where(byte >= self.last, beyond, np.minimum(power, _MOST))
        return first, np.minimum(np.maximum(power, _MOST) - _MOST + _ONE, _LARGEST)

    def lines(self, lanes: int) -> list[str]:
        """The assembly. Which bytes are the last is asked of the numbers that they become."""
        wide = f"M1_NM, {2 * lanes}"
        beyond = (_INFINITE - self.infinite) & 0xFFFF
        lines = [declared("O", 4 * lanes, 0, "uw")]
        lines.append(declared("A", 2 * lanes, 1, "uw") if self.doubled else declared("A", lanes, 1, "ub"))
        lines += [*(declared(letter, 2 * lanes, None, "uw") for letter in "XY"), f".decl P v_type=P num_elts={2 * lanes}"]

        def step(opcode: str, made: str, given: str, number: int, kind: str = "uw") -> None:
            lines.append(f"{opcode} ({wide}) {made}<1> {given}(0,0)<1;1,0> 0x{number & 0xFFFF:04X}:{kind}")

        if not self.doubled:
            lines.append(f"mov ({wide}) X(0,0)<1> A(0,0)<1;2,0>")
        byte = "A" if self.doubled else "X"
        step("add.sat", "Y(0,0)", byte, -self.zero, "w")
        step("min", "Y(0,0)", "Y", _LAST + _BIAS)
        step("shl", "Y(0,0)", "Y", _DIGITS)
        step("add", "X(0,0)", byte, beyond)
        lines.append(f"cmp.ge ({wide}) P X(0,0)<1;1,0> 0x{self.last + beyond & 0xFFFF:04X}:uw")
        step("min", "O(0,0)", "Y", _MOST)
        lines.append(f"(P) sel ({wide}) O(0,0)<1> X(0,0)<1;1,0> O(0,0)<1;1,0>")
        step("max", "Y(0,0)", "Y", _MOST)
        step("add", "Y(0,0)", "Y", _ONE - _MOST, "w")
        step("min", "O(1,0)", "Y", _LARGEST)
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        given = "(int)(a & 255u)" if self.doubled else "(int)a"
        return (
            f"uint2 {self.symbol}({'uint' if self.doubled else 'uchar'} a) {{ const int x = {given};"
            f" const int y = min(max(x - ({self.zero}), 0), {_LAST + _BIAS}) << {_DIGITS};"
            f" const int first = x >= {self.last} ? x + ({_INFINITE - self.infinite}) : min(y, {_MOST});"
            f" const int second = min(max(y, {_MOST}) - {_MOST - _ONE}, {_LARGEST});"
            f" return (uint2)((uint)first * 0x10001u, (uint)second * 0x10001u); }}"
        )

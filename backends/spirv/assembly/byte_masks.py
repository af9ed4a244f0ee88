"""Words that are kept where bytes of their lane are not zero, two registers at a time.

SPIR-V's comparisons take a byte of each lane, which IGC widens first, and its choices a register, which it puts together with others for the
next piece: four instructions for each register.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import Call, declared

_ROWS = 2
"""Rows of words that an instruction takes."""
_BYTES = 4
"""Bytes of a word."""


@dataclass(frozen=True)
class ByteMaskCall(Call, name="bytes mask"):
    """`count` words of each lane, an even count: those whose byte is zero become `bits`; with `zeros` those whose byte is not. Of integers, or
    of floats: a vector that IGC knows by another type it copies.
    """

    count: int
    bits: int
    zeros: bool = False
    floats: bool = True

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        words, wide = self.count * lanes, f"M1_NM, {_ROWS * lanes}"
        lines = [*[declared(name, words, at, "ud") for at, name in enumerate("OA")], declared("B", words, 2, "ub")]
        rows = range(0, self.count, _ROWS)
        lines += [f".decl P{row} v_type=P num_elts={_ROWS * lanes}" for row in rows]
        keeps = "!" if self.zeros else ""
        for row in rows:
            register, byte = divmod(row * lanes, _BYTES * lanes)
            lines.append(f"cmp.ne ({wide}) P{row} B({register},{byte})<1;1,0> 0x0:uw")
            lines.append(f"({keeps}P{row}) sel ({wide}) O({row},0)<1> A({row},0)<1;1,0> 0x{self.bits:08X}:ud")
        return lines

    def function(self) -> str:
        """The same in OpenCL C."""
        n, one = self.count, f"as_float({self.bits}u)" if self.floats else f"{self.bits}u"
        kind = f"{'float' if self.floats else 'uint'}{n}"
        ways = f"a, ({kind})({one})" if self.zeros else f"({kind})({one}), a"
        return f"{kind} {self.symbol}({kind} a, uchar{n} b) {{ return select({ways}, convert_int{n}(b != (uchar{n})(0))); }}"


__all__ = ["ByteMaskCall"]

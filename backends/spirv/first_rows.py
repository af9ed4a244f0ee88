"""Pieces of assembly (vISA, SPV_INTEL_inline_assembly) that bring numbers of f16 to where rows of a product's first operand have them.

A register has two rows of such an operand, each a number of each lane. Numbers are moved as integers: arithmetic on floats takes each lane's
number from the lane's own place. Each piece starts with a comment that names it; for devices that emulate it is OpenCL C.
"""

from __future__ import annotations

from dataclasses import dataclass

from .assembly import ROWS, declared, fields_of

_MARK = "xetile first"


@dataclass(frozen=True)
class BothCall:
    """One number of each lane, in both rows of a register."""

    def text(self, lanes: int) -> str:
        """The assembly."""
        lines = [f"// {_MARK} both", "{", declared("O", 2 * lanes, 0, "uw"), declared("A", lanes, 1, "uw")]
        return "\n".join([*lines, f"mov (M1_NM, {2 * lanes}) O(0,0)<1> A(0,0)<0;{lanes},1>", "}", ""])

    symbol = "xetile_first_both"

    def function(self) -> str:
        """The same in OpenCL C."""
        return f"ushort2 {self.symbol}(ushort a) {{ return (ushort2)(a); }}"


@dataclass(frozen=True)
class SpreadRowsCall:
    """Of one number of each lane the eight from lane `first` on, each in all lanes of a row."""

    first: int

    def text(self, lanes: int) -> str:
        """The assembly."""
        lines = [f"// {_MARK} spread {self.first}", "{", declared("O", ROWS * lanes, 0, "uw"), declared("A", lanes, 1, "uw")]
        lines += [
            f"mov (M1_NM, {2 * lanes}) O({row // 2},0)<1> A(0,{self.first + row})<1;{lanes},0>" for row in range(0, ROWS, 2)
        ]
        return "\n".join([*lines, "}", ""])

    @property
    def symbol(self) -> str:
        """The name of the function that is the same."""
        return f"xetile_first_spread_{self.first}"

    def function(self) -> str:
        """That function in OpenCL C."""
        rows = ", ".join(f"(ushort)sub_group_shuffle((uint)a, {self.first + row}u)" for row in range(ROWS))
        return f"ushort{ROWS} {self.symbol}(ushort a) {{ return (ushort{ROWS})({rows}); }}"


@dataclass(frozen=True)
class RaiseRowsCall:
    """Eight rows of bytes ("s8", "u8") as f32, two rows at a time, by way of integers where the f32 will be."""

    kind: str

    def text(self, lanes: int) -> str:
        """The assembly."""
        lines = [f"// {_MARK} raise {self.kind}", "{", declared("O", ROWS * lanes, 0)]
        lines.append(declared("A", ROWS * lanes, 1, {"s8": "b", "u8": "ub"}[self.kind]))
        rows, wide = range(0, ROWS, 2), f"M1_NM, {2 * lanes}"
        lines += [declared(f"W{row}", 4 * lanes, None, "w") for row in rows]
        lines += [f"mov ({wide}) W{row}(0,0)<2> A({row // 4},{row % 4 * lanes})<1;1,0>" for row in rows]
        lines += [f"mov ({wide}) O({row},0)<1> W{row}(0,0)<2;1,0>" for row in rows]
        return "\n".join([*lines, "}", ""])

    @property
    def symbol(self) -> str:
        """The name of the function that is the same."""
        return f"xetile_first_raise_{self.kind}"

    def function(self) -> str:
        """That function in OpenCL C."""
        signed = f"as_char{ROWS}(a)" if self.kind == "s8" else "a"
        return f"float{ROWS} {self.symbol}(uchar{ROWS} a) {{ return convert_float{ROWS}({signed}); }}"


Call = BothCall | SpreadRowsCall | RaiseRowsCall


def first_call_of(text: str) -> Call | None:
    """The piece of assembly that a text is; None for another's."""
    fields = fields_of(text, _MARK)
    if fields is None:
        return None
    if fields[0] == "raise":
        return RaiseRowsCall(fields[1])
    return BothCall() if fields == ["both"] else SpreadRowsCall(int(fields[1]))

"""Pieces that replace some numbers of a value by a constant: (A and B) or C.

16-bit numbers of some lanes: a register holds two numbers of each lane, of which SPIR-V's arithmetic takes one. Rows of 32 bits: each row
has its own B and C, which the lane with the row's number holds.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import Call, declared

BOTH = 2
"""Numbers of a lane that a register holds: the operands that mask have as many."""


@dataclass(frozen=True)
class MaskCall(Call, name="lanes"):
    """`count` numbers of each lane, an even count: (A and B) or C, where B and C are the same for all of them."""

    count: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        wide = BOTH * lanes
        sizes = (self.count * lanes, self.count * lanes, wide, wide)
        lines = [declared(name, size, at, "uw") for at, (name, size) in enumerate(zip("OABC", sizes))]
        lines += [
            f"bfn.xF8 (M1_NM, {wide}) O({row},0)<1> A({row},0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>"
            for row in range(self.count // BOTH)
        ]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"ushort{self.count}"
        return f"{kind} {self.symbol}({kind} a, ushort2 b, ushort2 c) {{ return (a & ({kind})(b.x)) | ({kind})(c.x); }}"


@dataclass(frozen=True)
class RowMaskCall(Call, name="rows"):
    """`count` words of each lane: (A and B) or C, where all lanes take a row's B and C from one of them, the first row's from lane `first`."""

    count: int
    first: int = 0

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        sizes = (self.count * lanes, self.count * lanes, lanes, lanes)
        lines = [declared(name, size, at, "ud") for at, (name, size) in enumerate(zip("OABC", sizes))]
        lines += [
            f"bfn.xF8 (M1_NM, {lanes}) O({row},0)<1> A({row},0)<1;1,0> B(0,{self.first + row})<0;1,0> C(0,{self.first + row})<0;1,0>"
            for row in range(self.count)
        ]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"uint{self.count}"
        rows = range(self.first, self.first + self.count)
        lines = [f"{kind} {name} = ({kind})({', '.join(f'sub_group_shuffle({given}, {row}u)' for row in rows)});"
                 for name, given in (("own", "b"), ("other", "c"))]  # fmt: skip
        return f"{kind} {self.symbol}({kind} a, uint b, uint c) {{ {' '.join(lines)} return (a & own) | other; }}"

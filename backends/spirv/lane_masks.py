"""A piece of assembly (vISA, SPV_INTEL_inline_assembly) that replaces numbers of 16 bits in some lanes, a whole register at a time.

A register holds two numbers of each lane. SPIR-V's arithmetic takes one of them, and cannot say that it takes both. The piece starts
with a comment that names it; for devices that emulate it is OpenCL C.
"""

from __future__ import annotations

from dataclasses import dataclass

from .assembly import declared, fields_of

_MARK = "xetile lanes"
BOTH = 2
"""Numbers of a lane that a register holds: the operands that mask have as many."""


@dataclass(frozen=True)
class MaskCall:
    """`count` numbers of each lane, an even count: (A and B) or C, where B and C are the same for all of them."""

    count: int

    def text(self, lanes: int) -> str:
        """The assembly."""
        wide = BOTH * lanes
        sizes = (self.count * lanes, self.count * lanes, wide, wide)
        lines = [f"// {_MARK} {self.count}", "{"]
        lines += [declared(name, size, at, "uw") for at, (name, size) in enumerate(zip("OABC", sizes))]
        lines += [
            f"bfn.xF8 (M1_NM, {wide}) O({row},0)<1> A({row},0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>"
            for row in range(self.count // BOTH)
        ]
        return "\n".join([*lines, "}", ""])

    @property
    def symbol(self) -> str:
        """The name of the function that is the same."""
        return f"xetile_lanes_{self.count}"

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"ushort{self.count}"
        return f"{kind} {self.symbol}({kind} a, ushort2 b, ushort2 c) {{ return (a & ({kind})(b.x)) | ({kind})(c.x); }}"


def mask_call_of(text: str) -> MaskCall | None:
    """The piece of assembly that a text is; None for another's."""
    fields = fields_of(text, _MARK)
    return None if fields is None else MaskCall(int(fields[0]))

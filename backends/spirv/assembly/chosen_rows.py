"""First operands of products that are chosen, two registers at a time.

SPIR-V's choices take a row each: half a register, which IGC keeps in one of its own.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import ROWS, Call, declared

_WHERE_SET = "xAC"
"""Of the boolean function of three operands: the bits of the first where those of the third are set, else those of the second."""


@dataclass(frozen=True)
class ChosenRowsCall(Call, name="rows chosen"):
    """Eight rows of a first operand, or eight others, by a word that is all ones or zero and the same in all lanes."""

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        words = ROWS // 2 * lanes
        lines = [*[declared(name, words, at, "ud") for at, name in enumerate("OAB")], declared("C", 1, 3, "ud")]
        wide = f"M1_NM, {2 * lanes}"
        return lines + [
            f"bfn.{_WHERE_SET} ({wide}) O({row},0)<1> A({row},0)<1;1,0> B({row},0)<1;1,0> C(0,0)<0;1,0>"
            for row in range(0, ROWS // 2, 2)
        ]

    def function(self) -> str:
        """The same in OpenCL C."""
        kind = f"ushort{ROWS}"
        return f"{kind} {self.symbol}({kind} a, {kind} b, uint c) {{ return c ? a : b; }}"


__all__ = ["ChosenRowsCall"]

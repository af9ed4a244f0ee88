"""First operands of products that are chosen, two registers at a time.

SPIR-V's choices take a row each: half a register, which IGC keeps in one of its own.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import ROWS, Call, chosen, declared


@dataclass(frozen=True)
class ChosenRowsCall(Call, name="rows chosen"):
    """Eight rows of a first operand, or eight others, by a word that is all ones or zero and the same in all lanes."""

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        words = ROWS // 2 * lanes
        lines = [*[declared(name, words, at, "ud") for at, name in enumerate("OAB")], declared("C", 1, 3, "ud")]
        return lines + chosen(("O", "A", "B"), "C", range(0, ROWS // 2, 2), 2 * lanes)

    def function(self) -> str:
        """The same in OpenCL C."""
        kind = f"ushort{ROWS}"
        return f"{kind} {self.symbol}({kind} a, {kind} b, uint c) {{ return c ? a : b; }}"


__all__ = ["ChosenRowsCall"]

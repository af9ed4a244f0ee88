"""What the rules of `verify` check, and what they find."""

from __future__ import annotations

from xetile.records import dataclass

from ..module.binary import Binary, Instruction
from ..module.disassemble import Listing


@dataclass(frozen=True)
class Problem:
    """One broken rule: what is wrong, how to fix it, and the instruction as text."""

    message: str
    hint: str = ""
    instruction: str = ""

    def __str__(self) -> str:
        parts = [self.message, self.hint and f"  hint: {self.hint}", self.instruction and f"  in: {self.instruction}"]
        return "\n".join(filter(None, parts))


class Checker:
    """A module under check; rules call `report`."""

    def __init__(self, data: bytes) -> None:
        self.binary = Binary(data)
        self.problems: list[Problem] = []
        self._listing = Listing(self.binary)
        self.subgroup_size = 0

    def report(self, message: str, hint: str = "", at: Instruction | None = None) -> None:
        self.problems.append(Problem(message, hint, self._listing.line(at).strip() if at else ""))

    def type_of(self, value: int) -> Instruction | None:
        """The instruction that declares the type of a value."""
        return self.binary.definition.get(self.binary.type_id_of(value))

    def is_int(self, kind: Instruction | None, width: int = 32) -> bool:
        return kind is not None and kind.name == "OpTypeInt" and kind.words[1] == width

    def name(self, value: int) -> str:
        return self._listing.names(value)

    def show_type(self, value: int) -> str:
        """The type of a value in words, for messages."""
        type_id = self.binary.type_id_of(value)
        return self._listing.names(type_id) if type_id else "no type"

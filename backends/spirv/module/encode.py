"""Operands to words: what an instruction's kinds demand, from ids, numbers, strings and names of enumerants."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, reduce
from operator import or_

from .errors import SpirvError
from .opcodes import ENUMERATIONS, ID, OPCODES, PLAIN_KINDS, Opcode, string_words


class Id(int):
    """A result id.  A class of its own so that a number in the place of an id is found at once."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        IDS.add(cls)

    def __repr__(self) -> str:
        return f"%{int(self)}"


IDS: set[type] = {Id}
"""The classes of operands that are words as they are."""

LITERALS: set[type] = {int, str, tuple}
"""The classes of operands that become the same words in each module."""

Operand = Id | int | float | str | Sequence[int]


class Encoder:
    """Encodes the operands of one instruction; `capabilities` collects what its enumerants need."""

    def __init__(self, op: Opcode, operands: Sequence[Operand]) -> None:
        self.op = op
        self.words: list[int] = []
        self.capabilities: list[str] = []
        self._operands = operands
        self._position = 0

    def run(self) -> list[int]:
        """The words of all operands; raises SpirvError when their number or kind is wrong."""
        operands, words, given, lead = self._operands, self.words, len(self._operands), self.op.lead
        at = lead if lead <= given and IDS.issuperset(map(type, operands[:lead])) else 0  # others tell what is wrong
        words += operands[:at]  # type: ignore[arg-type]
        for kind in self.op.operands[at:]:
            self._position = at
            if kind[-1] == "*":
                if kind == "I*" and IDS.issuperset(map(type, operands[at:])):
                    words += operands[at:]  # type: ignore[arg-type]
                    self._position = given
                while self._position < given:
                    self._one(kind[:-1])
            elif kind[-1] != "?":
                self._one(kind)
            elif at < given:
                self._one(kind[:-1])
            at = self._position
        if at < given:
            raise SpirvError(f"{self.op.name} takes {at} operands here, got {given}")
        return words

    def _next(self, kind: str) -> Operand:
        if self._position == len(self._operands):
            raise SpirvError(f"{self.op.name} lacks operand {self._position} ({kind})")
        self._position += 1
        return self._operands[self._position - 1]

    def _wrong(self, value: object, expected: str) -> SpirvError:
        return SpirvError(f"operand {self._position - 1} of {self.op.name} must be {expected}, got {value!r}")

    def _one(self, kind: str) -> None:
        if kind in ENUMERATIONS:
            return self._enumerant(kind)
        if kind in ("II", "IN", "CI"):
            for part in kind:
                self._one(part)
            return None
        value = self._next(kind)
        if kind == ID:
            if not isinstance(value, Id):
                raise self._wrong(value, "an id")
            self.words.append(value)
        elif kind == "S":
            if not isinstance(value, str):
                raise self._wrong(value, "a string")
            self.words += string_words(value)
        elif kind == "F":
            if not isinstance(value, (int, float)):
                raise self._wrong(value, "a number")
            self.words += struct.unpack("<I", struct.pack("<f", value))
        elif kind == "C" and isinstance(value, Sequence) and not isinstance(value, str):
            self.words += value
        elif isinstance(value, int) and not isinstance(value, Id) and (kind in PLAIN_KINDS or kind == "C"):
            self.words.append(value & 0xFFFFFFFF)
        else:
            raise self._wrong(value, "an integer")
        return None

    def _enumerant(self, kind: str) -> None:
        value = self._next(kind)
        if not isinstance(value, (str, int)) or isinstance(value, Id):
            raise self._wrong(value, f"a {kind}")
        word, capabilities, parameters = _meaning(kind, value)
        self.capabilities += capabilities
        self.words.append(word)
        for parameter in parameters:
            self._one(parameter)


@cache
def _meaning(kind: str, value: str | int) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """The word that a name or a number of enumerants stands for, the capabilities that it needs, and the kinds of what follows it."""
    table = ENUMERATIONS[kind]
    members = table.parse(value) if isinstance(value, str) else table.members(value)
    return (reduce(or_, (member.value for member in members), 0), tuple(member.capability for member in members if member.capability),
            tuple(parameter for member in members for parameter in member.parameters))  # fmt: skip


@lru_cache(maxsize=4096)
def literals(name: str, operands: tuple[Operand, ...]) -> tuple[Sequence[int], Sequence[str]]:
    """The words of what follows the ids that an instruction's operands begin with, and the capabilities that these need."""
    op = OPCODES[name]
    encoder = Encoder(op, (*[Id(0)] * op.lead, *operands))
    return tuple(encoder.run()[op.lead :]), tuple(encoder.capabilities)


def check_ids(op: Opcode, operands: Sequence[Operand]) -> None:
    """Raise SpirvError unless `operands` are as many ids as `op`, whose operands are all single ids, takes."""
    if len(operands) != len(op.operands):
        raise SpirvError(f"{op.name} takes {len(op.operands)} operands, got {len(operands)}")
    for position, value in enumerate(operands):
        if value.__class__ is not Id and not isinstance(value, Id):
            raise SpirvError(f"operand {position} of {op.name} must be an id, got {value!r}")


def number_words(value: float, width: int, is_float: bool) -> Iterator[int]:
    """The literal of a constant: narrow integers zero-extended (types are signless), low word first (SPIR-V 2.2.1)."""
    if is_float:
        code, integer = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}[width]
        bits = struct.unpack(integer, struct.pack(code, value))[0]
    else:
        bits = int(value) & ((1 << width) - 1)
    yield bits & 0xFFFFFFFF
    if width == 64:
        yield bits >> 32

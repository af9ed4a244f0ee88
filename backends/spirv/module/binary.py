"""Read a SPIR-V binary back: words to instructions, and the indices that checks and rewriting need."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from typing import NamedTuple

from xetile.records import dataclass

from .errors import SpirvError
from .opcodes import BY_NUMBER, ENUMERATIONS, Enumerant, Opcode, words_string

MAGIC = 0x07230203
HEADER_WORDS = 5


class Operand(NamedTuple):
    """One decoded operand: `kind` is I (id), N, X, O (integers), S (string), F, C (literal number) or an enumeration's name."""

    kind: str
    value: int | str

    @property
    def is_id(self) -> bool:
        return self.kind == "I"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `words` are those after the first, result type and result included."""

    op: Opcode
    words: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def type_id(self) -> int:
        """The result type's id, 0 if there is none."""
        return self.words[0] if self.op.has_type else 0

    @property
    def result(self) -> int:
        """The result's id, 0 if there is none."""
        return self.words[1 if self.op.has_type else 0] if self.op.has_result else 0

    @property
    def args(self) -> tuple[int, ...]:
        """The words of the operands after result type and result."""
        return self.words[self.op.has_type + self.op.has_result :]

    def operands(self) -> list[Operand]:
        """The operands after result type and result, decoded; raises SpirvError if the words do not fit the grammar."""
        return list(_decode(self))

    def ids(self) -> list[int]:
        """The ids among the operands (the result type not included)."""
        if self.op.all_ids:
            return list(self.args)
        return [int(operand.value) for operand in _decode(self) if operand.is_id]


def _decode(instruction: Instruction) -> Iterator[Operand]:
    words, op = list(instruction.args), instruction.op
    for kind in op.operands:
        base, quantifier = (kind[:-1], kind[-1]) if kind[-1] in "?*" else (kind, "")
        while words or not quantifier:
            yield from _decode_one(op, base, words)
            if quantifier != "*":
                break
    if words:
        raise SpirvError(f"{op.name} has {len(words)} words too many")


def _decode_one(op: Opcode, kind: str, words: list[int]) -> Iterator[Operand]:
    """Decode one operand of `kind` from the front of `words`, which loses its words."""
    if kind in ("II", "IN", "CI"):
        for part in kind:
            yield from _decode_one(op, part, words)
        return
    if not words:
        raise SpirvError(f"{op.name} ends before its operand of kind {kind}")
    if kind == "S":
        text, count = words_string(words)
        del words[:count]
        yield Operand("S", text)
        return
    value = words.pop(0)
    if kind == "C" and op.name in ("OpConstant", "OpSpecConstant"):
        for shift, high in enumerate(words, 1):
            value |= high << 32 * shift
        words.clear()
    yield Operand(kind, value)
    if kind in ENUMERATIONS:
        for member in ENUMERATIONS[kind].known(value):
            for parameter in member.parameters:
                yield from _decode_one(op, parameter, words)


def read_words(data: bytes) -> array[int]:
    """The words of a module of either byte order; raises SpirvError if it is none."""
    if len(data) % 4 or len(data) < 4 * HEADER_WORDS:
        raise SpirvError(f"{len(data)} bytes are no SPIR-V module")
    words = array("I", data)
    if words[0] != MAGIC:
        words.byteswap()
    if words[0] != MAGIC:
        raise SpirvError(f"no SPIR-V module starts with the word {words[0]:#x}")
    return words


def has_words(data: bytes, found: Set[int], but: Set[int]) -> bool:
    """Whether some instruction has one of these words; `but`: the opcodes that do not count. Words are compared as they stand: an id may be
    met by a literal or by an opcode, so True is only a reason to read the module.
    """
    words = read_words(data)
    position = start = HEADER_WORDS  # `start`: of those that count, one after the other, and are looked at together
    size = len(words)
    while position < size:
        head = words[position]
        if head & 0xFFFF in but:
            if not found.isdisjoint(words[start:position]):
                return True
            position += head >> 16
            start = position
        else:
            position += head >> 16
    return not found.isdisjoint(words[start:])


def write_words(version: int, bound: int, instructions: Iterable[Instruction]) -> bytes:
    """A module from its parts; `version` as in the header's second word."""
    words = array("I", [MAGIC, version, 0, bound, 0])
    for instruction in instructions:
        words.append(instruction.op.number | (1 + len(instruction.words)) << 16)
        words.extend(instruction.words)
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()


def _instructions(words: array[int]) -> Iterator[Instruction]:
    position = HEADER_WORDS
    while position < len(words):
        count, number = words[position] >> 16, words[position] & 0xFFFF
        if not count or position + count > len(words):
            raise SpirvError(f"the instruction at word {position} is cut off or empty")
        op = BY_NUMBER.get(number)
        if op is None:
            raise SpirvError(f"opcode {number} at word {position} is not known")
        if count <= op.has_type + op.has_result:
            raise SpirvError(f"{op.name} at word {position} is cut off")
        yield Instruction(op, tuple(words[position + 1 : position + count]))
        position += count


class Binary:
    """A module read from its bytes.  `definition` maps an id to the instruction that makes it."""

    def __init__(self, data: bytes) -> None:
        words = read_words(data)
        self.version_word = words[1]
        self.version = (words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF)
        self.bound = words[3]
        self.instructions: list[Instruction] = list(_instructions(words))

    def write(self) -> bytes:
        return write_words(self.version_word, self.bound, self.instructions)

    @cached_property
    def definition(self) -> dict[int, Instruction]:
        return {i.result: i for i in self.instructions if i.op.has_result}

    @cached_property
    def names(self) -> dict[int, str]:
        """OpName texts by id."""
        return {i.words[0]: words_string(i.words[1:])[0] for i in self.instructions if i.name == "OpName"}

    @cached_property
    def capabilities(self) -> set[str]:
        return {member.name for i in self.instructions if i.name == "OpCapability" for member in _capability(i.words[0])}

    @cached_property
    def extensions(self) -> set[str]:
        return {words_string(i.words)[0] for i in self.instructions if i.name == "OpExtension"}

    @cached_property
    def builtins(self) -> dict[int, str]:
        """Variables that are built-ins, by id."""
        found: dict[int, str] = {}
        for i in self.instructions:
            if i.name == "OpDecorate" and i.words[1] == ENUMERATIONS["Decoration"]["BuiltIn"].value:
                found[i.words[0]] = ENUMERATIONS["BuiltIn"].members(i.words[2])[0].name
        return found

    def type_id_of(self, value: int) -> int:
        """The id of a value's type, 0 if unknown."""
        return self.definition[value].type_id if value in self.definition else 0

    def constant(self, value: int) -> int | None:
        """The integer that a constant holds (null is 0), None if `value` is no scalar integer constant."""
        found = self.definition.get(value)
        if found is None or found.name not in ("OpConstant", "OpConstantNull"):
            return None
        kind = self.definition.get(found.type_id)
        if kind is None or kind.name != "OpTypeInt":
            return None
        return 0 if found.name == "OpConstantNull" else int(found.operands()[0].value)

    def functions(self) -> Iterator[FunctionBody]:
        """The functions with and without a body, in order."""
        current: list[Instruction] = []
        for i in self.instructions:
            if i.name == "OpFunction":
                current = []
            current.append(i)
            if i.name == "OpFunctionEnd":
                yield FunctionBody(current)


def _capability(value: int) -> list[Enumerant]:
    """The capability of this number; one that grammar.py leaves out is named by its number."""
    table = ENUMERATIONS["Capability"].by_value
    return [table[value] if value in table else Enumerant(str(value), value, (), "")]


@dataclass(frozen=True)
class FunctionBody:
    """The instructions of one function, from OpFunction to OpFunctionEnd."""

    instructions: list[Instruction]

    @property
    def id(self) -> int:
        return self.instructions[0].result

    @property
    def params(self) -> list[int]:
        return [i.result for i in self.instructions if i.name == "OpFunctionParameter"]

    @cached_property
    def blocks(self) -> dict[int, list[Instruction]]:
        """Instructions of each block by its label, in order, without OpLabel; empty for an imported function."""
        blocks: dict[int, list[Instruction]] = {}
        current: list[Instruction] = []
        for i in self.instructions[:-1]:
            if i.name == "OpLabel":
                current = blocks[i.result] = []
            elif blocks:
                current.append(i)
        return blocks

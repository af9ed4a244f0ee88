"""Instructions, enumerations and extended instructions of SPIR-V by name and by number (tables: grammar.py)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from xetile.records import dataclass

from . import grammar
from .errors import SpirvError

# The kinds of operands whose one word is taken as it is: ids (I), integers (N) and instruction numbers (X, O).
ID = "I"
PLAIN_KINDS = frozenset(("I", "N", "X", "O"))

# Capabilities that depend on the width of the result type (SPV_EXT_shader_atomic_float_add and ..min_max).
CAPABILITY_BY_WIDTH: dict[str, dict[int, str]] = {
    "OpAtomicFAddEXT": {16: "AtomicFloat16AddEXT", 32: "AtomicFloat32AddEXT", 64: "AtomicFloat64AddEXT"},
    "OpAtomicFMinEXT": {16: "AtomicFloat16MinMaxEXT", 32: "AtomicFloat32MinMaxEXT", 64: "AtomicFloat64MinMaxEXT"},
    "OpAtomicFMaxEXT": {16: "AtomicFloat16MinMaxEXT", 32: "AtomicFloat32MinMaxEXT", 64: "AtomicFloat64MinMaxEXT"},
}


class Opcode(NamedTuple):
    """One instruction: `operands` are the kinds after result type and result, each with an optional quantifier `?` or `*`."""

    name: str
    number: int
    has_type: bool
    has_result: bool
    operands: tuple[str, ...]
    capability: str
    all_ids: bool  # every operand is exactly one id
    ids: range  # how many operands it has, its type among them, where all are ids: the common case, written without a look at the kinds
    lead: int  # how many operands at the beginning are one id each
    head: int  # the first word, where it counts nothing but itself and the result


class Enumerant(NamedTuple):
    """One value of an enumeration; `parameters` are the kinds of the operands that follow it."""

    name: str
    value: int
    parameters: tuple[str, ...]
    capability: str


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A value or mask enumeration of SPIR-V."""

    name: str
    is_mask: bool
    by_name: dict[str, Enumerant]
    by_value: dict[int, Enumerant]

    def __getitem__(self, name: str) -> Enumerant:
        """The enumerant called `name` (or its alias); raises SpirvError with near names."""
        found = self.by_name.get(name) or self.by_name.get(ALIASES.get(name, ""))
        if found is None:
            raise SpirvError(f"{self.name} has no value named {name!r}", hint=_near(name, self.by_name))
        return found

    def parse(self, text: str) -> list[Enumerant]:
        """The enumerants of `"A"` or, for a mask, `"A|B"`, lowest bit first (the order in which their parameters follow)."""
        names = text.split("|") if self.is_mask else [text]
        return sorted((self[name.strip()] for name in names), key=lambda e: e.value)

    def known(self, value: int) -> list[Enumerant]:
        """The enumerants that `value` is made of, as far as they are known."""
        if not self.is_mask or value == 0:
            return [self.by_value[value]] if value in self.by_value else []
        bits = (1 << bit for bit in range(value.bit_length()) if value >> bit & 1)
        return [self.by_value[bit] for bit in bits if bit in self.by_value]

    def members(self, value: int) -> list[Enumerant]:
        """The enumerants that `value` is made of; raises SpirvError for a value or bit that is not known."""
        found = self.known(value)
        rest = value & ~sum(enumerant.value for enumerant in found) if self.is_mask else value * (not found)
        if rest:
            raise SpirvError(
                f"bit {rest & -rest:#x} is not a bit of {self.name}" if self.is_mask else f"{value} is not a value of {self.name}"
            )
        return found

    def text(self, value: int) -> str:
        """The names of `value` joined by `|`; what is not known as a number."""
        found = self.known(value)
        rest = value & ~sum(enumerant.value for enumerant in found)
        return "|".join([enumerant.name for enumerant in found] + [hex(rest)] * bool(rest)) or "None"

    def value(self, text: str) -> int:
        """The number of a name, or of names joined by `|`."""
        result = 0
        for enumerant in self.parse(text):
            result |= enumerant.value
        return result


def _near(name: str, names: Iterable[str]) -> str | None:
    import difflib  # only on an error: it costs a millisecond

    close = difflib.get_close_matches(name, list(names), n=3)
    return f"did you mean {' or '.join(close)}?" if close else None


def _pairs(text: str) -> dict[str, str]:
    return dict(word.split("=") for word in text.split())


def _instructions() -> dict[str, Opcode]:
    table: dict[str, Opcode] = {}
    for line in grammar.INSTRUCTIONS.splitlines():
        signature, capability, names = line.split("|")
        kinds = signature.split()
        has_type, has_result = "T" in kinds, "R" in kinds
        operands = tuple(kind for kind in kinds if kind not in "TR")
        all_ids, ids = all(kind == ID for kind in operands), _counts_of_ids([ID] * has_type + [*operands])
        lead = next((at for at, kind in enumerate(operands) if kind != ID), len(operands))
        for word in names.split():
            name, _, number = word.partition("=")
            head = int(number) | (1 + has_result) << 16
            table["Op" + name] = Opcode(
                "Op" + name, int(number), has_type, has_result, operands, capability, all_ids, ids, lead, head
            )
    return table


def _counts_of_ids(kinds: Sequence[str]) -> range:
    """How many operands of these kinds there are where all are ids."""
    least = most = 0
    for kind in kinds:
        if kind == ID + "*":
            return range(least, 1 << 16)
        if kind == ID:
            least, most = least + 1, most + 1
        elif kind == ID + "?":
            most += 1
        elif kind[-1] in "?*":
            break
        else:
            return range(0)
    return range(least, most + 1)


def _enumerations() -> tuple[dict[str, Enumeration], dict[str, tuple[str, str]]]:
    """The enumerations, and of each capability what it implies and the extension that brings it."""
    tables: dict[str, Enumeration] = {}
    capabilities: dict[str, tuple[str, str]] = {}
    current = Enumeration("", False, {}, {})
    for line in grammar.ENUMERATIONS.splitlines():
        if not line.startswith(" "):
            name, category = line.split()
            current = tables[name] = Enumeration(name, category == "BitEnum", {}, {})
            continue
        for word in line.split():
            head, _, more = word.partition(":")
            name, _, value = head.partition("=")
            middle, _, last = more.partition(":")
            if current.name == "Capability":
                capabilities[name] = middle, last
                middle = last = ""
            enumerant = Enumerant(name, int(value), tuple(middle.split(",")) if middle else (), last)
            current.by_name[name] = enumerant
            current.by_value.setdefault(enumerant.value, enumerant)
    return tables, capabilities


OPCODES: dict[str, Opcode] = _instructions()
BY_NUMBER: dict[int, Opcode] = {op.number: op for op in OPCODES.values()}
ALIASES: dict[str, str] = _pairs(grammar.ALIASES)
OPCODES.update({"Op" + alias: OPCODES["Op" + name] for alias, name in ALIASES.items() if "Op" + name in OPCODES})
ENUMERATIONS, _CAPABILITIES = _enumerations()
EXTENSION_OF: dict[str, str] = {name: extension for name, (_, extension) in _CAPABILITIES.items() if extension}


def _add(kind: str, name: str, value: int) -> None:
    ENUMERATIONS[kind].by_name[name] = ENUMERATIONS[kind].by_value[value] = Enumerant(name, value, (), "")


# Of SPV_INTEL_joint_matrix, which the core grammar lacks.
_add("Capability", "CooperativeMatrixBFloat16ComponentTypeINTEL", 6437)
_add("CooperativeMatrixOperands", "MatrixAAndBBFloat16ComponentsINTEL", 0x40)
OPENCL_STD: dict[str, int] = {name: int(number) for name, number in _pairs(grammar.OPENCL_STD).items()}
OPENCL_STD_NAMES: dict[int, str] = {number: name for name, number in OPENCL_STD.items()}


def opcode(name: str) -> Opcode:
    """The instruction called `name`, with its `Op`; raises SpirvError with near names."""
    found = OPCODES.get(name)
    if found is None:
        raise SpirvError(f"no SPIR-V instruction is named {name!r}", hint=_near(name, OPCODES))
    return found


def enum_value(kind: str, value: str | int) -> int:
    """The number of an enumerant, or of several joined by `|`: `enum_value("MemorySemantics", "Acquire|WorkgroupMemory")`."""
    return value if isinstance(value, int) else ENUMERATIONS[kind].value(value)


def opencl_std(name: str) -> int:
    """The number of an instruction of the OpenCL extended instruction set; raises SpirvError with near names."""
    if name not in OPENCL_STD:
        raise SpirvError(f"OpenCL.std has no instruction {name!r}", hint=_near(name, OPENCL_STD))
    return OPENCL_STD[name]


def implied_capabilities(declared: Iterable[str]) -> set[str]:
    """`declared` with the capabilities that these declare implicitly (SPIR-V 3.31)."""
    result, todo = set[str](), list(declared)
    while todo:
        name = todo.pop()
        if name not in result:
            result.add(name)
            todo += filter(None, _CAPABILITIES.get(name, ("", ""))[0].split(","))
    return result


@lru_cache(1024)
def string_words(text: str) -> tuple[int, ...]:
    """UTF-8, nul-terminated, padded to words, low byte first (SPIR-V 2.2.1)."""
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


def words_string(words: Sequence[int]) -> tuple[str, int]:
    """The string at the start of `words` and how many words it takes."""
    data = bytearray()
    for count, word in enumerate(words, 1):
        data += word.to_bytes(4, "little")
        if not word >> 24:
            end = data.find(0)
            return data[:end].decode(errors="replace"), count
    raise SpirvError("a string has no end inside its instruction")

"""SPIR-V as text, close to what spirv-dis prints: for readers who have no SPIR-V tools."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from .binary import Binary, Instruction, Operand
from .opcodes import ENUMERATIONS, OPENCL_STD_NAMES

_INDENT = 15  # spirv-dis puts every "Op" into this column


def disassemble(data: bytes) -> str:
    """The text of a module: one instruction a line, `%result = OpName %operands`.  Raises SpirvError for broken bytes."""
    binary = Binary(data)
    listing = Listing(binary)
    head = ["; SPIR-V", f"; Version: {binary.version[0]}.{binary.version[1]}", f"; Bound: {binary.bound}"]
    return "\n".join([*head, *map(listing.line, binary.instructions)]) + "\n"


class Listing:
    """Instructions of one module as lines of text."""

    def __init__(self, binary: Binary) -> None:
        self._binary = binary
        self.names = FriendlyNames(binary)

    def line(self, instruction: Instruction) -> str:
        """One instruction, its opcode in a fixed column."""
        result = f"{self.names(instruction.result)} = " if instruction.result else ""
        words = [instruction.name]
        if instruction.type_id:
            words.append(self.names(instruction.type_id))
        words += _texts(self._binary, instruction, self.names)
        return result.rjust(_INDENT) + " ".join(words)


class FriendlyNames:
    """%name of an id: its OpName, a type's or an integer constant's content, else its number; each name once."""

    def __init__(self, binary: Binary) -> None:
        self._binary = binary
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        for target, text in binary.names.items():
            self._assign(target, re.sub(r"\W", "_", text))

    def __call__(self, target: int) -> str:
        if target not in self._names:
            self._assign(target, self._describe(target))
        return "%" + self._names[target]

    def _assign(self, target: int, text: str) -> None:
        unique, count = text, 0
        while unique in self._taken:
            unique, count = f"{text}_{count}", count + 1
        self._taken.add(unique)
        self._names[target] = unique

    def _describe(self, target: int) -> str:
        made = self._binary.definition.get(target)
        if made is None:
            return str(target)
        if made.name == "OpConstant":
            number = _number(self._binary, made).replace("-", "n")
            return f"{self(made.type_id)[1:]}_{re.sub(r'[^0-9a-z]', '_', number)}"
        maker = _TYPE_NAMES.get(made.name)
        return maker(made, lambda t: self(t)[1:]) if maker else str(target)


_INT_NAMES = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
_FLOAT_NAMES = {16: "half", 32: "float", 64: "double"}
_TYPE_NAMES: dict[str, Callable[[Instruction, Callable[[int], str]], str]] = {
    "OpTypeVoid": lambda i, name: "void",
    "OpTypeBool": lambda i, name: "bool",
    "OpTypeInt": lambda i, name: _INT_NAMES.get(i.words[1], f"u{i.words[1]}"),
    "OpTypeFloat": lambda i, name: _FLOAT_NAMES.get(i.words[1], f"fp{i.words[1]}"),
    "OpTypeVector": lambda i, name: f"v{i.words[2]}{name(i.words[1])}",
    "OpTypeArray": lambda i, name: f"_arr_{name(i.words[1])}_{name(i.words[2])}",
    "OpTypePointer": lambda i, name: f"_ptr_{ENUMERATIONS['StorageClass'].text(i.words[1])}_{name(i.words[2])}",
}


def _texts(binary: Binary, instruction: Instruction, names: FriendlyNames) -> list[str]:
    if instruction.name == "OpConstant":
        return [_number(binary, instruction)]
    if instruction.name == "OpExtInst" and _set_of(binary, instruction) != "OpenCL.std":
        extended, *words = instruction.args
        return [names(extended), *map(str, words)]
    return [_text(operand, names) for operand in instruction.operands()]


def _set_of(binary: Binary, instruction: Instruction) -> str:
    """The name of the set that an extended instruction is of."""
    imported = binary.definition.get(instruction.args[0])
    return str(imported.operands()[0].value) if imported is not None else ""


def _text(operand: Operand, names: FriendlyNames) -> str:
    kind, value = operand
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if kind == "I":
        return names(value)
    if kind == "X":
        return OPENCL_STD_NAMES.get(value, str(value))
    if kind == "F":
        return repr(struct.unpack("<f", struct.pack("<I", value))[0])
    if kind in ENUMERATIONS:
        return ENUMERATIONS[kind].text(value)
    return str(value)


def _number(binary: Binary, instruction: Instruction) -> str:
    """The value of OpConstant in the way of its type."""
    value = int(instruction.operands()[0].value)
    kind = binary.definition[instruction.type_id]
    if kind.name != "OpTypeFloat":
        return str(value)
    code, width = {16: ("<e", 2), 32: ("<f", 4), 64: ("<d", 8)}[kind.words[1]]
    number: float = struct.unpack(code, value.to_bytes(width, "little"))[0]
    return f"{number:g}" if number == float(f"{number:g}") else repr(number)

"""Zeros that no compiler knows, in finished modules: the global offset along the third dimension, which no launch has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from ..module.binary import Binary, Instruction
from ..module.opcodes import enum_value
from ..module.rewrite import Rewriter, instruction

APART = 0x9E3779B1
"""An odd multiple of the offset, of which no bit is known: what hides numbers as the module is written is the offset itself (`hidden`), and
compilers know what `(lane | zero) & zero` is where both zeros are the same.
"""


class HiddenZeros(Rewriter):
    """`offset` is the built-in's variable once something needs it; `zeros` are a function's zeros by their type."""

    def __init__(self, binary: Binary) -> None:
        super().__init__(binary)
        self.offset = 0
        self.zeros: dict[int, int] = {}

    def replace(self, old: Instruction) -> Iterator[Instruction]:
        """What an instruction becomes."""
        raise NotImplementedError

    def function(self, old: list[Instruction]) -> list[Instruction]:
        """The instructions up to a function's end, with its zeros behind the variables of its first block."""
        self.zeros = {}
        body = [new for each in old for new in self.replace(each)]
        if not self.zeros:
            return body
        first = next(n for n, i in enumerate(body) if i.name == "OpLabel") + 1
        first += sum(1 for _ in takewhile(lambda i: i.name == "OpVariable", body[first:]))
        return [*body[:first], *self._made_zeros(), *body[first:]]

    def zero(self, type_id: int) -> int:
        """The hidden zero of an integer type or a vector of one."""
        if type_id not in self.zeros:
            self.zeros[type_id] = self.id()
        return self.zeros[type_id]

    def _made_zeros(self) -> list[Instruction]:
        self.capabilities.add("Int64")
        size = self.int_type(64)
        triple = self.declare("OpTypeVector", size, 3)
        if not self.offset:
            self.offset = self._variable(triple)
        word, loaded, offset, low, zero = self.int_type(32), self.id(), self.id(), self.id(), self.id()
        made = [instruction("OpLoad", triple, loaded, self.offset), instruction("OpCompositeExtract", size, offset, loaded, 2),
                instruction("OpUConvert", word, low, offset), instruction("OpIMul", word, zero, low, self.constant(APART))]  # fmt: skip
        scalars = {word: zero}
        for type_id, result in self.zeros.items():
            kind = self._definitions[type_id]
            scalar = kind.words[1] if kind.name == "OpTypeVector" else type_id
            if scalar not in scalars:
                scalars[scalar] = self.id()
                made.append(instruction("OpSConvert", scalar, scalars[scalar], zero))
            if kind.name == "OpTypeVector":
                made.append(instruction("OpCompositeConstruct", type_id, result, *[scalars[scalar]] * kind.words[2]))
            else:
                made.append(instruction("OpBitwiseOr", type_id, result, scalars[scalar], scalars[scalar]))
        return made

    def _variable(self, kind: int) -> int:
        known = [variable for variable, name in self.binary.builtins.items() if name == "GlobalOffset"]
        if known:
            return known[0]
        variable, pointer = self.id(), self.pointer("Input", kind)
        self._globals.append(instruction("OpVariable", pointer, variable, enum_value("StorageClass", "Input")))
        decorated = (enum_value("Decoration", "BuiltIn"), enum_value("BuiltIn", "GlobalOffset"))
        self._decorations.append(instruction("OpDecorate", variable, *decorated))
        self._decorations.append(instruction("OpDecorate", variable, enum_value("Decoration", "Constant")))
        return variable

    def with_interface(self, body: list[Instruction]) -> list[Instruction]:
        """SPIR-V 2.4: an entry point lists the built-ins that it reads."""
        if self.offset in self.binary.builtins:
            return body
        return [instruction(i.name, *i.words, self.offset) if i.name == "OpEntryPoint" else i for i in body]

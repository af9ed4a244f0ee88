"""Rewrite a finished module: new types, constants and imported functions beside the instructions that are replaced."""

from __future__ import annotations

from collections.abc import Sequence

from ..assembly.call import TARGET
from .binary import Binary, Instruction, write_words
from .encode import number_words
from .opcodes import ENUMERATIONS, EXTENSION_OF, enum_value, opcode, string_words

_TYPE_SECTION = ("OpType", "OpConstant", "OpSpecConstant", "OpVariable", "OpUndef")


def instruction(name: str, *words: int) -> Instruction:
    """An instruction from its words (ids and encoded operands)."""
    return Instruction(opcode(name), words)


class Rewriter:
    """Collects what a rewritten module needs beside its code; `finish` puts it together."""

    def __init__(self, binary: Binary) -> None:
        self.binary = binary
        self.capabilities: set[str] = set()
        self._bound = binary.bound
        self._known = {(i.op.name, i.type_id, i.args): i.result for i in binary.instructions if _is_declaration(i)}
        self._definitions = dict(binary.definition)
        self._globals: list[Instruction] = []
        self._decorations: list[Instruction] = []
        self._imports: dict[str, int] = {}
        self._assembly: dict[tuple[str, str], int] = {}
        self._assembly_target = 0
        self._declarations: list[Instruction] = []

    def id(self) -> int:
        self._bound += 1
        return self._bound - 1

    def declare(self, name: str, *words: int, type_id: int = 0) -> int:
        """The id of a type or a constant, found in the module or added (SPIR-V 2.8: types are unique)."""
        key = (name, type_id, words)
        if key not in self._known:
            result = self._known[key] = self.id()
            head = (type_id, result) if type_id else (result,)
            made = self._definitions[result] = instruction(name, *head, *words)
            self._globals.append(made)
        return self._known[key]

    def void(self) -> int:
        return self.declare("OpTypeVoid")

    def int_type(self, width: int) -> int:
        return self.declare("OpTypeInt", width, 0)

    def vector(self, element: int, count: int) -> int:
        """The type of `count` components; for one, the component's."""
        return self.declare("OpTypeVector", element, count) if count > 1 else element

    def components(self, type_id: int) -> int:
        """How many components a type has: 1 for a scalar."""
        kind = self.definition(type_id)
        return kind.words[2] if kind and kind.name == "OpTypeVector" else 1

    def pointer(self, storage: str, element: int) -> int:
        return self.declare("OpTypePointer", enum_value("StorageClass", storage), element)

    def constant(self, value: int, width: int = 32) -> int:
        return self.declare("OpConstant", *number_words(value, width, False), type_id=self.int_type(width))

    def definition(self, value: int) -> Instruction | None:
        return self._definitions.get(value)

    def type_of(self, value: int) -> Instruction | None:
        """The instruction that declares the type of `value`."""
        made = self._definitions.get(value)
        return self._definitions.get(made.type_id) if made else None

    def imported(self, name: str, result: int, params: Sequence[int]) -> int:
        """The id of a function to be linked in: declared once by name."""
        if name not in self._imports:
            fn = self._imports[name] = self.id()
            self.capabilities.add("Linkage")
            linkage = (enum_value("Decoration", "LinkageAttributes"), *string_words(name), enum_value("LinkageType", "Import"))
            self._decorations.append(instruction("OpDecorate", fn, *linkage))
            kind = self.declare("OpTypeFunction", result, *params)
            self._declarations.append(instruction("OpFunction", result, fn, 0, kind))
            self._declarations += [instruction("OpFunctionParameter", p, self.id()) for p in params]
            self._declarations.append(instruction("OpFunctionEnd"))
        return self._imports[name]

    def assembly(self, text: str, constraints: str, result: int, params: Sequence[int]) -> int:
        """The id of inline assembly for an Intel GPU (SPV_INTEL_inline_assembly), to be called: declared once by its text."""
        key = (text, constraints)
        if key not in self._assembly:
            self.capabilities.add("AsmINTEL")
            if not self._assembly_target:
                self._assembly_target = self.id()
                self._globals.append(instruction("OpAsmTargetINTEL", self._assembly_target, *string_words(TARGET)))
            kind = self.declare("OpTypeFunction", result, *params)
            made = self._assembly[key] = self.id()
            words = (self._assembly_target, *string_words(text), *string_words(constraints))
            self._globals.append(instruction("OpAsmINTEL", result, made, kind, *words))
        return self._assembly[key]

    def finish(self, body: Sequence[Instruction], dropped_extensions: set[str]) -> bytes:
        """The module whose instructions are `body`, without these extensions and the capabilities they bring."""
        gone = {name for name, extension in EXTENSION_OF.items() if extension in dropped_extensions}
        kept = [i for i in body if not dropped_extensions or not _belongs_to(i, gone, dropped_extensions)]
        needed = {EXTENSION_OF[name] for name in self.capabilities if name in EXTENSION_OF} - self.binary.extensions
        extensions = [instruction("OpExtension", *string_words(name)) for name in sorted(needed)]
        # SPIR-V 2.4: capabilities, then extensions, then the memory model and what the module held before.
        first = next((n for n, i in enumerate(kept) if i.name != "OpCapability"), len(kept))
        kept[first:first] = extensions
        declared = {i.words[0] for i in kept if i.name == "OpCapability"}
        values = sorted(enum_value("Capability", name) for name in self.capabilities)
        capabilities = [instruction("OpCapability", value) for value in values if value not in declared]
        first_type = next(n for n, i in enumerate(kept) if i.name.startswith(_TYPE_SECTION))
        first_function = next((n for n, i in enumerate(kept) if i.name == "OpFunction"), len(kept))
        # SPIR-V 2.4: types and constants stand before all functions, functions without a body before those with one.
        return write_words(
            self.binary.version_word,
            self._bound,
            [
                *capabilities,
                *kept[:first_type],
                *self._decorations,
                *kept[first_type:first_function],
                *self._globals,
                *self._declarations,
                *kept[first_function:],
            ],
        )


def _is_declaration(i: Instruction) -> bool:
    return i.name.startswith(("OpType", "OpConstant"))


def _belongs_to(i: Instruction, capabilities: set[str], extensions: set[str]) -> bool:
    """Whether an instruction declares, or decorates by, what is dropped."""
    if i.name == "OpExtension":
        return i.operands()[0].value in extensions
    if i.name == "OpCapability":
        known = ENUMERATIONS["Capability"].by_value.get(i.words[0])
        return known is not None and known.name in capabilities
    if i.name in ("OpDecorate", "OpMemberDecorate"):
        position = 1 if i.name == "OpDecorate" else 2
        decoration = ENUMERATIONS["Decoration"].by_value.get(i.words[position])
        return decoration is not None and decoration.capability in capabilities
    return False

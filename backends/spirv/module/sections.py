"""The parts of a module under construction that functions refer to: each collected in its own list of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .encode import IDS, LITERALS, Encoder, Id, Operand, check_ids, literals, number_words
from .errors import SpirvError
from .opcodes import CAPABILITY_BY_WIDTH, ENUMERATIONS, EXTENSION_OF, OPCODES, Opcode, enum_value, opcode, string_words
from .types import Types

# Intel's drivers take 1.0 to 1.4 and reject later versions without a message.
MAX_VERSION = (1, 4)
NO_ID = Id(0)


class Sections:
    """What stands outside of functions: capabilities, names, decorations, types, constants, variables. `Module` puts it in order."""

    def __init__(self, version: tuple[int, int] = MAX_VERSION, debug_names: bool = True) -> None:
        """`version`: SPIR-V version, at most 1.4.  `debug_names`: whether `name` writes OpName."""
        if version > MAX_VERSION:
            raise SpirvError(f"SPIR-V {version[0]}.{version[1]} is asked for; drivers take at most 1.4")
        self.version = version
        self.capabilities: set[str] = {"Addresses", "Kernel"}
        self.extensions: set[str] = set()
        self.type = Types(self._declare, self.require, lambda count: self.constant(self.type.int(32), count))
        self._bound = 1
        self._debug_names = debug_names
        self._types: dict[Id, Id] = {}
        self._constants: dict[tuple[object, ...], Id] = {}
        self._builtins: dict[str, Id] = {}
        self._imports: dict[str, Id] = {}
        self._import_words: list[int] = []
        self._texts: dict[str, Id] = {}
        self._opencl_std = Id(0)
        self._asm_target = Id(0)
        self._ext_imports: list[int] = []
        self._modes: list[int] = []
        self._strings: list[int] = []
        self._names: list[int] = []
        self._processed: list[int] = []
        self._decorations: list[int] = []
        self._globals: list[int] = []

    # ids and words

    @property
    def latest(self) -> int:
        """The id that was given out last."""
        return self._bound - 1

    def id(self) -> Id:
        """A fresh id."""
        self._bound += 1
        return Id(self._bound - 1)

    def type_of(self, value: Id) -> Id:
        """The type id of a value made by this module."""
        if value not in self._types:
            raise SpirvError(f"{value!r} is not a value of this module")
        return self._types[value]

    def note_type(self, value: Id, type_id: Id) -> None:
        """Record the type of a value whose words were written elsewhere."""
        self._types[value] = type_id

    def require(self, capability: str) -> None:
        """Declare a capability, and the extension that brings it."""
        if capability not in self.capabilities:
            ENUMERATIONS["Capability"][capability]
            self.capabilities.add(capability)
            if capability in EXTENSION_OF:
                self.extensions.add(EXTENSION_OF[capability])

    def require_extension(self, name: str) -> None:
        """Declare an extension that brings no capability."""
        self.extensions.add(name)

    def encode(self, words: list[int], name: str, operands: Sequence[Operand]) -> Id:
        """Append one instruction to `words`; operands as for BasicBlock.emit.  Returns the result, or 0 if there is none."""
        op = OPCODES.get(name) or opcode(name)
        body: Sequence[Any] = operands
        if len(operands) not in op.ids or not IDS.issuperset(map(type, operands)):  # else they are the words as they are
            body = self._words_of(op, operands)
        if op.capability:
            width = CAPABILITY_BY_WIDTH.get(name)
            self.require(op.capability if width is None else width[self.type[body[0]].width])
        head = op.head + (len(body) << 16)
        if not op.has_result:
            words += (head, *body)
            return NO_ID
        result = Id(self._bound)
        self._bound += 1
        if op.has_type:
            kind, *rest = body
            self._types[result] = kind
            words += (head, kind, result, *rest)
        else:
            words += (head, result, *body)
        return result

    def _words_of(self, op: Opcode, operands: Sequence[Operand]) -> Sequence[Operand]:
        """The words of operands, among them the type, that are not just ids."""
        if op.has_type and (not operands or not isinstance(operands[0], Id)):
            raise SpirvError(f"{op.name} needs its result type first")
        if op.all_ids:
            check_ids(op, operands[op.has_type :])
            return operands
        at = op.has_type + op.lead
        head, rest = operands[:at], operands[at:]
        if len(head) == at and IDS.issuperset(map(type, head)) and LITERALS.issuperset(map(type, rest)):
            words, capabilities = literals(op.name, tuple(rest))
        else:
            head, encoder = operands[: op.has_type], Encoder(op, operands[op.has_type :])
            words, capabilities = encoder.run(), encoder.capabilities
        for capability in capabilities:
            self.require(capability)
        return [*head, *words]

    def _declare(self, name: str, *operands: Operand) -> Id:
        return self.encode(self._globals, name, operands)

    # constants and global variables

    def constant(self, type_id: Id, value: float | Sequence[float]) -> Id:
        """A constant: a number or bool for a scalar; for a vector or array one number (a splat) or one per component."""
        kind = self.type[type_id]
        if kind.kind in ("vector", "array"):
            values = list(value) if isinstance(value, Sequence) else [value] * kind.count
            if len(values) != kind.count:
                raise SpirvError(f"a constant of {kind.count} components got {len(values)} numbers")
            return self.composite(type_id, [self.constant(kind.element, v) for v in values])
        if isinstance(value, Sequence):
            raise SpirvError("a scalar constant takes one number")
        if kind.kind == "bool":
            return self._constant(type_id, "OpConstantTrue" if value else "OpConstantFalse")
        if kind.kind not in ("int", "float"):
            raise SpirvError(f"constants of type {kind.kind} do not exist; use null()")
        return self._constant(type_id, "OpConstant", tuple(number_words(value, kind.width, kind.kind == "float")))

    def composite(self, type_id: Id, parts: Sequence[Id]) -> Id:
        """A vector, array or struct constant from constants."""
        return self._constant(type_id, "OpConstantComposite", *parts)

    def undef(self, type_id: Id) -> Id:
        return self._constant(type_id, "OpUndef")

    def scope(self, name: str) -> Id:
        """The id of a scope: "Subgroup", "Workgroup", "Device"..."""
        return self.constant(self.type.int(32), enum_value("Scope", name))

    def semantics(self, names: str) -> Id:
        """The id of memory semantics: "AcquireRelease|WorkgroupMemory"..."""
        return self.constant(self.type.int(32), enum_value("MemorySemantics", names))

    def _constant(self, type_id: Id, name: str, *operands: Operand) -> Id:
        key = (name, type_id, *operands)
        if key not in self._constants:
            self._constants[key] = self._declare(name, type_id, *operands)
        return self._constants[key]

    def global_variable(self, storage: str, element: Id, name: str = "", initial: Id | None = None) -> Id:
        """A module-scope variable of `element`: Input (built-ins), Workgroup (SLM), UniformConstant.

        Kernels must list it: use Function.builtin and Function.workgroup_variable.
        """
        rest = () if initial is None else (initial,)
        variable = self._declare("OpVariable", self.type.pointer(storage, element), storage, *rest)
        self.name(variable, name)
        return variable

    def builtin_variable(self, name: str, element: Id) -> Id:
        """The Input variable of a built-in.

        There is one for all kernels: Intel's CPU runtime looks built-ins up by name, and a second one confuses it.
        """
        if name not in self._builtins:
            variable = self._builtins[name] = self.global_variable("Input", element, name)
            self.decorate(variable, "BuiltIn", name)
        return self._builtins[name]

    # names, decorations, sources, extended instructions

    def name(self, target: Id, text: str) -> None:
        """Give an id a name for readers of the disassembly."""
        if self._debug_names and text:
            words = string_words(text)
            self._names += (OPCODES["OpName"].number | (2 + len(words)) << 16, target, *words)

    def processed(self, text: str) -> None:
        """Say something of the module to its readers (OpModuleProcessed)."""
        self.encode(self._processed, "OpModuleProcessed", (text,))

    def decorate(self, target: Id, decoration: str, *operands: Operand) -> None:
        """`decorate(p, "Alignment", 64)`, `decorate(p, "CacheControlLoadINTEL", 0, "CachedINTEL")`..."""
        self.encode(self._decorations, "OpDecorate", (target, decoration, *operands))

    def string(self, text: str) -> Id:
        """An OpString: a source file for OpLine, a name for debuggers."""
        if text not in self._texts:
            self._texts[text] = self.encode(self._strings, "OpString", (text,))
        return self._texts[text]

    def import_set(self, name: str) -> Id:
        """A set of extended instructions."""
        return self.encode(self._ext_imports, "OpExtInstImport", (name,))

    def add_global(self, words: Sequence[int]) -> None:
        """An encoded instruction beside types and constants."""
        self._globals += words

    @property
    def opencl_std(self) -> Id:
        """The import of the OpenCL.std extended instructions."""
        if not self._opencl_std:
            self._opencl_std = self.import_set("OpenCL.std")
        return self._opencl_std

    def assembly(self, text: str, constraints: str, result: Id, *params: Id, target: str = "x86_64-unknown-unknown",
                 effects: bool = False) -> Id:  # fmt: skip
        """Assembly of one kind of processor, to be called by OpAsmCallINTEL (SPV_INTEL_inline_assembly); cached.

        effects: it does more than give a result, so that it stays where it is.
        """
        key = ("assembly", text, constraints, result, *params)
        if key not in self._constants:
            if not self._asm_target:
                self._asm_target = self.encode(self._globals, "OpAsmTargetINTEL", (target,))
            kind = self.type.function(result, *params)
            code = self._constants[key] = self._declare("OpAsmINTEL", result, kind, self._asm_target, text, constraints)
            if effects:
                self.decorate(code, "SideEffectsINTEL")
        return self._constants[key]

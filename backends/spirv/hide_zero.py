"""A module for Intel's CPU compiler, whose arithmetic on the sign of a negation is wrong.

That compiler takes `(0 - x) >> (width - 1)` for `-(x > 0)`, which is 0 instead of -1 of the smallest integer.  It finds negations and
shifts in whatever words they are said, and after conversions to wider integers.  So both sides get a zero that it cannot know, the
kernel's global offset along the third dimension: no launch has one.  `0 - x` becomes `zero - x`; a shifted value, and one compared
with the numbers beside 0, becomes `value | zero`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from .binary import Binary, Instruction
from .opcodes import enum_value
from .rewrite import Rewriter, instruction

_COMPARISONS = frozenset({"OpSLessThan", "OpSLessThanEqual", "OpSGreaterThan", "OpSGreaterThanEqual"})
# What is no negation, nor one converted to more bits.
_PLAIN = frozenset({"OpLoad", "OpShiftLeftLogical", "OpConstant", "OpConstantNull", "OpConstantComposite"})


def hide_zero(module: bytes) -> bytes:
    """The module with the same results; unchanged where nothing in it can be taken for the sign of a negation."""
    binary = Binary(module)
    hiding = _Hiding(binary)
    body: list[Instruction] = []
    function: list[Instruction] = []
    for old in binary.instructions:
        function.append(old)
        if old.name == "OpFunctionEnd":
            body += hiding.function(function)
            function = []
    body += function
    return hiding.finish(hiding.with_interface(body), set()) if hiding.offset else module


class _Hiding(Rewriter):
    """`offset` is the built-in's variable once something needs it; `zeros` are a function's zeros by their type."""

    def __init__(self, binary: Binary) -> None:
        super().__init__(binary)
        self.offset = 0
        self.zeros: dict[int, int] = {}

    def function(self, old: list[Instruction]) -> list[Instruction]:
        """The instructions up to a function's end, with its zeros behind the variables of its first block."""
        self.zeros = {}
        body = [new for each in old for new in self.replace(each)]
        if not self.zeros:
            return body
        first = next(n for n, i in enumerate(body) if i.name == "OpLabel") + 1
        first += sum(1 for _ in takewhile(lambda i: i.name == "OpVariable", body[first:]))
        return [*body[:first], *self._made_zeros(), *body[first:]]

    def replace(self, old: Instruction) -> list[Instruction]:
        handler = _HANDLERS.get(old.name) or (_comparison if old.name in _COMPARISONS else None)
        return handler(self, old) if handler else [old]

    def zero(self, type_id: int) -> int:
        """The hidden zero of an integer type or a vector of one."""
        if type_id not in self.zeros:
            self.zeros[type_id] = self.id()
        return self.zeros[type_id]

    def masked(self, value: int) -> tuple[list[Instruction], int]:
        """`value | zero`, and the instruction that makes it; the value itself where it is no negation."""
        made = self.definition(value)
        if made is None or made.name in _PLAIN:
            return [], value
        result = self.id()
        return [instruction("OpBitwiseOr", made.type_id, result, value, self.zero(made.type_id))], result

    def numbers(self, value: int) -> set[int]:
        """What a constant holds, as signed numbers; nothing for other values."""
        made = self.definition(value)
        if made is None:
            return set()
        if made.name == "OpConstantComposite":
            parts = [self.numbers(part) for part in made.args]
            return set().union(*parts) if all(parts) else set()
        if made.name == "OpConstantNull":
            return {0}
        number = self.binary.constant(value)
        if number is None:
            return set()
        width = self.width(made.type_id)
        number &= (1 << width) - 1
        return {number - (1 << width) if number >> (width - 1) else number}

    def width(self, type_id: int) -> int:
        """Bits of an integer type or of a vector's components."""
        kind = self._definitions[type_id]
        return self.width(kind.words[1]) if kind.name == "OpTypeVector" else kind.words[1]

    def _made_zeros(self) -> list[Instruction]:
        self.capabilities.add("Int64")
        size = self.int_type(64)
        triple = self.declare("OpTypeVector", size, 3)
        if not self.offset:
            self.offset = self._variable(triple)
        loaded, zero = self.id(), self.id()
        made = [instruction("OpLoad", triple, loaded, self.offset), instruction("OpCompositeExtract", size, zero, loaded, 2)]
        scalars = {size: zero}
        for type_id, result in self.zeros.items():
            kind = self._definitions[type_id]
            scalar = kind.words[1] if kind.name == "OpTypeVector" else type_id
            if scalar not in scalars:
                scalars[scalar] = self.id()
                made.append(instruction("OpUConvert", scalar, scalars[scalar], zero))
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


def _negation(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    return [instruction("OpISub", *old.words[:2], hiding.zero(old.type_id), old.args[-1])]


def _difference(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    return _negation(hiding, old) if 0 in hiding.numbers(old.args[0]) else [old]


def _product(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    """Of a value and a constant with -1 in it, the other factor first."""
    for value, constant in (old.args, old.args[::-1]):
        if -1 in hiding.numbers(constant):
            result = hiding.id()
            product = instruction("OpIMul", old.type_id, result, value, constant)
            return [product, instruction("OpBitwiseOr", *old.words[:2], result, hiding.zero(old.type_id))]
    return [old]


def _complement(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    """`~x + 1` and `~(x - 1)` are negations."""
    result = hiding.id()
    inverted = instruction("OpNot", old.type_id, result, old.args[0])
    return [inverted, instruction("OpBitwiseOr", *old.words[:2], result, hiding.zero(old.type_id))]


def _exclusive_or(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    """With -1: a complement."""
    if not any(-1 in hiding.numbers(side) for side in old.args):
        return [old]
    result = hiding.id()
    inverted = instruction("OpBitwiseXor", old.type_id, result, *old.args)
    return [inverted, instruction("OpBitwiseOr", *old.words[:2], result, hiding.zero(old.type_id))]


def _shift(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    value, amount = old.args
    numbers, last = hiding.numbers(amount), hiding.width(old.type_id) - 1
    if old.name == "OpShiftRightLogical" and numbers and last not in numbers:
        return [old]
    made, value = hiding.masked(value)
    return [*made, instruction(old.name, *old.words[:2], value, amount)]


def _comparison(hiding: _Hiding, old: Instruction) -> list[Instruction]:
    """With -1, 0 or 1: of the sign."""
    a, b = old.args
    if not any(hiding.numbers(side) & {-1, 0, 1} for side in (a, b)):
        return [old]
    first, a = hiding.masked(a)
    second, b = hiding.masked(b)
    return [*first, *second, instruction(old.name, *old.words[:2], a, b)]


_HANDLERS: dict[str, Callable[[_Hiding, Instruction], list[Instruction]]] = {
    "OpSNegate": _negation, "OpISub": _difference, "OpIMul": _product, "OpNot": _complement, "OpBitwiseXor": _exclusive_or,
    "OpShiftRightArithmetic": _shift, "OpShiftRightLogical": _shift,
}  # fmt: skip

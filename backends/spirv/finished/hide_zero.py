"""A module for Intel's CPU compiler, whose arithmetic on the sign of a negation is wrong.

That compiler takes `(0 - x) >> (width - 1)` for `-(x > 0)`, which is 0 instead of -1 of the smallest integer.  It finds negations and
tests of a sign in whatever words they are said, and after conversions to wider integers.  So no op that can tell a sign sees what may
be a negation: it sees `value | zero`, with a zero that the compiler cannot know, the kernel's global offset along the third
dimension: no launch has one.

What may be a negation is not listed form by form: it is all that a subtraction, a complement, an exclusive or, a negative constant or
a function takes part in (`_may_negate`), and what goes by way of memory then.  Nor are tests of a sign: every op counts as one but
those that are known to hand the whole value on (`_HANDS_ON`) and those that no compiler looks into (`_OPAQUE`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..module.binary import Binary, Instruction
from ..module.rewrite import instruction
from .hidden_zeros import HiddenZeros

_NEGATES = frozenset({"OpSNegate", "OpISub", "OpNot", "OpBitwiseXor", "OpExtInst", "OpFunctionCall", "OpISubBorrow"})
"""Ops whose integers may be negations, or differ from one by what other ops add."""
_HANDS_ON = frozenset({
    "OpIAdd", "OpISub", "OpIMul", "OpSNegate", "OpNot", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor", "OpShiftLeftLogical", "OpSelect",
    "OpPhi", "OpCopyObject", "OpUConvert", "OpCompositeConstruct", "OpCompositeExtract", "OpCompositeInsert", "OpVectorShuffle",
    "OpVectorExtractDynamic", "OpVectorInsertDynamic", "OpIAddCarry", "OpISubBorrow",
})  # fmt: skip
"""Ops modulo the width, which have one result whatever they take for the sign, and moves."""
_OPAQUE = ("OpAtomic", "OpSubgroup", "OpGroup", "OpCooperative", "OpAsm", "OpAccessChain", "OpInBoundsAccessChain", "OpPtrAccessChain",
           "OpInBoundsPtrAccessChain", "OpType", "OpConstant", "OpSpecConstant", "OpVariable", "OpUndef", "OpFunction", "OpLoad",
           "OpLabel", "OpExtInstImport", "OpString")  # fmt: skip
_EXTENDED = 2
"""Of an extended instruction the operands after its set and its number."""


def hide_zero(module: bytes) -> bytes:
    """The module with the same results; unchanged where nothing in it can be taken for the sign of a negation."""
    binary = Binary(module)
    hiding = _Hiding(binary)
    if not hiding.suspects:
        return module
    body: list[Instruction] = []
    function: list[Instruction] = []
    for old in binary.instructions:
        function.append(old)
        if old.name == "OpFunctionEnd":
            body += hiding.function(function)
            function = []
    body += function
    return hiding.finish(hiding.with_interface(body), set()) if hiding.offset else module


def _may_negate(binary: Binary) -> set[int]:
    """Integers that may be negations, constants of which some may be negative among them."""
    entries = {i.args[1] for i in binary.instructions if i.name == "OpEntryPoint"}
    integers = {kind for kind in {i.type_id for i in binary.instructions} if _is_integer(binary, kind)}
    found: set[int] = set()
    stored, loaded, made = set[int](), set[int](), list[tuple[int, tuple[int, ...]]]()
    inside = 0
    for i in binary.instructions:
        name, result = i.name, i.result
        if name == "OpFunction":
            inside = result
        elif name == "OpStore":
            stored.add(i.args[1])
        elif not result or i.type_id not in integers:
            continue
        elif name in _NEGATES or (name == "OpFunctionParameter" and inside not in entries) or _is_negative(binary, i):
            found.add(result)
        elif name == "OpLoad":
            loaded.add(result)
        elif name == "OpConstantComposite" or not name.startswith(_OPAQUE):
            made.append((result, i.args))
    before = -1
    while before != len(found):
        before = len(found)
        if not found.isdisjoint(stored):
            found |= loaded
        for result, args in made:
            if not found.isdisjoint(args):
                found.add(result)
    return found


def _is_integer(binary: Binary, type_id: int) -> bool:
    """Of an integer type, or of one that may hold integers."""
    kind = binary.definition.get(type_id)
    if kind is not None and kind.name == "OpTypeVector":
        kind = binary.definition.get(kind.args[0])
    return kind is not None and kind.name not in ("OpTypeBool", "OpTypeFloat", "OpTypePointer", "OpTypeVoid")


def _is_negative(binary: Binary, made: Instruction) -> bool:
    """Of one constant."""
    if not made.name.startswith("OpConstant") or made.name == "OpConstantComposite":
        return False
    number, kind = binary.constant(made.result), binary.definition[made.type_id]
    return number is not None and kind.name == "OpTypeInt" and bool(number >> (kind.args[0] - 1) & 1)


class _Hiding(HiddenZeros):
    """Hides operands of what may tell a sign."""

    def __init__(self, binary: Binary) -> None:
        super().__init__(binary)
        self.suspects = {value for value in _may_negate(binary) if not self._definitions[value].name.startswith("OpConstant")}

    def replace(self, old: Instruction) -> Iterator[Instruction]:
        """The instruction, of hidden operands where it may tell a sign."""
        if self.suspects.isdisjoint(old.args):
            yield old
            return
        skipped = _EXTENDED if old.name == "OpExtInst" else 0
        looks = old.result and (skipped or (old.op.all_ids and old.name not in _HANDS_ON and not old.name.startswith(_OPAQUE)))
        if not looks or self.suspects.isdisjoint(old.args[skipped:]):
            yield old
            return
        operands = list(old.args)
        for n in range(skipped, len(operands)):
            if operands[n] in self.suspects:
                hidden, kind = self.id(), self._definitions[operands[n]].type_id
                yield instruction("OpBitwiseOr", kind, hidden, operands[n], self.zero(kind))
                operands[n] = hidden
        yield instruction(old.name, *old.words[: len(old.words) - len(operands)], *operands)

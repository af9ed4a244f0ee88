"""Negations of floats as changes of their sign bit, in modules with barriers.

Intel's runtime for CPUs runs the subgroups of a workgroup one after the other up to a barrier, and keeps for each what it needs
behind it; but of a negated float (LLVM's `fneg`) it keeps one for all, that of the last (seen in 2026.22.10).  Products and quotients
with -1 and differences from -0 become negations in LLVM; the exclusive or of integers stays one.
"""

from __future__ import annotations

import struct

from ..module.binary import Binary, Instruction
from ..module.opcodes import enum_value
from ..module.rewrite import Rewriter, instruction

_MINUS_ONE, _MINUS_ZERO = -1.0, -0.0
# Which operand is the constant that makes the instruction a negation, and which the constant is.
_ALIKE = {"OpFMul": ((0, _MINUS_ONE), (1, _MINUS_ONE)), "OpFDiv": ((1, _MINUS_ONE),), "OpFSub": ((0, _MINUS_ZERO),)}
_SUBGROUP = enum_value("Scope", "Subgroup")
_FORMATS = {16: "<e", 32: "<f", 64: "<d"}


def keeps_together(binary: Binary, one: Instruction) -> bool:
    """Whether an instruction is a barrier of a subgroup that orders nothing: it tells IGC what not to split (`keep_together`)."""
    return one.name == "OpControlBarrier" and (binary.constant(one.args[0]), binary.constant(one.args[2])) == (_SUBGROUP, 0)


class Negations:
    """The negations of a module that may live across a barrier, and what stands in their place.

    The sign bit comes from a volatile variable: LLVM makes an exclusive or with a constant one a negation again.
    """

    def __init__(self, binary: Binary) -> None:
        self._variables: dict[int, int] = {}  # of the function at hand: bits, and the variable
        self._made: list[Instruction] = []
        barriers = any(i.name == "OpControlBarrier" and not keeps_together(binary, i) for i in binary.instructions)
        found = ((i.result, _negated(binary, i)) for i in binary.instructions) if barriers else ()
        self.values = {result: value for result, value in found if value is not None}

    def flip_sign(self, rewriter: Rewriter, one: Instruction) -> list[Instruction]:
        """The negation that an instruction gives, by integers."""
        form = rewriter.definition(one.type_id)
        assert form is not None
        bits = _bits(rewriter.binary, one.type_id)
        kind = rewriter.int_type(bits)
        mask, before, after = rewriter.id(), rewriter.id(), rewriter.id()
        done = [instruction("OpLoad", kind, mask, self._variable(rewriter, bits), enum_value("MemoryAccess", "Volatile"))]
        if form.name == "OpTypeVector":
            count, scalar = form.args[1], mask
            kind, mask = rewriter.declare("OpTypeVector", kind, count), rewriter.id()
            done.append(instruction("OpCompositeConstruct", kind, mask, *[scalar] * count))
        return [
            *done,
            instruction("OpBitcast", kind, before, self.values[one.result]),
            instruction("OpBitwiseXor", kind, after, before, mask),
            instruction("OpBitcast", one.type_id, one.result, after),
        ]

    def declare(self, function: list[Instruction]) -> list[Instruction]:
        """A function with the variables that its negations read, which stand first in its first block."""
        first = next((n for n, i in enumerate(function) if i.name == "OpLabel"), 0) + 1
        made, self._made, self._variables = self._made, [], {}
        return [*function[:first], *made, *function[first:]] if made else function

    def _variable(self, rewriter: Rewriter, bits: int) -> int:
        if bits not in self._variables:
            self._variables[bits] = found = rewriter.id()
            pointer = rewriter.pointer("Function", rewriter.int_type(bits))
            start = rewriter.constant(1 << (bits - 1), bits)
            self._made.append(instruction("OpVariable", pointer, found, enum_value("StorageClass", "Function"), start))
        return self._variables[bits]


def _negated(binary: Binary, one: Instruction) -> int | None:
    """The id of the value whose negation an instruction gives, None for all other instructions."""
    if one.name == "OpFNegate":
        return one.args[0]
    for place, number in _ALIKE.get(one.name, ()):
        bits = _bits(binary, one.type_id)
        if bits in _FORMATS and _pattern(binary, one.args[place]) == int.from_bytes(
            struct.pack(_FORMATS[bits], number), "little"
        ):
            return one.args[1 - place]
    return None


def _bits(binary: Binary, type_id: int) -> int:
    """Bits of a float, or of a vector's elements."""
    form = binary.definition[type_id]
    return _bits(binary, form.args[0]) if form.name == "OpTypeVector" else form.args[0]


def _pattern(binary: Binary, value: int) -> int | None:
    """The bits of a constant, of a vector's where all elements have the same; None for what is none."""
    made = binary.definition.get(value)
    if made is None or made.name not in ("OpConstant", "OpConstantComposite"):
        return None
    if made.name == "OpConstant":
        return sum(word << 32 * i for i, word in enumerate(made.args))
    parts = {_pattern(binary, part) for part in made.args}
    return parts.pop() if len(parts) == 1 else None

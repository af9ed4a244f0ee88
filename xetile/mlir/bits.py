"""Ops of upstream that count or move the bits of numbers, said with arith: numbers of ones and of zeros, signs, kinds of floats."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, math
from xetile.dialects.types import INDEX, WORDS, ScalarType, like
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Type, Value
from xetile.mlir.generic import RawOp
from xetile.mlir.ops import attributes_of, makes


class _Bits:
    """Arithmetic on the words of one type; constants are of that type."""

    def __init__(self, build: Builder, kind: Type, bits: int, kept: dict[str, Any]) -> None:
        self.build, self.kind, self.bits, self.kept = build, kind, bits, kept

    def constant(self, number: int) -> Value:
        """All words are this number, as MLIR writes it: those whose highest bit is set are below zero."""
        half = 1 << (self.bits - 1)
        return self.build(arith.Constant, value=(number + half) % (2 * half) - half, result=self.kind, **self.kept)

    def __call__(self, op: type[Op], a: Value, b: Value | int) -> Value:
        """`op` of two words, or of a word and a number."""
        return self.build(op, a, self.constant(b) if isinstance(b, int) else b, **self.kept)

    def repeated(self, byte: int) -> int:
        """A word of this byte again and again."""
        return sum(byte << at for at in range(0, self.bits, 8))

    def ones(self, x: Value) -> Value:
        """How many bits are set: sums of two, of four, of eight neighbours, then of all bytes by one product."""
        odd = self(arith.AndI, self(arith.ShRUI, x, 1), self.repeated(0x55))
        x = self(arith.SubI, x, odd)
        x = self(
            arith.AddI, self(arith.AndI, x, self.repeated(0x33)), self(arith.AndI, self(arith.ShRUI, x, 2), self.repeated(0x33))
        )
        x = self(arith.AndI, self(arith.AddI, x, self(arith.ShRUI, x, 4)), self.repeated(0x0F))
        return x if self.bits == 8 else self(arith.ShRUI, self(arith.MulI, x, self.repeated(1)), self.bits - 8)


def _of_one_type(raw: RawOp, operands: list[Value], count: int, *, floats: bool) -> ScalarType:
    """The element type. Raises MlirTextError for another number of operands, or operands of another kind."""
    kinds = {v.type for v in operands}
    element = getattr(operands[0].type, "element", operands[0].type) if operands else None
    fits = isinstance(element, ScalarType) and element is not INDEX and element.is_float == floats and element.bits >= 8
    if len(operands) != count or len(kinds) != 1 or not fits:
        given = ", ".join(str(v.type) for v in operands)
        raise MlirTextError(f"{raw.name} takes {count} of one type of {'floats' if floats else 'integers'}, not {given}")
    return element  # type: ignore[return-value]


@makes("math.ctpop", "math.cttz", "math.ctlz")
def _count(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """Ones; zeros below the lowest one, which are the ones below it less 1; zeros above the highest, which fills all below it."""
    element = _of_one_type(raw, operands, 1, floats=False)
    kept, x = attributes_of(math.AbsI, raw.name, values), operands[0]
    of = _Bits(build, x.type, element.bits, kept)
    if raw.name == "math.cttz":
        x = of(arith.AndI, of(arith.SubI, x, 1), of(arith.XOrI, x, -1))
    elif raw.name == "math.ctlz":
        step = 1
        while step < element.bits:
            x = of(arith.OrI, x, of(arith.ShRUI, x, step))
            step *= 2
        x = of(arith.XOrI, x, -1)
    made = of.ones(x).op
    assert made is not None
    return made


@makes("math.copysign")
def _copysign(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """The bits of one but for the sign, and the sign of the other."""
    element = _of_one_type(raw, operands, 2, floats=True)
    kept, kind = attributes_of(arith.AddF, raw.name, values), operands[0].type
    word = like(kind, WORDS[element.bits // 8])
    of, sign = _Bits(build, word, element.bits, kept), 1 << (element.bits - 1)
    size, signs = (build(arith.Bitcast, v, result=word, **kept) for v in operands)
    both = of(arith.OrI, of(arith.AndI, size, ~sign), of(arith.AndI, signs, sign))
    return build.op(arith.Bitcast, both, result=kind, **kept)


@makes("math.isnan", "math.isinf", "math.isfinite")
def _kind(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """NaN alone differs from itself; infinities and only they have no larger number."""
    _of_one_type(raw, operands, 1, floats=True)
    kept, (x,) = attributes_of(arith.CmpF, raw.name, values), operands
    if raw.name == "math.isnan":
        return build.op(arith.CmpF, x, x, predicate="uno", **kept)
    limit = build(arith.Constant, value=float("inf"), result=x.type, **kept)
    predicate = "oeq" if raw.name == "math.isinf" else "one"
    return build.op(arith.CmpF, build(math.AbsF, x, **kept), limit, predicate=predicate, **kept)

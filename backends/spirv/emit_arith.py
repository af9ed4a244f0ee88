"""arith on scalars and fragments: integers, floats, comparisons and select.

bf16 and f8 have no arithmetic on these devices: they are computed in f32 and rounded (emit_cast).
"""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import arith
from xetile.dialects.arith import constant_of
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F32, I1, I32, ScalarType, element_of

from .emit import Emitter
from .emit_cast import convert_float, extend
from .emit_table import emits
from .emit_values import Fragment, constant, count_of, mapped, splat
from .encode import Id

COMPUTED_IN_F32 = (BF16, F8E4M3FN, F8E5M2)

Vectors = Callable[..., Id]  # (count, *vectors) -> vector


def widened(e: Emitter, fragment: Fragment) -> Fragment:
    """A float fragment in a type that has arithmetic."""
    return convert_float(e, fragment, F32) if fragment.element in COMPUTED_IN_F32 else fragment


def compute(e: Emitter, function: Callable[[Id, int], Vectors], *operands: Fragment) -> Fragment:
    """`function(form, count)(*vectors)` over floats of one type; the result has that type."""
    element = operands[0].element
    wide = [widened(e, operand) for operand in operands]
    form = e.form(wide[0].element)
    result = mapped(e, wide[0].element, lambda n, *ids: function(form, n)(*ids), *wide)
    return convert_float(e, result, element) if element in COMPUTED_IN_F32 else result


@emits(arith.Constant)
def emit_constant(e: Emitter, op: arith.Constant) -> Fragment:
    """Numbers; formats that travel as integers are given as bits."""
    type = op.results[0].type
    element = element_of(type)
    value = op.value
    if element in COMPUTED_IN_F32:
        value = tuple(_bits(element, v) for v in value) if isinstance(value, tuple) else _bits(element, value)
    elif element.kind != "float":
        value = tuple(map(int, value)) if isinstance(value, tuple) else int(value)
    return constant(e, element, count_of(type), value)


def _bits(element: ScalarType, value: float) -> int:
    """The bit pattern of a number in bf16 or f8 (rounded by ml_dtypes, to nearest even)."""
    import ml_dtypes
    import numpy as np

    name = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}[element.name]
    kind = np.uint16 if element is BF16 else np.uint8
    return int(np.asarray(value, dtype=getattr(ml_dtypes, name)).view(kind))


# Integers.

_INTEGER = {
    arith.AddI: "OpIAdd", arith.SubI: "OpISub", arith.MulI: "OpIMul",
    arith.AndI: "OpBitwiseAnd", arith.OrI: "OpBitwiseOr", arith.XOrI: "OpBitwiseXor",
    arith.ShLI: "OpShiftLeftLogical", arith.ShRSI: "OpShiftRightArithmetic", arith.ShRUI: "OpShiftRightLogical",
    arith.DivSI: "OpSDiv", arith.DivUI: "OpUDiv", arith.RemSI: "OpSRem", arith.RemUI: "OpUMod",
}  # fmt: skip
# i1 counts modulo 2; signed true is -1.
_BOOLEAN = {
    arith.AddI: "OpLogicalNotEqual", arith.SubI: "OpLogicalNotEqual", arith.MulI: "OpLogicalAnd",
    arith.AndI: "OpLogicalAnd", arith.OrI: "OpLogicalOr", arith.XOrI: "OpLogicalNotEqual",
    arith.MaxUI: "OpLogicalOr", arith.MinUI: "OpLogicalAnd", arith.MaxSI: "OpLogicalAnd", arith.MinSI: "OpLogicalOr",
}  # fmt: skip
_EXTREMES = {arith.MaxSI: "s_max", arith.MaxUI: "u_max", arith.MinSI: "s_min", arith.MinUI: "u_min"}


@emits(*_INTEGER)
def emit_integer(e: Emitter, op: arith.Binary) -> Fragment:
    """One instruction for each vector."""
    a, b = e[op.operands[0]], e[op.operands[1]]
    name = _BOOLEAN[type(op)] if a.element is I1 else _INTEGER[type(op)]
    form = e.form(a.element)
    return mapped(e, a.element, lambda n, x, y: e.emit(name, e.vector(form, n), x, y), a, b)


@emits(*_EXTREMES)
def emit_extreme(e: Emitter, op: arith.Binary) -> Fragment:
    """Larger or smaller of two integers."""
    a, b = e[op.operands[0]], e[op.operands[1]]
    if a.element is I1:
        return mapped(e, I1, lambda n, x, y: e.emit(_BOOLEAN[type(op)], e.vector(e.bool, n), x, y), a, b)
    form, name = e.form(a.element), _EXTREMES[type(op)]
    return mapped(e, a.element, lambda n, x, y: e.ext(e.vector(form, n), name, x, y), a, b)


@emits(arith.FloorDivSI, arith.CeilDivSI)
def emit_rounded_division(e: Emitter, op: arith.Binary) -> Fragment:
    """The quotient rounded down (up): that towards zero, minus (plus) one where the remainder has the other (same) sign.

    A division by zero gives what the device's division gives (arith: undefined).
    """
    a, b = e[op.operands[0]], e[op.operands[1]]
    form, down = e.form(a.element), isinstance(op, arith.FloorDivSI)

    def divide(n: int, x: Id, y: Id) -> Id:
        kind, mask, zero = e.vector(form, n), e.vector(e.bool, n), e.constant(form, 0, n)
        quotient = e.emit("OpSDiv", kind, x, y)
        rest = e.emit("OpISub", kind, x, e.emit("OpIMul", kind, quotient, y))
        other = e.emit("OpSLessThan", mask, e.emit("OpBitwiseXor", kind, rest, y), zero)
        toward = other if down else e.emit("OpLogicalNot", mask, other)
        adjust = e.emit("OpLogicalAnd", mask, e.emit("OpINotEqual", mask, rest, zero), toward)
        moved = e.emit("OpIAdd", kind, quotient, e.constant(form, -1 if down else 1, n))
        return e.emit("OpSelect", kind, adjust, moved, quotient)

    return mapped(e, a.element, divide, a, b)


@emits(arith.CeilDivUI)
def emit_ceil_division(e: Emitter, op: arith.Binary) -> Fragment:
    """`(a - 1) / b + 1`, and 0 for a = 0: no sum that could wrap."""
    a, b = e[op.operands[0]], e[op.operands[1]]
    form = e.form(a.element)

    def divide(n: int, x: Id, y: Id) -> Id:
        kind, zero, one = e.vector(form, n), e.constant(form, 0, n), e.constant(form, 1, n)
        positive = e.emit("OpINotEqual", e.vector(e.bool, n), x, zero)
        less = e.emit("OpSelect", kind, positive, e.emit("OpISub", kind, x, one), zero)
        quotient = e.emit("OpUDiv", kind, less, y)
        return e.emit("OpSelect", kind, positive, e.emit("OpIAdd", kind, quotient, one), zero)

    return mapped(e, a.element, divide, a, b)


# Floats.

_FLOAT = {arith.AddF: "OpFAdd", arith.SubF: "OpFSub", arith.MulF: "OpFMul"}
_FLOAT_EXT = {arith.RemF: "fmod", arith.MaxNumF: "fmax", arith.MinNumF: "fmin"}
_PROPAGATING = {arith.MaximumF: "OpFOrdLessThan", arith.MinimumF: "OpFOrdGreaterThan"}


@emits(*_FLOAT)
def emit_float(e: Emitter, op: arith.Binary) -> Fragment:
    """One instruction for each vector."""
    name = _FLOAT[type(op)]
    return compute(e, lambda form, n: lambda x, y: e.emit(name, e.vector(form, n), x, y), *(e[v] for v in op.operands))


@emits(arith.DivF)
def emit_division(e: Emitter, op: arith.Binary) -> Fragment:
    """A reciprocal where a small constant is divided: the driver's whole division takes 14 instructions.

    They are for divisors above 2^126: there the quotient is subnormal, which devices flush, so nothing is lost.
    """
    a, b = e[op.operands[0]], e[op.operands[1]]
    number = constant_of(op.operands[0])
    recip = isinstance(number, (int, float)) and abs(number) <= 1

    def function(form: Id, n: int) -> Vectors:
        def divide(x: Id, y: Id) -> Id:
            quotient = e.emit("OpFDiv", e.vector(form, n), x, y)
            if recip:
                e.module.decorate(quotient, "FPFastMathMode", "AllowRecip")
            return quotient

        return divide

    return compute(e, function, a, b)


@emits(*_FLOAT_EXT)
def emit_float_ext(e: Emitter, op: arith.Binary) -> Fragment:
    """fmod has the sign of the dividend (remf); fmax and fmin give the number where one operand is NaN (maxnumf, minnumf)."""
    name = _FLOAT_EXT[type(op)]
    return compute(e, lambda form, n: lambda x, y: e.ext(e.vector(form, n), name, x, y), *(e[v] for v in op.operands))


@emits(*_PROPAGATING)
def emit_propagating(e: Emitter, op: arith.Binary) -> Fragment:
    """NaN where an operand is NaN (maximumf, minimumf); a constant operand is the second one, and not tested."""
    first, second = op.operands
    if constant_of(first) is not None:
        first, second = second, first
    return compute(e, propagating(e, _PROPAGATING[type(op)], _is_number(constant_of(second))), e[first], e[second])


def _is_number(value: object) -> bool:
    """Whether a constant has no NaN."""
    numbers = value if isinstance(value, tuple) else (value,)
    return all(isinstance(n, (int, float)) and n == n for n in numbers)


def propagating(e: Emitter, comparison: str, second_is_number: bool = False) -> Callable[[Id, int], Vectors]:
    """`x < y ? y : x` (x > y for the minimum), which gives x where x is NaN; a NaN of y is tested for.

    Three instructions on the GPU (two with a constant), where testing both operands and fmax take four.
    """

    def function(form: Id, n: int) -> Vectors:
        def pick(x: Id, y: Id) -> Id:
            mask = e.vector(e.bool, n)
            take_y = e.emit(comparison, mask, x, y)
            if not second_is_number:
                take_y = e.emit("OpLogicalOr", mask, e.emit("OpFUnordNotEqual", mask, y, y), take_y)
            return e.emit("OpSelect", e.vector(form, n), take_y, y, x)

        return pick

    return function


@emits(arith.NegF)
def emit_negation(e: Emitter, op: arith.NegF) -> Fragment:
    """The other sign."""
    return compute(e, lambda form, n: lambda x: e.emit("OpFNegate", e.vector(form, n), x), e[op.operand])


# Comparison and choice.

_COMPARE_INT = {
    "eq": "OpIEqual", "ne": "OpINotEqual",
    "slt": "OpSLessThan", "sle": "OpSLessThanEqual", "sgt": "OpSGreaterThan", "sge": "OpSGreaterThanEqual",
    "ult": "OpULessThan", "ule": "OpULessThanEqual", "ugt": "OpUGreaterThan", "uge": "OpUGreaterThanEqual",
}  # fmt: skip
_COMPARE_FLOAT = {
    "oeq": "OpFOrdEqual", "ogt": "OpFOrdGreaterThan", "oge": "OpFOrdGreaterThanEqual", "olt": "OpFOrdLessThan",
    "ole": "OpFOrdLessThanEqual", "one": "OpFOrdNotEqual", "ord": "OpOrdered", "ueq": "OpFUnordEqual",
    "ugt": "OpFUnordGreaterThan", "uge": "OpFUnordGreaterThanEqual", "ult": "OpFUnordLessThan",
    "ule": "OpFUnordLessThanEqual", "une": "OpFUnordNotEqual", "uno": "OpUnordered",
}  # fmt: skip


@emits(arith.CmpI)
def emit_cmpi(e: Emitter, op: arith.CmpI) -> Fragment:
    """Integers; i1 as numbers, -1 and 0 where the predicate is signed."""
    a, b = e[op.lhs], e[op.rhs]
    if a.element is I1 and op.predicate in ("eq", "ne"):
        name = "OpLogicalEqual" if op.predicate == "eq" else "OpLogicalNotEqual"
        return mapped(e, I1, lambda n, x, y: e.emit(name, e.vector(e.bool, n), x, y), a, b)
    if a.element is I1:
        a, b = (extend(e, value, I32, signed=op.predicate[0] == "s") for value in (a, b))
    name = _COMPARE_INT[op.predicate]
    return mapped(e, I1, lambda n, x, y: e.emit(name, e.vector(e.bool, n), x, y), a, b)


@emits(arith.CmpF)
def emit_cmpf(e: Emitter, op: arith.CmpF) -> Fragment:
    """Floats; o.. is false and u.. true where an operand is NaN."""
    a, b = widened(e, e[op.lhs]), widened(e, e[op.rhs])
    if op.predicate in ("false", "true"):
        return constant(e, I1, a.count, int(op.predicate == "true"))
    name = _COMPARE_FLOAT[op.predicate]
    return mapped(e, I1, lambda n, x, y: e.emit(name, e.vector(e.bool, n), x, y), a, b)


@emits(arith.Select)
def emit_select(e: Emitter, op: arith.Select) -> Fragment:
    """Element by element; one condition may serve all."""
    condition, a, b = (e[v] for v in op.operands)
    return select(e, condition, a, b)


def select(e: Emitter, condition: Fragment, a: Fragment, b: Fragment) -> Fragment:
    """`condition ? a : b`; one condition may serve all elements."""
    if condition.count == 1 and a.count > 1:
        condition = splat(e, I1, a.count, condition.scalar(e))  # SPIR-V before 1.4: as many conditions as components
    form = e.form(a.element)
    return mapped(e, a.element, lambda n, c, x, y: e.emit("OpSelect", e.vector(form, n), c, x, y), condition, a, b)

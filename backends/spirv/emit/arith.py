"""arith on scalars and fragments: integers, floats, comparisons and select.

bf16 and f8 have no arithmetic on these devices: they are computed in f32 and rounded (emit/cast).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from struct import pack, unpack
from typing import Any

from xetile.dialects import arith, scf
from xetile.dialects.arith import constant_of
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I32, INDEX, ScalarType, element_of
from xetile.errors import UncoveredError
from xetile.ir.core import Value
from xetile.ir.interfaces import runs_again

from ..facts.comparisons import decides_for_lanes
from ..facts.halves import rounding_is_lost
from ..facts.integer_idioms import is_bit_of_negation, is_taken_apart, sums_to_one
from ..facts.uses import (
    becomes_minus_zero,
    compares_floats,
    count_of,
    has_minus_zero,
    has_zero,
    is_chosen_again,
    is_constant,
    is_loaded,
    keeps_nan_of_other,
    may_be_one,
    picks_one,
    reaches,
    tells_sign,
)
from ..module.encode import Id
from .byte_masks import chosen_by_bytes
from .cast import convert_float, extend
from .emitter import Emitter
from .first import chosen_operand, first_operand
from .hidden import hidden, hidden_float, hidden_from_lanes, hidden_vectors
from .lane_masks import masked
from .places import gather
from .shifts import shifted, shifted_or_not
from .table import emits
from .trees import chosen_by_places
from .values import Buffer, Fragment, constant, integers, mapped, splat
from .wide import emit_wide, is_wide
from .xegpu import NdDesc, select_descriptor

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
        _check_index(e, op, arith.numbers_of(op.result))
    return constant(e, element, count_of(type), value)


def _check_index(e: Emitter, op: arith.Constant, numbers: tuple[int, ...]) -> None:
    """Raise UncoveredError for indices that lanes do not hold: cut to 32 bits, the largest of 64 is -1."""
    bits = e.index_bits
    if element_of(op.results[0].type) is INDEX and not all(-(1 << bits - 1) <= number < 1 << bits for number in numbers):
        raise UncoveredError(
            f"an index of the kernel does not fit {bits} bits: {numbers}", hint="compile with index_bits=64", at=op.loc
        )


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
    """One instruction for each vector; what compilers would find to be something else is hidden from them."""
    a, b = e[op.operands[0]], e[op.operands[1]]
    if a.element is I1:
        e.keep_shared(op)
    name = _BOOLEAN[type(op)] if a.element is I1 else _INTEGER[type(op)]
    form = e.form(a.element)
    made = mapped(e, a.element, lambda n, x, y: e.emit(name, e.vector(form, n), x, y), a, b)
    return hidden(e, made) if a.element is not I1 and _is_told_wrong(e, op) else made


@emits(*_EXTREMES)
def emit_extreme(e: Emitter, op: arith.Binary) -> Fragment:
    """Larger or smaller of two integers."""
    a, b = e[op.operands[0]], e[op.operands[1]]
    if a.element is I1:
        e.keep_shared(op)
        return mapped(e, I1, lambda n, x, y: e.emit(_BOOLEAN[type(op)], e.vector(e.bool, n), x, y), a, b)
    form, name = e.form(a.element), _EXTREMES[type(op)]
    made = mapped(e, a.element, lambda n, x, y: e.ext(e.vector(form, n), name, x, y), a, b)
    return hidden(e, made) if _is_told_wrong(e, op) else made


def _is_told_wrong(e: Emitter, op: arith.Binary | arith.Select) -> bool:
    """Whether compilers find an op of integers to be another one, whose result tells more than its bits."""
    return not e.whole and is_taken_apart(op) and tells_sign(op.result)


# Floats.

_FLOAT = {arith.AddF: "OpFAdd", arith.SubF: "OpFSub", arith.MulF: "OpFMul"}
_WIDE = {arith.AddF: "add", arith.SubF: "sub", arith.MulF: "mul", arith.MaxNumF: "max", arith.MinNumF: "min"}
_SHARED_EXTREMES = {arith.MaxNumF: "fmax", arith.MinNumF: "fmin"}
_LESS, _GREATER = "OpFOrdLessThan", "OpFOrdGreaterThan"
_PROPAGATING = {arith.MaximumF: _LESS, arith.MinimumF: _GREATER, arith.MaxNumF: _LESS, arith.MinNumF: _GREATER}


@emits(*_FLOAT)
def emit_float(e: Emitter, op: arith.Binary) -> Fragment:
    """One instruction for each vector. IGC makes a negation of `0 - x`, which gives another zero, and `0 - x` of `0 + -x`."""
    name = _FLOAT[type(op)]
    if is_wide(e, op.result) and not rounding_is_lost(op):
        return emit_wide(e, _WIDE[type(op)], op.result, op.lhs, op.rhs)
    rows = first_operand(e, op)
    if rows is not None:
        return rows
    a, b = (widened(e, e[v]) for v in op.operands)
    if not e.whole and (isinstance(op, arith.SubF) or isinstance(op.rhs.op, arith.NegF)) and has_zero(op.lhs):
        a = hidden_float(e, a)
    elif not e.whole and isinstance(op, arith.AddF) and isinstance(op.lhs.op, arith.NegF) and has_zero(op.rhs):
        b = hidden_float(e, b)
    made = compute(e, lambda form, n: lambda x, y: e.emit(name, e.vector(form, n), x, y), a, b)
    if not e.whole and rounding_is_lost(op):
        made = hidden_float(e, made)
    return convert_float(e, made, element_of(op.result.type))


@emits(arith.DivF)
def emit_division(e: Emitter, op: arith.Binary) -> Fragment:
    """A quotient, in f32 where the type has no more digits: rounded there and once more it is that of half precision.

    Approximate ones are the divisor's reciprocal on the GPU, one instruction in place of some twenty.
    """
    a, b = e[op.operands[0]], e[op.operands[1]]
    element = a.element
    if element is F16:
        a, b = (convert_float(e, value, F32) for value in (a, b))
    approximate = arith.APPROXIMATE in op.attributes
    number = constant_of(op.operands[0])
    small = isinstance(number, (int, float)) and abs(number) <= 1

    def function(form: Id, n: int) -> Vectors:
        return lambda x, y: quotient(e, form, n, x, y, approximate=approximate, recip=e.fast_math and small)

    made = compute(e, function, a, b)
    if element is F64 and not e.whole:  # IGC (2.40.14) makes x of a quotient x / y times y, also of those that are no numbers
        made = hidden_float(e, made)
    return convert_float(e, made, element)


def quotient(e: Emitter, form: Id, n: int, x: Id, y: Id, *, approximate: bool, recip: bool = False) -> Id:
    """x / y.  `recip`: of a small dividend, for drivers that may round: nothing is lost, for the quotients by what has no
    reciprocal but 0 are subnormal.
    """
    kind = e.vector(form, n)
    if approximate and form == e.f32 and not e.whole:  # f64 has no such form, and a CPU's is far off
        return e.ext(kind, "native_divide", x, y)
    result = e.emit("OpFDiv", kind, x, y)
    if recip:
        e.module.decorate(result, "FPFastMathMode", "AllowRecip")
    return result


@emits(arith.RemF)
def emit_remainder(e: Emitter, op: arith.Binary) -> Fragment:
    """It has the sign of the dividend. In f32 at least, where the driver's function compares what lanes may have alike (`comparisons`)."""
    element = e[op.operands[0]].element
    wide = element if element is F64 else F32

    def operand(value: Value) -> Fragment:
        made = convert_float(e, e[value], wide)
        return mapped(e, F32, lambda n, x: hidden_from_lanes(e, x), made) if wide is F32 and e.may_be_alike(value) else made

    rest = compute(e, lambda form, n: lambda x, y: e.ext(e.vector(form, n), "fmod", x, y), *map(operand, op.operands))
    return convert_float(e, rest, element)


@emits(*_PROPAGATING)
def emit_extreme_float(e: Emitter, op: arith.Binary) -> Fragment:
    """Of two equal operands the first one: the sign of zero.  NaN wins in maximumf and minimumf, and loses in maxnumf and minnumf.

    The latter are one instruction with fast math and over an axis: there drivers may take either zero.
    """
    kind, (first, second) = type(op), op.operands
    rows = first_operand(e, op)
    if rows is not None:
        return rows
    a, b = _beside(e, first, second), _beside(e, second, first)
    if kind in _SHARED_EXTREMES and (e.fast_math or arith.EITHER_ZERO in op.attributes):
        name = _SHARED_EXTREMES[kind]
        if is_wide(e, op.result):
            return emit_wide(e, _WIDE[kind], op.result, first, second)
        made = compute(e, lambda form, n: lambda x, y: e.ext(e.vector(form, n), name, x, y), a, b)
    else:
        numbers = _is_number(constant_of(first)), _is_number(constant_of(second))
        function = extreme(e, _PROPAGATING[kind], drop_nan=kind in _SHARED_EXTREMES, numbers=numbers)
        hides = kind not in _SHARED_EXTREMES and is_chosen_again(op.result)  # as emit_cmpf does
        ends = _PROPAGATING[kind] == _GREATER and not e.whole
        compared = [
            hidden_float(e, f) if (hides and is_constant(v)) or (ends and may_be_one(v)) else f
            for f, v in ((a, first), (b, second))
        ]
        made = compute(e, function, a, b, *compared)
    return convert_float(e, made, element_of(op.result.type))


def _beside(e: Emitter, value: Value, other: Value) -> Fragment:
    """Floats to be compared, in a type that has arithmetic. A bf16 constant beside what is none is given in f32: IGC (2.40.14) learns late
    what it widens to, and drops the NaN of `C > x or unordered ? x : C`, where constants stand last else.
    """
    number = constant_of(value)
    if e.whole or element_of(value.type) is not BF16 or not isinstance(number, (int, float)) or is_constant(other):
        return widened(e, e[value])
    return constant(e, F32, count_of(value.type), unpack("<f", pack("<I", _bits(BF16, number) << 16))[0])


def _is_number(value: object) -> bool:
    """Whether a constant has no NaN."""
    numbers = value if isinstance(value, tuple) else (value,)
    return all(isinstance(n, (int, float)) and n == n for n in numbers)


def extreme(
    e: Emitter, comparison: str, *, drop_nan: bool = False, numbers: tuple[bool, bool] = (False, False)
) -> Callable[[Id, int], Vectors]:
    """`x < y ? y : x` (x > y for the minimum), which drops a NaN of y and keeps one of x: the other choice needs a test.

    Three instructions, two where an operand is known to be a number (`numbers`). On CPUs, whose maximum is that choice, a NaN is put in
    behind it, so that what goes on from x waits for two of them: a constant, for LLVM makes one choice of two between x and y. Vectors
    are followed by those that are compared, where they are others.
    """
    tested_is_number, other_is_number = numbers if drop_nan else numbers[::-1]
    if not tested_is_number and other_is_number:
        comparison = comparison.replace("Ord", "Unord")

    def function(form: Id, n: int) -> Vectors:
        def pick(x: Id, y: Id, *compared: Id) -> Id:
            mask = e.vector(e.bool, n)
            take_y = e.emit(comparison, mask, *(compared or (x, y)))
            if not tested_is_number and not other_is_number:
                tested = x if drop_nan else y
                if e.whole and not drop_nan:
                    kept, strange = e.emit("OpSelect", e.vector(form, n), take_y, y, x), e.emit("OpFUnordNotEqual", mask, y, y)
                    return e.emit("OpSelect", e.vector(form, n), strange, e.constant(form, float("nan"), n), kept)
                take_y = e.emit("OpLogicalOr", mask, e.emit("OpFUnordNotEqual", mask, tested, tested), take_y)
            return e.emit("OpSelect", e.vector(form, n), take_y, y, x)

        return pick

    return function


@emits(arith.NegF)
def emit_negation(e: Emitter, op: arith.NegF) -> Fragment:
    """The other sign. IGC takes `x < 0 ? -x : x` for the absolute value, which makes 0 of -0."""
    rows = first_operand(e, op)
    if rows is not None:
        return rows
    made = compute(e, lambda form, n: lambda x: e.emit("OpFNegate", e.vector(form, n), x), e[op.operand])
    return hidden_float(e, made) if not e.whole and reaches(op.result, arith.Select, scf.Yield, *_PROPAGATING) else made


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
    elif not e.whole and is_bit_of_negation(op.lhs):
        a = hidden(e, a)
    elif not e.whole and a.element is not INDEX:
        a, b = (hidden(e, f) if sums_to_one(op, v, w) else f for f, v, w in ((a, op.lhs, op.rhs), (b, op.rhs, op.lhs)))
    elif e.target.block2d is not None and decides_for_lanes(op):
        a = hidden_vectors(e, a, {})
    name = _COMPARE_INT[op.predicate]
    return mapped(e, I1, lambda n, x, y: e.emit(name, e.vector(e.bool, n), x, y), a, b)


@emits(arith.CmpF)
def emit_cmpf(e: Emitter, op: arith.CmpF) -> Fragment:
    """Floats; o.. is false and u.. true where an operand is NaN. LLVM takes `max(max(x, 1), 1)` for `max(x, 1)` though one of them
    keeps NaN and the other does not: choices that keep it compare with a number that it does not see.
    """
    a, b = _beside(e, op.lhs, op.rhs), _beside(e, op.rhs, op.lhs)
    a, b = (
        hidden_float(e, f) if keeps_nan_of_other(op, v) or (picks_one(op, v) and not e.whole) else f
        for f, v in ((a, op.lhs), (b, op.rhs))
    )
    if op.predicate in ("false", "true"):
        return constant(e, I1, a.count, int(op.predicate == "true"))
    name = _COMPARE_FLOAT[op.predicate]
    return mapped(e, I1, lambda n, x, y: e.emit(name, e.vector(e.bool, n), x, y), a, b)


@emits(arith.Select)
def emit_select(e: Emitter, op: arith.Select) -> Fragment | Buffer | NdDesc:
    """Element by element; one condition may serve all. Memory and descriptors as a whole."""
    moved = shifted(e, op, e.shifts.found[op]) if op in e.shifts.found else shifted_or_not(e, op)
    if moved is not None:
        return moved
    taken = e.places.taken.get(op) if e.places is not None else None
    if taken is not None:
        made = gather(e, op, taken)
        if made is not None:
            return made
        e.now(taken.ops[:-1])
    rows = chosen_operand(e, op)
    if rows is not None:
        return rows
    for by_masks in (masked(e, op), chosen_by_bytes(e, op)):
        if by_masks is not None:
            return by_masks
    by_places = chosen_by_places(e, op)
    if by_places is not None:
        return by_places
    condition, a, b = (e[v] for v in op.operands)
    if isinstance(a, NdDesc):
        return select_descriptor(e, condition.scalar(e), a, b)
    if isinstance(a, Buffer):
        kind = e.module.type_of(a.pointer)
        return replace(a, pointer=e.emit("OpSelect", kind, condition.scalar(e), a.pointer, b.pointer))
    if a.element is I1:
        e.keep_shared(op)
    if not e.whole:
        _, one, other = op.operands
        a, b = _way(e, op, one, other), _way(e, op, other, one)
    chosen = select(e, condition, a, b)
    if not e.whole and a.element.is_float and any(map(has_zero, op.operands[1:])) and becomes_minus_zero(op.result):
        return hidden_float(e, chosen)
    hides = _is_step(op) or (_is_end(op) and e.target.block2d is not None) or _is_told_wrong(e, op)
    return hidden(e, chosen) if hides else chosen


def _way(e: Emitter, op: arith.Select, value: Value, other: Value) -> Any:
    """One way of a choice. A zero with a sign is no bits at all to IGC: of a choice of that, or of words that are or'ed, it makes a mask, and
    of what is loaded where floats are compared.
    """
    if not element_of(value.type).is_float or not has_minus_zero(value):
        return e[value]
    ored = any(e.hidden_floats.intersection(piece.chunk.ids.values()) for piece in e[other].pieces)
    masked = ored or not is_loaded(other) or compares_floats(op.condition)
    return hidden_float(e, e[value]) if masked else e[value]


def _is_end(op: arith.Select) -> bool:
    """Whether this is an end or 0 for the comparisons of a loop to come: where IGC knows of the 0 it takes the condition into the loop
    (without messages of blocks, on DG2, in no fewer instructions).
    """
    users = list(op.result.users)
    compared = bool(users) and all(isinstance(user, arith.CmpI) and runs_again(user) for user in users)
    return compared and constant_of(op.false_value) == 0 and not runs_again(op)


def _is_step(op: arith.Select) -> bool:
    """Whether this is one of two constants for a loop to come: IGC keeps it as a byte, and widens that in each iteration."""
    kind = op.result.type
    numbers = isinstance(kind, ScalarType) and kind.is_int and None not in map(constant_of, op.operands[1:])
    return numbers and not runs_again(op) and any(map(runs_again, op.result.users))


def select(e: Emitter, condition: Fragment, a: Fragment, b: Fragment) -> Fragment:
    """`condition ? a : b`; one condition may serve all elements."""
    if condition.count == 1 and a.count > 1:
        condition = splat(e, I1, a.count, condition.scalar(e))  # SPIR-V before 1.4: as many conditions as components
    form, each = e.form(a.element), mapped if a.element.is_float else integers
    return each(e, a.element, lambda n, c, x, y: e.emit("OpSelect", e.vector(form, n), c, x, y), condition, a, b)

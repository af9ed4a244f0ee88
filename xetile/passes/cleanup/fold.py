"""Folding: what an op gives where its operands are constants, or where arithmetic says so.

A rule gives a `Value` (use that instead), a Python number (a constant of the result's type) or None. Floats are computed in the order
that the user wrote, since that is part of the meaning; of constants where each device rounds alike, and no NaN comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import copysign, isnan
from typing import Any

import numpy as np

from xetile.dialects import arith, math, vector, xegpu
from xetile.dialects.types import F32, F64, I1, TF32, ScalarType, element_of
from xetile.dtypes import DTYPES
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table

FOLD = Table()
Folded = Value | int | float | bool | tuple[Any, ...] | None


def signed(value: int, bits: int) -> int:
    """The value modulo the width, as constants hold it: signed, but i1 as 0 or 1."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def _as_signed(value: int, bits: int) -> int:
    """The value modulo the width as a number with a sign: the i1 true is -1."""
    return -(value & 1) if bits == 1 else signed(value, bits)


def unsigned(value: int, bits: int) -> int:
    """The value modulo the width, as an unsigned number."""
    return value & ((1 << bits) - 1)


def _in_all_widths(element: ScalarType, calculate: Callable[[int], int | None]) -> int | None:
    """The result for the element's width; for index, which is 32 or 64 bits wide, only where both agree (as MLIR does)."""
    if element.kind != "index":
        return calculate(element.bits)
    wide, narrow = calculate(64), calculate(32)
    return wide if wide is not None and narrow is not None and (wide - narrow) % (1 << 32) == 0 else None


def fold(op: Op) -> Folded:
    """What the op can be replaced by; None where it must stay."""
    rule: Any = FOLD.find(type(op))
    return rule(op) if rule is not None else None


def _constant(value: Value) -> Any:
    """The number that a constant holds, in all elements; None where there is no such number."""
    number = arith.constant_of(value)
    return None if isinstance(number, tuple) else number


_SIGNED: dict[type[Op], Callable[[int, int], int]] = {
    arith.AddI: lambda a, b: a + b,
    arith.SubI: lambda a, b: a - b,
    arith.MulI: lambda a, b: a * b,
    arith.AndI: lambda a, b: a & b,
    arith.OrI: lambda a, b: a | b,
    arith.XOrI: lambda a, b: a ^ b,
    arith.MinSI: min,
    arith.MaxSI: max,
    arith.DivSI: lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    arith.RemSI: lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    arith.FloorDivSI: lambda a, b: a // b,
    arith.CeilDivSI: lambda a, b: -(-a // b),
}
_UNSIGNED: dict[type[Op], Callable[[int, int], int]] = {
    arith.MinUI: min,
    arith.MaxUI: max,
    arith.DivUI: lambda a, b: a // b,
    arith.RemUI: lambda a, b: a % b,
    arith.CeilDivUI: lambda a, b: -(-a // b),
    arith.ShRUI: lambda a, b: a >> b,
}

# (op, constant on the right) -> the left operand; and -> zero.
_LEFT = {(kind, 0) for kind in (arith.AddI, arith.SubI, arith.OrI, arith.XOrI, arith.ShLI, arith.ShRSI, arith.ShRUI)}
_LEFT |= {(kind, 1) for kind in (arith.MulI, arith.DivSI, arith.DivUI, arith.FloorDivSI, arith.CeilDivSI, arith.CeilDivUI)}
_ZERO = {(arith.MulI, 0), (arith.AndI, 0), (arith.RemSI, 1), (arith.RemUI, 1)}
_SAME = (arith.AndI, arith.OrI, arith.MinSI, arith.MinUI, arith.MaxSI, arith.MaxUI)
_NOTHING = (arith.SubI, arith.XOrI, arith.RemSI, arith.RemUI)


@FOLD(*_SIGNED, *_UNSIGNED, arith.ShLI, arith.ShRSI)
def _binary(op: arith.Binary) -> Folded:
    kind, lhs, rhs = type(op), op.operands[0], op.operands[1]
    b = _constant(rhs)
    if b is None:
        if lhs is rhs:
            return lhs if kind in _SAME else 0 if kind in _NOTHING else None
        return None
    a, element = _constant(lhs), element_of(op.results[0].type)
    if a is not None:
        return _in_all_widths(element, lambda bits: _evaluate(kind, a, b, bits))
    if (kind, b) in _LEFT:
        return lhs
    if (kind, b) in _ZERO:
        return 0
    if kind is arith.AndI and signed(b, element.bits) == signed(-1, element.bits):
        return lhs
    return None


_FLOATS = {dtype.ir_name: dtype for dtype in DTYPES.values() if dtype.is_float}


def _held(number: float, element: ScalarType) -> Any:
    """A number as numpy computes with it: f64 as it is, narrower ones as f32."""
    if element is F64:
        return np.float64(number)
    with np.errstate(over="ignore"):
        single = np.float32(number)
    return single if element is F32 else np.float32(_FLOATS[element.name].rounded(float(single)))


def _float(number: Any, op: Op) -> Folded:
    """The constant of a float, rounded to an op's type; NaN, of which devices make other bits, is left to them."""
    element = element_of(op.results[0].type)
    found = _FLOATS[element.name].rounded(float(number)) if element.bits < F32.bits else float(_held(float(number), element))
    return None if element is TF32 or isnan(found) else found


_ARITHMETIC: dict[type[Op], Callable[[Any, Any], Any]] = {arith.AddF: np.add, arith.SubF: np.subtract, arith.MulF: np.multiply}


@FOLD(*_ARITHMETIC, arith.DivF)
def _floats(op: arith.Binary) -> Folded:
    """Of two constants; or floats that stay as they are, zeros with their signs too: -0.0 + 0.0 is 0.0."""
    lhs, rhs = op.operands
    a, b = _constant(lhs), _constant(rhs)
    element = element_of(lhs.type)
    if a is not None and b is not None and type(op) in _ARITHMETIC and element is not TF32:
        with np.errstate(all="ignore"):
            return _float(_ARITHMETIC[type(op)](_held(a, element), _held(b, element)), op)
    if isinstance(op, (arith.MulF, arith.DivF)):
        return lhs if b == 1 else rhs if a == 1 and isinstance(op, arith.MulF) else None
    nothing = 1 if isinstance(op, arith.SubF) else -1  # the sign of the zero that changes nothing
    if b == 0 and copysign(1, b) == nothing:
        return lhs
    return rhs if a == 0 and copysign(1, a) == nothing and isinstance(op, arith.AddF) else None


_UNARY: dict[type[Op], Callable[[Any], Any]] = {
    arith.NegF: np.negative, math.AbsF: np.abs, math.Floor: np.floor, math.Ceil: np.ceil, math.Trunc: np.trunc,
    math.RoundEven: np.rint, arith.ExtF: np.positive, arith.TruncF: np.positive,
}  # fmt: skip


@FOLD(*_UNARY)
def _one_float(op: Op) -> Folded:
    value, source = _constant(op.operands[0]), element_of(op.operands[0].type)
    return None if value is None or source is TF32 else _float(_UNARY[type(op)](_held(value, source)), op)


@FOLD(arith.FPToSI, arith.FPToUI)
def _whole(op: arith.Cast) -> Folded:
    """Toward zero; what the integer cannot hold becomes its nearest, NaN zero."""
    value, result = _constant(op.operand), element_of(op.result.type)
    if value is None or result is I1:
        return None
    number = _held(value, element_of(op.operand.type))
    bits = result.bits - isinstance(op, arith.FPToSI)
    low, high = -(1 << bits) if isinstance(op, arith.FPToSI) else 0, (1 << bits) - 1
    if np.isnan(number):
        return 0
    return signed(low if number <= low else high if number >= high else int(number), result.bits)


@FOLD(arith.SIToFP, arith.UIToFP)
def _from_whole(op: arith.Cast) -> Folded:
    """Rounded to nearest, to types narrower than f32 by way of f32."""
    value, source = _constant(op.operand), element_of(op.operand.type)
    if value is None:
        return None
    number = np.int64(_as_signed(value, source.bits)) if isinstance(op, arith.SIToFP) else np.uint64(unsigned(value, source.bits))
    return _float(number.astype(np.float64 if element_of(op.result.type) is F64 else np.float32), op)


def _evaluate(kind: type[Op], a: int, b: int, bits: int) -> int | None:
    if kind in arith.INTEGER_DIVISIONS and unsigned(b, bits) == 0:
        return None
    if kind in (arith.ShLI, arith.ShRSI, arith.ShRUI) and not 0 <= b < bits:
        return None
    if kind is arith.ShLI:
        return signed(a << b, bits)
    if kind is arith.ShRSI:
        return signed(_as_signed(a, bits) >> b, bits)
    view = _as_signed if kind in _SIGNED else unsigned
    calculate = _SIGNED.get(kind) or _UNSIGNED[kind]
    return signed(calculate(view(a, bits), view(b, bits)), bits)


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@FOLD(arith.CmpI)
def _compare(op: arith.CmpI) -> Folded:
    relation = op.predicate if op.predicate in ("eq", "ne") else op.predicate[1:]
    if op.lhs is op.rhs:
        return relation in ("eq", "le", "ge")
    a, b = _constant(op.lhs), _constant(op.rhs)
    if (op.predicate, b) in (("ult", 0), ("uge", 0)) or (op.predicate, a) in (("ugt", 0), ("ule", 0)):
        return relation in ("ge", "le")
    if a is None or b is None:
        return None
    view = unsigned if op.predicate.startswith("u") else _as_signed
    found = _in_all_widths(element_of(op.lhs.type), lambda bits: _COMPARE[relation](view(a, bits), view(b, bits)))
    return None if found is None else bool(found)


@FOLD(arith.CmpF)
def _compare_floats(op: arith.CmpF) -> Folded:
    a, b = _constant(op.lhs), _constant(op.rhs)
    relation = _COMPARE.get(op.predicate[1:])
    if a is None or b is None or relation is None:
        return None
    held = np.dtype(
        np.float32 if element_of(op.lhs.type).bits == F32.bits else np.float64
    )  # narrower numbers are rounded as given
    a, b = held.type(a), held.type(b)
    if a != a or b != b:
        return op.predicate[0] == "u"
    return bool(relation(a, b))


@FOLD(arith.Select)
def _select(op: arith.Select) -> Folded:
    if op.true_value is op.false_value:
        return op.true_value
    condition = _constant(op.condition)
    if condition is None:
        return None
    return op.true_value if condition else op.false_value


@FOLD(arith.ExtSI, arith.IndexCast, arith.TruncI)
def _signed_cast(op: arith.Cast) -> Folded:
    value = _constant(op.operand)
    if value is None:
        return None
    source, result = element_of(op.operand.type), element_of(op.result.type)
    value = -(value & 1) if source is I1 else value
    return _in_all_widths(source, lambda s: _in_all_widths(result, lambda r: signed(signed(value, s), r)))


@FOLD(arith.ExtUI, arith.IndexCastUI)
def _unsigned_cast(op: arith.Cast) -> Folded:
    value = _constant(op.operand)
    if value is None:
        return None
    source, result = element_of(op.operand.type), element_of(op.result.type)
    return _in_all_widths(source, lambda s: _in_all_widths(result, lambda r: signed(unsigned(value, s), r)))


@FOLD(vector.Broadcast)
def _splat(op: vector.Broadcast) -> Folded:
    return _constant(op.source)  # type: ignore[no-any-return]


@FOLD(vector.Insert)
def _insert(op: vector.Insert) -> Folded:
    """A constant with one other number."""
    value, into = arith.constant_of(op.value), arith.constant_of(op.dest)
    if (
        value is None
        or into is None
        or isinstance(value, tuple)
        or op.dest.type.rank != 1
        or not isinstance(op.value.type, ScalarType)
    ):
        return None
    numbers = list(into) if isinstance(into, tuple) else [into] * op.dest.type.shape[0]
    numbers[op.position[0]] = value
    return _together(numbers)


@FOLD(vector.ExtractStridedSlice)
def _part(op: vector.ExtractStridedSlice) -> Folded:
    """A part of a constant of several numbers."""
    number = arith.constant_of(op.source)
    if not isinstance(number, tuple) or op.source.type.rank != 1 or op.strides != (1,):
        return None
    return _together(number[op.offsets[0] : op.offsets[0] + op.sizes[0]])


@FOLD(vector.InsertStridedSlice)
def _put_together(op: vector.InsertStridedSlice) -> Folded:
    """A vector whose parts are put together again, each where it was."""
    whole = op.value.op.source if isinstance(op.value.op, vector.ExtractStridedSlice) else None
    if whole is None or whole.type != op.result.type or whole.type.rank != 1:
        return None
    left, made = set(range(whole.type.count)), op.result
    while left:
        insert = made.op
        if not isinstance(insert, vector.InsertStridedSlice):
            return None
        part = insert.value.op
        taken = set(range(insert.offsets[0], insert.offsets[0] + insert.value.type.count))
        as_it_was = isinstance(part, vector.ExtractStridedSlice) and part.source is whole and part.offsets == insert.offsets
        if not as_it_was and not taken.isdisjoint(left):
            return None
        left -= taken
        made = insert.dest
    return whole


def _together(numbers: Sequence[Any]) -> Folded:
    """A vector's constant: one number where all are the same, and 0 is not -0."""
    return numbers[0] if len(set(map(repr, numbers))) == 1 else tuple(numbers)


@FOLD(vector.Extract)
def _extract(op: vector.Extract) -> Folded:
    """An element of a vector that was put together, where nobody needs the vector."""
    if len(op.position) != 1:
        return None
    source, place = op.source, op.position[0]
    while True:
        made = source.op
        if isinstance(made, vector.ExtractStridedSlice) and len(made.offsets) == 1 and made.strides == (1,):
            source, place = made.source, place + made.offsets[0]
        elif isinstance(made, vector.Insert) and len(made.position) == 1:
            if made.position[0] == place:
                return made.value  # type: ignore[no-any-return]
            source = made.dest
        elif isinstance(made, arith.Constant):
            found: Folded = made.value[place] if isinstance(made.value, tuple) else made.value
            return found
        else:
            alike = isinstance(made, vector.Broadcast) and isinstance(made.source.type, ScalarType)
            return made.source if alike else None  # type: ignore[union-attr]


@FOLD(xegpu.Load)
def _nothing(op: xegpu.Load) -> Folded:
    """Zeros, where no lane loads anything."""
    mask = arith.constant_of(op.mask)
    if mask is None or (any(mask) if isinstance(mask, tuple) else mask):
        return None
    return 0.0 if element_of(op.value.type).is_float else 0

"""Values that are functions of one byte: the number for each of the byte's values, computed when compiling.

Weights of few bits are decoded by whatever arithmetic their authors like: tests of exponents, shifts, powers of two, bit casts. All that
takes one code and constants is a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xetile.dialects import arith, math, vector
from xetile.dialects.types import BF16, F16, F32, I8, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Value
from xetile.ir.reach import evaluate
from xetile.records import dataclass

Numbers = np.ndarray[Any, Any]
_BYTES = 1 << I8.bits
_WIDEST = 64
"""Bits of the integers that numpy computes with here."""
_LARGEST_POWER = 126
"""Up to it, and down to it below zero, powers of two are f32 that no device rounds."""


@dataclass(frozen=True)
class Function:
    """A value for each of its code's values: `numbers` (integers as their bits), and where these are `known`.

    code   what all of it is computed of, a byte or a wider integer that is never larger; None for a constant.
    """

    code: Value | None
    numbers: Numbers
    known: Numbers


class Functions:
    """The functions of codes in a kernel; `largest` says of a value the largest byte that it can be, None of one that is no byte."""

    def __init__(self, largest: Callable[[Value], int | None]) -> None:
        self._largest = largest
        self._found: dict[Value, Function | None] = {}

    def of(self, value: Value) -> Function | None:
        """A value as a function of one code; None where it is none. What is no op's result by its operands alone is a code itself."""
        return evaluate(value, self._found, _inputs, lambda v: self._computed(v) or self._code(v))

    def _computed(self, value: Value) -> Function | None:
        op, element = value.op, element_of(value.type)
        number = arith.constant_of(op.source if isinstance(op, vector.Broadcast) else value)
        if isinstance(number, (int, float)):
            made = _stored([number], element)
            return None if made is None else Function(None, made, np.array([True]))
        operands = [self._found[v] for v in _inputs(value)]
        codes = {f.code for f in operands if f is not None} - {None}
        if op is None or not operands or None in operands or len(codes) != 1:
            return None
        taken = [f for f in operands if f is not None]
        with np.errstate(all="ignore"):
            found = _EVALUATED[type(op)](op, *(f.numbers for f in taken))
        if found is None:
            return None
        numbers, known = found
        return Function(codes.pop(), numbers, _known(op, taken) & known)

    def _code(self, value: Value) -> Function | None:
        """A value that is a code, for what is computed of it."""
        largest = self._largest(value) if isinstance(value.type, VectorType) else None
        if largest is None:
            return None
        return Function(value, np.arange(largest + 1, dtype=np.int64), np.ones(largest + 1, bool))


def _known(op: Op, taken: list[Function]) -> Numbers:
    """Where all operands are known; of a choice the one that is chosen."""
    if not isinstance(op, arith.Select):
        both: Numbers = np.logical_and.reduce(np.broadcast_arrays(*(f.known for f in taken)))
        return both
    condition, a, b = taken
    return condition.known & np.where(condition.numbers != 0, a.known, b.known)


def _inputs(value: Value) -> tuple[Value, ...]:
    """What a value is computed of, where that is followed."""
    op = value.op
    if op is None or type(op) not in _EVALUATED or "wg_map" in op.attributes:
        return ()
    return op.operands


# Numbers of a type.


def _stored(numbers: Any, element: ScalarType) -> Numbers | None:
    """Numbers as they are computed with; None for a type that is not followed."""
    if element.is_float:
        kind = _float(element)
        return None if kind is None else np.asarray(numbers, np.float64).astype(kind)
    if element.kind == "index":
        return None
    whole = np.asarray(numbers).astype(np.int64)
    return whole if element.bits == _WIDEST else whole & ((1 << element.bits) - 1)


def _float(element: ScalarType) -> Any:
    if element is BF16:
        import ml_dtypes  # most kernels have none

        return ml_dtypes.bfloat16
    return {F16: np.float16, F32: np.float32}.get(element)


def _signed(x: Numbers, element: ScalarType) -> Numbers:
    """Bits as a number with a sign; of one bit, as conversions have it."""
    if element.bits == _WIDEST:
        return x
    signed: Numbers = np.where(x >> (element.bits - 1), x - (1 << element.bits), x)
    return signed


def _unsigned(x: Numbers, element: ScalarType) -> Numbers:
    """Bits as a number without a sign."""
    return x.view(np.uint64) if element.bits == _WIDEST and x.dtype == np.int64 else x


Evaluated = tuple[Numbers, Any]
"""Numbers, and where they are known."""


def _given(op: Op) -> ScalarType:
    return element_of(op.operands[0].type)


def _made(op: Op, numbers: Any, known: Any = True) -> Evaluated | None:
    stored = _stored(numbers, element_of(op.results[0].type))
    return None if stored is None else (stored, np.broadcast_to(known, stored.shape))


def _on_signed(function: Callable[[Numbers, Numbers], Any]) -> Any:
    return lambda op, x, y: _made(op, function(_signed(x, _given(op)), _signed(y, _given(op))))


def _on_unsigned(function: Callable[[Numbers, Numbers], Any]) -> Any:
    return lambda op, x, y: _made(op, function(_unsigned(x, _given(op)), _unsigned(y, _given(op))))


def _on_bits(function: Callable[[Numbers, Numbers], Any]) -> Any:
    return lambda op, x, y: _made(op, function(x, y))


def _shifted(op: Op, x: Numbers, by: Numbers) -> Evaluated | None:
    """By the width or more nothing is left, but the sign."""
    bits, by = _given(op).bits, _unsigned(by, _given(op))
    inside = by < bits
    amount = np.where(inside, by, bits - 1).astype(np.int64)
    if isinstance(op, arith.ShLI):
        return _made(op, np.where(inside, x << amount, 0))
    if isinstance(op, arith.ShRSI):
        return _made(op, _signed(x, _given(op)) >> amount)
    moved = _unsigned(x, _given(op))
    return _made(op, np.where(inside, moved >> amount.astype(moved.dtype), 0))


def _divided(function: Callable[[Numbers, Numbers], Any], *, signed: bool) -> Any:
    """By numbers that are not zero."""

    def run(op: Op, x: Numbers, y: Numbers) -> Evaluated | None:
        a, b = ((_signed if signed else _unsigned)(v, _given(op)) for v in (x, y))
        return _made(op, function(a, np.where(b == 0, 1, b)), (x == x) & (b != 0))

    return run


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def _compared(op: Any, x: Numbers, y: Numbers) -> Evaluated | None:
    relation = op.predicate
    if relation in _COMPARED:
        return _made(op, _COMPARED[relation](x, y))
    a, b = ((_signed if relation[0] == "s" else _unsigned)(v, _given(op)) for v in (x, y))
    return _made(op, _COMPARED[relation[1:]](a, b))


def _compared_floats(op: Any, x: Numbers, y: Numbers) -> Evaluated | None:
    """Of numbers."""
    relation = _COMPARED.get(op.predicate[1:])
    if relation is None:
        return None
    a, b = _wide(x), _wide(y)
    return _made(op, relation(a, b), (a == a) & (b == b))


def _wide(x: Numbers) -> Numbers:
    """Floats are computed with at least as f32, and rounded once."""
    return x.astype(np.float32)


def _on_floats(function: Callable[..., Any]) -> Any:
    return lambda op, *taken: _made(op, function(*map(_wide, taken)))


def _quotient(op: Op, x: Numbers, y: Numbers) -> Evaluated | None:
    """Where it is exact: devices round others in their own way."""
    found = _wide(x) / _wide(y)
    return _made(op, found, found.astype(np.float64) * y.astype(np.float64) == x.astype(np.float64))


def _power(op: Op, x: Numbers) -> Evaluated | None:
    """Of two, where it is exact."""
    power = _wide(x)
    exact = (power == np.trunc(power)) & (np.abs(power) <= _LARGEST_POWER)
    return _made(op, np.exp2(np.where(exact, power, 0)), exact)


def _power_of(op: Op, x: Numbers, y: Numbers) -> Evaluated | None:
    """Of two by a whole number."""
    found = _power(op, y)
    return None if found is None else (found[0], found[1] & (_wide(x) == 2))


def _whole(op: Op, x: Numbers) -> Evaluated | None:
    """Floats as integers, where these hold them."""
    bits, signed = element_of(op.results[0].type).bits, isinstance(op, arith.FPToSI)
    whole = np.trunc(_wide(x))
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    fits = (whole >= low) & (whole <= high)
    return _made(op, np.where(fits, whole, 0).astype(np.int64), fits)


def _bits(op: Op, x: Numbers) -> Evaluated | None:
    """The same bits in another type."""
    source, result = _given(op), element_of(op.results[0].type)
    if source.is_float == result.is_float:
        return _made(op, x) if source is result or not source.is_float else None
    unsigned = np.dtype(f"u{source.bits // 8}")
    if source.is_float:
        return _made(op, x.view(unsigned))
    kind = _float(result)
    return None if kind is None else (x.astype(unsigned).view(kind), np.broadcast_to(True, x.shape))


def _extreme(function: Callable[[Any, Any], Any]) -> Any:
    """Of equal floats the first, of numbers."""

    def run(op: Op, x: Numbers, y: Numbers) -> Evaluated | None:
        a, b = _wide(x), _wide(y)
        return _made(op, np.where(a == b, a, function(a, b)), (a == a) & (b == b))

    return run


_EVALUATED: dict[type[Op], Any] = {
    arith.AddI: _on_bits(np.add), arith.SubI: _on_bits(np.subtract), arith.MulI: _on_bits(np.multiply),
    arith.AndI: _on_bits(np.bitwise_and), arith.OrI: _on_bits(np.bitwise_or), arith.XOrI: _on_bits(np.bitwise_xor),
    arith.MinSI: _on_signed(np.minimum), arith.MaxSI: _on_signed(np.maximum),
    arith.MinUI: _on_unsigned(np.minimum), arith.MaxUI: _on_unsigned(np.maximum),
    arith.ShLI: _shifted, arith.ShRSI: _shifted, arith.ShRUI: _shifted,
    arith.DivUI: _divided(np.floor_divide, signed=False), arith.RemUI: _divided(np.remainder, signed=False),
    arith.FloorDivSI: _divided(np.floor_divide, signed=True), arith.RemSI: _divided(np.fmod, signed=True),
    arith.DivSI: _divided(lambda a, b: (a - np.fmod(a, b)) // b, signed=True),
    arith.CmpI: _compared, arith.CmpF: _compared_floats,
    arith.Select: lambda op, c, a, b: (np.where(c != 0, a, b), True),
    arith.ExtUI: _made, arith.TruncI: _made,
    arith.ExtSI: lambda op, x: _made(op, _signed(x, _given(op))),
    arith.UIToFP: lambda op, x: _made(op, _unsigned(x, _given(op)).astype(np.float32)),
    arith.SIToFP: lambda op, x: _made(op, _signed(x, _given(op)).astype(np.float32)),
    arith.FPToSI: _whole, arith.FPToUI: _whole, arith.Bitcast: _bits,
    arith.ExtF: lambda op, x: _made(op, _wide(x)), arith.TruncF: lambda op, x: _made(op, _wide(x)),
    arith.AddF: _on_floats(np.add), arith.SubF: _on_floats(np.subtract), arith.MulF: _on_floats(np.multiply),
    arith.NegF: _on_floats(np.negative), math.AbsF: _on_floats(np.abs), arith.DivF: _quotient,
    math.Floor: _on_floats(np.floor), math.Ceil: _on_floats(np.ceil), math.Trunc: _on_floats(np.trunc),
    arith.MaximumF: _extreme(np.maximum), arith.MaxNumF: _extreme(np.maximum),
    arith.MinimumF: _extreme(np.minimum), arith.MinNumF: _extreme(np.minimum),
    math.Exp2: _power, math.PowF: _power_of,
}  # fmt: skip

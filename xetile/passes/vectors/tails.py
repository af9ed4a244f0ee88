"""What values are beyond the arrays that they are loaded from: padding, or what a mask chooses in its place, one number for all."""

from __future__ import annotations

from functools import reduce
from math import isinf
from typing import Any

from xetile.dialects import arith, xetile
from xetile.dialects.types import I1, INDEX
from xetile.ir.core import Elementwise, Op, Value
from xetile.passes.vectors.elementwise import resized
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.places import Place
from xetile.passes.vectors.state import Lowering
from xetile.passes.vectors.storage import Splat
from xetile.records import dataclass

_FLOAT_CASTS = (arith.ExtF, arith.TruncF)
_OF_ZEROS = (*arith.INTEGER_CASTS, *_FLOAT_CASTS, arith.SIToFP, arith.UIToFP, arith.FPToSI, arith.FPToUI,
             arith.MulF, arith.MulI, arith.AndI, arith.AddF, arith.AddI)  # fmt: skip
"""Zero of zeros, whatever their type."""
_AGAIN = ("max", "min", "and", "or")
"""Reductions, by how their names begin, to which a number that was combined once adds nothing the next time."""
_NEUTRAL = {"add": 0, "xor": 0, "mul": 1}
"""What others combine with any number of times: zeros of either sign are one zero then."""
_FIRST_FALSE = {"slt": 0, "sle": 1}
"""Comparisons of places with a number: they fail from that number on, or from the next one."""
_TURNED = {"sgt": "slt", "sge": "sle"}


@dataclass(frozen=True)
class Tail:
    """A value whose elements are all one number from a row or column on."""

    begin: Number
    number: Any


@dataclass(frozen=True)
class _Counted:
    """A value that is a row's or column's own number, and so much more."""

    more: Number


_Known = dict[Value, "Tail | _Counted | None"]


def tail_of(op: xetile.TileReduce, lower: Lowering) -> Tail | None:
    """Where what an op reduces ends, along the axis that it reduces, in a number that is enough to be combined once."""
    if len(op.dims) != 1:
        return None
    found = _followed(op.source, op.dims[0], lower, {})
    if not isinstance(found, Tail):
        return None
    once = op.kind.startswith(_AGAIN) or (op.kind in _NEUTRAL and found.number == _NEUTRAL[op.kind])
    return found if once else None


def _followed(value: Value, dim: int, lower: Lowering, known: _Known) -> Tail | _Counted | None:
    if value not in known:
        known[value] = None
        known[value] = _made(value, dim, lower, known)
    return known[value]


def _tail(value: Value, dim: int, lower: Lowering, known: _Known) -> Tail | None:
    found = _followed(value, dim, lower, known)
    return found if isinstance(found, Tail) else None


def _made(value: Value, dim: int, lower: Lowering, known: _Known) -> Tail | _Counted | None:
    held, op = lower.env.get(value), value.op
    if isinstance(held, (Splat, Value)) or op is None or isinstance(op, arith.Constant):
        scalar = held.scalar if isinstance(held, Splat) else held
        number = arith.constant_of(scalar) if isinstance(scalar, Value) else None
        return None if number is None else Tail(0, number)
    if isinstance(op, xetile.LoadTile):
        return _loaded(op, dim, lower)
    if isinstance(op, xetile.TileIota):
        return _Counted(0) if op.dim == dim else None
    if isinstance(op, xetile.TileBroadcast):
        return _tail(op.source, dim, lower, known) if isinstance(lower.env.get(op.source), Splat) else None
    if not isinstance(op, Elementwise):
        return None
    if isinstance(op, arith.AddI) and op.result.type.element is INDEX:  # type: ignore[attr-defined]
        return _moved(op, dim, lower, known)
    if isinstance(op, arith.CmpI):
        return _compared(op, dim, lower, known)
    tails = [_tail(v, dim, lower, known) for v in op.operands]
    if isinstance(op, arith.Select):
        return _chosen(tails, lower)
    if isinstance(op, arith.AndI) and value.type.element is I1:  # type: ignore[attr-defined]
        return next((t for t in tails if t is not None and not t.number), None)
    if isinstance(op, _FLOAT_CASTS) and tails[0] is not None and isinf(tails[0].number):
        return tails[0]
    return _of_zeros(op, tails, lower)


def _loaded(op: xetile.LoadTile, dim: int, lower: Lowering) -> Tail | None:
    place = lower.env.get(op.tile)
    if not isinstance(place, Place):
        return None
    line, element = (place.rows, place.columns)[dim], place.element
    padding: Any = bool(op.padding) if element is I1 else float(op.padding) if element.is_float else int(op.padding)
    return Tail(lower.numbers.subtract(line.extent, line.offset), padding)


def _moved(op: Op, dim: int, lower: Lowering, known: _Known) -> _Counted | None:
    for a, b in (op.operands, op.operands[::-1]):
        counted, more = _followed(a, dim, lower, known), _number(b, lower)
        if isinstance(counted, _Counted) and more is not None:
            return _Counted(lower.numbers.add(counted.more, more))
    return None


def _compared(op: arith.CmpI, dim: int, lower: Lowering, known: _Known) -> Tail | None:
    """A place that is less than a number: not from there on."""
    left, right, predicate = op.lhs, op.rhs, op.predicate
    if predicate in _TURNED:
        left, right, predicate = right, left, _TURNED[predicate]
    counted, bound = _followed(left, dim, lower, known), _number(right, lower)
    if predicate not in _FIRST_FALSE or not isinstance(counted, _Counted) or bound is None:
        return None
    n = lower.numbers
    return Tail(n.add(n.subtract(bound, counted.more), _FIRST_FALSE[predicate]), False)


def _chosen(tails: list[Tail | None], lower: Lowering) -> Tail | None:
    condition, first, second = tails
    if condition is None:
        return None
    one = first if condition.number else second
    return None if one is None else Tail(lower.numbers.larger(condition.begin, one.begin), one.number)


def _number(value: Value, lower: Lowering) -> Number | None:
    """An index that is the same in all elements."""
    held = lower.env.get(value)
    if held is None and isinstance(value.op, xetile.TileBroadcast):
        held = lower.env.get(value.op.source)
    scalar = held.scalar if isinstance(held, Splat) else held
    if not isinstance(scalar, Value) or scalar.type not in (INDEX, lower.index):
        return None
    if isinstance(scalar.op, arith.IndexCast) and scalar.op.operand.type is INDEX:
        scalar = scalar.op.operand
    return lower.numbers.known(resized(lower.build, scalar, INDEX, signed=True))


def _of_zeros(op: Op, tails: list[Tail | None], lower: Lowering) -> Tail | None:
    found = [t for t in tails if t is not None and t.number == 0 and not str(t.number).startswith("-")]
    if not isinstance(op, _OF_ZEROS) or len(found) < len(tails):
        return None
    element = op.results[0].type.element  # type: ignore[attr-defined]
    return Tail(reduce(lower.numbers.larger, (t.begin for t in found)), 0.0 if element.is_float else 0)

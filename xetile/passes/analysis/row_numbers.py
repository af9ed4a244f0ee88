"""Numbers of rows that are worked out of their places: which are known, and which neighbours have the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.places import Numbers as Known
from xetile.passes.analysis.places import Places

_SHIFTS, _QUOTIENTS, _REMAINDERS = (
    (arith.ShRUI, arith.ShRSI),
    (arith.DivUI, arith.DivSI, arith.FloorDivSI),
    (arith.RemUI, arith.RemSI),
)
_RING: dict[type[Op], Any] = {arith.AddI: np.add, arith.SubI: np.subtract, arith.MulI: np.multiply}
"""What is the same modulo a number, whatever is taken away of that first."""


_LARGEST_SHIFT = 31


class RowNumbers:
    """What is known of numbers of rows, where scalars are known to be multiples of powers of two."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def shifts(self, value: Value) -> list[int] | None:
        """A number for each row, the same in all columns; None where it is not known."""
        found, shape = self._known(value), type_of(value, VectorType).shape
        if found is None:
            return None
        rows = np.broadcast_to(found, shape)
        return None if (rows != rows[:, :1]).any() else [int(n) for n in rows[:, 0]]

    def _known(self, value: Value) -> Known | None:
        op, shape = value.op, type_of(value, VectorType).shape
        divisor = _power_of(op, _REMAINDERS)
        mask = arith.constant_of(op.operands[1]) if isinstance(op, arith.AndI) else None
        if isinstance(mask, int) and mask > 0 and mask & (mask + 1) == 0:
            divisor = mask + 1
        if op is not None and divisor:
            return self._modulo(op.operands[0], divisor)
        if op is not None and type(op) in _RING:
            a, b = (self._known(v) for v in op.operands)
            return None if a is None or b is None else _RING[type(op)](a, b)
        if isinstance(op, arith.ShLI):
            a, by = self._known(op.operands[0]), arith.constant_of(op.operands[1])
            return a << by if a is not None and isinstance(by, int) and 0 <= by < _LARGEST_SHIFT else None
        if isinstance(op, (xetile.TileBroadcast, *arith.INDEX_CASTS)):
            return self._known(op.operands[0])
        if isinstance(op, arith.INTEGER_CASTS):
            made = self._known(op.operands[0])
            bits = min(element_of(v.type).bits for v in (op.operands[0], op.results[0]))
            return made if made is not None and (made >= 0).all() and (made < 1 << bits - 1).all() else None
        found = Places(1, 1).of(value)
        return None if found is None else np.broadcast_to(found[0, 0], (shape[0] * shape[1],)).reshape(shape)

    def _modulo(self, value: Value, divisor: int) -> Known | None:
        """What a power of two leaves of numbers."""
        op = value.op
        if isinstance(op, vector.Broadcast):
            return np.zeros((1, 1), np.int64) if self._divides(op.source, divisor) else None
        if op is not None and type(op) in _RING:
            a, b = (self._modulo(v, divisor) for v in op.operands)
            return None if a is None or b is None else _RING[type(op)](a, b) % divisor
        if isinstance(op, (xetile.TileBroadcast, *arith.INDEX_CASTS)):
            return self._modulo(op.operands[0], divisor)
        found = self._known(value)
        return None if found is None else found % divisor

    def _divides(self, scalar: Value, divisor: int) -> bool:
        """Whether a scalar is a multiple of a power of two."""
        return not isinstance(scalar.type, VectorType) and 1 << min(self._numbers.rests(scalar)[0].zeros, 62) >= divisor

    def repeats(self, value: Value, most: int) -> int:
        """How many neighbouring rows, a power of two up to `most`, have the same numbers, from the first on."""
        op, kind = value.op, value.type
        if not isinstance(kind, VectorType) or kind.shape[0] == 1 or vector.is_one_number(value):
            return most
        divisor = _power_of(op, (*_SHIFTS, *_QUOTIENTS))
        if op is not None and divisor > 1:
            rests = self._modulo(op.operands[0], divisor) if self._counts_up(op.operands[0]) else None
            if rests is not None and not rests[0].any():
                return min(most, divisor)
        if isinstance(op, xetile.TileBroadcast) and 0 in op.dims:
            return most
        if isinstance(op, (Elementwise, xetile.TileBroadcast)):
            return min((self.repeats(v, most) for v in op.operands), default=1)
        return 1

    def _counts_up(self, value: Value) -> bool:
        """Whether each row has one more than the row before it."""
        op = value.op
        if isinstance(op, xetile.TileIota):
            return op.dim == 0
        if isinstance(op, arith.AddI):
            return any(self._counts_up(a) and vector.is_one_number(b) for a, b in (op.operands, op.operands[::-1]))
        return isinstance(op, arith.INDEX_CASTS) and self._counts_up(op.operands[0])


def _power_of(op: Op | None, kinds: tuple[type[Op], ...]) -> int:
    """The power of two that an op of some kinds divides by, or shifts by; 0 where it is no such op, or another number."""
    number = arith.constant_of(op.operands[1]) if isinstance(op, kinds) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return 0
    if isinstance(op, _SHIFTS):
        return 1 << number if 0 <= number < _LARGEST_SHIFT else 0
    return number if number > 0 and number & (number - 1) == 0 else 0


def every(value: Value, count: int, build: Rewriter) -> Value:
    """Every so many rows of a value, from the first on, of which `repeats` knows that the others are the same."""
    op, kind = value.op, value.type
    if op is None or not isinstance(kind, VectorType) or kind.shape[0] == 1:
        return value
    kind = kind.with_shape(kind.shape[0] // count, *kind.shape[1:])
    if isinstance(op, xetile.TileIota):
        made: Value = build.clone(op, [], [kind]).results[0]
        return made if op.dim else build(arith.MulI, made, build(arith.Constant, value=count, result=kind))
    operands = op.operands if vector.is_one_number(value) else [every(v, count, build) for v in op.operands]
    return build.clone(op, operands, [kind]).results[0]

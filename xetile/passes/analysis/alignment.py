"""What is left of index values and the offsets of tiles when powers of two divide them, whatever happens at run time.

The analysis is optimistic: values carried by loops count as zero, until what the loop does to them is known. Integers wrap around at a
power of two, so what smaller powers leave is the same of the wrapped number; no other divisors are tracked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value
from xetile.ir.dataflow import Forward

ZERO = 64  # zeros at the end of the number 0, as far as any integer type goes
Zeros = tuple[int, ...]  # of a scalar, or of a tile's offsets, row and column
_KNOWN = 32  # binary digits of a number that is not 0 which are tracked


class Rest(NamedTuple):
    """The last binary digits of a number: how many are known, and the number that they are."""

    digits: int
    value: int

    @property
    def zeros(self) -> int:
        """The exponent of the largest power of two that is known to divide the number."""
        return _zeros_of(self.value) if self.value else self.digits


Rests = tuple[Rest, ...]  # of a scalar, or of a tile's offsets, row and column
_ANY = Rest(0, 0)
NONE: Rests = (_ANY, _ANY)


def _zeros_of(number: int) -> int:
    return (number & -number).bit_length() - 1 if number else ZERO


def _rest(digits: int, number: int) -> Rest:
    """The digits of a number that is the same in so many of them; of a multiple of a large power of two all its zeros."""
    value = number & ((1 << digits) - 1)
    if value == 0:
        return Rest(min(digits, ZERO), 0)
    digits = max(min(digits, _KNOWN), min(digits, _zeros_of(value)))
    return Rest(digits, value & ((1 << digits) - 1))


def _either(a: Rest, b: Rest) -> Rest:
    return _rest(min(a.digits, b.digits, _zeros_of(a.value - b.value)), a.value)


def _product(a: Rest, b: Rest) -> Rest:
    return _rest(min(a.digits + b.zeros, b.digits + a.zeros), a.value * b.value)


def _common_digits(a: Rest, b: Rest) -> Rest:
    """Of `and`: a digit is known where both are, or one of them is 0."""
    digits = 0
    while digits < ZERO and _is_known_in_both(a, b, digits):
        digits += 1
    return _rest(digits, a.value & b.value)


def _is_known_in_both(a: Rest, b: Rest, digit: int) -> bool:
    known = [digit < rest.digits for rest in (a, b)]
    return all(known) or any(k and not rest.value >> digit & 1 for k, rest in zip(known, (a, b)))


def _shifted(op: Op, a: Rest, b: Rest) -> Rest:
    by = arith.constant_of(op.operands[1])
    return _rest(max(0, a.digits - by), a.value >> by) if isinstance(by, int) and by >= 0 else _ANY


def _shifted_left(op: Op, a: Rest, b: Rest) -> Rest:
    by = arith.constant_of(op.operands[1]) or 0
    return _rest(min(ZERO, a.digits + by), a.value << by)


def _divided(op: Op, a: Rest, b: Rest) -> Rest:
    by = arith.constant_of(op.operands[1])
    exact = isinstance(by, int) and by > 0 and by & (by - 1) == 0 and a.zeros >= _zeros_of(by)
    return _rest(a.digits - _zeros_of(by), a.value // by) if exact else _ANY


_RULES: dict[str, Callable[[Op, Rest, Rest], Rest]] = {
    "mul": lambda op, a, b: _product(a, b),
    "and": lambda op, a, b: _common_digits(a, b),
    "shl": _shifted_left,
    "shr": _shifted,
    **dict.fromkeys(("div", "floordiv", "ceildiv"), _divided),
    **dict.fromkeys(("max", "min"), lambda op, a, b: _either(a, b)),
    "add": lambda op, a, b: _rest(min(a.digits, b.digits), a.value + b.value),
    "sub": lambda op, a, b: _rest(min(a.digits, b.digits), a.value - b.value),
    "or": lambda op, a, b: _rest(min(a.digits, b.digits), a.value | b.value),
    "xor": lambda op, a, b: _rest(min(a.digits, b.digits), a.value ^ b.value),
    "rem": lambda op, a, b: _rest(min(a.digits, b.zeros), a.value),
}
"""By function, with or without a sign: the last digits are the same."""


class Alignment(Forward[Rests]):
    """The last binary digits of every integer scalar, and of the last two offsets of every tile, of a kernel."""

    def __init__(self, kernel: GpuFunc) -> None:
        super().__init__(kernel)
        noted = [text.split() for text in kernel.multiples]
        multiples = {("dim", param, int(axis)): (Rest(int(exponent), 0),) for param, axis, exponent in noted}
        for arg, spec in kernel.specs.items():
            self.facts[arg] = multiples.get((spec.kind, spec.param, spec.axis), NONE)

    def of(self, value: Value) -> Zeros:
        """The exponents of the powers of two that divide it: one for a scalar, for a tile those of its row and column."""
        return tuple(rest.zeros for rest in self.rests(value))

    def rests(self, value: Value) -> Rests:
        """The last digits: of a scalar, or of a tile's row and column."""
        self.ask(value)
        return self.facts.get(value, NONE)

    def join(self, one: Rests, other: Rests) -> Rests:
        """The digits that both have."""
        return _common((one, other))

    def transfer(self, op: Op) -> Iterable[tuple[Value, Rests]]:
        """Of integers and tiles."""
        return [(op.results[0], _wrapped(op.results[0], self._result(op)))] if op.results and _counts(op.results[0]) else ()

    def enter(self, op: Op) -> Iterable[tuple[Value, Rests]]:
        """A counter is the lower bound and some steps."""
        return [(counter, self._counted([self._known(v)[0] for v in parts])) for counter, parts in op.counters()]

    def depends(self, op: Op) -> Iterable[Value]:
        """Of a tile on its offsets; of numbers that are no integers on nothing."""
        if isinstance(op, xetile.InitTile):
            return op.offsets
        return super().depends(op) if op.regions or (op.results and _counts(op.results[0])) else ()

    @staticmethod
    def _counted(parts: Sequence[Rest]) -> Rests:
        first, *steps = parts
        return (_rest(min(first.digits, *(step.zeros for step in steps)), first.value),)

    def _result(self, op: Op) -> Rests:
        if isinstance(op, arith.Binary):
            rule = _RULES.get(op.function.removeprefix("u"))
            return NONE if rule is None else (rule(op, self._known(op.operands[0])[0], self._known(op.operands[1])[0]),)
        if isinstance(op, arith.Constant):
            return (_rest(ZERO, int(op.value)),)
        if isinstance(op, xetile.InitTile):
            return (Rest(ZERO, 0), Rest(ZERO, 0), *(self._known(v)[0] for v in op.offsets))[-2:]  # memory of rank 1 is one row
        if isinstance(op, xetile.UpdateTileOffset):
            return tuple(
                _rest(min(a.digits, b.digits), a.value + b.value)
                for a, b in zip(self._known(op.tile), (self._known(v)[0] for v in op.offsets))
            )
        if isinstance(op, arith.INTEGER_CASTS):
            return self._known(op.operands[0])
        if isinstance(op, arith.Select):
            return _common([self._known(v) for v in op.operands[1:]])
        return NONE

    def _known(self, value: Value) -> Rests:
        return self.facts.get(value, NONE)


def _wrapped(value: Value, rests: Rests) -> Rests:
    """No more digits than the type has: the next ones are those of the sign."""
    kind = value.type
    if not isinstance(kind, ScalarType) or kind.bits >= _KNOWN:
        return rests
    return tuple(rest if rest.value == 0 else _rest(min(rest.digits, kind.bits), rest.value) for rest in rests)


def _counts(value: Value) -> bool:
    kind = value.type
    if isinstance(kind, xetile.TileType):
        return not kind.scatter
    return isinstance(kind, ScalarType) and not kind.is_float


def _common(several: Sequence[Rests]) -> Rests:
    first, *others = several
    for other in others:
        first = tuple(map(_either, first, other))
    return first

"""Scalars of index arithmetic read as sums of products with constants, however the ops that make them are grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xetile.dialects import arith
from xetile.ir.core import Value
from xetile.records import dataclass

Atom = Callable[[Value], bool]
"""Which values are not taken apart."""
Now = Callable[[Value], Value]
"""What stands for a value by now, in a pass that replaces values."""


@dataclass(frozen=True)
class Affine:
    """A constant and symbols, each times its coefficient, which is not zero. Sums wrap as the numbers of their type do."""

    coefficients: Mapping[Value, int]
    constant: int = 0

    def plus(self, other: Affine, times: int = 1) -> Affine:
        """The sum with a multiple of another one."""
        found = dict(self.coefficients)
        for symbol, n in other.coefficients.items():
            found[symbol] = found.get(symbol, 0) + n * times
        return Affine({symbol: n for symbol, n in found.items() if n}, self.constant + other.constant * times)

    def less(self, symbol: Value) -> int | None:
        """The number that is left without one symbol; None where it is not that symbol and a number."""
        return self.constant if self.coefficients == {symbol: 1} else None


def affine_of(value: Value, atom: Atom = lambda v: False, now: Now = lambda v: v) -> Affine:
    """What a scalar is: sums and differences, and products of them with constants, are multiplied out."""
    return _Reader(atom, now).read(value)


class _Reader:
    """Reads each value once: a sum of itself, again and again, has as many terms as it has ops."""

    def __init__(self, atom: Atom, now: Now) -> None:
        self._atom = atom
        self._now = now
        self._known: dict[Value, Affine] = {}

    def read(self, value: Value) -> Affine:
        value = self._now(value)
        if value not in self._known:
            self._known[value] = self._make(value)
        return self._known[value]

    def _make(self, value: Value) -> Affine:
        known, op = arith.constant_of(value), value.op
        if isinstance(known, int):
            return Affine({}, known)
        if isinstance(op, (arith.AddI, arith.SubI)) and not self._atom(value):
            left, right = map(self.read, op.operands)
            return left.plus(right, -1 if isinstance(op, arith.SubI) else 1)
        scaled = None if self._atom(value) else _scaled(value, self._now)
        return Affine({value: 1}) if scaled is None else Affine({}).plus(self.read(scaled[0]), scaled[1])


@dataclass(frozen=True)
class Term:
    """`coefficient * symbol`, which is `value`. A symbol is no product with a constant itself."""

    symbol: Value
    coefficient: int
    value: Value


@dataclass(frozen=True)
class Sum:
    """A constant and the terms of a sum, in the order in which they are added: for who makes it again."""

    terms: tuple[Term, ...]
    constant: int = 0


def sum_of(value: Value) -> Sum:
    """What is added to make a scalar. Differences of what is not constant are one term, as products of sums are."""
    terms: list[Term] = []
    constant = 0
    for part, number in _parts(value):
        if part is None:
            constant += number
        else:
            symbol, coefficient = _scaled(part) or (part, 1)
            terms.append(Term(symbol, coefficient, part))
    return Sum(tuple(terms), constant)


def _parts(value: Value) -> Iterator[tuple[Value | None, int]]:
    """What is added: values, and numbers (beside None)."""
    known, op = arith.constant_of(value), value.op
    if isinstance(known, int):
        yield None, known
    elif isinstance(op, arith.AddI):
        for operand in op.operands:
            yield from _parts(operand)
    elif isinstance(op, arith.SubI) and isinstance(less := arith.constant_of(op.operands[1]), int):
        yield from _parts(op.operands[0])
        yield None, -less
    else:
        yield value, 0


def _scaled(value: Value, now: Now = lambda v: v) -> tuple[Value, int] | None:
    """What a product with a constant multiplies, and by what."""
    op = value.op
    if not isinstance(op, (arith.MulI, arith.ShLI)):
        return None
    left, right = op.operands
    known = arith.constant_of(now(right))
    if isinstance(op, arith.ShLI):
        return (left, 1 << known) if isinstance(known, int) and 0 <= known < 64 else None  # no integer is wider
    if isinstance(known, int):
        return left, known
    known = arith.constant_of(now(left))
    return (right, known) if isinstance(known, int) else None

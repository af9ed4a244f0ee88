"""Vectors of indices read as polynomials: in the row and the column of an element, and in scalars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.types import I64, INDEX, VectorType, element_of, shape_of
from xetile.ir.core import Block, Value
from xetile.passes.analysis.recurrences import is_invariant
from xetile.records import dataclass

WIDE = (INDEX, I64)
"""Types in which indices of a launch do not wrap."""
MOST_TERMS = 24
"""More than any address has; squares of long sums have many more."""
_LESS = {"slt": (0, 1), "ult": (0, 1), "sgt": (1, 0), "ugt": (1, 0)}
"""Which operand of a comparison is the smaller one, and which the larger."""
_AT_MOST = {"sle": (0, 1), "ule": (0, 1), "sge": (1, 0), "uge": (1, 0)}
"""The same of those that may be equal."""


class Place(Enum):
    """Where an element lies in its vector."""

    ROW = 0
    COLUMN = 1


Symbol = Value | Place
Monomial = tuple[Symbol, ...]
"""The product of symbols, in an order of their own."""


@dataclass(frozen=True)
class Polynomial:
    """Products of symbols, each times its coefficient, which is not zero; the empty product is the constant."""

    terms: Mapping[Monomial, int]

    def plus(self, other: Polynomial, times: int = 1) -> Polynomial:
        """The sum with a multiple of another one."""
        found = dict(self.terms)
        for monomial, n in other.terms.items():
            found[monomial] = found.get(monomial, 0) + n * times
        return Polynomial({monomial: n for monomial, n in found.items() if n})

    def times(self, other: Polynomial) -> Polynomial:
        """The product."""
        found: dict[Monomial, int] = {}
        for one, n in self.terms.items():
            for two, m in other.terms.items():
                both = tuple(sorted((*one, *two), key=id))
                found[both] = found.get(both, 0) + n * m
        return Polynomial({monomial: n for monomial, n in found.items() if n})

    def part(self, symbol: Symbol) -> tuple[Polynomial, Polynomial] | None:
        """(what a symbol is multiplied by, what is left); None where it is multiplied by itself."""
        by, left = dict[Monomial, int](), dict[Monomial, int]()
        for monomial, n in self.terms.items():
            count = monomial.count(symbol)
            if count > 1:
                return None
            if count:
                place = monomial.index(symbol)
                by[monomial[:place] + monomial[place + 1 :]] = n
            else:
                left[monomial] = n
        return Polynomial(by), Polynomial(left)

    @property
    def symbols(self) -> set[Symbol]:
        """All that is in it."""
        return {symbol for monomial in self.terms for symbol in monomial}

    @property
    def known(self) -> int | None:
        """The number that it is; None for others."""
        return self.terms.get((), 0) if set(self.terms) <= {()} else None

    @property
    def value(self) -> Value | None:
        """The value that it is; None for others."""
        ((monomial, n), *more) = self.terms.items() or (((), 0),)
        symbol = monomial[0] if not more and n == 1 and len(monomial) == 1 else None
        return symbol if isinstance(symbol, Value) else None

    def turned(self) -> Polynomial:
        """With rows for columns."""
        other = {Place.ROW: Place.COLUMN, Place.COLUMN: Place.ROW}
        turned = (
            (tuple(sorted((other.get(s, s) if isinstance(s, Place) else s for s in monomial), key=id)), n)
            for monomial, n in self.terms.items()
        )
        return Polynomial(dict(turned))


def number(value: int) -> Polynomial:
    """A constant."""
    return Polynomial({(): value} if value else {})


def of(symbol: Symbol) -> Polynomial:
    """A symbol."""
    return Polynomial({(symbol,): 1})


class Reader:
    """Reads each value once. `equal`: what to read in place of scalars that are the same; `numbers`: what some of these are."""

    def __init__(self, equal: Mapping[Value, Value], known: Mapping[Value, Polynomial] | None = None,
                 numbers: Mapping[Value, int] | None = None) -> None:  # fmt: skip
        self._equal, self._numbers = equal, numbers or {}
        self._known: dict[Value, Polynomial | None] = dict(known or {})

    def read(self, value: Value) -> Polynomial | None:
        """What a scalar or a vector is; None for vectors that are nothing such."""
        if value not in self._known:
            found = self._make(value)
            if found is not None and len(found.terms) > MOST_TERMS:
                found = None if isinstance(value.type, VectorType) else self._own(value)
            self._known[value] = found
        return self._known[value]

    def _make(self, value: Value) -> Polynomial | None:
        op, is_vector = value.op, isinstance(value.type, VectorType)
        known = arith.constant_of(value)
        if isinstance(known, int) and not isinstance(known, bool):
            return number(known)
        own = None if is_vector else self._own(value)
        if isinstance(op, vector.Broadcast):
            return self.read(op.source) if element_of(value.type) in WIDE else None
        if isinstance(op, xetile.TileIota):
            return of(Place(op.dim)) if shape_of(value.type)[op.dim] > 1 else number(0)
        if isinstance(op, xetile.TileBroadcast):
            return self.read(op.source)
        if isinstance(op, (xetile.TileTranspose, vector.ShapeCast)):
            return self._turned(op)
        if op is None and is_vector and element_of(value.type) in WIDE:
            return self._carried(value)
        if op is None or element_of(value.type) not in WIDE:
            return own
        if isinstance(op, arith.IndexCast):
            return self.read(op.operands[0]) if element_of(op.operands[0].type) in WIDE else own
        return self._computed(value) or own

    def _own(self, value: Value) -> Polynomial:
        """A scalar that is not computed, or is read as if it were not."""
        same = self._equal.get(value, value)
        return number(self._numbers[same]) if same in self._numbers else of(same)

    def _computed(self, value: Value) -> Polynomial | None:
        op = value.op
        if isinstance(op, (arith.AddI, arith.SubI, arith.MulI)):
            left, right = map(self.read, op.operands)
            if left is None or right is None:
                return None
            return left.times(right) if isinstance(op, arith.MulI) else left.plus(right, -1 if isinstance(op, arith.SubI) else 1)
        if isinstance(op, arith.ShLI) and isinstance(by := arith.constant_of(op.operands[1]), int) and 0 <= by < 32:
            shifted = self.read(op.operands[0])
            return None if shifted is None else shifted.times(number(1 << by))
        return None

    def _carried(self, value: Value) -> Polynomial | None:
        """Of a vector that a loop carries and adds the same to in each iteration: what it begins with, and a multiple of the counter."""
        loop = value.owner.parent if isinstance(value.owner, Block) else None
        every = arith.constant_of(loop.step) if isinstance(loop, scf.For) else None
        if not isinstance(loop, scf.For) or not isinstance(every, int) or every < 1:
            return None
        first, after = self.read(loop.init[value.index - 1]), loop.body.terminator.operands[value.index - 1]
        added = Reader(self._equal, {value: of(value)}, self._numbers).read(after)
        apart = None if added is None else added.part(value)
        if first is None or apart is None or apart[0] != number(1):
            return None
        step = apart[1]
        if any(isinstance(s, Place) or not is_invariant(s, loop) for s in step.symbols) or any(
            n % every for n in step.terms.values()
        ):
            return None
        begin = self.read(loop.lower)
        assert begin is not None, "scalars are something"
        rounds = of(loop.body.args[0]).plus(begin, -1)
        return first.plus(Polynomial({monomial: n // every for monomial, n in step.terms.items()}).times(rounds))

    def _turned(self, op: xetile.TileTranspose | vector.ShapeCast) -> Polynomial | None:
        """Of a transpose, or of a row that becomes a column."""
        source: Value = op.source
        before, after = shape_of(source.type), shape_of(op.result.type)
        if len(before) != 2 or len(after) != 2 or before != after[::-1]:
            return None
        if isinstance(op, vector.ShapeCast) and 1 not in before:
            return None
        found = self.read(source)
        return None if found is None else found.turned()


def conjunction(mask: Value) -> Iterator[Value]:
    """What must all be true where a mask is, each in the shape that it has."""
    op = mask.op
    if isinstance(op, arith.AndI):
        for operand in op.operands:
            yield from conjunction(operand)
    elif isinstance(op, (xetile.TileBroadcast, vector.Broadcast)):
        yield from conjunction(op.source)
    elif arith.constant_of(mask) is not True:
        yield mask


def compared(mask: Value, reader: Reader) -> tuple[Polynomial, Polynomial] | None:
    """(small, large) where a comparison says that one is less than the other; None for other masks, and for what is no polynomial."""
    op = mask.op
    if not isinstance(op, arith.CmpI):
        return None
    order = _LESS.get(op.predicate) or _AT_MOST.get(op.predicate)
    small, large = (None, None) if order is None else (reader.read(op.operands[i]) for i in order)
    if small is None or large is None:
        return None
    return small, large if op.predicate in _LESS else large.plus(number(1))


__all__ = ["MOST_TERMS", "Place", "Polynomial", "Reader", "compared", "conjunction", "number", "of"]

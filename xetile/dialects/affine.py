"""Scalars of index arithmetic read as sums of products with constants, however the ops that make them are grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from xetile.dialects import arith
from xetile.ir.core import Value


@dataclass(frozen=True)
class Term:
    """`coefficient * symbol`, which is `value`. A symbol is no product with a constant itself."""

    symbol: Value
    coefficient: int
    value: Value


@dataclass(frozen=True)
class Affine:
    """A constant and a sum of terms, in the order in which they are added. Sums wrap as the numbers of their type do."""

    terms: tuple[Term, ...]
    constant: int = 0

    @cached_property
    def coefficients(self) -> dict[Value, int]:
        """By symbol, without those that cancel out."""
        found: dict[Value, int] = {}
        for term in self.terms:
            found[term.symbol] = found.get(term.symbol, 0) + term.coefficient
        return {symbol: n for symbol, n in found.items() if n}


def affine_of(value: Value, atom: Callable[[Value], bool] | None = None, now: Callable[[Value], Value] | None = None) -> Affine:
    """A scalar as a sum. `atom`: values that are not taken apart; `now`: what stands for a value by now, in a pass that replaces them."""
    terms: list[Term] = []
    constant = 0
    for part, number in _parts(value, atom or (lambda v: False), now or (lambda v: v)):
        if part is None:
            constant += number
        else:
            terms.append(_term(part, atom))
    return Affine(tuple(terms), constant)


def _parts(value: Value, atom: Callable[[Value], bool], now: Callable[[Value], Value]) -> Iterator[tuple[Value | None, int]]:
    """What is added: values, and numbers (beside None)."""
    value = now(value)
    known, op = arith.constant_of(value), value.op
    if isinstance(known, int):
        yield None, known
    elif isinstance(op, arith.AddI) and not atom(value):
        for operand in op.operands:
            yield from _parts(operand, atom, now)
    elif isinstance(op, arith.SubI) and isinstance(less := arith.constant_of(now(op.operands[1])), int) and not atom(value):
        yield from _parts(op.operands[0], atom, now)
        yield None, -less
    else:
        yield value, 0


def _term(value: Value, atom: Callable[[Value], bool] | None) -> Term:
    op = value.op
    known = arith.constant_of(op.operands[1]) if isinstance(op, (arith.MulI, arith.ShLI)) else None
    if not isinstance(known, int) or (atom is not None and atom(value)):
        return Term(value, 1, value)
    assert op is not None
    return Term(op.operands[0], known if isinstance(op, arith.MulI) else 1 << known, value)

"""Index arithmetic on numbers and values alike: what is known when the code is made, the code does not compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xetile.dialects import arith
from xetile.dialects.types import I1, INDEX
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value

Number = Any
"""An int, or an index value."""
Truth = Any
"""A bool, or an i1 value."""


class Numbers:
    """Emits index arithmetic at a builder's place."""

    def __init__(self, build: Builder) -> None:
        self.build = build

    def value(self, number: Number) -> Value:
        """A number as a value."""
        if isinstance(number, Value):
            return number
        return self.build(arith.Constant, value=int(number), result=INDEX)

    def known(self, number: Number) -> Number:
        """A value as an int where it is a constant."""
        found = arith.constant_of(number) if isinstance(number, Value) else number
        return number if found is None else found

    def add(self, *terms: Number) -> Number:
        """Their sum."""
        terms = tuple(map(self.known, terms))
        fixed = sum(t for t in terms if isinstance(t, int))
        total = None
        for term in (t for t in terms if not isinstance(t, int)):
            total = term if total is None else self.build(arith.AddI, total, term)
        if total is None:
            return fixed
        return total if fixed == 0 else self.build(arith.AddI, total, self.value(fixed))

    def subtract(self, a: Number, b: Number) -> Number:
        """`a - b`."""
        a, b = self.known(a), self.known(b)
        if isinstance(b, int):
            return self.add(a, -b)
        return self.build(arith.SubI, self.value(a), b)

    def multiply(self, a: Number, b: Number) -> Number:
        """`a * b`."""
        a, b = self.known(a), self.known(b)
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, int):
            return a * b
        if isinstance(b, int) and b in (0, 1):
            return a if b else 0
        return self.build(arith.MulI, a, self.value(b))

    def divide(self, a: Number, b: int) -> Number:
        """`a // b` of numbers that are not negative."""
        a = self.known(a)
        if isinstance(a, int) or b == 1:
            return a // b if isinstance(a, int) else a
        return self.build(arith.DivUI, a, self.value(b))

    def smaller(self, a: Number, b: Number) -> Number:
        """The smaller one."""
        return self._extreme(arith.MinSI, min, a, b)

    def larger(self, a: Number, b: Number) -> Number:
        """The larger one."""
        return self._extreme(arith.MaxSI, max, a, b)

    def _extreme(self, kind: type[Op], fold: Callable[[int, int], int], a: Number, b: Number) -> Number:
        a, b = self.known(a), self.known(b)
        if isinstance(a, int) and isinstance(b, int):
            return fold(a, b)
        return self.build(kind, self.value(a), self.value(b))

    def at_most(self, a: Number, b: Number) -> Truth:
        """`a <= b`."""
        a, b = self.known(a), self.known(b)
        if isinstance(a, int) and isinstance(b, int):
            return a <= b
        return self.build(arith.CmpI, self.value(a), self.value(b), predicate="sle")

    def below(self, a: Number, b: Number) -> Truth:
        """`a < b`."""
        a, b = self.known(a), self.known(b)
        if isinstance(a, int) and isinstance(b, int):
            return a < b
        return self.build(arith.CmpI, self.value(a), self.value(b), predicate="slt")

    def equal(self, a: Number, b: Number) -> Truth:
        """`a == b`."""
        a, b = self.known(a), self.known(b)
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        return self.build(arith.CmpI, self.value(a), self.value(b), predicate="eq")

    def both(self, *truths: Truth) -> Truth:
        """Whether all hold."""
        total = True
        for truth in truths:
            if truth is False or total is False:
                return False
            if truth is not True:
                total = truth if total is True else self.build(arith.AndI, total, truth)
        return total

    def truth(self, truth: Truth) -> Value:
        """As a value."""
        if isinstance(truth, Value):
            return truth
        return self.build(arith.Constant, value=bool(truth), result=I1)

    def choose(self, condition: Truth, a: Number, b: Number) -> Number:
        """`a` where the condition holds, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        a, b = self.known(a), self.known(b)
        if isinstance(a, int) and isinstance(b, int) and a == b:
            return a
        return self.build(arith.Select, condition, self.value(a), self.value(b))

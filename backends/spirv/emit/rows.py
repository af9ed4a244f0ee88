"""Arithmetic on all vectors of a value at once, for functions that CPUs compute in line.

Each step is written for all vectors of a value before the next step: a chain of 30 dependent instructions fills a CPU's schedulers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..module.encode import Id
from .emitter import Emitter

Row = tuple[Id, ...]
"""The vectors of a value."""

WHOLE = 12582912.0
"""1.5 * 2^23: a small number added to it is rounded to a whole one, which stands in the lowest bits."""
MAGNITUDE, SIGN = 0x7FFFFFFF, -0x80000000
"""Bits of an f32."""


class Rows:
    """Instructions on vectors of so many f32 each."""

    def __init__(self, e: Emitter, counts: Sequence[int]) -> None:
        self.e = e
        self.counts = counts

    def _polynomial(self, coefficients: Sequence[float], x: Row) -> Row:
        """The highest power comes first."""
        total = self._real(coefficients[0])
        for coefficient in coefficients[1:]:
            total = self._fma(total, x, self._real(coefficient))
        return total

    def _fma(self, x: Row, y: Row, z: Row) -> Row:
        return tuple(self.e.ext(self.e.vector(self.e.f32, n), "fma", *of) for n, *of in zip(self.counts, x, y, z, strict=True))

    def _do(self, name: str, *operands: Row) -> Row:
        return self._each(name, self.e.f32, *operands)

    def _int(self, name: str, *operands: Row) -> Row:
        return self._each(name, self.e.i32, *operands)

    def _each(self, name: str, form: Id, *operands: Row) -> Row:
        return tuple(self.e.emit(name, self.e.vector(form, n), *of) for n, *of in zip(self.counts, *operands, strict=True))

    def _word(self, x: Row) -> Row:
        return self._int("OpBitcast", x)

    def _float(self, word: Row) -> Row:
        return self._do("OpBitcast", word)

    def _real(self, value: float) -> Row:
        return tuple(self.e.constant(self.e.f32, value, n) for n in self.counts)

    def _number(self, value: int) -> Row:
        return tuple(self.e.constant(self.e.i32, value, n) for n in self.counts)

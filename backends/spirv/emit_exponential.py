"""exp, exp2 and tanh in f32 for CPUs, in line: calls of the runtime's vector functions move all registers to the stack and back.

Each step is written for all vectors of a value before the next step: a chain of 30 dependent instructions fills a CPU's schedulers.
"""

from __future__ import annotations

from collections.abc import Sequence

from .emit import Emitter
from .encode import Id

Row = tuple[Id, ...]
"""The vectors of a value."""

# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, fitted so that e^r - 1 is off by 1.6e-8 of itself at most (0.27 units in the last place).
_POWERS = (0.0013946492690593004, 0.00836661085486412, 0.04166628047823906, 0.1666654348373413, 0.5)
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.428606765330187e-06  # the first has 16 bits: n times it is exact
_WHOLE = 12582912.0  # 1.5 * 2^23: a small number added to it is rounded to a whole one, which stands in the lowest bits
_ONE_BITS, _WHOLE_BITS = 0x3F800000, 0x4B400000
_LIMITS = {"exp": (-104.5, 89.0), "exp2": (-151.0, 129.0)}  # beyond: 0 and infinity in f32
_TANH_ENOUGH = 10.0  # tanh is 1 in f32
_MAGNITUDE, _SIGN = 0x7FFFFFFF, -0x80000000
_INVERSE = (32 / 99, -144 / 99, 210 / 99)  # 1 / d for 1 <= d <= 2, off by 1/99 of itself at most (Chebyshev)


class Exponentials:
    """Functions of vectors of so many f32 each."""

    def __init__(self, e: Emitter, counts: Sequence[int]) -> None:
        self.e = e
        self.counts = counts

    def exp(self, x: Row) -> Row:
        """e to the power of x."""
        x = self._limited(x, *_LIMITS["exp"])
        shifted, n = self._whole(self._fma(x, self._real(_LOG2_E), self._real(_WHOLE)))
        return self._scaled(self._fraction(x, n), shifted)

    def exp2(self, x: Row) -> Row:
        """2 to the power of x."""
        x = self._limited(x, *_LIMITS["exp2"])
        shifted, n = self._whole(self._do("OpFAdd", x, self._real(_WHOLE)))
        return self._scaled(self._do("OpFMul", self._do("OpFSub", x, n), self._real(1 / _LOG2_E)), shifted)

    def tanh(self, x: Row) -> Row:
        """`(1 - t) / (1 + t)` for t = e^(-2 |x|), with the sign of x; 1 - t without a difference of near numbers."""
        word = self._word(x)
        size = self._float(self._int("OpBitwiseAnd", word, self._number(_MAGNITUDE)))
        size = self._choose("OpFOrdGreaterThan", size, _TANH_ENOUGH)
        z = self._do("OpFMul", size, self._real(-2.0))
        shifted, n = self._whole(self._fma(z, self._real(_LOG2_E), self._real(_WHOLE)))
        r = self._fraction(z, n)
        scale = self._float(self._int("OpIAdd", self._shifted(self._word(shifted)), self._number(_ONE_BITS)))
        less = self._do("OpFSub", scale, self._real(1.0))
        less = self._fma(scale, self._fma(self._do("OpFMul", self._tail(r), r), r, r), less)  # t - 1
        part = self._float(self._int("OpBitwiseAnd", self._word(self._divided(less)), self._number(_MAGNITUDE)))
        sign = self._int("OpBitwiseAnd", word, self._number(_SIGN))
        return self._float(self._int("OpBitwiseOr", self._word(part), sign))

    # Parts.

    def _limited(self, x: Row, low: float, high: float) -> Row:
        """Between two numbers; NaN stays."""
        return self._choose("OpFOrdLessThan", self._choose("OpFOrdGreaterThan", x, high), low)

    def _whole(self, shifted: Row) -> tuple[Row, Row]:
        """A number to which `_WHOLE` was added, and the whole number next to what it was."""
        return shifted, self._do("OpFSub", shifted, self._real(_WHOLE))

    def _fraction(self, x: Row, n: Row) -> Row:
        """x - n ln(2)."""
        return self._fma(n, self._real(-_LN2_LOW), self._fma(n, self._real(-_LN2_HIGH), x))

    def _tail(self, r: Row) -> Row:
        """(e^r - 1 - r) / r^2."""
        total = self._real(_POWERS[0])
        for coefficient in _POWERS[1:]:
            total = self._fma(total, r, self._real(coefficient))
        return total

    def _scaled(self, r: Row, shifted: Row) -> Row:
        """e^r * 2^n in two steps: results may be subnormal or infinite where 2^n is not in f32."""
        one = self._real(1.0)
        power = self._fma(self._fma(self._tail(r), r, one), r, one)
        n = self._int("OpISub", self._word(shifted), self._number(_WHOLE_BITS))
        half = self._int("OpShiftRightArithmetic", n, self._number(1))
        for part in (half, self._int("OpISub", n, half)):
            scale = self._float(self._int("OpIAdd", self._shifted(part), self._number(_ONE_BITS)))
            power = self._do("OpFMul", power, scale)
        return power

    def _divided(self, less: Row) -> Row:
        """`less / (less + 2)` for -1 <= less <= 0: a CPU's own division takes as long as the rest of tanh."""
        under = self._do("OpFAdd", less, self._real(2.0))
        inverse = self._fma(self._real(_INVERSE[0]), under, self._real(_INVERSE[1]))
        inverse = self._fma(inverse, under, self._real(_INVERSE[2]))
        minus = self._do("OpFSub", self._real(0.0), under)
        inverse = self._fma(inverse, self._fma(minus, inverse, self._real(1.0)), inverse)
        part = self._do("OpFMul", less, inverse)
        lost = self._do("OpFSub", self._do("OpFSub", under, self._real(2.0)), less)  # by rounding: both differences are exact
        return self._fma(self._fma(lost, part, self._fma(minus, part, less)), inverse, part)

    # Instructions.

    def _choose(self, comparison: str, x: Row, limit: float) -> Row:
        """The limit where x lies beyond it, which NaN does not."""
        limits = self._real(limit)
        return self._do("OpSelect", self._each(comparison, self.e.bool, x, limits), limits, x)

    def _fma(self, x: Row, y: Row, z: Row) -> Row:
        return tuple(self.e.ext(self.e.vector(self.e.f32, n), "fma", *of) for n, *of in zip(self.counts, x, y, z))

    def _do(self, name: str, *operands: Row) -> Row:
        return self._each(name, self.e.f32, *operands)

    def _int(self, name: str, *operands: Row) -> Row:
        return self._each(name, self.e.i32, *operands)

    def _each(self, name: str, form: Id, *operands: Row) -> Row:
        return tuple(self.e.emit(name, self.e.vector(form, n), *of) for n, *of in zip(self.counts, *operands))

    def _shifted(self, word: Row) -> Row:
        """A whole number where floats have their exponent."""
        return self._int("OpShiftLeftLogical", word, self._number(23))

    def _word(self, x: Row) -> Row:
        return self._int("OpBitcast", x)

    def _float(self, word: Row) -> Row:
        return self._do("OpBitcast", word)

    def _real(self, value: float) -> Row:
        return tuple(self.e.constant(self.e.f32, value, n) for n in self.counts)

    def _number(self, value: int) -> Row:
        return tuple(self.e.constant(self.e.i32, value, n) for n in self.counts)

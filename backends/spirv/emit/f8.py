"""f8 formats: no device instruction converts them, so bits are moved by integer arithmetic.

f8E4M3FN has a bias of 7, three bits of fraction, no infinity, and NaN as all ones; f8E5M2 is the upper byte of f16.
"""

from __future__ import annotations

from typing import NamedTuple

from xetile.dialects.types import F8E4M3FN, F8E5M2, F16, ScalarType

from ..module.encode import Id
from .emitter import Emitter
from .values import Fragment, mapped


class Format(NamedTuple):
    """`largest` code that a number that is too large becomes (without sign), `nan` the code of NaN."""

    bias: int
    fraction: int
    largest: int
    nan: int


_FORMATS = {F8E4M3FN: Format(7, 3, 0x7F, 0x7F), F8E5M2: Format(15, 2, 0x7C, 0x7E)}


class _Words:
    """Operations on vectors of 32-bit words of one length."""

    def __init__(self, e: Emitter, count: int) -> None:
        self.e = e
        self.count = count
        self.word = e.vector(e.i32, count)
        self.real = e.vector(e.f32, count)
        self.mask = e.vector(e.bool, count)

    def number(self, value: int) -> Id:
        return self.e.constant(self.e.i32, value, self.count)

    def __call__(self, name: str, a: Id, b: Id | int) -> Id:
        return self.e.emit(name, self.word, a, self._operand(b))

    def test(self, name: str, a: Id, b: Id | int) -> Id:
        return self.e.emit(name, self.mask, a, self._operand(b))

    def choose(self, condition: Id, a: Id | int, b: Id) -> Id:
        return self.e.emit("OpSelect", self.word, condition, self._operand(a), b)

    def scaled(self, value: Id, exponent: int) -> Id:
        """A float times a power of two."""
        return self.e.emit("OpFMul", self.real, value, self.e.constant(self.e.f32, 2.0**exponent, self.count))

    def _operand(self, value: Id | int) -> Id:
        return value if isinstance(value, Id) else self.number(value)


def from_f8(e: Emitter, value: Fragment, *, packed: bool = False) -> Fragment:
    """f8 to f16, exactly; `packed`: for a use that has two numbers to a word."""
    if value.element is F8E5M2:
        return mapped(e, F16, lambda n, x: _widen_e5m2(_Halves(e, n, paired=packed), x), value)
    # So many operations that half of them is less, even where the numbers are taken apart again.
    return mapped(e, F16, lambda n, x: _widen_e4m3(_Halves(e, n, paired=True), x), value)


class _Halves:
    """Operations on n numbers of 16 bits; `paired`: two to a word of 32, where n is even.

    Half of the instructions: conversions of bytes write either half of a word. Each carry from half to half must be masked.
    """

    def __init__(self, e: Emitter, n: int, *, paired: bool) -> None:
        self.e, self.n, self.paired = e, n, paired and n % 2 == 0
        self.form, self.count = (e.i32, n // 2) if self.paired else (e.i16, n)
        self.words = e.vector(self.form, self.count)

    def widened(self, name: str, x: Id) -> Id:
        """Bytes, one to 16 bits."""
        wide = self.e.emit(name, self.e.vector(self.e.i16, self.n), x)
        return self.e.emit("OpBitcast", self.words, wide) if self.paired else wide

    def shifted(self, x: Id, bits: int) -> Id:
        return self.e.emit("OpShiftLeftLogical", self.words, x, self.e.constant(self.form, bits, self.count))

    def __call__(self, name: str, x: Id, y: int) -> Id:
        """With the same number for each."""
        both = y << 16 | y if self.paired else y
        return self.e.emit(name, self.words, x, self.e.constant(self.form, both, self.count))

    def real(self, x: Id) -> Id:
        return self.e.emit("OpBitcast", self.e.vector(self.e.real(16), self.n), x)


def _widen_e5m2(do: _Halves, x: Id) -> Id:
    return do.real(do.shifted(do.widened("OpUConvert", x), 8))


def _widen_e4m3(do: _Halves, x: Id) -> Id:
    # Fraction and exponent where f16 has them, the sign from the copies that the conversion makes of it.
    bits = do("OpBitwiseAnd", do.shifted(do.widened("OpSConvert", x), 7), 0xBF80)
    # All ones and one more carry into the last bit of the exponent that is free: all ones there is NaN.
    carry = do("OpBitwiseAnd", do("OpIAdd", bits, 0x0080), 0x4000)
    e, n = do.e, do.n
    bits = e.emit("OpBitwiseOr", do.words, bits, carry)
    # The biases differ by 8. Subnormal f16 are operands here: GPUs keep them (cr0, half precision denormal mode), and so do CPUs.
    return e.emit("OpFMul", e.vector(e.real(16), n), do.real(bits), e.constant(e.real(16), 2.0 ** (15 - 7), n))


def to_f8(e: Emitter, value: Fragment, target: ScalarType) -> Fragment:
    """f32 to f8, to nearest even; too large becomes infinity (f8E5M2) or NaN (f8E4M3FN)."""
    return mapped(e, target, lambda n, x: _narrow(e, _FORMATS[target], n, x), value)


def _narrow(e: Emitter, f: Format, n: int, x: Id) -> Id:
    w = _Words(e, n)
    shift = 23 - f.fraction
    bits = e.emit("OpBitcast", w.word, x)
    magnitude = w("OpBitwiseAnd", bits, 0x7FFFFFFF)
    # To nearest even: half a unit less one, plus the last bit that stays.
    last = w("OpBitwiseAnd", w("OpShiftRightLogical", magnitude, shift), 1)
    rounded = w("OpIAdd", w("OpIAdd", magnitude, (1 << (shift - 1)) - 1), last)
    normal = w("OpISub", w("OpShiftRightLogical", rounded, shift), (127 - f.bias) << f.fraction)
    units = w.scaled(e.emit("OpBitcast", w.real, magnitude), f.bias - 1 + f.fraction)
    is_small = w.test("OpULessThan", magnitude, (128 - f.bias) << 23)
    # A conversion of what is no subnormal could be out of range: those take zero.
    kept = e.emit("OpSelect", w.real, is_small, units, e.constant(e.f32, 0.0, n))
    small = e.emit("OpConvertFToU", w.word, e.ext(w.real, "rint", kept))
    code = w.choose(is_small, small, e.ext(w.word, "u_min", normal, w.number(f.largest)))
    code = w.choose(w.test("OpUGreaterThan", magnitude, 0x7F800000), f.nan, code)
    sign = w("OpBitwiseAnd", w("OpShiftRightLogical", bits, 24), 0x80)
    return e.emit("OpUConvert", e.vector(e.i8, n), w("OpBitwiseOr", code, sign))

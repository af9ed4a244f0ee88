"""exp, exp2, tanh and erf in f32 for CPUs, in line.

A call of the runtime's vector functions moves registers to the stack: exp by itself takes half as long again. Its tanh and erf are off by
up to four units in the last place near 1, tanh where the CPU has AVX2 and erf where it has AVX-512.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..module.encode import Id
from .intervals import ENOUGH, FIRST, SHIFT, tanh_tables
from .rows import MAGNITUDE, SIGN, WHOLE, Row, Rows

# Each polynomial begins with the highest power and was fitted to its function with numpy.
# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, so that e^r - 1 is off by 1.6e-8 of itself at most (0.27 units in the last place).
_POWERS = (0.0013946492690593004, 0.00836661085486412, 0.04166628047823906, 0.1666654348373413, 0.5)
# e^r for |r| <= ln(2) / 2, off by 3e-9 of itself at most, and 2^r for 0 <= r <= 1, by 2e-9.
_EXP = (0.0013820633757859468, 0.008368673734366894, 0.04166826605796814, 0.1666652113199234, 0.4999999403953552, 1.0, 1.0)
_EXP2 = (0.00021612923592329025, 0.001246784464456141, 0.009675451554358006, 0.055485282093286514, 0.2402293086051941,
         0.6931470632553101, 1.0)  # fmt: skip
_EXP_MOST, _EXP_LEAST = 89.0, -104.0  # beyond these results are infinity and 0 in f32
_EXP_NOTHING = -708.0
"""Stands for what is less than the least: scaling to a result between 0 and the least normal number takes a Xeon 66 ns a vector (microcode),
even where it is rounded to 0, and 1 ns where the power of 2 is -512 or less. Padding and masks are such numbers."""
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.428606765330187e-06  # the first has 16 bits: n times it is exact
_BITS = {1.0: 0x3F800000, -2.0: -0x40000000}
LEAST = 4
"""Elements of the least vector register, which instructions of AVX-512 fill."""
MOST = 16
"""Elements of the largest."""
_INVERSE = (32 / 99, -144 / 99, 210 / 99)  # 1 / d for 1 <= d <= 2, off by 1/99 of itself at most (Chebyshev)
_TANH_ENOUGH, _ERF_ENOUGH = 10.0, 4.0  # both functions are 1 in f32
_ERF_NEAR = 0.84
# erf(x) / x - 1 in powers of x^2 up to there, off by 0.09 units at most; the logarithm of 1 - erf(x) beyond, by 0.04.
_NEAR = (
    -0.0006359560522734043,
    0.00505830142159166,
    -0.02680659855545447,
    0.11282809218078593,
    -0.3761257901206749,
    0.12837916111067046,
)
_FAR = (0.00020471959326931133, -0.003127714081297654, 0.022556824266428632, -0.10460099481675736, -0.6364372522424891,
        -1.1281071895315615, -9.391369306932518e-05)  # fmt: skip


class Exponentials(Rows):
    """Functions of vectors of so many f32 each; NaN stays NaN, and each result has the sign of what it is of."""

    def exp(self, x: Row) -> Row:
        """A polynomial of what is left of x beside whole logarithms of 2, times a power of 2; off by 0.9 units at most."""
        x = self._chosen("OpFOrdGreaterThan", x, _EXP_MOST, _EXP_MOST)
        x = self._chosen("OpFOrdLessThan", x, _EXP_LEAST, _EXP_NOTHING)
        n = self._do("OpFSub", self._fma(x, self._real(_LOG2_E), self._real(WHOLE)), self._real(WHOLE))
        r = self._fma(n, self._real(-_LN2_LOW), self._fma(n, self._real(-_LN2_HIGH), x))
        return self._scaled(self._polynomial(_EXP, r), n)

    def exp2(self, x: Row) -> Row:
        """A polynomial of what is left of x beside a whole number, which of an infinity is 0; off by 1.1 units at most.

        The instruction that scales rounds the power downwards by itself.
        """
        rest = tuple(self._instruction("vreduceps $$9, $1, $0", n, one) for n, one in zip(self.counts, x, strict=True))
        return self._scaled(self._polynomial(_EXP2, rest), x)

    def tanh(self, x: Row) -> Row:
        """By intervals, where vectors fill registers of 16 numbers.

        Else `(1 - t) / (1 + t)` for t = e^(-2 |x|); 1 - t without a difference of near numbers.
        """
        if self.e.target.scales_by_powers and all(n == MOST for n in self.counts):
            return self._by_intervals(x, tanh_tables(), ENOUGH)
        scale, times, rest = self._exponential(self._size(x, _TANH_ENOUGH), -2.0)
        less = self._fma(times, rest, self._do("OpFSub", scale, self._real(1.0)))  # t - 1
        return self._signed(self._divided(less), x)

    def erf(self, x: Row) -> Row:
        """A polynomial near zero; `1 - e^q` beyond, where q is one."""
        size = self._size(x, _ERF_ENOUGH)
        near = self._fma(self._polynomial(_NEAR, self._do("OpFMul", size, size)), size, size)
        scale, _, rest = self._exponential(self._polynomial(_FAR, size), 1.0)
        far = self._do("OpFSub", self._real(1.0), self._fma(scale, rest, scale))
        is_near = self._each("OpFOrdLessThan", self.e.bool, size, self._real(_ERF_NEAR))
        return self._signed(self._do("OpSelect", is_near, near, far), x)

    # Parts.

    def _by_intervals(self, x: Row, tables: Sequence[Sequence[float]], enough: float) -> Row:
        """A function that is not negative where x is not: the polynomial of the interval that |x| is in."""
        size = self._size(x, enough)
        found = self._int("OpShiftRightLogical", self._word(size), self._number(SHIFT))
        first = self._number(FIRST)
        place = self._int("OpSelect", self._each("OpSGreaterThan", self.e.bool, found, first), found, first)
        centre, highest, *powers = (self._looked_up(table, place) for table in tables)
        beyond = self._do("OpFSub", size, centre)
        total = highest
        for power in powers:
            total = self._fma(total, beyond, power)
        sign = self._int("OpBitwiseAnd", self._word(x), self._number(SIGN))
        return self._float(self._int("OpBitwiseOr", self._word(total), sign))

    def _looked_up(self, table: Sequence[float], place: Row) -> Row:
        """One of 32 numbers for each element, by the lowest five bits of its place."""
        kind, words = self.e.vector(self.e.f32, MOST), self.e.vector(self.e.i32, MOST)
        low, high = (self.e.module.constant(kind, table[at : at + MOST]) for at in (0, MOST))
        code = self.e.module.assembly("vpermt2ps $3, $2, $0", "=v,0,v,v", kind, kind, words, kind)
        return tuple(self.e.emit("OpAsmCallINTEL", kind, code, low, at, high) for at in place)

    def _chosen(self, name: str, x: Row, limit: float, instead: float) -> Row:
        """A number instead of what compares so with a limit, else x; NaN compares with nothing."""
        return self._do("OpSelect", self._each(name, self.e.bool, x, self._real(limit)), self._real(instead), x)

    def _scaled(self, x: Row, power: Row) -> Row:
        """x times a power of 2 (the exponent is rounded downwards), rounded once: by AVX-512, OpenCL has no function for it."""
        of = zip(self.counts, x, power, strict=True)
        return tuple(self._instruction("vscalefps $2, $1, $0", n, *operands) for n, *operands in of)

    def _size(self, x: Row, enough: float) -> Row:
        """|x|, or a number beyond which the function is 1."""
        limit = self._real(enough)
        size = self._float(self._int("OpBitwiseAnd", self._word(x), self._number(MAGNITUDE)))
        return self._do("OpSelect", self._each("OpFOrdGreaterThan", self.e.bool, size, limit), limit, size)

    def _signed(self, result: Row, x: Row) -> Row:
        """The size of one number with the sign of another."""
        size = self._int("OpBitwiseAnd", self._word(result), self._number(MAGNITUDE))
        sign = self._int("OpBitwiseAnd", self._word(x), self._number(SIGN))
        return self._float(self._int("OpBitwiseOr", size, sign))

    def _exponential(self, x: Row, factor: float) -> tuple[Row, Row, Row]:
        """A power of two; it times the factor; and what is left of e^(factor x) / power - 1, over the factor: -80 < factor x <= 0.

        factor      1 or -2: the exponent's bits, and the sign, are all that it changes.
        """
        shifted = self._fma(x, self._real(factor * _LOG2_E), self._real(WHOLE))
        n = self._do("OpFSub", shifted, self._real(WHOLE))
        r = self._fma(n, self._real(-_LN2_LOW / factor), self._fma(n, self._real(-_LN2_HIGH / factor), x))
        # The exponent's bits begin at bit 23.
        exponent = self._int("OpShiftLeftLogical", self._word(shifted), self._number(23))
        scale, times = (self._float(self._int("OpIAdd", exponent, self._number(_BITS[of]))) for of in (1.0, factor))
        powers = [power * factor ** (len(_POWERS) - i) for i, power in enumerate(_POWERS)]
        return scale, times, self._fma(self._do("OpFMul", self._polynomial(powers, r), r), r, r)

    def _divided(self, less: Row) -> Row:
        """`less / (less + 2)` for -1 <= less <= 0: a CPU's own division takes as long as the rest of tanh."""
        under = self._do("OpFAdd", less, self._real(2.0))
        minus = self._do("OpFSub", self._real(0.0), under)
        inverse = self._near_inverse(under, minus)
        part = self._do("OpFMul", less, inverse)
        lost = self._do("OpFSub", self._do("OpFSub", under, self._real(2.0)), less)  # by rounding: both differences are exact
        return self._fma(self._fma(lost, part, self._fma(minus, part, less)), inverse, part)

    def _near_inverse(self, under: Row, minus: Row) -> Row:
        """1 / d for 1 <= d <= 2, off by 2^-13 of itself at most; `minus` is -d."""
        if self.e.target.scales_by_powers and all(n % LEAST == 0 for n in self.counts):
            return tuple(self._instruction("vrcp14ps $1, $0", n, d) for n, d in zip(self.counts, under, strict=True))
        inverse = self._polynomial(_INVERSE, under)
        return self._fma(inverse, self._fma(minus, inverse, self._real(1.0)), inverse)

    def _instruction(self, text: str, count: int, *operands: Id) -> Id:
        """An instruction on vectors of f32 that OpenCL has no function for; its result is operand 0 of the text."""
        kind = self.e.vector(self.e.f32, count)
        code = self.e.module.assembly(text, ",".join(("=v", *"v" * len(operands))), kind, *(kind,) * len(operands))
        return self.e.emit("OpAsmCallINTEL", kind, code, *operands)

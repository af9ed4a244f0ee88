"""sin and cos in f32 for CPUs, in line; those of large numbers by the runtime's functions."""

from __future__ import annotations

from functools import reduce

from ..module.encode import Id
from .rows import MAGNITUDE, SIGN, WHOLE, Row, Rows

_INVERSE_PI = 0.3183098861837907
# Together pi to 72 bits, each less than what it stands for, so that n = 0 leaves the sign of a zero.
_PI = (3.141592502593994, 1.5099578831723193e-07, 1.078060505991553e-14)
# (sin(r) / r - 1) / r^2 in powers of r^2, for |r| <= pi / 2: sin(r) is off by 6.3e-9 of itself at most.
_SIN = (2.6057839477289235e-06, -0.00019809666264336556, 0.00833306834101677, -0.16666659712791443)
_LARGE_BITS = 0x47000000  # of 32768, up to which multiples of pi are told exactly enough


class Waves(Rows):
    """Functions of vectors of so many f32 each, off by 1.95 units in the last place at most."""

    def sin(self, x: Row) -> Row:
        """Of what is left beside n times pi, with the sign of an odd n flipped."""
        shifted = self._fma(x, self._real(_INVERSE_PI), self._real(WHOLE))
        n = self._do("OpFSub", shifted, self._real(WHOLE))
        return self._unless_large("sin", x, self._of_rest(self._rest(n, x), shifted))

    def cos(self, x: Row) -> Row:
        """The same beside n and a half times pi; of an even n the sign is flipped."""
        half = self._real(0.5)
        shifted = self._do("OpFAdd", self._fma(x, self._real(_INVERSE_PI), self._real(-0.5)), self._real(WHOLE))
        n = self._do("OpFAdd", self._do("OpFSub", shifted, self._real(WHOLE)), half)
        return self._unless_large("cos", x, self._of_rest(self._rest(n, x), self._float(self._int("OpNot", self._word(shifted)))))

    # Parts.

    def _rest(self, n: Row, x: Row) -> Row:
        """x - n pi. The first difference is exact: it has no more bits than an f32."""
        for part in _PI:
            x = self._fma(n, self._real(-part), x)
        return x

    def _of_rest(self, r: Row, count: Row) -> Row:
        """sin(r), whose sign is r's; flipped where a count is odd."""
        square = self._do("OpFMul", r, r)
        size = self._word(self._fma(self._do("OpFMul", r, square), self._polynomial(_SIN, square), r))
        signed = self._int("OpBitwiseXor", self._word(r), self._int("OpShiftLeftLogical", self._word(count), self._number(31)))
        sign = self._int("OpBitwiseAnd", signed, self._number(SIGN))
        return self._float(self._int("OpBitwiseOr", self._int("OpBitwiseAnd", size, self._number(MAGNITUDE)), sign))

    def _unless_large(self, name: str, x: Row, found: Row) -> Row:
        """What was found; where a number of the vectors is large, the runtime's function of all of them."""
        e, condition = self.e, self._has_large(x)
        before, otherwise, after = e.block, e.function.block("large"), e.function.block("found")
        before.selection_merge(after, "DontFlatten")
        before.branch_if(condition, otherwise, after)
        e.enter(otherwise)
        kinds = [e.vector(e.f32, n) for n in self.counts]
        others = [e.ext(kind, name, v) for kind, v in zip(kinds, x, strict=True)]
        e.block.branch(after)
        phis = [after.phi(kind) for kind in kinds]
        for phi, value, other in zip(phis, found, others, strict=True):
            phi.add(value, before)
            phi.add(other, otherwise)
        e.enter(after)
        return tuple(phis)

    def _has_large(self, x: Row) -> Id:
        """Whether one of all elements is large; sizes are in the order of their bits, and NaN is above them."""
        e, most, found = self.e, dict[int, Id](), []
        for n, size in zip(self.counts, self._int("OpBitwiseAnd", self._word(x), self._number(MAGNITUDE)), strict=True):
            most[n] = e.ext(e.vector(e.i32, n), "s_max", most[n], size) if n in most else size
        for n, size in most.items():
            large = e.emit("OpSGreaterThan", e.vector(e.bool, n), size, e.constant(e.i32, _LARGE_BITS, n))
            found.append(large if n == 1 else e.emit("OpAny", e.bool, large))
        return reduce(lambda a, b: e.emit("OpLogicalOr", e.bool, a, b), found)

"""What compilers find integers to be, in whatever words they are computed, and get wrong. Where that tells, `emit/arith` hides them.

Negations and absolute values (`xt.maximum(x - y, y - x)`): IGC makes modifiers of them, of the instructions that take them, which compute
with one more bit: of the smallest integer, whose negation is itself, they take it for positive.

One bit of a negation (`x * 19 & 2`, that of `-x`) which decides between -1 and 0: LLVM shifts the number up, with what it is multiplied by,
and down with its sign. All of it but that bit is gone, so this is an idiom of indices too.

Numbers less their lowest bit, and that bit alone: of `x & x - 1 == 0` and `x & -x == x` LLVM counts bits, of a vector, of which IGC
(2.40.14) counts those of the first element alone.

LLVM finds them by many rules: it groups sums anew (`x - (x + y)`), knows bits (`((x & 1) & 2) - y`) and identities of logic
(`(x & ~x) - y`). So what an op gives is computed of random numbers here: what is a negation of each of them is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xetile.dialects import arith, vector
from xetile.dialects.types import I1, INDEX, ScalarType, element_of
from xetile.ir.core import Op, Value
from xetile.ir.reach import reached

from .uses import is_constant, moves

Numbers = NDArray[Any]

_TRIALS = 16
_MOST = 40
"""Ops of an expression: what is computed of more is taken for any number."""
_SUMS = (arith.AddI, arith.SubI, arith.XOrI, arith.MulI, arith.ShLI)
"""What negations are made of."""
_ASKED = (arith.AddI, arith.SubI, arith.XOrI, arith.AndI, arith.MaxSI, arith.MinSI, arith.Select)


def is_taken_apart(op: arith.Binary | arith.Select) -> bool:
    """Whether an op of integers gives some number's negation or absolute value, its lowest bit, or it without that. Indices do not wrap."""
    if isinstance(op, arith.SubI) and 0 in arith.numbers_of(op.lhs):  # for some element
        return True
    if isinstance(op, arith.MulI):
        asked = any(is_constant(v) and not arith.numbers_of(v) for v in op.operands)
        return any(-1 in arith.numbers_of(v) for v in op.operands) or (asked and _Trial().is_taken_apart(op.result))
    if not isinstance(op, _ASKED) or not _is_integer(op.result):
        return False
    made_of_sums = isinstance(op, arith.SubI) or any(isinstance(v.op, _SUMS) for v in op.operands)
    return made_of_sums and _Trial().is_taken_apart(op.result)


def is_bit_of_negation(value: Value) -> bool:
    """Whether a value is a bit, not the lowest, of a number that has it as some number's negation has: of a product by a constant, or of
    what is less than 0.
    """
    op = value.op
    if not isinstance(op, arith.AndI):
        return False
    for number, bits in ((op.lhs, arith.numbers_of(op.rhs)), (op.rhs, arith.numbers_of(op.lhs))):
        for bit in (n for n in bits if n > 1 and n & (n - 1) == 0):
            if any(_negates_bit(v.op, bit) for v in reached([number], lambda v: _with_bit_of(v, 2 * bit))):  # noqa: B023 (asked at once)
                return True
    return False


def _negates_bit(op: Op | None, bit: int) -> bool:
    if isinstance(op, arith.MulI):
        return any((n + 1) % (2 * bit) == 0 for v in op.operands for n in arith.numbers_of(v))
    return isinstance(op, arith.SubI) and any(n % (2 * bit) == 0 for n in arith.numbers_of(op.lhs))


def _with_bit_of(value: Value, unit: int) -> Sequence[Value]:
    """What a value may have a bit of, by LLVM's knowledge of ranges: `i * 3 % 7` is `i * 3` where i is less than 3. `unit`: twice the bit."""
    op = value.op
    if isinstance(op, (*arith.INTEGER_CASTS, arith.RemUI, arith.RemSI)):
        return op.operands[:1]
    if isinstance(op, (arith.MinUI, arith.MaxUI, arith.MinSI, arith.MaxSI, arith.AndI)):
        return _unknown(op)
    if isinstance(op, arith.Select):
        return op.operands[1:]
    if isinstance(op, (arith.AddI, arith.SubI, arith.OrI)) and any(
        n % unit == 0 for v in op.operands for n in arith.numbers_of(v)
    ):
        return _unknown(op)
    return ()


def sums_to_one(op: arith.CmpI, value: Value, other: Value) -> bool:
    """Whether a sum is compared with one number: LLVM makes `x == -y` of `x + y == 0` and all that comes to it."""
    return _is_sum(value) and _asks_one(op, other)


def _asks_one(op: arith.CmpI, other: Value) -> bool:
    """Whether an operand is asked for one number."""
    numbers, bits = arith.numbers_of(other), element_of(other.type).bits
    if op.predicate in ("eq", "ne"):
        return bool(numbers)
    ends = (0, (1 << bits) - 1) if op.predicate[0] == "u" else (1 << (bits - 1), (1 << (bits - 1)) - 1)
    return any((number - end) % (1 << bits) in (0, 1, (1 << bits) - 1) for number in numbers for end in ends)


def _is_sum(value: Value) -> bool:
    """Whether a value is a sum of two numbers that are not known, with constants beside it, or moved."""

    def beneath(value: Value) -> Sequence[Value]:
        op = value.op
        if isinstance(op, (arith.AddI, arith.SubI, arith.XOrI)):
            return () if len(unknown := _unknown(op)) > 1 else unknown
        return op.operands if op is not None and (moves(op) or isinstance(op, arith.INTEGER_CASTS)) else ()

    return any(isinstance(v.op, arith.AddI) and len(_unknown(v.op)) > 1 for v in reached([value], beneath))


def _unknown(op: Op) -> list[Value]:
    return [v for v in op.operands if arith.constant_of(v) is None]


class _Trial:
    """Values of an expression for random numbers in place of what it is computed of."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._found: dict[Value, Numbers] = {}
        self._left = _MOST

    def is_taken_apart(self, value: Value) -> bool:
        """Whether a value is that of another one, of some numbers at least."""
        with np.errstate(all="ignore"):
            found = self._of(value)
            others = [n for v, n in self._found.items() if v is not value and n.dtype == found.dtype and n.any()]
            if isinstance(value.op, arith.AndI):
                return any((found == (n & (n - 1))).all() or (found == (n & -n)).all() for n in others)
            return any((np.abs(found) == np.abs(n)).all() and (found != n).any() for n in others)

    def _of(self, value: Value) -> Numbers:
        if value not in self._found:
            self._found[value] = self._computed(value)
        return self._found[value]

    def _computed(self, value: Value) -> Numbers:
        element, op = element_of(value.type), value.op
        known, rule = set(arith.numbers_of(value)), _RULES.get(type(op))
        self._left -= 1
        if len(known) == 1:
            return np.full(_TRIALS, known.pop()).astype(_dtype(element))
        if op is None or rule is None or self._left < 0 or not all(map(_is_integer, op.operands)):
            return self._random.integers(0, 1 << min(element.bits, 63), _TRIALS, np.uint64).astype(_dtype(element))
        return rule(op, *map(self._of, op.operands)).astype(_dtype(element))


def _is_integer(value: Value) -> bool:
    element = element_of(value.type)
    return element.is_int and element is not INDEX


def _dtype(element: ScalarType) -> np.dtype[Any]:
    return np.dtype(bool) if element is I1 else np.dtype(f"i{max(element.bits, 8) // 8}")


def _unsigned(numbers: Numbers) -> Numbers:
    return numbers if numbers.dtype == bool else numbers.view(f"u{numbers.dtype.itemsize}")


def _divided(divide: Callable[[Numbers, Numbers], Numbers]) -> Callable[[Op, Numbers, Numbers], Numbers]:
    """Nothing, where the divisor is 0."""
    return lambda op, a, b: np.where(b == 0, 0, divide(a, np.where(b == 0, 1, b).astype(b.dtype)))


def _shifted(shift: Callable[[Numbers, Numbers], Numbers]) -> Callable[[Op, Numbers, Numbers], Numbers]:
    """Nothing, where all bits are shifted out."""
    return lambda op, a, b: np.where(_unsigned(b) < a.dtype.itemsize * 8, shift(a, b), 0)


_COMPARED: Mapping[str, Callable[[Numbers, Numbers], Numbers]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def _compared(op: arith.CmpI, a: Numbers, b: Numbers) -> Numbers:
    if op.predicate[0] == "u":
        a, b = _unsigned(a), _unsigned(b)
    return _COMPARED[op.predicate if op.predicate in ("eq", "ne") else op.predicate[1:]](a, b)


_RULES: dict[type[Op] | type[None], Callable[..., Numbers]] = {
    arith.AddI: lambda op, a, b: a + b,
    arith.SubI: lambda op, a, b: a ^ b if a.dtype == bool else a - b,
    arith.MulI: lambda op, a, b: a * b,
    arith.AndI: lambda op, a, b: a & b,
    arith.OrI: lambda op, a, b: a | b,
    arith.XOrI: lambda op, a, b: a ^ b,
    arith.MinSI: lambda op, a, b: np.minimum(a, b),
    arith.MaxSI: lambda op, a, b: np.maximum(a, b),
    arith.MinUI: lambda op, a, b: np.minimum(_unsigned(a), _unsigned(b)),
    arith.MaxUI: lambda op, a, b: np.maximum(_unsigned(a), _unsigned(b)),
    arith.DivUI: _divided(lambda a, b: _unsigned(a) // _unsigned(b)),
    arith.RemUI: _divided(lambda a, b: _unsigned(a) % _unsigned(b)),
    arith.FloorDivSI: _divided(lambda a, b: a // b),
    arith.RemSI: _divided(np.fmod),
    arith.ShLI: _shifted(lambda a, b: a << b),
    arith.ShRUI: _shifted(lambda a, b: _unsigned(a) >> _unsigned(b)),
    arith.ShRSI: lambda op, a, b: a >> np.minimum(_unsigned(b), a.dtype.itemsize * 8 - 1).astype(a.dtype),
    arith.CmpI: _compared,
    arith.Select: lambda op, *ways: np.where(*ways),
    arith.ExtSI: lambda op, a: -a.astype(np.int8) if a.dtype == bool else a,
    arith.ExtUI: lambda op, a: _unsigned(a),
    arith.TruncI: lambda op, a: a & 1 if element_of(op.result.type) is I1 else a,
    vector.Broadcast: lambda op, a: a,
}

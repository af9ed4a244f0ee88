"""Division and shifts of integers at their limits, where SPIR-V leaves the result open and CPUs trap.

What comes out is what backends/reference/arith.py says: x / 0 and x % 0 are 0, the smallest integer divided by -1 is itself; a shift
by the width or more gives 0, or the sign. Divisors and amounts that are known to be harmless cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import arith
from xetile.dialects.types import I1, I8, I32, INDEX, ScalarType
from xetile.ir.core import Value

from ..facts.uses import may_be_one, tells_sign
from ..module.encode import Id
from . import quotients
from .cast import cut_to_byte, extend, truncate
from .emitter import Emitter
from .hidden import hidden, hidden_value
from .table import emits
from .values import Fragment, integers

Divide = Callable[[int, Id, Id], Id]  # (count, dividend, divisor)


def _bits(e: Emitter, element: ScalarType) -> int:
    return e.width[e.form(element)]


# Division.


@emits(arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI, arith.FloorDivSI, arith.CeilDivSI, arith.CeilDivUI)
def emit_division(e: Emitter, op: arith.Binary) -> Fragment:
    """Quotients and remainders; of one bit in eight, on CPUs of fewer than 32 in 32."""
    a, b = e[op.operands[0]], e[op.operands[1]]
    element, signed = a.element, type(op) in _SIGNED
    known = arith.numbers_of(op.operands[1])
    # Intel's CPU runtime (2026.22.10) has functions that divide vectors of 32 bits; narrower ones it divides element by element.
    wider = I8 if element is I1 else I32 if e.whole and not known and element.bits < I32.bits else None
    if wider is not None:
        a, b = (extend(e, value, wider, signed=signed) for value in (a, b))
    if not e.whole and e.target.block2d is None and any(n & (n - 1) for n in known):
        # LLVM divides what is below 256 as bytes. Of numbers less such a byte (`5 - lane % 3`) IGC (2.40.14) loses the minus on DG2.
        a = hidden(e, a)
    hides = not e.whole and tells_sign(op.results[0])
    own = not e.whole and not known and e.form(a.element) == e.i32
    made = integers(e, a.element, _guarded(e, type(op), a.element, known, own, hides), a, b)
    return made if wider is None else truncate(e, made, element)


def _guarded(e: Emitter, kind: type, element: ScalarType, known: tuple[int, ...], own: bool, hides: bool) -> Divide:
    """Division by 1 in place of a divisor that traps, and the result that is due there.

    own: in instructions of ours (`quotients`).
    hides: the smallest integer's negation, which IGC takes for positive (emit/arith).
    """
    form, bits, divide = e.form(element), _bits(e, element), _DIVISIONS[kind](e, e.form(element), own)
    zero_possible = not known or any(n % (1 << bits) == 0 for n in known)
    # The quotient by -1 is a number less.
    minus_possible = kind in _SIGNED and not own and (not known or any(n % (1 << bits) == (1 << bits) - 1 for n in known))

    def run(n: int, x: Id, y: Id) -> Id:
        vector, mask = e.vector(form, n), e.vector(e.bool, n)
        zero, one = e.constant(form, 0, n), e.constant(form, 1, n)
        by_zero = e.emit("OpIEqual", mask, y, zero) if zero_possible else None
        by_minus = e.emit("OpIEqual", mask, y, e.constant(form, -1, n)) if minus_possible else None
        unsafe = [found for found in (by_zero, by_minus) if found is not None]
        if not unsafe:
            return divide(n, x, y)
        anything = unsafe[0] if len(unsafe) == 1 else e.emit("OpLogicalOr", mask, *unsafe)
        result = divide(n, x, e.emit("OpSelect", vector, anything, one, y))
        if kind in (arith.RemSI, arith.RemUI):  # by 1 it is 0 as well
            return result
        if by_minus is not None:
            negated = e.emit("OpISub", vector, zero, x)
            result = e.emit("OpSelect", vector, by_minus, hidden_value(e, form, negated, n) if hides else negated, result)
        return result if by_zero is None else e.emit("OpSelect", vector, by_zero, zero, result)

    return run


Maker = Callable[[Emitter, Id, bool], Divide]  # (emitter, form, own)
_OWN = {
    "OpSDiv": (quotients.signed, 0),
    "OpSRem": (quotients.signed, 1),
    "OpUDiv": (quotients.unsigned, 0),
    "OpUMod": (quotients.unsigned, 1),
}


def _simple(name: str) -> Maker:
    function, part = _OWN[name]

    def make(e: Emitter, form: Id, own: bool) -> Divide:
        if own:
            return lambda n, x, y: function(e, x, y, n)[part]
        return lambda n, x, y: e.emit(name, e.vector(form, n), x, y)

    return make


def _rounded(down: bool) -> Maker:
    """The quotient rounded down (up): that towards zero, minus (plus) one where the remainder has the other (same) sign."""

    def make(e: Emitter, form: Id, own: bool) -> Divide:
        def divided(kind: Id, n: int, x: Id, y: Id) -> tuple[Id, Id]:
            if own:  # with its rest: of `x - quotient * -1` IGC compares x with a negation, of the smallest integer a wrong one
                return quotients.signed(e, x, y, n)
            quotient = e.emit("OpSDiv", kind, x, y)
            return quotient, e.emit("OpISub", kind, x, e.emit("OpIMul", kind, quotient, y))

        def divide(n: int, x: Id, y: Id) -> Id:
            kind, mask, zero = e.vector(form, n), e.vector(e.bool, n), e.constant(form, 0, n)
            quotient, rest = divided(kind, n, x, y)
            other = e.emit("OpSLessThan", mask, e.emit("OpBitwiseXor", kind, rest, y), zero)
            toward = other if down else e.emit("OpLogicalNot", mask, other)
            adjust = e.emit("OpLogicalAnd", mask, e.emit("OpINotEqual", mask, rest, zero), toward)
            moved = e.emit("OpIAdd", kind, quotient, e.constant(form, -1 if down else 1, n))
            return e.emit("OpSelect", kind, adjust, moved, quotient)

        return divide

    return make


def _ceiling(e: Emitter, form: Id, own: bool) -> Divide:
    """`(a - 1) / b + 1`, and 0 for a = 0: no sum that could wrap."""
    divided = _simple("OpUDiv")(e, form, own)

    def divide(n: int, x: Id, y: Id) -> Id:
        kind, zero, one = e.vector(form, n), e.constant(form, 0, n), e.constant(form, 1, n)
        positive = e.emit("OpINotEqual", e.vector(e.bool, n), x, zero)
        less = e.emit("OpSelect", kind, positive, e.emit("OpISub", kind, x, one), zero)
        quotient = divided(n, less, y)
        return e.emit("OpSelect", kind, positive, e.emit("OpIAdd", kind, quotient, one), zero)

    return divide


_DIVISIONS: dict[type, Maker] = {
    arith.DivSI: _simple("OpSDiv"), arith.DivUI: _simple("OpUDiv"), arith.RemSI: _simple("OpSRem"), arith.RemUI: _simple("OpUMod"),
    arith.FloorDivSI: _rounded(True), arith.CeilDivSI: _rounded(False), arith.CeilDivUI: _ceiling,
}  # fmt: skip
_SIGNED = (arith.DivSI, arith.RemSI, arith.FloorDivSI, arith.CeilDivSI)


# Shifts.

_SHIFTS = {arith.ShLI: "OpShiftLeftLogical", arith.ShRUI: "OpShiftRightLogical", arith.ShRSI: "OpShiftRightArithmetic"}


@emits(*_SHIFTS)
def emit_shift(e: Emitter, op: arith.Binary) -> Fragment:
    """The amount has no sign; devices take it modulo the width, so larger ones are met before.

    IGC takes `(x + y + 1) >> 1`, in whatever words, for the average, which has one bit more than the sum: so it sees no 1.
    Indices do not wrap.
    """
    a, b = cut_to_byte(e, op.operands[0]) if _is_cut_to_byte(op) else e[op.operands[0]], e[op.operands[1]]
    element, signed = a.element, isinstance(op, arith.ShRSI)
    if signed and not e.whole and element is not INDEX and may_be_one(op.operands[1]):
        b = hidden(e, b)
    if element is I1:
        a, b = (extend(e, value, I8, signed=own) for value, own in ((a, signed), (b, False)))
    form, bits, small = e.form(a.element), _bits(e, element), _is_small(op.operands[1], _bits(e, element))

    def shift(n: int, x: Id, y: Id) -> Id:
        kind = e.vector(form, n)
        if small:
            return e.emit(_SHIFTS[type(op)], kind, x, y)
        limited = e.ext(kind, "u_min", y, e.constant(form, bits - 1, n))
        moved = e.emit(_SHIFTS[type(op)], kind, x, limited)
        if signed:  # by all bits but one nothing but the sign is left
            return moved
        inside = e.emit("OpULessThan", e.vector(e.bool, n), y, e.constant(form, bits, n))
        return e.emit("OpSelect", kind, inside, moved, e.constant(form, 0, n))

    made = integers(e, a.element, shift, a, b)
    return truncate(e, made, element) if element is I1 else made


def _is_cut_to_byte(op: arith.Binary) -> bool:
    """Whether a byte is shifted up to be shifted down with its sign."""
    back = any(isinstance(user, (arith.ShRSI, arith.ShRUI)) and user.operands[0] is op.results[0] for user in op.results[0].users)
    return isinstance(op, arith.ShLI) and back and 24 in arith.numbers_of(op.operands[1])


def _is_small(amount: Value, bits: int) -> bool:
    """Whether an amount is known to be below the width: a constant, or what a constant masks."""
    known = arith.numbers_of(amount)
    if not known and isinstance(amount.op, arith.AndI):
        known = arith.numbers_of(amount.op.operands[1])
    return bool(known) and all(0 <= n < bits for n in known)

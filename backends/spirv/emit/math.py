"""math: elementwise functions, from OpenCL.std."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from xetile.dialects import arith, math, scf
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F16, F32, F64
from xetile.ir.core import Op

from ..assembly.tangents import NEAR, POLYNOMIAL, POWER
from ..facts.uses import reaches, tells_sign
from ..module.encode import Id
from .arith import compute, quotient
from .cast import convert_float
from .emitter import Emitter
from .exponential import LEAST, Exponentials
from .first import first_operand
from .hidden import hidden, hidden_float
from .rows import Row, Rows
from .table import emits
from .values import Fragment, from_chunks, integers, spans
from .waves import Waves
from .wide import LOG2_E, emit_wide, is_wide, wide_exp, wide_fma, wide_tanh

Function = Callable[[Id, int], Callable[..., Id]]


def _in_f32(e: Emitter, name: str, *operands: Fragment) -> Fragment:
    """f16 by way of f32: OpenCL states no accuracy for most half functions, and devices compute them so."""
    return _computed(e, lambda form, n: lambda *x: e.ext(e.vector(form, n), name, *x), *operands)


def _computed(e: Emitter, function: Function, *operands: Fragment) -> Fragment:
    element = operands[0].element
    if element is F16:
        operands = tuple(convert_float(e, operand, F32) for operand in operands)
    return convert_float(e, compute(e, function, *operands), element)


@emits(math.Rounding)
def emit_exact(e: Emitter, op: math.Rounding) -> Fragment:
    """Rounding and absolute value. f64 is rounded by code of the driver's, which makes 0 of -0 where it rounds down or up."""
    rows = first_operand(e, op) if isinstance(op, math.AbsF) else None
    if rows is not None:
        return rows
    drivers = e[op.operands[0]].element is F64 and not e.whole

    def function(form: Id, n: int) -> Callable[..., Id]:
        kind = e.vector(form, n)
        if drivers and isinstance(op, (math.Floor, math.Ceil)):
            return lambda x: e.ext(kind, "copysign", e.ext(kind, op.c_name, x), x)
        if drivers and isinstance(op, math.RoundEven):
            return lambda x: _nearest(e, form, n, x)
        return lambda x: e.ext(kind, op.c_name, x)

    return compute(e, function, e[op.operands[0]])


_WHOLE_F64 = 2.0**52  # all numbers of this size are


def _nearest(e: Emitter, form: Id, n: int, x: Id) -> Id:
    """f64 to the nearest whole number, ties to even: added to 2^52 the rest is rounded off. The driver's own code shifts by more bits than
    there are where a constant is large, infinite or NaN, and LLVM then drops what depends on it.
    """
    kind, large = e.vector(form, n), e.constant(form, _WHOLE_F64, n)
    size = e.ext(kind, "fabs", x)
    rounded = e.emit("OpFSub", kind, e.emit("OpFAdd", kind, size, large), large)
    below = e.emit("OpFOrdLessThan", e.vector(e.bool, n), size, large)
    return e.emit("OpSelect", kind, below, e.ext(kind, "copysign", rounded, x), x)


_TO_PRODUCTS = (arith.MulF, arith.NegF, math.AbsF, arith.Select, scf.Yield)
"""What multiplies a root, or hands it on to what may."""
_SQUARING = (math.Function, math.PowF)
"""What the driver (IGC 2.40.14) has code of its own for in f64: its `log` and `exp2` give the operand's square where that is no number."""


@emits(math.Function)
def emit_function(e: Emitter, op: math.Function) -> Fragment:
    """Functions with OpenCL's accuracy (OpenCL C 7.4). LLVM takes a root times itself for what it is of, with no NaN and no rounding."""
    made = _in_f32(e, op.c_name, e[op.operands[0]])
    taking = _TO_PRODUCTS + _SQUARING if made.element is F64 else _TO_PRODUCTS
    multiplied = isinstance(op, math.Sqrt) and not e.whole and reaches(op.results[0], *taking)
    return hidden_float(e, made) if multiplied else made


RowsT = TypeVar("RowsT", bound=Rows)


def _inline(e: Emitter, rows: type[RowsT], function: Callable[[RowsT, Row], Row], operand: Fragment) -> Fragment:
    """A function for CPUs, of everything but f64."""
    x = convert_float(e, operand, F32)
    counts = [n for _, n in spans(x.count, e.chunk)]
    made = function(rows(e, counts), tuple(x.chunks(e)))
    return convert_float(e, from_chunks(e, F32, x.count, made), operand.element)


def _scales(e: Emitter, x: Fragment) -> bool:
    """Whether an instruction multiplies vectors like these by powers of 2."""
    return e.whole and e.target.scales_by_powers and x.element is not F64 and x.count % LEAST == 0


# A CPU's compiler has vector functions of its own for all of these. What OpenCL's cost on the GPU is measured in instructions for
# each f32: exp 12, log2 72, tanh 117 (the last two with branches), but exp2 one and log 26.


@emits(math.Exp)
def emit_exp(e: Emitter, op: Op) -> Fragment:
    """2 to the power of x log2(e) in f32: the product's rounding makes a relative error of up to 6e-8 |x|, 5e-6 at the ends."""
    if _scales(e, e[op.operands[0]]):
        return _inline(e, Exponentials, Exponentials.exp, e[op.operands[0]])
    if e.whole or e[op.operands[0]].element is F64:
        return _in_f32(e, "exp", e[op.operands[0]])
    if is_wide(e, op.results[0]):
        return wide_exp(e, op.operands[0])

    def function(form: Id, n: int) -> Callable[..., Id]:
        kind = e.vector(form, n)
        return lambda x: e.ext(kind, "exp2", e.emit("OpFMul", kind, x, e.constant(form, LOG2_E, n)))

    return _computed(e, function, e[op.operands[0]])


@emits(math.Exp2)
def emit_exp2(e: Emitter, op: math.Function) -> Fragment:
    """OpenCL's function where no instruction scales. Instructions take either sign of an operand."""
    if is_wide(e, op.results[0]):
        less = op.operands[0].op
        if isinstance(less, arith.NegF):
            return emit_wide(e, "exp2_less", op.results[0], less.operands[0])
        return emit_wide(e, "exp2", op.results[0], op.operands[0])
    if not _scales(e, e[op.operands[0]]):
        return emit_function(e, op)
    return _inline(e, Exponentials, Exponentials.exp2, e[op.operands[0]])


@emits(math.Sin, math.Cos)
def emit_wave(e: Emitter, op: math.Function) -> Fragment:
    """OpenCL's function on GPUs, and of single numbers."""
    if not e.whole or e[op.operands[0]].element is F64 or e[op.operands[0]].count == 1:
        return emit_function(e, op)
    return _inline(e, Waves, Waves.sin if isinstance(op, math.Sin) else Waves.cos, e[op.operands[0]])


@emits(math.Log2)
def emit_log2(e: Emitter, op: Op) -> Fragment:
    """The natural logarithm, scaled."""
    if e.whole or e[op.operands[0]].element is F64:
        return _in_f32(e, "log2", e[op.operands[0]])

    def function(form: Id, n: int) -> Callable[..., Id]:
        kind = e.vector(form, n)
        return lambda x: e.emit("OpFMul", kind, e.ext(kind, "log", x), e.constant(form, LOG2_E, n))

    return _computed(e, function, e[op.operands[0]])


@emits(math.Tanh)
def emit_tanh(e: Emitter, op: Op) -> Fragment:
    """In line (`tangents`): OpenCL's function has branches."""
    if e[op.operands[0]].element is F64:
        return _in_f32(e, "tanh", e[op.operands[0]])
    if e.whole:
        return _inline(e, Exponentials, Exponentials.tanh, e[op.operands[0]])
    if is_wide(e, op.results[0]):
        return wide_tanh(e, op.operands[0])

    def function(form: Id, n: int) -> Callable[..., Id]:
        return lambda x: _tanh(e, form, n, x)

    return _computed(e, function, e[op.operands[0]])


def _tanh(e: Emitter, form: Id, n: int, x: Id) -> Id:
    kind, one = e.vector(form, n), e.constant(form, 1.0, n)
    power = e.ext(kind, "exp2", e.emit("OpFMul", kind, x, e.constant(form, POWER, n)))
    # The driver's whole division is for divisors near the ends of the range; this one is infinite, or between 1 and 2^126.
    part = quotient(e, form, n, one, e.emit("OpFAdd", kind, power, one), approximate=True)
    far = e.ext(kind, "fma", part, e.constant(form, -2.0, n), one)
    square = e.emit("OpFMul", kind, x, x)
    total = e.constant(form, POLYNOMIAL[0], n)
    for coefficient in POLYNOMIAL[1:]:
        total = e.ext(kind, "fma", total, square, e.constant(form, coefficient, n))
    near = e.emit("OpFMul", kind, total, x)
    size = e.ext(kind, "fabs", x)
    is_far = e.emit("OpFOrdGreaterThanEqual", e.vector(e.bool, n), size, e.constant(form, NEAR, n))  # NaN is not
    return e.emit("OpSelect", kind, is_far, far, near)


@emits(math.Erf)
def emit_erf(e: Emitter, op: math.Function) -> Fragment:
    """OpenCL's function on GPUs."""
    if not e.whole or e[op.operands[0]].element is F64:
        return emit_function(e, op)
    return _inline(e, Exponentials, Exponentials.erf, e[op.operands[0]])


@emits(math.PowF)
def emit_power(e: Emitter, op: math.PowF) -> Fragment:
    """`lhs` to the power of `rhs`."""
    return _in_f32(e, "pow", e[op.lhs], e[op.rhs])


@emits(math.Fma)
def emit_fma(e: Emitter, op: math.Fma) -> Fragment:
    """One rounding.  Of x * 1 + z and -x + z the CPU runtime's compiler makes sums, which it contracts with a product that is negated
    among their terms, whatever the module says of contraction; sums that stand in the module it leaves alone.
    """
    x, y, z = op.operands
    if constant_of(x) in (1.0, -1.0):
        x, y = y, x
    sign = constant_of(y)
    if sign == 1.0:
        return compute(e, lambda form, n: lambda *v: e.emit("OpFAdd", e.vector(form, n), *v), e[x], e[z])
    if sign == -1.0:
        return compute(e, lambda form, n: lambda *v: e.emit("OpFSub", e.vector(form, n), *v), e[z], e[x])
    if is_wide(e, op.result):
        return wide_fma(e, op.result, x, y, z)
    return compute(e, lambda form, n: lambda *v: e.ext(e.vector(form, n), "fma", *v), e[x], e[y], e[z])


@emits(math.AbsI)
def emit_absolute(e: Emitter, op: Op) -> Fragment:
    """Of a signed integer; the smallest stays as it is."""
    value: Fragment = e[op.operands[0]]
    form = e.form(value.element)

    def absolute(n: int, x: Id) -> Id:
        kind, zero = e.vector(form, n), e.constant(form, 0, n)
        if e.whole:
            return e.ext(kind, "s_abs", x)
        negative = e.emit("OpSLessThan", e.vector(e.bool, n), x, zero)  # IGC takes what s_abs gives for no negative number
        return e.emit("OpSelect", kind, negative, e.emit("OpISub", kind, zero, x), x)

    made = integers(e, value.element, absolute, value)
    return hidden(e, made) if not e.whole and tells_sign(op.results[0]) else made

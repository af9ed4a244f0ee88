"""math: elementwise functions, from OpenCL.std."""

from __future__ import annotations

from xetile.dialects import math
from xetile.dialects.types import F16, F32
from xetile.ir.core import Op

from .emit import Emitter
from .emit_arith import compute
from .emit_cast import convert_float
from .emit_table import emits
from .emit_values import Fragment, mapped

# Exact in every format.
_EXACT = {math.AbsF: "fabs", math.Floor: "floor", math.Ceil: "ceil", math.RoundEven: "rint", math.Trunc: "trunc"}
_UNARY = {
    math.Exp: "exp", math.Exp2: "exp2", math.Log: "log", math.Log2: "log2", math.Sqrt: "sqrt", math.Rsqrt: "rsqrt",
    math.Sin: "sin", math.Cos: "cos", math.Tanh: "tanh", math.Erf: "erf",
}  # fmt: skip


def _in_f32(e: Emitter, name: str, *operands: Fragment) -> Fragment:
    """f16 by way of f32: OpenCL states no accuracy for most half functions, and devices compute them so."""
    element = operands[0].element
    if element is F16:
        operands = tuple(convert_float(e, operand, F32) for operand in operands)
    made = compute(e, lambda form, n: lambda *x: e.ext(e.vector(form, n), name, *x), *operands)
    return convert_float(e, made, element)


@emits(*_EXACT)
def emit_exact(e: Emitter, op: Op) -> Fragment:
    """Rounding and absolute value."""
    name = _EXACT[type(op)]  # type: ignore[index]
    return compute(e, lambda form, n: lambda x: e.ext(e.vector(form, n), name, x), e[op.operands[0]])


@emits(*_UNARY)
def emit_unary(e: Emitter, op: Op) -> Fragment:
    """Functions with OpenCL's accuracy (OpenCL C 7.4)."""
    return _in_f32(e, _UNARY[type(op)], e[op.operands[0]])  # type: ignore[index]


@emits(math.PowF)
def emit_power(e: Emitter, op: math.PowF) -> Fragment:
    """`lhs` to the power of `rhs`."""
    return _in_f32(e, "pow", e[op.lhs], e[op.rhs])


@emits(math.Fma)
def emit_fma(e: Emitter, op: math.Fma) -> Fragment:
    """One rounding."""
    return compute(e, lambda form, n: lambda *x: e.ext(e.vector(form, n), "fma", *x), *(e[v] for v in op.operands))


@emits(math.AbsI)
def emit_absolute(e: Emitter, op: Op) -> Fragment:
    """Of a signed integer; the smallest stays as it is."""
    value: Fragment = e[op.operands[0]]
    form = e.form(value.element)
    return mapped(e, value.element, lambda n, x: e.ext(e.vector(form, n), "s_abs", x), value)

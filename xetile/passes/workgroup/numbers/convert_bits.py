"""Floats that are made of the bits of whole numbers are those numbers: `((w & 15).to(xt.u16) | 0x6400).bitcast(xt.f16) - 1024`.

From 2**10 to 2**11 the numbers of f16 are the whole ones, so 1024 + w has the bits of 1024 and those of w below; what is taken from it
(1024, or 1032 for codes with a zero point of 8) leaves w, exactly, or is one sum. So kernels for other GPUs convert codes, where conversions
are slow. Bytes that become operands of products are converted where they lie; as bits they come apart first: 1,731 instructions for 64 DPAS
on pvc, 608 as conversions.
"""

from __future__ import annotations

from dataclasses import replace
from math import frexp

import xetile.dialects.math as math_ops
from xetile.dialects import arith
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import BF16, F16, F32, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.codes import Make, exact_byte
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass
from xetile.target import Target

_WHOLE = {F16: (0x6400, 1 << 10), BF16: (0x4300, 1 << 7), F32: (0x4B000000, 1 << 23)}
"""The least power of two from which on a type's numbers are the whole ones up to twice of it: its bits, and the number."""
_JOINING = (arith.OrI, arith.XOrI, arith.AddI)
_LEAST, _MOST = 2.0**-8, 2.0**4
"""By which all such numbers may be multiplied in f16 without being rounded."""
_PLACES = 2.0**16
"""Numbers of so many binary places, and not larger than f32's whole ones, are added exactly here."""


@dataclass(frozen=True)
class _Sum:
    """`factor` times bytes, and a number: exactly."""

    bytes: Make
    factor: float
    rest: float


def convert_bits(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Convert bytes where their bits are made the lowest of a float's, from which a number is taken then.

    Before and after: xetile at workgroup level.
    """
    rewrite = Rewriter()
    for op in module.find((arith.SubF, arith.AddF, math_ops.Fma)) if module.has(arith.Bitcast) else ():
        found = _sum_of(op)
        if found is not None and _is_held(found.rest, element_of(op.results[0].type)):
            with rewrite.before(op), rewrite.located(op.loc):
                made = _as_conversion(found, type_of(op.result, VectorType), rewrite)
            given = op.operands[0]
            rewrite.replace(op, made)
            erase_unused([given], rewrite)
    return module


def _sum_of(op: Op) -> _Sum | None:
    """What an op gives, before it is rounded, that takes most of the number from multiples of such floats."""
    found = _exact(op.operands[0])
    numbers = [constant_of(value) for value in op.operands[1:]]
    if found is None or not all(isinstance(number, float) and _is_short(number) for number in numbers):
        return None
    if isinstance(op, math_ops.Fma):
        found = _multiple(found, numbers[0])
    more = -numbers[-1] if isinstance(op, arith.SubF) else numbers[-1]
    return None if found is None or abs(found.rest + more) >= found.rest else replace(found, rest=found.rest + more)


def _exact(value: Value) -> _Sum | None:
    """Floats that are made of the bits of bytes, or powers of two times them."""
    op = value.op
    if isinstance(op, arith.MulF):
        by, found = constant_of(op.operands[1]), _exact(op.operands[0])
        return None if found is None or not isinstance(by, float) else _multiple(found, by)
    if not isinstance(op, arith.Bitcast) or not isinstance(value.type, VectorType) or element_of(value.type) not in _WHOLE:
        return None
    joined, (bits, number) = op.operands[0].op, _WHOLE[element_of(value.type)]
    if not isinstance(joined, _JOINING) or type_of(op.operands[0], VectorType).shape != value.type.shape:
        return None
    rest = [v for v in joined.operands if constant_of(v) != bits]
    found_byte = exact_byte(rest[0]) if len(rest) == 1 else None
    return None if found_byte is None or found_byte[0] >= number else _Sum(found_byte[1], 1.0, float(number))


def _multiple(found: _Sum, by: float) -> _Sum | None:
    factor = found.factor * by
    return replace(found, factor=factor, rest=found.rest * by) if frexp(factor)[0] == 0.5 and _LEAST <= factor <= _MOST else None


def _is_short(number: float) -> bool:
    return (number * _PLACES).is_integer() and abs(number) <= 2 * _WHOLE[F32][1]


def _is_held(rest: float, element: ScalarType) -> bool:
    """Whether a type has a number of that size: what it is added to is rounded once then, as before."""
    return (frexp(rest)[0] * 2 * _WHOLE[element][1]).is_integer()


def _as_conversion(found: _Sum, kind: VectorType, build: Rewriter) -> Value:
    made: Value = build(arith.UIToFP, found.bytes(build), result=kind)
    for op, number, unchanged in ((arith.MulF, found.factor, 1.0), (arith.AddF, found.rest, 0.0)):
        if number != unchanged:
            made = build(op, made, build(arith.Constant, value=number, result=kind))
    return made

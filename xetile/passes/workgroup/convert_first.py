"""Sums of bytes that become floats are sums of floats: `(w.to(xt.i32) - z.to(xt.i32)).to(xt.f16)` is `w.to(xt.f16) - z.to(xt.f16)`.

Both are exact where the float holds all whole numbers up to the largest sum. Bytes become second operands of products in their registers;
as words they take two or four times as many, and are packed again: 537 instructions for 64 DPAS on pvc, 263 in floats.
"""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import BF16, F16, F32, I8, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

_EXACT = {F16: 1 << 11, BF16: 1 << 8, F32: 1 << 24}
"""Up to which size floats hold all whole numbers."""
_SUMS: dict[type[Op], type[Op]] = {arith.AddI: arith.AddF, arith.SubI: arith.SubF}
_WIDER = (arith.ExtUI, arith.ExtSI)
_STRETCHED = (xetile.TileBroadcast, vector.Broadcast)

Range = tuple[int, int]


def convert_first(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Convert bytes, and not their sums, to floats in kernels with products.

    Before and after: xetile at workgroup level. All that is summed is bytes that were widened and constants; nothing but the conversion
    takes a sum.
    """
    rewrite = Rewriter()
    for op in module.find((arith.SIToFP, arith.UIToFP)) if module.has(xetile.TileMma) else ():
        kind = element_of(op.result.type)
        if kind in _EXACT and type(op.operand.op) in _SUMS and _is_exact(op, _EXACT[kind]):
            with rewrite.before(op), rewrite.located(op.loc):
                made = _as_float(op.operand, kind, rewrite)
            given = op.operand
            rewrite.replace(op, made)
            erase_unused([given], rewrite)
    return module


def _is_exact(op: arith.Cast, limit: int) -> bool:
    """Whether a conversion takes a sum that no integer wraps, and that floats hold all along."""
    found, bits = _range(op.operand, op, limit), element_of(op.operand.type).bits
    if found is None:
        return False
    least, most = (0, (1 << bits) - 1) if isinstance(op, arith.UIToFP) else (-(1 << bits - 1), (1 << bits - 1) - 1)
    return least <= found[0] and found[1] <= most


def _range(value: Value, user: Op, limit: int) -> Range | None:
    """The least and the largest of what a sum holds; None where that is not known, beyond a limit on the way, or taken elsewhere."""
    op = value.op
    number = arith.constant_of(value)
    if isinstance(number, int) and not isinstance(number, bool):
        found: Range | None = (number, number)
    elif op is None or any(each is not user for each in value.users) or "wg_map" in op.attributes:
        return None
    elif type(op) in _SUMS:
        left, right = (_range(v, op, limit) for v in op.operands)
        if left is None or right is None:
            return None
        found = (
            (left[0] + right[0], left[1] + right[1]) if isinstance(op, arith.AddI) else (left[0] - right[1], left[1] - right[0])
        )
    elif isinstance(op, _STRETCHED):
        found = _range(op.operands[0], op, limit)
    elif isinstance(op, _WIDER) and element_of(op.operand.type) is I8:
        found = _bytes(op.operand) if isinstance(op, arith.ExtUI) else (-128, 127)
    else:
        return None
    return found if found is not None and -limit <= found[0] and found[1] <= limit else None


def _bytes(value: Value) -> Range:
    """The least and the largest of bytes without a sign."""
    op = value.op
    number = arith.constant_of(op.operands[1]) if isinstance(op, (arith.AndI, arith.ShRUI)) else None
    if not isinstance(number, int) or not 0 <= number < 1 << I8.bits:
        return 0, 255
    return 0, number if isinstance(op, arith.AndI) else 255 >> number


def _as_float(value: Value, kind: ScalarType, build: Rewriter) -> Value:
    """The same numbers as floats."""
    op = value.op
    number = arith.constant_of(value)
    assert op is not None
    if number is not None:
        made = value.type.with_element(kind) if isinstance(value.type, VectorType) else kind
        return build(arith.Constant, value=float(number), result=made)
    if isinstance(op, _WIDER):
        convert = arith.UIToFP if isinstance(op, arith.ExtUI) else arith.SIToFP
        bytes_ = op.operands[0]
        return build(convert, bytes_, result=type_of(bytes_, VectorType).with_element(kind))
    operands = [_as_float(v, kind, build) for v in op.operands]
    if isinstance(op, _STRETCHED):
        return build.clone(op, operands, [type_of(value, VectorType).with_element(kind)]).results[0]
    return build(_SUMS[type(op)], *operands)

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
from xetile.passes.analysis.products import is_for_second_operands
from xetile.passes.common.codes import Make, exact_byte
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

_EXACT = {F16: 1 << 11, BF16: 1 << 8, F32: 1 << 24}
"""Up to which size floats hold all whole numbers."""
_SUMS: dict[type[Op], type[Op]] = {arith.AddI: arith.AddF, arith.SubI: arith.SubF}
_SIGNED, _UNSIGNED = (arith.ExtSI, arith.IndexCast), (arith.ExtUI, arith.IndexCastUI)
_CASTS = (*_SIGNED, *_UNSIGNED)
_NARROWING = (arith.AndI, arith.ShRUI, arith.ShRSI)
_MOVING = (xetile.TileTranspose, xetile.LoadGather, xetile.LoadTile)
"""How elements change their places."""
_STRETCHED = (xetile.TileBroadcast, vector.Broadcast)

_INDEX_BITS = 32

Range = tuple[int, int]


def convert_first(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Convert bytes, and not their sums, to floats in kernels with products.

    Before and after: xetile at workgroup level. All that is summed is bytes that were widened and constants; nothing but the conversion
    takes a sum.
    """
    rewrite = Rewriter()
    for op in module.find((arith.SIToFP, arith.UIToFP)) if module.has(xetile.TileMma) else ():
        kind, given = element_of(op.result.type), _summed(op.operand)
        if kind in _EXACT and (type(given.op) in _SUMS or _is_wide_code(op, given)) and _is_exact(op, _EXACT[kind]):
            with rewrite.before(op), rewrite.located(op.loc):
                made = _as_float(given, kind, rewrite)
            given = op.operand
            rewrite.replace(op, made)
            erase_unused([given], rewrite)
    return module


def _is_wide_code(op: arith.Cast, given: Value) -> bool:
    """Whether bytes that second operands are worked out of become floats by way of wider numbers."""
    return _leaf(given) is not None and is_for_second_operands(op.result)


def _summed(value: Value) -> Value:
    """What is converted, before it becomes wider or narrower, as indices do."""
    while isinstance(value.op, _CASTS) and element_of(value.op.operand.type) is not I8:
        value = value.op.operand
    return value


def _is_exact(op: arith.Cast, limit: int) -> bool:
    """Whether a conversion takes a sum that no integer wraps, and that floats hold all along."""
    found = _range(op.operand, op, limit)
    return found is not None and _fits(found, op.operand, signed=isinstance(op, arith.SIToFP))


def _fits(found: Range, value: Value, *, signed: bool) -> bool:
    """Whether a type has all numbers from the least to the largest; indices have 32 bits at least."""
    element = element_of(value.type)
    bits = _INDEX_BITS if element.kind == "index" else element.bits
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return least <= found[0] and found[1] <= most


def _range(value: Value, user: Op, limit: int) -> Range | None:
    """The least and the largest of what a sum holds; None where that is not known, beyond a limit on the way, or taken elsewhere."""
    op = value.op
    number = arith.constant_of(value)
    leaf = _leaf(value)
    if isinstance(number, int) and not isinstance(number, bool):
        found: Range | None = (number, number)
    elif leaf is not None:
        found = leaf[0]
    elif op is None or "wg_map" in op.attributes or (not _is_line(value) and any(each is not user for each in value.users)):
        return None
    elif type(op) in _SUMS:
        left, right = (_range(v, op, limit) for v in op.operands)
        if left is None or right is None:
            return None
        found = (
            (left[0] + right[0], left[1] + right[1]) if isinstance(op, arith.AddI) else (left[0] - right[1], left[1] - right[0])
        )
    elif isinstance(op, (*_STRETCHED, *_CASTS)):
        found = _range(op.operands[0], op, limit)
        if found is not None and isinstance(op, _CASTS):
            found = (
                found
                if _fits(found, op.operands[0], signed=isinstance(op, _SIGNED)) and _fits(found, value, signed=True)
                else None
            )
    else:
        return None
    return found if found is not None and -limit <= found[0] and found[1] <= limit else None


def _is_line(value: Value) -> bool:
    """Whether a value is a row or a column: it is worked out again for each that takes it."""
    return isinstance(value.type, VectorType) and 1 in value.type.shape


def _leaf(value: Value) -> tuple[Range, type[Op], Make] | None:
    """(the range, how its bytes become floats, how these are made) of bytes that were widened; None where a value is none."""
    op = value.op
    if not isinstance(value.type, VectorType) or element_of(value.type) is I8:
        return None
    if isinstance(op, _SIGNED) and element_of(op.operand.type) is I8:
        return (-128, 127), arith.SIToFP, lambda build: op.operand
    found = exact_byte(value) if isinstance(op, (*_UNSIGNED, *_NARROWING, *_MOVING)) else None
    return None if found is None else ((0, found[0]), arith.UIToFP, found[1])


def _as_float(value: Value, kind: ScalarType, build: Rewriter) -> Value:
    """The same numbers as floats."""
    op = value.op
    number, leaf = arith.constant_of(value), _leaf(value)
    assert op is not None
    if number is not None:
        made = value.type.with_element(kind) if isinstance(value.type, VectorType) else kind
        return build(arith.Constant, value=float(number), result=made)
    if leaf is not None:
        return build(leaf[1], leaf[2](build), result=type_of(value, VectorType).with_element(kind))
    if isinstance(op, _CASTS):
        return _as_float(op.operands[0], kind, build)
    operands = [_as_float(v, kind, build) for v in op.operands]
    if isinstance(op, _STRETCHED):
        return build.clone(op, operands, [type_of(value, VectorType).with_element(kind)]).results[0]
    return build(_SUMS[type(op)], *operands)

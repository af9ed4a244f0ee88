"""Products of bf16 that bytes and f8 became are products of f16: both have all of these numbers, and sums in f32 are the same.

Two bytes at a time become f16 in their registers; f8 become f16 in four instructions, and bf16 by way of f16 and f32: with scales of blocks
of 128 x 128 on pvc 1,124 instructions for 32 DPAS with e4m3 in bf16, 601 in f16.
"""

from __future__ import annotations

import numpy as np

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, I8, VectorType, element_of
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

_FLOATS = (F8E4M3FN, F8E5M2)
_WHOLE = (arith.SIToFP, arith.UIToFP)
_OTHER_FLOATS = (arith.ExtF, arith.TruncF)


def multiply_as_f16(module: GpuModule, target: Target) -> GpuModule:
    """Let products whose operands are bytes or f8 that became bf16 take them as f16.

    Before and after: xetile at workgroup level. Nothing else takes these operands, and the product's sums are f32.
    """
    products = [
        op for op in module.find(xetile.TileMma) if element_of(op.result.type) is F32 and _has_f16(op.a) and _has_f16(op.b)
    ]
    while left := [op for op in products if not all(_is_for(v, products) for v in (op.a, op.b))]:
        products = [op for op in products if op not in left]
    rewrite = Rewriter()
    made: dict[Value, Value] = {}
    for op in products:
        old = op.a, op.b
        rewrite.set_operands(op, *[_as_f16(value, made, rewrite) for value in old], op.acc)
        erase_unused(old, rewrite)
    return module


def _has_f16(value: Value) -> bool:
    """Whether a value is of bf16 that f16 has, too."""
    if element_of(value.type) is not BF16 or value.op is None or "wg_map" in value.op.attributes:
        return False
    if isinstance(value.op, xetile.TileTranspose):
        return _has_f16(value.op.source)
    number = arith.constant_of(value)
    if isinstance(number, (int, float)):
        return abs(number) <= float(np.finfo(np.float16).max) and bool(np.float16(number) == number)
    return _narrow(value) is not None


def _narrow(value: Value) -> Op | None:
    """What converts bytes or f8 to floats that become a value, and loses no digit of these on the way."""
    op = value.op
    while isinstance(op, _OTHER_FLOATS) and element_of(op.operand.type) not in _FLOATS:
        op = op.operand.op
    if isinstance(op, _OTHER_FLOATS):
        return op
    return op if isinstance(op, _WHOLE) and element_of(op.operand.type) is I8 else None


def _is_for(value: Value, products: list[xetile.TileMma]) -> bool:
    """Whether nothing but these products takes an operand, or what it is a transpose of."""
    while isinstance(value.op, xetile.TileTranspose):
        value = value.op.source
    return isinstance(value.op, arith.Constant) or _is_taken(value, products)


def _is_taken(value: Value, products: list[xetile.TileMma]) -> bool:
    return all(
        user in products or (isinstance(user, xetile.TileTranspose) and _is_taken(user.result, products)) for user in value.users
    )


def _as_f16(value: Value, made: dict[Value, Value], rewrite: Rewriter) -> Value:
    """The same numbers as f16."""
    if value not in made:
        op = value.op
        assert op is not None
        kind = type_of(value, VectorType).with_element(F16)
        with rewrite.before(op), rewrite.located(op.loc):
            if isinstance(op, xetile.TileTranspose):
                made[value] = rewrite.clone(op, [_as_f16(op.source, made, rewrite)], [kind]).results[0]
            elif isinstance(op, arith.Constant):
                made[value] = rewrite(arith.Constant, value=op.value, result=kind)
            else:
                narrow = _narrow(value)
                assert narrow is not None
                made[value] = rewrite(
                    arith.ExtF if isinstance(narrow, _OTHER_FLOATS) else type(narrow), *narrow.operands, result=kind
                )
    return made[value]


__all__ = ["multiply_as_f16"]

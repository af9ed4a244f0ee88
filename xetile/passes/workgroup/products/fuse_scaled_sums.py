"""Sums with scaled products round once: `acc + (a @ b) * s` is `fma(a @ b, s, acc)`, one instruction for each element in place of two."""

from __future__ import annotations

from xetile.dialects import arith, math, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F32, element_of
from xetile.ir.core import Value
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def fuse_scaled_sums(module: GpuModule, target: Target) -> GpuModule:
    """Let multiples of products be added as they are multiplied.

    Before and after: xetile at workgroup level. A multiple of a product in f32 that is added to something and read nowhere else is no
    longer rounded before the sum: the last bits of products and of their multiples are open (`xt.tile_mma`).
    """
    rewrite = Rewriter()
    for op in module.find((arith.AddF, arith.SubF)):
        for value, other in _orders(op):
            scaled = value.op
            maps = {held.attributes.get("wg_map") for held in (op, scaled) if held is not None}
            if (
                isinstance(scaled, arith.MulF)
                and scaled.parent is op.parent
                and value.has_one_use
                and _is_open(value)
                and len(maps) == 1
            ):
                with rewrite.before(op), rewrite.located(op.loc):
                    if isinstance(op, arith.SubF):
                        other = _negative(other, rewrite)
                    rewrite.replace(op, rewrite(math.Fma, *scaled.operands, other, wg_map=maps.pop()))
                rewrite.erase(scaled)
                break
    return module


def _is_open(value: Value) -> bool:
    """Whether a value is a product in f32, a multiple of one, or what a mask leaves of it."""
    if element_of(value.type) is not F32:
        return False
    if isinstance(value.op, arith.MulF):
        return any(_is_open(operand) for operand in value.op.operands)
    if isinstance(value.op, arith.Select):
        return any(_is_open(operand) for operand in value.op.operands[1:])
    return isinstance(value.op, xetile.TileMma)


def _orders(op: arith.Binary) -> tuple[tuple[Value, ...], ...]:
    """Which operand may be the multiple, and the other one. A row or column is subtracted, whose negative costs less than the product."""
    if isinstance(op, arith.SubF):
        return (op.operands,) if isinstance(op.rhs.op, xetile.TileBroadcast) else ()
    return op.operands, op.operands[::-1]


def _negative(spread: Value, rewrite: Rewriter) -> Value:
    """The negative of a row or column in all rows or columns."""
    op = spread.op
    assert isinstance(op, xetile.TileBroadcast)
    return rewrite.clone(op, [rewrite(arith.NegF, op.source)]).results[0]

"""Sums with a product become products that accumulate, which is what DPAS does: `acc + a @ b` is `tile_mma(a, b, acc)`."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Block, Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import IN_ANY_ORDER
from xetile.target import Target

_SUBTRACTS = (arith.SubF, arith.SubI)
_SUMS = (arith.AddF, arith.AddI, *_SUBTRACTS)


def accumulate_products(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Let products start from what they are added to or subtracted from.

    Before and after: xetile at workgroup level. What a product in f32, f64 or i32 is added to becomes its accumulator, where nobody
    else reads the product and both stand in one block. `a @ b - x` starts from `-x`; `x - a @ b` starts from `x` and multiplies by
    `-a` (of integers, whose smallest has no negative: it is `-(a @ b - x)`). Sums of f16 and bf16 stay as they are: their rounding
    is part of the meaning (`xt.tile_mma`).
    """
    rewrite = Rewriter()
    for block in [module.kernel.body, *(inner for op in module.walk() for inner in op.regions)]:
        for op in [op for op in block.ops if isinstance(op, _SUMS)]:
            # The right one first: in `a @ b + c @ d` the second product goes on from the first.
            for position in (1, 0):
                chain = _chain(op.operands[position], block)
                if chain and _may_join(op, chain):
                    _join(op, position, chain, rewrite)
                    break
    return module


def _chain(value: Value, block: Block) -> list[Op]:
    """Products that start one from the other, last first, down to one that starts from zero; each is read by the next alone."""
    chain: list[Op] = []
    while isinstance(value.op, xetile.TileMma) and value.op.parent is block and value.has_one_use:
        chain.append(value.op)
        start = value.op.acc
        if start is None or arith.constant_of(start) == 0:
            return chain
        value = start
    return []


def _may_join(op: Op, chain: list[Op]) -> bool:
    """Whether a sum may be taken in any order; of what the user gave maps, there is one."""
    maps = {link.attributes["wg_map"] for link in (op, *chain) if "wg_map" in link.attributes}
    type_ = type_of(op.results[0], VectorType)
    return type_.element in IN_ANY_ORDER and len(maps) <= 1


def _join(op: Op, position: int, chain: list[Any], rewrite: Rewriter) -> None:
    """Let the chain start from the other operand, in the place of the sum."""
    start, total = op.operands[1 - position], chain[0].result
    with rewrite.before(op):
        if isinstance(op, arith.SubI) or (isinstance(op, arith.SubF) and position == 0):
            start = _negative(start, rewrite)
        elif isinstance(op, arith.SubF):
            for link in chain:
                rewrite.set_operand(link, 0, _negative(link.a, rewrite))
        for link in reversed(chain):
            rewrite.move_before(link, op)
        rewrite.set_operands(chain[-1], chain[-1].a, chain[-1].b, start)
        if isinstance(op, arith.SubI) and position == 1:
            total = _negative(total, rewrite)
    rewrite.replace(op, total)


def _negative(value: Value, new: Rewriter) -> Value:
    """Of a row or a column in all rows or columns that one's negative."""
    type_, spread = type_of(value, VectorType), value.op
    if type_.element.is_float:
        if isinstance(spread, xetile.TileBroadcast):
            return new.clone(spread, [new(arith.NegF, spread.source)]).results[0]
        return new(arith.NegF, value)
    return new(arith.SubI, new(arith.Constant, value=0, result=type_), value)

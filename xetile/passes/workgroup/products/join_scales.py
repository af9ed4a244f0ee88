"""Products scaled by several numbers are multiplied by one: `(a @ b) * s / c` is `(a @ b) * (s / c)`.

The numbers' quotient is computed once in front of a loop, where each element's took some 25 instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.dialects import arith, scf, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.layouts import map_of
from xetile.dialects.types import F32, element_of
from xetile.dialects.vector import Broadcast, is_one_number
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import op_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import is_fixed
from xetile.passes.common.carry import in_first_iteration
from xetile.target import Target


def join_scales(module: GpuModule, target: Target) -> GpuModule:
    """Multiply a product once where numbers multiply and divide it one after the other, and where one divides it.

    Before and after: xetile at workgroup level. Products in f32, whose last bits are open, and those of their multiples with them
    (`xt.tile_mma`). A multiple that something else reads too stays beside.
    """
    for op in module.find((arith.MulF, arith.DivF)):
        scaled = _scaled(op)
        if scaled is not None:
            _join(op, *scaled)
    return module


def _scaled(op: Any) -> tuple[Value, Value | None, Value] | None:
    """(a product, the number that multiplies it already, the one that an op multiplies or divides it by), each in all elements."""
    if element_of(op.result.type) is not F32:
        return None
    for value, number in (op.operands, op.operands[::-1])[: 1 if isinstance(op, arith.DivF) else 2]:
        if not is_one_number(number):
            continue
        if isinstance(value.op, xetile.TileMma):
            return (value, None, number) if isinstance(op, arith.DivF) else None
        if isinstance(value.op, arith.MulF):
            for product, first in (value.op.operands, value.op.operands[::-1]):
                if isinstance(product.op, xetile.TileMma) and is_one_number(first):
                    return product, first, number
    return None


def _join(op: Any, product: Value, first: Value | None, second: Value) -> None:
    rewrite = Rewriter()
    place = _place(op, [_one(v) for v in (first, second) if v is not None])
    with rewrite.before(place), rewrite.located(op.loc):
        one, other = (_scalar(rewrite, value, place) for value in (first, second))
        number = _number(rewrite, type(op), one, other)
    maps = map_of(op)
    with rewrite.before(op), rewrite.located(op.loc):
        if isinstance(number, float):
            spread = rewrite(arith.Constant, value=number, result=op.result.type)
        else:
            spread = rewrite(Broadcast, number, result=op.result.type)
        scaled = [v.op for v in op.operands if first is not None and isinstance(v.op, arith.MulF)]
        rewrite.replace(op, rewrite(arith.MulF, product, spread, **maps))
    for old in scaled:
        if not old.result.users:
            rewrite.erase(old)


def _place(op: Op, numbers: list[Value]) -> Op:
    """The outermost loop around an op that leaves the numbers as they are, or the op."""
    place = op
    while isinstance(loop := op_around(place), scf.For) and all(is_fixed(v, loop) for v in numbers):
        place = loop
    return place


def _scalar(rewrite: Rewriter, value: Value | None, place: Op) -> Value | float:
    """The number that a value has in all elements, in front of an op."""
    if value is None:
        return 1.0
    number = constant_of(value)
    if isinstance(number, (int, float)):
        return float(number)
    one = _one(value)
    return in_first_iteration(one, place, rewrite) if isinstance(place, scf.For) else one


def _one(value: Value) -> Value:
    return value.op.source if isinstance(value.op, Broadcast) else value


def _number(rewrite: Rewriter, kind: type[Op], one: Value | float, other: Value | float) -> Value | float:
    """The product or quotient of two numbers, known or not."""
    if isinstance(one, float) and isinstance(other, float):
        with np.errstate(all="ignore"):
            a, b = np.float32(one), np.float32(other)
            return float(a / b if issubclass(kind, arith.DivF) else a * b)
    operands = [rewrite(arith.Constant, value=v, result=F32) if isinstance(v, float) else v for v in (one, other)]
    made: Value = rewrite(kind, *operands)
    return made

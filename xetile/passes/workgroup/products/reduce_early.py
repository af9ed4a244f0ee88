"""Reductions stand where their operand is made, not behind products that do not need it any more.

A reduction gives a number for each row: what it reduces is dead behind it. Programs that sum up weights after they have multiplied by
them (`acc = acc * c + p.to(xt.f16) @ v`, then `total = total * c + xt.sum(p, axis=1)`) keep these in f32 beside both operands and the
accumulator: 64 of 256 registers for 64 x 64 of them, and a 64 x 64 block of attention spilled 3520 bytes on pvc.
"""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Elementwise, Op
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.target import Target

_MOVED = (Elementwise, xetile.TileBroadcast, xetile.TileReduce)


def reduce_early(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Move reductions of what products give up before the first other product that stands between the two.

    Before and after: xetile at workgroup level. What makes their operand goes with them. Reductions of what is loaded are left where they
    are: products would wait for it.
    """
    for block in dict.fromkeys(op.parent for op in module.find(xetile.TileMma)):
        assert block is not None
        products = [op for op in block.ops if isinstance(op, xetile.TileMma)]
        for op in [each for each in block.ops if isinstance(each, xetile.TileReduce)] if len(products) > 1 else ():
            position = {each: at for at, each in enumerate(block.ops)}
            _move(_sum_of(op), products, position) or _move(op, products, position)
    return module


def _sum_of(reduction: Op) -> Op:
    """The last of the ops that take a reduction one after the other, and nothing else does: the sum that a loop carries."""
    found = reduction
    while found.results[0].has_one_use:
        user = next(iter(found.results[0].users))
        if not isinstance(user, Elementwise) or user.parent is not reduction.parent:
            break
        found = user
    return found


def _move(end: Op, products: Sequence[Op], position: dict[Op, int]) -> bool:
    """Move an op, with what it needs, to where the last that they take is made, if a product stands between; whether it did."""
    given = _needed(end, -1, position)
    if not any(isinstance(op, xetile.TileMma) for op in given):
        return False
    for product in products:
        moved = _needed(end, position[product], position)
        if position[product] < position[end] and product not in given and all(isinstance(op, _MOVED) for op in moved):
            last = max(position[op] for op in given if op not in moved)
            anchor = next(op for op, at in position.items() if at == last + 1)
            for op in moved:
                Rewriter().move_before(op, anchor)
            return True
    return False


def _needed(op: Op, at: int, position: dict[Op, int]) -> list[Op]:
    """An op and what it needs of all that stands behind a place of its block, in order."""

    def behind(op: Op) -> list[Op]:
        return [made for v in op.operands if (made := v.op) is not None and position.get(made, -1) > at]

    return sorted(reached([op], behind), key=position.__getitem__)

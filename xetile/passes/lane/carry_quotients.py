"""Quotients and remainders of what grows in a loop are carried on from one iteration to the next.

`k // size` and `k % size` of a counter take some twenty instructions each time, for GPUs have none that divides whole numbers; a sum, a
comparison and a choice for each of both go on from those of the iteration before.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import arith, scf
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import growth_of, is_invariant
from xetile.passes.common.carry import carry, in_first_iteration
from xetile.target import Target

_DIVISIONS = (arith.DivUI, arith.RemUI)


def carry_quotients(module: GpuModule, target: Target) -> GpuModule:
    """Carry unsigned quotients and remainders of values that grow by a constant, by divisors that are known at run time.

    Before and after: xegpu at lane level. Nothing below asks what divides a number.
    """
    for loop in [op for op in module.walk() if isinstance(op, scf.For)]:
        divisions: dict[tuple[Value, ...], list[Op]] = {}
        for op in _divisions(loop):
            divisions.setdefault(tuple(op.operands), []).append(op)
        for (grows, divisor), ops in divisions.items():
            _carry(loop, grows, divisor, ops)
    return module


def _divisions(loop: scf.For) -> Iterator[Op]:
    for op in loop.body.ops:
        if isinstance(op, _DIVISIONS) and isinstance(op.result.type, ScalarType):
            grows, divisor = op.operands
            if arith.constant_of(divisor) is None and is_invariant(divisor, loop) and (growth_of(grows, loop) or 0) > 0:
                yield op


def _carry(loop: scf.For, grows: Value, divisor: Value, ops: list[Op]) -> None:
    """Let a loop carry the quotient and the remainder that some divisions give. The sum of two remainders has no more bits than there are."""
    rewrite, kind = Rewriter(), grows.type
    growth = growth_of(grows, loop)
    with rewrite.before(loop), rewrite.located(ops[0].loc):
        one = rewrite(arith.Constant, value=1, result=kind)
        # Where the loop never runs the divisor may be 0, which CPUs take for an error.
        by = rewrite(arith.MaxUI, divisor, one)
        first, amount = in_first_iteration(grows, loop, rewrite), rewrite(arith.Constant, value=growth, result=kind)
        starts = [first if arith.constant_of(first) == 0 else rewrite(division, first, by) for division in _DIVISIONS]
        steps = [rewrite(division, amount, by) for division in _DIVISIONS]
        reached = rewrite(arith.AddI, steps[0], one)
    quotient, remainder = carry(loop, starts[0], ""), carry(loop, starts[1], "")
    with rewrite.before(loop.body.terminator), rewrite.located(ops[0].loc):
        total = rewrite(arith.AddI, remainder, steps[1])
        over = rewrite(arith.CmpI, total, by, predicate="uge")
        more = rewrite(arith.AddI, quotient, rewrite(arith.Select, over, reached, steps[0]))
        left = rewrite(arith.Select, over, rewrite(arith.SubI, total, by), total)
    rewrite.append_operands(loop.body.terminator, [more, left])
    for op in ops:
        rewrite.replace(op, quotient if isinstance(op, arith.DivUI) else remainder)

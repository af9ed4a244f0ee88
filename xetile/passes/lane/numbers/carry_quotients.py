"""Quotients, remainders and multiples of what grows in a loop are carried on from one iteration to the next.

`k // size` and `k % size` of a counter take some twenty instructions each time, for GPUs have none that divides whole numbers; a sum, a
comparison and a choice for each of both go on from those of the iteration before. A product with a number that is known at run time,
which is three instructions, goes on by a sum.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import arith, scf
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value, of_kind
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.recurrences import growth_of, is_invariant
from xetile.passes.common.carry import carry, give, in_first_iteration
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

_DIVISIONS = (arith.DivUI, arith.RemUI)


def carry_quotients(module: GpuModule, target: Target) -> GpuModule:
    """Carry unsigned quotients and remainders of values that grow by a constant, by divisors that are known at run time, and products of such
    values, and of their quotients by constants that divide how much they grow, with factors that are known at run time.

    Before and after: xegpu at lane level. Nothing below asks what divides a number.
    """
    for loop in module.find(scf.For):
        divisions: dict[tuple[Value, ...], list[Op]] = {}
        for op in _divisions(loop):
            divisions.setdefault(tuple(op.operands), []).append(op)
        for (grows, divisor), ops in divisions.items():
            _carry(loop, grows, divisor, ops)
        for op in of_kind(loop.body.ops, arith.MulI):
            if isinstance(op.result.type, ScalarType):
                _carry_multiple(loop, op)
    return module


def _divisions(loop: scf.For) -> Iterator[Op]:
    for op in of_kind(loop.body.ops, _DIVISIONS):
        if isinstance(op.result.type, ScalarType):
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


def _carry_multiple(loop: scf.For, op: Op) -> None:
    """Let a loop carry the product of a factor that it does not change and what grows in it."""
    for grows, factor in (op.operands, op.operands[::-1]):
        growth = _growth(grows, loop)
        if not growth or arith.constant_of(factor) is not None or not is_invariant(factor, loop):
            continue
        rewrite, total = Rewriter(), _with_offset(op.result, loop)
        with rewrite.before(loop), rewrite.located(op.loc):
            first = in_first_iteration(total, loop, rewrite)
            by = factor if growth == 1 else rewrite(arith.MulI, factor, rewrite(arith.Constant, value=growth, result=factor.type))
        multiple = carry(loop, first, total.name)
        with rewrite.before(loop.body.terminator), rewrite.located(op.loc):
            give(loop, rewrite(arith.AddI, multiple, by))
        rewrite.replace_uses(total, multiple)
        erase_unused([total], rewrite)
        return


def _with_offset(value: Value, loop: scf.For) -> Value:
    """A value, or the sum of it and of what the loop does not change where only that is needed."""
    users = list(value.users)
    if len(users) != 1 or not isinstance(users[0], arith.AddI) or users[0].parent is not loop.body:
        return value
    (other,) = [v for v in users[0].operands if v is not value] or [value]
    return _with_offset(users[0].result, loop) if is_invariant(other, loop) and arith.constant_of(other) is None else value


def _growth(value: Value, loop: scf.For) -> int | None:
    """By what a value grows from one iteration to the next, or its quotient by a constant that divides that; None where it is not known."""
    divided = value.op
    by = arith.constant_of(divided.operands[1]) if isinstance(divided, (arith.ShRSI, arith.ShRUI, arith.DivUI)) else None
    if divided is None or not isinstance(by, int) or is_invariant(value, loop):
        return growth_of(value, loop)
    growth, size = growth_of(divided.operands[0], loop), by if isinstance(divided, arith.DivUI) else 1 << by
    return growth // size if growth is not None and size and growth % size == 0 else None
